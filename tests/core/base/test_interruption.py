"""A solver that runs is stopped by Ctrl-C, by should_stop and by its deadline, or it is left behind."""

import subprocess
import sys
import threading
import time

import pytest

from rulecg_core import Deadline, Interruption
from rulecg_core.base import interruption as module


def test_what_the_solver_raises_reaches_the_caller():
    """An error in the solver's thread is an error of the call."""

    def broken():
        raise ZeroDivisionError("in the solver")

    with pytest.raises(ZeroDivisionError, match="in the solver"):
        Interruption().run(broken)


def test_should_stop_reaches_the_solver():
    """The solver hears of it through on_request and through requested, and has ended when run returns."""
    stop, asked = threading.Event(), []
    interruption = Interruption(should_stop=lambda: True)

    def ask():
        asked.append(interruption.requested)
        stop.set()

    assert interruption.run(lambda: stop.wait(60.0), ask)
    assert asked
    assert all(asked)


def test_a_solver_that_forgets_a_request_is_asked_again():
    """A request that comes before the solver has quite begun may be lost."""
    asked, stop = [], threading.Event()

    def ask():
        asked.append(None)
        if len(asked) == 3:
            stop.set()

    assert Interruption(should_stop=lambda: True).run(lambda: stop.wait(60.0), ask)
    assert len(asked) >= 3


def test_a_solver_that_does_not_listen_is_left_behind():
    """The call returns without it, well before it ends."""
    end = threading.Event()
    began = time.perf_counter()
    assert not Interruption(should_stop=lambda: True).run(lambda: end.wait(60.0))
    assert time.perf_counter() - began < 30.0
    assert module._left_behind
    end.set()


def test_a_solver_that_overruns_its_deadline_is_left_behind():
    """Limits are kept, whoever ignores them; the reason is known."""
    end = threading.Event()
    interruption = Interruption(deadline=Deadline.after(0.05))
    assert not interruption.run(lambda: end.wait(60.0))
    assert interruption.is_overdue
    end.set()


def test_an_error_in_should_stop_stops_the_solver_and_is_raised():
    """Even when the solver does not listen."""
    end = threading.Event()

    def broken():
        raise LookupError("in should_stop")

    with pytest.raises(LookupError, match="in should_stop"):
        Interruption(should_stop=broken).run(lambda: end.wait(60.0))
    end.set()


def test_solves_of_one_kind_share_a_thread():
    """A process does not grow by a thread's memory with every solve."""
    used = []
    for _ in range(5):
        Interruption().run(lambda: used.append(threading.get_ident()), thread="test-of-one-kind")
    assert len(set(used)) == 1


def test_solves_at_the_same_time_have_threads_of_their_own():
    """One that runs keeps its thread to itself."""
    both = threading.Barrier(2)
    calls = [threading.Thread(target=Interruption().run, args=(lambda: both.wait(30.0),)) for _ in range(2)]
    for call in calls:
        call.start()
    for call in calls:
        call.join(30.0)
        assert not call.is_alive()
    assert not both.broken


def run_child(program):
    return subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=False)


def test_ctrl_c_stops_the_solver_and_is_raised():
    """Once the solver has ended, KeyboardInterrupt leaves the call; nothing takes its place."""
    done = run_child(
        "import signal, threading\n"
        "from rulecg_core import Interruption\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "stop, told = threading.Event(), []\n"
        "threading.Timer(0.3, signal.raise_signal, [signal.SIGINT]).start()\n"
        "try:\n"
        "    Interruption().run(lambda: told.append(stop.wait(50)), stop.set)\n"
        "except KeyboardInterrupt:\n"
        "    print('interrupted', told)\n"
    )
    assert done.stdout.strip() == "interrupted [True]", done.stderr


def test_a_second_ctrl_c_waits_for_nobody():
    """Even where the caller would wait for ever for a solver to stop."""
    done = run_child(
        "import math, os, signal, threading\n"
        "from rulecg_core import Interruption\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "for after in (0.3, 0.9):\n"
        "    threading.Timer(after, signal.raise_signal, [signal.SIGINT]).start()\n"
        "try:\n"
        "    Interruption().run(threading.Event().wait, patience=math.inf)\n"
        "except KeyboardInterrupt:\n"
        "    print('interrupted', flush=True)\n"
        "os._exit(0)\n"
    )
    assert done.stdout.strip() == "interrupted", done.stderr


def test_the_interpreter_waits_at_its_end_for_a_solver_that_was_left_behind():
    """Compiled code must not run on while the process is taken apart."""
    done = run_child(
        "import time\n"
        "from rulecg_core import Interruption\n"
        "def solve():\n"
        "    time.sleep(1.5)\n"
        "    print('the solver ended', flush=True)\n"
        "print(Interruption(should_stop=lambda: True).run(solve), flush=True)\n"
    )
    assert done.stdout.split("\n")[:2] == ["False", "the solver ended"], done.stderr
