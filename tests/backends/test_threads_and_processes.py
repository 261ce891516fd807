"""Solvers survive being used from several threads and processes, and give the same answers there."""

import multiprocessing
import os

import numpy as np
import pytest
from joblib import Parallel, delayed

from rulecg_backends.cbc.backend import CBC
from rulecg_backends.gurobi import Gurobi
from rulecg_backends.highs import HiGHS
from rulecg_backends.scip import SCIP
from rulecg_core.testing.backends.instances import covering_program, set_cover

BACKENDS = [HiGHS(), CBC(), Gurobi(), SCIP()]


def answers(backend, seed):
    """The values of one linear and one integer program."""
    relaxation = covering_program(seed, n_rows=50, n_columns=30).solve(backend)
    found = backend.solve_mip(set_cover(seed, n_sets=30, n_elements=20))
    return relaxation.objective, found.best.objective, found.bound


def send_answers(backend, seed, channel):
    channel.send(answers(backend, seed))


@pytest.mark.parametrize("way", ["threading", "loky"])
@pytest.mark.parametrize("backend", BACKENDS, ids=lambda backend: backend.name)
def test_two_workers_find_what_one_finds(backend, way):
    """joblib with two jobs, in threads and in spawned processes."""
    alone = [answers(backend, seed) for seed in range(4)]
    together = Parallel(n_jobs=2, backend=way)(delayed(answers)(backend, seed) for seed in range(4))
    assert np.allclose(alone, together, atol=1e-6)


@pytest.mark.parametrize("backend", BACKENDS, ids=lambda backend: backend.name)
def test_many_threads_keep_their_own_sessions(backend):
    """Sessions that grow in turns, one per thread, do not mix."""

    def grow(seed):
        program = covering_program(seed, n_rows=20, n_columns=10)
        session = program.open(backend)
        values = []
        for factor in (1.0, 2.0, 0.5):
            session.set_costs(np.arange(20), np.full(20, factor))
            values.append(session.solve().objective)
        session.close()
        return values

    alone = [grow(seed) for seed in range(6)]
    together = Parallel(n_jobs=6, backend="threading")(delayed(grow)(seed) for seed in range(6))
    assert np.allclose(alone, together, atol=1e-6)


@pytest.mark.parametrize("backend", BACKENDS, ids=lambda backend: backend.name)
def test_a_forked_child_can_solve_after_its_parent_did(backend):
    """Where processes are forked, a child inherits a solver that was in use; with one thread it must not hang."""
    expected = answers(backend, 0)
    if "fork" not in multiprocessing.get_all_start_methods() or os.name != "posix":
        return
    context = multiprocessing.get_context("fork")
    receiver, sender = context.Pipe(duplex=False)
    child = context.Process(target=send_answers, args=(backend, 0, sender), daemon=True)
    child.start()
    try:
        assert receiver.poll(60), "the child hangs"
        assert np.allclose(receiver.recv(), expected, atol=1e-6)
    finally:
        child.kill()
        child.join()
