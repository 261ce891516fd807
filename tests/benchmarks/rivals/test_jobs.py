"""Rivals in processes of their own."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.rivals import RIVALS, availability, rival
from benchmarks.rivals.jobs import NoOutcome, Samples, candidates, run_rival

from .toys import truth_table


def _samples() -> Samples:
    X = truth_table(4)
    return Samples(X, X.iloc[::-1], X.to_numpy()[:, 0].astype(bool))


def test_tuned_rival_learns_and_predicts() -> None:
    """The process tunes, fits and predicts training and test samples in their order."""
    samples = _samples()
    (found,) = run_rival(
        "CART", samples, candidates({"min_samples_leaf": (16, 1)}), inner_folds=2, seconds=60
    )
    assert found.parameters == {"min_samples_leaf": 1}
    assert found.tried == 2
    assert np.array_equal(found.train, samples.y_train)
    assert np.array_equal(found.test, samples.y_train[::-1])
    assert found.complexity == 2


def test_without_inner_folds_every_candidate_is_reported() -> None:
    """A front needs a model for each value of the parameter."""
    found = run_rival("BCD", _samples(), candidates({"theta": (1.0, 0.01)}), inner_folds=0, seconds=60)
    assert [each.complexity for each in found] == [0, 2]


def test_a_rival_that_takes_too_long_is_ended() -> None:
    """After its time it has lost, and the reason says how long it had."""
    with pytest.raises(NoOutcome, match=r"over 0\.001 s"):
        run_rival("CART", _samples(), [{}], inner_folds=0, seconds=0.001)


def test_a_failure_becomes_a_reason() -> None:
    """What goes wrong in a rival is told in one line."""
    with pytest.raises(NoOutcome, match="no parameter leaves"):
        run_rival("CART", _samples(), [{"leaves": 3}], inner_folds=0, seconds=60)


def test_what_is_not_there_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch, tmp_path: object) -> None:
    """Without its environment, a rival that needs one names the command that makes it."""
    monkeypatch.setenv("RULECG_RIVALS", str(tmp_path))
    found = availability(rival("BooleanRuleCG"))
    if found.is_there:
        pytest.skip("AIX360 is in this very environment")
    assert "benchmarks.rivals.environments aix360" in found.reason


@pytest.mark.parametrize("name", RIVALS)
def test_every_rival_that_is_there_learns_a_planted_rule(name: str) -> None:
    """Where x0 decides and groups are even, every rival is right on more than nine of ten samples."""
    if not availability(rival(name)).is_there:
        pytest.skip(availability(rival(name)).reason)
    X = truth_table(4)
    X = X.loc[np.repeat(X.index, 12)].reset_index(drop=True)
    y = X.to_numpy()[:, 0].astype(bool)
    groups = X.to_numpy()[:, 3]
    (found,) = run_rival(name, Samples(X, X, y, groups, groups), [{}], inner_folds=0, seconds=120)
    assert np.mean(found.test == y) > 0.9
    assert (found.complexity is not None) == rival(name).counts_rules
