"""CBC's process may crash, hang or be ended; its users lose time and nothing else."""

import numpy as np
import pytest

from rulecg_backends.cbc import process as cbc_process
from rulecg_backends.cbc.backend import CBC
from rulecg_core import Deadline, MIPLimits, Solution, SolveError, Stop
from rulecg_core.testing.backend_instances import covering_program, set_cover


def test_a_session_outlives_its_process():
    """A linear program is loaded into a new process, with all that was added since."""
    program = covering_program(seed=0, n_rows=20, n_columns=10)
    session = program.open(CBC())
    before = session.solve()
    session._process.end()
    assert session.solve().objective == pytest.approx(before.objective)
    session._process.end()
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
