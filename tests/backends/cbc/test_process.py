"""CBC's process may crash, hang or be ended; its users lose time and nothing else, and no process is left behind."""

import gc
import multiprocessing
import subprocess
import sys
import time

import numpy as np
import pytest

from rulecg_backends.cbc import process as cbc_process
from rulecg_backends.cbc.backend import CBC
from rulecg_core import Deadline, MIPLimits, Solution, SolveError, Stop
from rulecg_core.testing.backends.instances import covering_program, set_cover


def test_a_session_outlives_its_process():
    """A linear program is loaded into a new process, with all that was added since."""
    program = covering_program(seed=0, n_rows=20, n_columns=10)
    session = program.open(CBC())
    before = session.solve()
    session.inner._process.end()
    assert session.solve().objective == pytest.approx(before.objective)
    session.inner._process.end()
    session.set_costs(np.arange(20), np.full(20, 2.0))
    changed = program.with_costs(np.arange(20), np.full(20, 2.0))
    assert session.solve().objective == pytest.approx(changed.solve(CBC()).objective)
    session.close()


def test_processes_are_used_again():
    """Starting one takes half a second, which many small solves would feel."""
    CBC().solve_mip(set_cover(0, n_sets=10, n_elements=10))
    process = cbc_process.borrow()
    cbc_process.give_back(process)
    CBC().solve_mip(set_cover(1, n_sets=10, n_elements=10))
    assert cbc_process.borrow() is process
    cbc_process.give_back(process)


def test_a_process_that_died_while_idle_is_not_used():
    """Whatever killed it, the next solve starts a new one."""
    process = cbc_process.borrow()
    assert process.wait_until_ready(Deadline.after(30.0))
    process.end()
    cbc_process.give_back(process)
    assert CBC().solve_mip(set_cover(0, n_sets=10, n_elements=10)).solution is Solution.OPTIMAL


def test_a_solve_that_overruns_is_ended(monkeypatch):
    """What CBC does not stop by itself is stopped; the start solutions stay."""
    cbc_process.give_back(cbc_process.borrow())
    monkeypatch.setattr(cbc_process, "_GRACE", -10.0)
    model = set_cover(seed=4, n_sets=500, n_elements=400, density=0.05)
    solver = CBC()
    process = cbc_process.borrow()
    assert process.wait_until_ready(Deadline.after(30.0))
    cbc_process.give_back(process)
    result = solver.solve_mip(model, MIPLimits(seconds=5.0), start=[np.ones(500)])
    assert result.solution is Solution.FEASIBLE
    assert result.stop in (Stop.ERROR, Stop.TIME_LIMIT)
    assert any("ended" in note for note in result.notes)


def test_errors_within_the_process_reach_the_caller():
    """A request that python-mip refuses becomes a SolveError with its words."""
    process = cbc_process.borrow()
    assert process.wait_until_ready(Deadline.after(30.0))
    process.send("solve_lp", {"fresh": True, "changes": [("set_costs", ([9], [1.0]))], "seconds": 1.0}, Deadline())
    with pytest.raises(SolveError, match="CBC failed"):
        process.receive()
    process.end()


def has_ended_soon(popen):
    """Whether the process is gone within a few seconds."""
    try:
        popen.wait(timeout=30.0)
    except subprocess.TimeoutExpired:
        return False
    return True


def open_and_solve(seed=0):
    session = covering_program(seed, n_rows=20, n_columns=10).open(CBC())
    assert session.solve().is_optimal
    return session


def test_a_session_that_is_forgotten_takes_its_process_along():
    """Whoever forgets to close a session leaves no process behind."""
    session = open_and_solve()
    popen = session.inner._process._process
    assert popen.poll() is None
    del session
    gc.collect()
    assert has_ended_soon(popen)


def test_forgotten_sessions_that_hold_each_other_do_not_pile_up():
    """Python notices late that nobody needs them; their processes must not fill the machine until then."""
    gc.collect()
    popens = []
    gc.disable()
    try:
        for seed in range(8):
            session = open_and_solve(seed)
            session.itself = session
            popens.append(session.inner._process._process)
            assert sum(popen.poll() is None for popen in popens) <= 5
        del session
    finally:
        gc.enable()
    gc.collect()
    assert all(has_ended_soon(popen) for popen in popens)


def test_closed_sessions_keep_at_most_two_idle_processes():
    """Many sessions at a time need many processes; afterwards those end."""
    sessions = [open_and_solve(seed) for seed in range(4)]
    popens = [session.inner._process._process for session in sessions]
    for session in sessions:
        session.close()
        session.close()
    assert len(cbc_process._idle) <= 2
    cbc_process.end_idle()
    assert all(has_ended_soon(popen) for popen in popens)


def test_an_idle_process_ends_by_itself(monkeypatch):
    """Nobody has to wait for the interpreter's end to get the memory back."""
    cbc_process.end_idle()
    command = "import rulecg_backends.cbc.worker as worker; worker.IDLE_SECONDS = 0.2; worker.main()"
    monkeypatch.setattr(cbc_process, "_COMMAND", command)
    process = cbc_process.borrow()
    assert process.wait_until_ready(Deadline.after(60.0))
    cbc_process.give_back(process)
    assert has_ended_soon(process._process)
    monkeypatch.undo()
    assert CBC().solve_mip(set_cover(0, n_sets=10, n_elements=10)).solution is Solution.OPTIMAL


def test_no_process_outlives_the_interpreter():
    """Open sessions, closed ones and solves: at exit all of their processes end."""
    program = (
        "from rulecg_backends.cbc.backend import CBC\n"
        "from rulecg_core.testing.backends.instances import covering_program, set_cover\n"
        "sessions = [covering_program(seed, n_rows=20, n_columns=10).open(CBC()) for seed in range(2)]\n"
        "for session in sessions: session.solve()\n"
        "print(*(session.inner._process._process.pid for session in sessions))\n"
        "sessions[0].close()\n"
        "CBC().solve_mip(set_cover(0, n_sets=10, n_elements=10))\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=120, check=True)
    pids = [int(word) for word in done.stdout.split()]
    assert len(pids) == 2
    end = time.perf_counter() + 30.0
    while any(is_running(pid) for pid in pids):
        assert time.perf_counter() < end, "a process for CBC outlived its owner"
        time.sleep(0.1)


def is_running(pid):
    """Whether a process that is no child of this one runs."""
    listed = subprocess.run(["ps", "-o", "stat=", "-p", str(pid)], capture_output=True, text=True, check=False).stdout
    return listed.strip() not in ("", "Z")


class Killer:
    """Kills CBC's process right after the first so many requests of a kind."""

    def __init__(self, monkeypatch, request, times):
        self.left = times
        send = cbc_process.CBCProcess.send

        def send_and_kill(process, kind, content, deadline):
            send(process, kind, content, deadline)
            if kind == request and self.left:
                self.left -= 1
                process._process.kill()

        monkeypatch.setattr(cbc_process.CBCProcess, "send", send_and_kill)


def test_an_integer_solve_survives_the_end_of_its_process(monkeypatch):
    """It is started again in a new process, once, and a note tells."""
    model = set_cover(0, n_sets=40, n_elements=30)
    expected = CBC().solve_mip(model).best.objective
    Killer(monkeypatch, "solve_mip", times=1)
    result = CBC().solve_mip(model)
    assert result.solution is Solution.OPTIMAL
    assert result.best.objective == pytest.approx(expected)
    assert any("started again" in note for note in result.notes)


def test_an_integer_solve_whose_process_ends_twice_keeps_its_starts(monkeypatch):
    """What kills two processes will kill a third: the answer is an error with what was known."""
    Killer(monkeypatch, "solve_mip", times=2)
    result = CBC().solve_mip(set_cover(0, n_sets=40, n_elements=30), start=[np.ones(40)])
    assert (result.stop, result.solution) == (Stop.ERROR, Solution.FEASIBLE)
    assert any("ended" in note for note in result.notes)


def test_a_linear_program_survives_the_end_of_its_process_in_mid_solve(monkeypatch):
    """It is loaded into a new process."""
    program = covering_program(seed=0, n_rows=20, n_columns=10)
    expected = program.solve(CBC()).objective
    Killer(monkeypatch, "solve_lp", times=1)
    assert program.solve(CBC()).objective == pytest.approx(expected)


def test_a_forked_child_leaves_its_parents_processes_alone():
    """A child inherits sessions; when it drops them, the parent goes on solving."""
    if "fork" not in multiprocessing.get_all_start_methods():
        return
    session = open_and_solve()
    popen = session.inner._process._process
    context = multiprocessing.get_context("fork")
    receiver, sender = context.Pipe(duplex=False)
    child = context.Process(target=forget_inherited, args=(session, sender), daemon=True)
    child.start()
    try:
        assert receiver.poll(60), "the child hangs"
        assert popen.poll() is None
        assert session.solve().is_optimal
        assert session.inner._process._process is popen
    finally:
        child.kill()
        child.join()
        session.close()


def forget_inherited(session, channel):
    session.inner._process.end()
    session.inner._process = None
    gc.collect()
    channel.send("done")
