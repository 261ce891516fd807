"""Does a bound hold on data that the rules have not seen? Three answers, one of them "not enough data"."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np
from attrs import frozen

from rulecg_core import ConfigurationError, Constraint, FloatArray, Groups, LinearForm, Problem

from ..constraints.compared import UndefinedRateError
from ..constraints.intersectional import IntersectionalGroups
from ..metrics.intervals import combine, one_sided
from ..metrics.outcomes import as_labels, as_weights

if TYPE_CHECKING:
    import pandas as pd

Answer: TypeAlias = Literal["holds", "violated", "not enough data"]


@frozen
class RowVerdict:
    """One row of a constraint on held-out data, with one-sided bounds on its true value."""

    name: str
    lo: float
    hi: float
    value: float
    low: float
    high: float

    @property
    def verdict(self) -> Answer:
        if self.low > self.hi or self.high < self.lo:
            return "violated"
        return "holds" if self.low >= self.lo and self.high <= self.hi else "not enough data"


@frozen
class Verdict:
    """What held-out data says about a constraint."""

    rows: tuple[RowVerdict, ...]
    confidence: float
    comparisons: int
    """One-sided bounds that are meant to hold together; each got its share of the chance of error."""
    notes: tuple[str, ...] = ()
    absent: tuple[str, ...] = ()
    """Groups of the training data that the held-out data has no row of: nothing can be said about them."""

    @property
    def verdict(self) -> Answer:
        """Violated when one row surely is, holds when all surely do and no group of the training data is absent."""
        answers = {row.verdict for row in self.rows}
        if "violated" in answers:
            return "violated"
        return "holds" if answers == {"holds"} and not self.absent else "not enough data"

    def table(self) -> pd.DataFrame:
        import pandas as pd

        return pd.DataFrame(
            [(row.name, row.lo, row.hi, row.value, row.low, row.high, row.verdict) for row in self.rows],
            columns=["row", "at_least", "at_most", "value", "low", "high", "verdict"],
        ).set_index("row")

    def __str__(self) -> str:
        head = f"{self.verdict} ({self.confidence:.0%} confidence, {self.comparisons} comparisons)"
        lines = [f"  {row.name}: {row.value:.3f} ({row.low:.3f} to {row.high:.3f}): {row.verdict}" for row in self.rows]
        return "\n".join([head, *lines, *(f"  note: {note}" for note in self.notes)])


def held_out_verdict(
    constraint: Constraint,
    y_true: Any,
    y_pred: Any,
    *,
    sensitive_features: Any,
    sample_weight: Any = None,
    pos_label: Any = None,
    confidence: float = 0.95,
    training_features: Any = None,
) -> Verdict:
    """Whether the constraint's rows hold in the population that the held-out rows were drawn from.

    Each row's true value gets one-sided lower and upper bounds that all hold together with the given confidence. A row
    *holds* when its bounds lie within the constraint's, is *violated* when they lie beyond, and otherwise there is *not
    enough data*. Works for every constraint whose rows are linear in the predictions.

    Give ``training_features``, the sensitive features that the rules were learned with, to have groups noticed that
    were constrained then and are absent now: the constraint cannot be said to hold for them.
    """
    truth, prediction = as_labels(y_true, "y_true", pos_label), as_labels(y_pred, "y_pred", pos_label)
    if truth.shape != prediction.shape:
        raise ConfigurationError(f"y_true has {len(truth)} rows but y_pred has {len(prediction)}.")
    weights = as_weights(sample_weight, len(truth))
    groups = Groups.encode(sensitive_features, len(truth))
    absent = () if training_features is None else _absent(constraint, training_features, groups)
    lost = tuple(f"group {name!r} of the training data has no row here: it cannot be judged." for name in absent)
    # Rows of one group, label and prediction count alike, so they are merged; weighted rows each stay on their own,
    # because their number is what the bounds depend on.
    merged = sample_weight is None
    problem = Problem.from_arrays(prediction[:, None], truth, groups=groups, weights=weights, merge=merged)
    try:
        rows = [row for row in constraint.rows(problem) if not _beyond_predictions(row.form)]
        notes = tuple(constraint.notes(problem))
    except UndefinedRateError as error:
        one_sided(confidence, 1)
        return Verdict((), confidence, 0, (str(error), *lost), absent)
    comparisons = sum(math.isfinite(bound) for row in rows for bound in (row.lo, row.hi))
    z = one_sided(confidence, comparisons)
    verdicts = tuple(RowVerdict(row.name, row.lo, row.hi, *_bounds(row.form, problem, merged, z)) for row in rows)
    return Verdict(verdicts, confidence, comparisons, notes + lost, absent)


def _absent(constraint: Constraint, training_features: Any, held_out: Groups) -> tuple[str, ...]:
    """Groups that the constraint was about on the training data and that the held-out data lacks."""
    some_column = next(iter(training_features.values())) if isinstance(training_features, dict) else training_features
    training = Groups.encode(training_features, len(some_column))
    for column in held_out.columns:
        if column not in training.columns:
            raise ConfigurationError(
                f"The training data has no sensitive feature {column!r}; it has {', '.join(training.columns)}."
            )
    chosen = getattr(constraint, "columns", None) or held_out.columns
    crossings = [tuple(chosen)]
    if isinstance(constraint, IntersectionalGroups) and constraint.crossed is None:
        crossings = [(column,) for column in chosen]
    wanted = getattr(constraint, "groups", None)
    absent = []
    for columns in crossings:
        here = _labels(held_out, columns)
        for group in training.crossed(columns):
            one_row = training.take(np.flatnonzero(group.members)[:1])
            if not _labels(one_row, columns) <= here and (not wanted or group.name in wanted):
                absent.append(group.name)
    return tuple(absent)


def _labels(groups: Groups, columns: tuple[str, ...]) -> set[tuple[str, ...]]:
    """The combinations of labels that occur."""
    places = [groups.columns.index(column) for column in columns]
    codes = groups.codes[:, places]
    present = np.unique(codes[(codes >= 0).all(axis=1)], axis=0)
    return {tuple(groups.labels[p][code] for p, code in zip(places, row, strict=True)) for row in present.tolist()}


def _beyond_predictions(form: LinearForm) -> bool:
    return bool(form.length or form.rule or form.variables)


def _bounds(form: LinearForm, problem: Problem, merged: bool, z: float) -> tuple[float, float, float]:
    """The form as a weighted sum of independent shares, one for all rows that count alike, and bounds on it."""
    y_pred = problem.X[:, 0]
    nothing = np.zeros(problem.n_samples)
    zeta = nothing if form.missed is None else np.where(problem.y, form.missed, 0.0)
    # Predicting a row positive adds its cover and takes away its miss.
    change = (nothing if form.cover is None else form.cover) - zeta
    counts = change != 0
    weights = problem.weights[counts]
    each = change[counts] / weights
    _, kind = np.unique(np.round(each / np.abs(each).max(initial=0.0), 12), return_inverse=True)
    weight: FloatArray = np.bincount(kind, weights).astype(np.float64)
    shares = np.bincount(kind, weights * y_pred[counts]) / weight
    factors: FloatArray = np.bincount(kind, change[counts]).astype(np.float64)
    n_rows = weight if merged else weight**2 / np.bincount(kind, weights**2)
    base = form.const + float(zeta.sum())
    low, high = combine(factors, shares, n_rows, z)
    return base + float(factors @ shares), base + low, base + high
