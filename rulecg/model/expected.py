"""What to expect on new rows, as plain values that a file can hold."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from attrs import evolve, field, frozen


@frozen
class Estimate:
    """A figure on new rows, with an interval."""

    value: float
    low: float
    high: float


@frozen
class Expected:
    """What to expect of a rule set on new rows of the same kind, from rows that took no part in learning.

    Each fold's rows were predicted by rule sets learned from the other rows. Candidates were chosen by what they said
    there, so the best of them looks better than it is; figures are halfway between what it said and what candidates
    said that the other folds would have chosen, and intervals hold those of both.

    Parameters
    ----------
    accuracy : Estimate
        Share of rows predicted rightly.
    majority : Any
        The most frequent class.
    majority_accuracy : float
        What always saying it would get right.
    cost, constant_cost : float
        Mean cost of a row in the problem's own stakes, of the rule set and of the best constant answer.
    gain : Estimate
        By how much the rule set costs less than the constant answer, per row.
    figures : mapping from name to Estimate
        ``balanced accuracy``; with two classes ``precision``, ``recall`` and ``AUC``.
    gaps : mapping from name to float
        Largest differences between sensitive groups, of selection rate, true and false positive rate.
    fold_accuracies : tuple of float
        In each fold.
    folds_disagree : bool
        Whether they differ by more than chance.
    is_constant : bool
        Whether the choice is to always say the same.
    n_rows : int
        How many rows were predicted.
    """

    accuracy: Estimate
    majority: Any
    majority_accuracy: float
    cost: float
    constant_cost: float
    gain: Estimate
    figures: Mapping[str, Estimate] = field(factory=dict)
    gaps: Mapping[str, float] = field(factory=dict)
    fold_accuracies: tuple[float, ...] = ()
    folds_disagree: bool = False
    is_constant: bool = False
    n_rows: int = 0
    has_own_costs: bool = False
    """Whether errors cost differently, so that accuracy is not what is minimised."""

    @property
    def beats_constant(self) -> bool:
        """Whether it is better than always saying the same, by more than chance."""
        return not self.is_constant and self.gain.low > 0

    def called(self, names: Mapping[Any, Any]) -> Expected:
        """Make the same with other names for classes."""
        return evolve(self, majority=names.get(self.majority, self.majority))

    def lines(self, names: Mapping[Any, Any] | None = None) -> list[str]:
        """Say it in words.

        Parameters
        ----------
        names : mapping or None
            Other names for classes.

        Returns
        -------
        list of str
            The first line has the accuracy, beside that of the most frequent class.
        """
        most = (names or {}).get(self.majority, self.majority)
        accuracy = self.accuracy
        said = [
            f"Expected on new rows: accuracy {accuracy.value:.1%} ({accuracy.low:.1%} to {accuracy.high:.1%}); "
            f"always saying {most}: {self.majority_accuracy:.1%}."
        ]
        parts = [
            f"{name} {figure.value:.1%} ({figure.low:.1%} to {figure.high:.1%})"
            for name, figure in self.figures.items()
        ]
        if parts:
            said.append("  " + ", ".join(parts))
        if self.has_own_costs:
            said.append(f"  cost per row {self.cost:.3g}; the best constant answer: {self.constant_cost:.3g}")
        if self.gaps:
            said.append("  gaps: " + ", ".join(f"{name} {gap:.3f}" for name, gap in self.gaps.items()))
        said += [f"  {warning}" for warning in self.warnings]
        return said

    @property
    def warnings(self) -> list[str]:
        """What a reader must know: a constant answer, one that is no better than that, folds that disagree."""
        said = []
        if self.is_constant:
            said.append(
                "The answer is always the same: no rule set was found to do better on new rows. Where one class is "
                "rare or one error dearer, say so with class_weight (such as 'balanced') or costs."
            )
        elif not self.beats_constant:
            said.append(
                "This is not better than always saying the same by more than chance: do not rely on these rules."
            )
        if self.folds_disagree:
            low, high = min(self.fold_accuracies), max(self.fold_accuracies)
            said.append(
                f"The folds disagree by more than chance: accuracy is {low:.1%} in the worst and {high:.1%} in the "
                "best, so other rows may well give another answer."
            )
        return said
