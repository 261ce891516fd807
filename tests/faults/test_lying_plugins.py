"""No plugin makes the core say *optimal* of a rule set that is not, whatever its fault."""

import pytest

from benchmarks.campaign.lying_plugins import FAULTS, run_with

WITHOUT_A_NAME = {"impossible"}
"""Faults that are told about the row, by its name or its bounds, rather than about the constraint that made it."""

EVERY = [(kind, fault) for kind, faults in FAULTS.items() for fault in faults]


def test_there_are_many_faults():
    """Fifty at least, in plugins of every kind."""
    assert len(EVERY) >= 50
    assert set(FAULTS) == {"pricer", "backend", "master", "heuristic", "constraint", "observer"}


@pytest.mark.parametrize(("kind", "fault"), EVERY)
@pytest.mark.parametrize("seed", [3])
def test_optimal_is_said_of_optima_only(kind, fault, seed):
    """Against brute force over all rule sets; a worse answer names the plugin or says that nothing is proven."""
    trial = run_with(kind, fault, seed, beside_honest=False)
    assert not trial.is_false_proof, (trial, trial.messages)
    if trial.status is None and fault not in WITHOUT_A_NAME:
        assert trial.names_the_guilty, trial.messages


@pytest.mark.parametrize("kind", FAULTS)
def test_a_plugin_that_raises_is_named(kind):
    """In the error, or in the notes of a run that went on without it; unless it was never asked."""
    fault = {"backend": "MIP raises", "master": "relaxation raises"}.get(kind, "raises")
    trials = [run_with(kind, fault, seed, beside_honest=False) for seed in range(4)]
    assert all(trial.names_the_guilty or trial.is_harmless for trial in trials)
    assert kind == "heuristic" or any(trial.names_the_guilty for trial in trials)
