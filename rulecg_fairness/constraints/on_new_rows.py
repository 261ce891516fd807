"""Bounds that are to hold on new rows: how much tighter they are while learning, how a rule set is judged by rows kept
aside, and how many rows it would take.

Resamples of the samples as further rows of the master were tried instead of tightened bounds and beside them; see
``docs/explanation/fairness.md`` for what few draws say about that.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping

import numpy as np
from attrs import evolve, frozen

from rulecg_core import BoolArray, Group, Judgement, Problem, Row

from ..metrics.form_bounds import Shares
from ..metrics.intervals import one_sided
from .judged import Judged
from .rates import Rate

KEPT_ASIDE = 0.5
"""The share of the rows that a bound with a confidence keeps aside from learning."""
LEAST_ROOM = 0.1
"""However few rows there are, bounds keep this share of their room while learning: with none, rules can only treat all
alike."""
POWER = 0.8
"""Numbers of rows that are asked for confirm a bound with this chance."""


def tightened(row: Row, problem: Problem, confidence: float) -> Row:
    """Tighten a row's bounds so that a rule set that keeps them will likely be confirmed by the rows kept aside.

    The margin is that of a rate around one half, by the sizes of the groups' cells.

    Parameters
    ----------
    row
        A row about predictions; others stay as they are.
    problem
        The rows that are learned from.
    confidence
        How sure one wants to be.

    Returns
    -------
    Row
        The same form with tighter bounds; "all alike" still keeps them if it kept the row's own.
    """
    form = row.form
    if form.beyond_predictions:
        return row
    nothing = np.zeros(problem.n_samples)
    missed = nothing if form.missed is None else form.missed
    change = (nothing if form.cover is None else form.cover) - missed
    counted = problem.weights > 0
    variance = float(np.sum(change[counted] ** 2 / problem.weights[counted])) / 4 * (1 - KEPT_ASIDE) / KEPT_ASIDE
    margin = (one_sided(confidence) + one_sided(POWER)) * math.sqrt(variance)
    nobody = form.const + float(missed.sum())
    everybody = nobody + float(change.sum())
    room_above = max(row.hi, 0.0) if math.isfinite(row.hi) else 0.0
    room_below = max(nobody - row.lo, everybody - row.lo, 0.0) if math.isfinite(row.lo) else 0.0
    return evolve(
        row,
        lo=row.lo + min(margin, (1 - LEAST_ROOM) * room_below),
        hi=row.hi - min(margin, (1 - LEAST_ROOM) * room_above),
    )


@frozen(eq=False)
class KeptAside:
    """Samples that rules were not learned from, and what the rules say about them."""

    samples: Problem
    """All samples, weighted as kept aside."""
    training: Problem
    """All samples, weighted as learned from."""
    y_pred: BoolArray
    """Predictions of the original labels."""
    confidence: float
    """How sure one wants to be."""

    def judge(self, judged: Judged, learned: Mapping[str, float]) -> Judgement:
        """Judge the rows of a constraint.

        Each row must hold with the confidence asked for; that all of them do is then as sure.

        Parameters
        ----------
        judged
            What is bounded, as rows about the samples kept aside.
        learned
            The rows' values on the samples that were learned from.

        Returns
        -------
        Judgement
            Holds when one-sided bounds of every row lie within the row's own.
        """
        n_aside = int(np.count_nonzero(self.samples.weights))
        if judged.unjudged:
            unjudged = ", ".join(map(repr, judged.unjudged))
            return Judgement(False, f"None of the {n_aside} rows kept aside can judge {unjudged}: give more rows.")
        z = one_sided(self.confidence)
        found = [self._nearness(row, z) for row in judged.rows if not row.form.beyond_predictions]
        if not found:
            return Judgement(True, "")
        slack, reach, shares, row = min(found, key=lambda each: each[0])
        bound = f"at most {row.hi:g}" if math.isfinite(row.hi) else f"at least {row.lo:g}"
        if slack >= 0:
            return Judgement(
                True,
                f"On {n_aside} rows kept aside every bound on groups holds with {self.confidence:.0%} confidence; "
                f"nearest to its bound, {row.name} is {shares.value:.3f} there, {reach:.3f} at worst, {bound} allowed.",
            )
        return Judgement(
            False,
            f"{row.name} is {shares.value:.3f} on {n_aside} rows kept aside and may truly be {reach:.3f}, {bound} "
            f"allowed with {self.confidence:.0%} confidence. "
            + self._rows_it_would_take(row, shares, learned.get(row.name, shares.value), z),
        )

    def _nearness(self, row: Row, z: float) -> tuple[float, float, Shares, Row]:
        """How far the row's bound is from the worst value that is believable, and that value."""
        shares = Shares.of(row.form, self.samples, self.y_pred, is_weighted=True)
        low, high = shares.bounds(z)
        slack, reach = min((row.hi - high, high), (low - row.lo, low))
        return slack, reach, shares, row

    def _rows_it_would_take(self, row: Row, shares: Shares, learned: float, z: float) -> str:
        """How many rows of each group would confirm such a rule set, if on new rows it is as it was when learned."""
        slack = row.hi - learned if math.isfinite(row.hi) else learned - row.lo
        if slack <= 0:
            return "More rows would not help this rule set: loosen the bound, or lower max_complexity."
        times = (z + one_sided(POWER)) ** 2 * shares.variance / slack**2
        if times <= 1:
            return "It was close: some more rows would do, or a slightly looser bound."
        form, groups = row.form, self.samples.sensitive_groups
        counts = np.zeros(self.samples.n_samples, dtype=bool)
        for vector in (form.missed, form.cover):
            counts |= False if vector is None else vector != 0
        labels = self.samples.labels[counts]
        cell = "positives" if labels.all() else "rows" if labels.any() else "negatives"
        times *= 1 + float(self.training.weights.sum() / self.samples.weights.sum())
        listed = [
            f"{size * times:.0f} {cell} of {group}"
            for column in groups.columns
            for group in groups.of_column(column)
            if (size := float(self.samples.weights[group.members & counts].sum())) > 0
        ]
        return f"To confirm it, it would take about {' and '.join(listed)}: give more rows, or loosen the bound."


def support_notes(
    problem: Problem, rate: Rate, groups: Iterable[Group], bound: float, confidence: float
) -> list[str]:
    """Say which bounds the data can hardly confirm, and how many rows of each group it would take.

    Parameters
    ----------
    problem
        The rows that are learned from.
    rate
        What is bounded.
    groups
        Those whose rate is.
    bound
        The largest difference allowed.
    confidence
        How sure one wants to be.

    Returns
    -------
    list of str
        One note, or none.
    """
    aside = KEPT_ASIDE / (1 - KEPT_ASIDE)
    sizes = {group.name: rate.size(problem, group) * aside for group in groups}
    if not sizes or bound >= 1:
        return []
    z = one_sided(confidence)
    needed = math.inf if bound <= 0 else z * z / (2 * bound * bound)
    name = min(sizes, key=lambda each: sizes[each])
    if sizes[name] >= needed:
        return []
    total = "no number of rows" if math.isinf(needed) else f"about {needed / KEPT_ASIDE:.0f} {rate.cell} of each group"
    return [
        f"group {name!r} has about {sizes[name]:.0f} {rate.cell} among the rows kept aside. To confirm with "
        f"{confidence:.0%} confidence that a {rate.name} around one half differs by at most {bound:g}, it takes "
        f"{total} in all; with fewer, only rules with more extreme rates can be confirmed."
    ]
