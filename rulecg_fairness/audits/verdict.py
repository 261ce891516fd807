"""Does a bound hold on data that the rules have not seen? Three answers, one of them "not enough data"."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np
from attrs import evolve, frozen

from rulecg_core import (
    BoolArray,
    Complexity,
    ConfigurationError,
    Constraint,
    FloatArray,
    Groups,
    Problem,
    checked_rows,
    distinctly_named,
    load_registry,
)

from ..constraints.compared import GroupConstraint, UndefinedRateError
from ..constraints.intersectional import IntersectionalGroups
from ..constraints.judged import Judged
from ..metrics.form_bounds import form_bounds
from ..metrics.intervals import checked_confidence, one_sided
from ..metrics.outcomes import as_labels, as_weights

if TYPE_CHECKING:
    import pandas as pd

Answer: TypeAlias = Literal["holds", "violated", "not enough data"]


@frozen
class RowVerdict:
    """One row of a constraint on held-out data.

    Parameters
    ----------
    name, lo, hi
        The row and its bounds.
    value
        Its value on the held-out rows.
    low, high
        One-sided bounds on its true value, each with the confidence asked for.
    least, most
        One-sided bounds that hold together with those of all other rows.
    """

    name: str
    lo: float
    hi: float
    value: float
    low: float
    high: float
    least: float
    most: float

    @property
    def verdict(self) -> Answer:
        """Say that the row is violated, holds, or that there is not enough data."""
        # Violated is said of a whole constraint as soon as one of its rows is, which chance would bring about if each
        # row had the full level: hence the bounds that hold together. Holds is said only when every row does, so
        # chance must fool the test of the row that truly fails, and each row may use the full level.
        if self.least > self.hi or self.most < self.lo:
            return "violated"
        return "holds" if self.low >= self.lo and self.high <= self.hi else "not enough data"


@frozen
class Verdict:
    """What held-out data say about a constraint.

    Parameters
    ----------
    rows
        The verdict on each row.
    confidence
        The chance, at least, that neither "holds" nor "violated" is said wrongly.
    comparisons
        How many one-sided bounds share the chance of a wrong "violated".
    notes
        What a person should know.
    unjudged
        Groups and rows that were bounded on the training data and that the held-out data cannot judge.
    """

    rows: tuple[RowVerdict, ...]
    confidence: float
    comparisons: int
    notes: tuple[str, ...] = ()
    unjudged: tuple[str, ...] = ()

    @property
    def verdict(self) -> Answer:
        """Violated when one row surely is, holds when all surely do and nothing that was bounded stays unjudged."""
        answers = {row.verdict for row in self.rows}
        if "violated" in answers:
            return "violated"
        return "holds" if answers == {"holds"} and not self.unjudged else "not enough data"

    def table(self) -> pd.DataFrame:
        """Put the rows into a table, one line each."""
        import pandas as pd

        return pd.DataFrame(
            [(row.name, row.lo, row.hi, row.value, row.low, row.high, row.verdict) for row in self.rows],
            columns=["row", "at_least", "at_most", "value", "low", "high", "verdict"],
        ).set_index("row")

    def __str__(self) -> str:
        head = f"{self.verdict} ({self.confidence:.0%} confidence, {self.comparisons} comparisons)"
        lines = [f"  {row.name}: {row.value:.3f} ({row.low:.3f} to {row.high:.3f}): {row.verdict}" for row in self.rows]
        return "\n".join([head, *lines, *(f"  note: {note}" for note in self.notes)])


@frozen(eq=False)
class TrainingRows:
    """The rows that rules were learned from: they decide which groups were bounded.

    Parameters
    ----------
    sensitive_features
        The sensitive columns, named as those of the held-out data.
    y_true
        Recorded labels; without them a group counts as bounded when it has enough rows of whatever label.
    sample_weight
        What each row counted.
    """

    sensitive_features: Any
    y_true: Any = None
    sample_weight: Any = None

    def samples(self, pos_label: Any) -> tuple[Groups, BoolArray, FloatArray]:
        """Give sensitive groups, labels and weights of the rows; with unknown labels, each row once with either."""
        groups = Groups.encode(self.sensitive_features, _n_rows(self.sensitive_features))
        n_rows = len(groups.codes)
        weights = as_weights(self.sample_weight, n_rows)
        if self.y_true is None:
            both = np.repeat([True, False], n_rows)
            return groups.followed_by(groups), both, np.concatenate([weights, weights])
        truth = as_labels(self.y_true, "y_true of the training rows", pos_label)
        if len(truth) != n_rows:
            raise ConfigurationError(f"The training rows have {n_rows} groups but {len(truth)} labels.")
        return groups, truth, weights


# Eight parameters: the first seven are those of every metric here and in fairlearn.metrics.
def held_out_verdict(
    constraint: Constraint | str | Sequence[Constraint | str],
    y_true: Any,
    y_pred: Any,
    *,
    sensitive_features: Any,
    sample_weight: Any = None,
    pos_label: Any = None,
    confidence: float = 0.95,
    training: TrainingRows | Iterable[str] | None = None,
) -> Verdict:
    """Judge whether the rows of constraints hold in the population that held-out rows were drawn from.

    A row *holds* when one-sided bounds on its true value lie within the constraint's, is *violated* when bounds that
    are corrected for the number of rows lie beyond, and otherwise there is *not enough data*. Works for every
    constraint whose rows are linear in the predictions.

    Parameters
    ----------
    constraint
        A constraint, its text, such as ``"equalized-odds:0.1"``, or several, which are then judged together.
    y_true, y_pred
        Recorded and predicted labels of the held-out rows.
    sensitive_features
        Their sensitive columns.
    sample_weight
        What each row counts; the bounds use the effective number of rows.
    pos_label
        The label that counts as positive, unless labels are 0 and 1 or booleans.
    confidence
        The chance, at least, that neither "holds" nor "violated" is said wrongly.
    training
        What was bounded when the rules were learned: the training rows, or the names of the rows of the master, as
        ``classifier.result_.constraints["row"]`` has them. Without it every group of the held-out data is judged,
        however small, and groups that are absent go unnoticed.

    Returns
    -------
    Verdict
        The answer, with one for every row. It cannot be "holds" while a bounded group has no held-out row.

    Raises
    ------
    ConfigurationError
        When columns do not fit together or the constraint is not one.

    Examples
    --------
    >>> y_true, y_pred = [1] * 2000, ([1] * 7 + [0] * 3) * 200
    >>> verdict = held_out_verdict(
    ...     "equality-of-opportunity:0.1", y_true, y_pred, sensitive_features=["a"] * 1000 + ["b"] * 1000
    ... )
    >>> verdict.verdict
    'holds'
    """
    held_out = _HeldOut.of(y_true, y_pred, sensitive_features, sample_weight, pos_label).beside(training, pos_label)
    checked_confidence(confidence)
    return _judged_verdict(_as_constraints(constraint), held_out, _bounded_names(training), confidence)


@frozen(eq=False)
class _HeldOut:
    """The held-out rows as a problem whose only feature is the prediction, and the training rows beside them."""

    problem: Problem
    is_weighted: bool
    training: Problem | None = None
    """Another weighting of the same samples; None when training rows are not known."""

    @classmethod
    def of(cls, y_true: Any, y_pred: Any, sensitive: Any, sample_weight: Any, pos_label: Any) -> _HeldOut:
        truth, prediction = as_labels(y_true, "y_true", pos_label), as_labels(y_pred, "y_pred", pos_label)
        if truth.shape != prediction.shape:
            raise ConfigurationError(f"y_true has {len(truth)} rows but y_pred has {len(prediction)}.")
        weights = as_weights(sample_weight, len(truth))
        groups = Groups.encode(sensitive, len(truth))
        # Rows of one group, label and prediction count alike, so they are merged; weighted rows each stay on their
        # own, because their number is what the bounds depend on.
        is_weighted = sample_weight is not None
        problem = Problem.from_arrays(
            prediction[:, None], truth, sensitive_groups=groups, weights=weights, merge=not is_weighted
        )
        return cls(problem, is_weighted)

    def beside(self, training: Any, pos_label: Any) -> _HeldOut:
        """Put training rows into the same table, so that a group is the same set of samples in both problems."""
        if not isinstance(training, TrainingRows):
            return self
        groups, truth, weights = training.samples(pos_label)
        here = self.problem
        X = np.concatenate([here.X[:, 0], np.zeros(len(truth), dtype=bool)])
        both = here.sensitive_groups.followed_by(groups)
        samples = Problem.from_arrays(
            X[:, None], np.concatenate([here.y, truth]), sensitive_groups=both, merge=False
        )
        nothing_here, nothing_there = np.zeros(here.n_samples), np.zeros(len(truth))
        return _HeldOut(
            evolve(samples, weights=np.concatenate([here.weights, nothing_there])),
            self.is_weighted,
            evolve(samples, weights=np.concatenate([nothing_here, weights])),
        )


def _judged_verdict(
    constraints: Sequence[Constraint], held_out: _HeldOut, bounded: frozenset[str] | None, confidence: float
) -> Verdict:
    problem = held_out.problem
    parts = [judge(constraint, problem, held_out.training) for constraint in constraints]
    rows = distinctly_named(row for part in parts for row in part.rows)
    # The bound on the size of rule sets is no constraint that somebody passes here, but a row of the same fit.
    known = {row.name for row in rows} | {row.name for row in Complexity(1).rows(problem)}
    lost = () if bounded is None else tuple(sorted(bounded - known))
    rows = tuple(
        row for row in rows if not row.form.beyond_predictions and (bounded is None or row.name in bounded)
    )
    comparisons = sum(math.isfinite(bound) for row in rows for bound in (row.lo, row.hi))
    z_one, z_all = one_sided(confidence), one_sided(confidence, comparisons)
    y_pred, verdicts = problem.X[:, 0], []
    for row in rows:
        value, low, high = form_bounds(row.form, problem, y_pred, z_one, is_weighted=held_out.is_weighted)
        _, least, most = form_bounds(row.form, problem, y_pred, z_all, is_weighted=held_out.is_weighted)
        verdicts.append(RowVerdict(row.name, row.lo, row.hi, value, low, high, least, most))
    notes = [*(note for part in parts for note in part.notes), *map(_without_counterpart, lost)]
    unjudged = [*(name for part in parts for name in part.unjudged), *lost]
    return Verdict(
        tuple(verdicts), confidence, comparisons, tuple(dict.fromkeys(notes)), tuple(dict.fromkeys(unjudged))
    )


def judge(constraint: Constraint, problem: Problem, training: Problem | None) -> Judged:
    """Ask a constraint for the rows that new data are to be judged by, for the groups of the training data.

    Constraints that are not about groups, or that somebody else wrote, are judged by their rows on the new data; a row
    that they had on the training data alone is named as unjudged, and so is a constraint that means nothing here.
    """
    try:
        if isinstance(constraint, GroupConstraint | IntersectionalGroups):
            return constraint.judge(problem, training)
        rows = checked_rows(constraint, problem)
    except UndefinedRateError as error:
        return Judged((), (str(error),), (type(constraint).__name__,))
    learned = [] if training is None else checked_rows(constraint, training)
    lost = tuple(row.name for row in learned if row.name not in {row.name for row in rows})
    return Judged(tuple(rows), (*constraint.notes(problem), *map(_without_counterpart, lost)), lost)


def _without_counterpart(name: str) -> str:
    return f"the bound on {name} has no counterpart here: it cannot be judged."


def _as_constraints(given: Any) -> list[Constraint]:
    constraints = list(given) if isinstance(given, list | tuple) else [given]
    for constraint in constraints:
        if not isinstance(constraint, Constraint | str):
            raise ConfigurationError(
                "held_out_verdict judges a constraint, given as an object or as text such as 'equalized-odds:0.1', not "
                f"{type(constraint).__name__}."
            )
    registry = load_registry() if any(isinstance(constraint, str) for constraint in constraints) else None
    return [one if registry is None else registry.constraint(one) for one in constraints]


def _bounded_names(training: Any) -> frozenset[str] | None:
    if training is None or isinstance(training, TrainingRows):
        return None
    if isinstance(training, str) or not isinstance(training, Iterable):
        raise ConfigurationError(
            "training must be TrainingRows(sensitive_features, y_true) or the names of the rows that were bounded, "
            f"such as result_.constraints['row'], not {training!r}."
        )
    return frozenset(map(str, training))


def _n_rows(sensitive: Any) -> int:
    return len(next(iter(sensitive.values())) if isinstance(sensitive, Mapping) and sensitive else sensitive)
