"""Ctrl-C while a solver runs: tried in a process of its own, with the signal that a terminal sends."""

from __future__ import annotations

import os
import pickle
import signal
import subprocess
import sys
import threading
import time

import numpy as np

from ...api.backend import Backend, MIPModel
from ...base.limits import Deadline, MIPLimits
from ..timing import slowdown
from .instances import LinearProgram, covering_program, set_cover

_SECONDS = 30.0
"""How long the child goes on solving when nobody stops it."""
_COMMAND = "from rulecg_core.testing.backends.interrupts import solve_until_interrupted as main; main()"
_CAN_SIGNAL_CHILDREN = os.name == "posix"
"""Elsewhere a signal to a child ends it, so the child raises its own."""


class InterruptContract:
    """Ctrl-C ends every solve, and nobody takes it for an answer."""

    def test_ctrl_c_ends_a_linear_program(self, backend: Backend) -> None:
        """KeyboardInterrupt is raised about half a second after the signal."""
        check_ctrl_c(backend, covering_program(seed=0, n_rows=1050, n_columns=900, density=0.2))

    def test_ctrl_c_ends_an_integer_program(self, backend: Backend) -> None:
        """KeyboardInterrupt is raised about half a second after the signal, whatever was found."""
        check_ctrl_c(backend, set_cover(seed=4, n_sets=500, n_elements=400, density=0.05))


def check_ctrl_c(
    backend: Backend,
    program: LinearProgram | MIPModel,
    *,
    after: float = 0.7,
    seconds: float = _SECONDS,
    tries: int = 3,
) -> None:
    """Assert that Ctrl-C in the middle of a solve raises KeyboardInterrupt within a second.

    Other work on the machine may delay one answer, but hardly three: the last of them counts.

    Parameters
    ----------
    backend : Backend
        It is sent to a child process, so it must be possible to pickle it.
    program : LinearProgram or MIPModel
        What the child solves, over and over.
    after : float, default=0.7
        Seconds between the start of the first solve and the signal.
    seconds : float, default=30.0
        How long the child goes on solving when nobody stops it.
    tries : int, default=3
        How often to try when the answer comes late.
    """
    for _ in range(tries):
        outcome, took = _outcome_after_ctrl_c(backend, program, after, seconds)
        assert outcome == "KeyboardInterrupt", (
            f"After Ctrl-C in the middle of a solve the child said {outcome!r} after {took:.1f} s. The solver must "
            "be stopped and KeyboardInterrupt must leave the call; rulecg_core.Interruption does both."
        )
        allowed = slowdown()
        if took <= allowed:
            return
    raise AssertionError(f"KeyboardInterrupt came {took:.2f} s after Ctrl-C, {allowed:.2f} s are allowed.")


def _outcome_after_ctrl_c(
    backend: Backend, program: LinearProgram | MIPModel, after: float, seconds: float
) -> tuple[str, float]:
    environment = dict(os.environ)
    environment["PYTHONPATH"] = os.pathsep.join(path or os.getcwd() for path in sys.path)
    child = subprocess.Popen(
        [sys.executable, "-c", _COMMAND], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment
    )
    assert child.stdin is not None
    assert child.stdout is not None
    watchdog = threading.Timer(seconds + 60.0, child.kill)
    watchdog.start()
    try:
        pickle.dump((backend, program, seconds, None if _CAN_SIGNAL_CHILDREN else after), child.stdin)
        child.stdin.flush()
        assert child.stdout.readline().strip() == b"solving", "The child process did not get as far as solving."
        time.sleep(after)
        began = time.perf_counter()
        if _CAN_SIGNAL_CHILDREN:
            child.send_signal(signal.SIGINT)
        outcome = child.stdout.readline().decode().strip()
        return outcome, time.perf_counter() - began
    finally:
        watchdog.cancel()
        child.kill()
        child.wait()
        child.stdin.close()
        child.stdout.close()


def solve_until_interrupted() -> None:
    """What the child process does: solve what it is given, and say how that ended."""
    backend, program, seconds, signal_itself_after = pickle.load(sys.stdin.buffer)
    # A process started in the background may have inherited that Ctrl-C is ignored.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    covering_program(seed=0, n_rows=20, n_columns=10).solve(backend)
    backend.solve_mip(set_cover(seed=0, n_sets=10, n_elements=10), MIPLimits(seconds=seconds))
    end = Deadline.after(seconds)
    try:
        print("solving", flush=True)
        if signal_itself_after is not None:
            threading.Timer(signal_itself_after, signal.raise_signal, [signal.SIGINT]).start()
        if isinstance(program, MIPModel):
            _solve_mips(backend, program, end)
        else:
            _solve_lps(backend, program, end)
        outcome = "it went on"
    except KeyboardInterrupt:
        outcome = "KeyboardInterrupt"
    except BaseException as error:
        outcome = f"{type(error).__name__}: {error}"
    print(outcome, flush=True)


def _solve_mips(backend: Backend, model: MIPModel, end: Deadline) -> None:
    while not end.passed:
        backend.solve_mip(model, MIPLimits(seconds=end.remaining + 1e-3))


def _solve_lps(backend: Backend, program: LinearProgram, end: Deadline) -> None:
    rng = np.random.default_rng(0)
    columns = np.arange(len(program.costs))
    with program.open(backend) as session:
        while not end.passed:
            session.solve(end)
            session.set_costs(columns, program.costs * rng.uniform(0.5, 1.5, len(columns)))
