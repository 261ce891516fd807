"""Rows kept aside: what constraints say about them, and what is done with those that err."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from attrs import evolve, frozen

from rulecg_core import Constraint, Judgement, PluginError, Problem, Row, checked_judgement, share_kept_aside


@frozen
class AtMostSelected(Constraint):
    """A stranger's constraint: a class attribute is all it takes to have rows kept aside."""

    share: float
    kept_aside = 0.25

    def rows(self, problem: Problem) -> list[Row]:
        return [(problem.selection_rate() <= self.share).named("selected")]


@frozen
class Answers(AtMostSelected):
    """Judges by a given answer, or raises it."""

    answer: Any = None

    def judge_aside(self, aside: Problem, training: Problem, y_pred: Any) -> Any:
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer


def parted() -> tuple[Problem, Problem, np.ndarray]:
    """Ten samples, five of them kept aside, of which three are selected; of the others one is."""
    y_pred = np.array([1, 1, 1, 0, 0, 1, 0, 0, 0, 0], dtype=bool)
    samples = Problem.from_arrays(y_pred[:, None], [1, 0] * 5, merge=False)
    is_aside = np.arange(10) < 5
    return (
        evolve(samples, weights=is_aside.astype(float)),
        evolve(samples, weights=(~is_aside).astype(float)),
        y_pred,
    )


@pytest.mark.parametrize(("share", "holds"), [(0.6, True), (0.59, False)])
def test_rows_are_measured_on_what_was_kept_aside(share: float, holds: bool) -> None:
    """Unless a constraint judges by itself, its rows must hold on the samples kept aside, whatever the others say."""
    judgement = checked_judgement(AtMostSelected(share), *parted())
    assert judgement.holds is holds
    assert "selected is 0.6" in judgement.text


def test_the_largest_share_counts() -> None:
    """Of several constraints the one that wants most rows kept aside decides; without any it is none."""
    assert share_kept_aside((AtMostSelected(0.5), Answers(0.5))) == 0.25
    assert share_kept_aside(()) == 0


@pytest.mark.parametrize("wrong", [1.0, -0.1, "half", None, True])
def test_a_wrong_share_names_the_constraint(wrong: Any) -> None:
    """A share that leaves nothing to learn from, or is none, is refused with the constraint's name."""
    class Greedy(AtMostSelected):
        kept_aside = wrong

    with pytest.raises(PluginError, match="Greedy"):
        share_kept_aside((Greedy(0.5),))


def test_faults_of_strangers_are_named() -> None:
    """An exception, or something else than a judgement, becomes an error that names the constraint."""
    for answer in (ZeroDivisionError("oops"), True):
        with pytest.raises(PluginError, match="Answers"):
            checked_judgement(Answers(0.5, answer), *parted())
    assert checked_judgement(Answers(0.5, Judgement(True, "fine")), *parted()).text == "fine"
