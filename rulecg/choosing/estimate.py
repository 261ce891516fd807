"""What to expect on new rows, from candidates that were chosen by other folds than those whose rows they predict."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from attrs import frozen

from rulecg_core import Groups
from rulecg_core.base.arrays import BoolArray, FloatArray, IntArray

from ..model.certificate import plain
from ..model.expected import Estimate, Expected
from .fold_rules import Task
from .held_out import Candidate, Judge, is_constant, least_complex_of_the_best

Z = 1.959963984540054
"""Two-sided 95 %."""
WIDENING = 1.3
"""By how much variances are raised, because rule sets learned from overlapping rows err together: a safe margin."""
UNLIKELY = 0.01
"""Folds disagree when chance alone gives such differences less often than this."""


def expected_of(
    candidates: Sequence[Candidate],
    losses: FloatArray,
    chosen: int,
    judge: Judge,
    task: Task,
    together: IntArray | None,
) -> Expected:
    """Estimate the figures of a chosen candidate on new rows.

    What the choice said about the folds' rows is too good, because it was chosen for it. Where instead each fold's rows
    are predicted by the candidate that the other folds would have chosen, no row has a say in what predicts it, but
    fewer rows choose, and choose worse. Figures are halfway between the two; intervals reach from the lower end of the
    one to the upper end of the other.

    Parameters
    ----------
    candidates : sequence of Candidate
        All that were tried.
    losses : float array, candidates × rows (or folds)
        How bad they were.
    chosen : int
        The position of the choice.
    judge : Judge
        Costs, folds, labels.
    task : Task
        The rows.
    together : int array or None
        Rows with equal numbers are no independent evidence.

    Returns
    -------
    Expected
        The figures.
    """
    own = _Said(candidates[chosen].decisions, candidates[chosen].probabilities)
    both = [_figures(said, judge, together) for said in (own, _by_other_folds(candidates, losses, judge))]
    figures = {name: _between(both[0][name], both[1][name]) for name in both[0]}
    codes, weights = judge.codes, judge.weights
    totals = np.bincount(codes, weights, minlength=len(judge.classes))
    most = int(np.argmax(totals))
    right = own.decisions == codes
    by_fold = [right[judge.fold == number] for number in range(int(judge.fold.max()) + 1)]
    constant = _least_constant_costs(judge).sum() / weights.sum()
    gain = figures.pop("gain")
    return Expected(
        accuracy=figures.pop("accuracy"),
        majority=plain(judge.classes[most]),
        majority_accuracy=float(totals[most] / totals.sum()),
        cost=float(constant - gain.value),
        constant_cost=float(constant),
        gain=gain,
        figures=figures,
        gaps=_gaps(own.decisions, codes, weights, task.groups) if len(judge.classes) == 2 else {},
        fold_accuracies=tuple(float(part.mean()) for part in by_fold if len(part)),
        folds_disagree=_differ(by_fold),
        is_constant=bool(is_constant(own.decisions)),
        n_rows=len(codes),
        has_own_costs=any(task.settings.get(name) is not None for name in ("costs", "class_weight")),
    )


@frozen(eq=False)
class _Said:
    """Predictions for rows outside training."""

    decisions: IntArray
    probabilities: FloatArray


def _figures(said: _Said, judge: Judge, together: IntArray | None) -> dict[str, Estimate]:
    """Every figure of predictions, with its interval."""
    codes, weights, n_classes = judge.codes, judge.weights, len(judge.classes)
    right = said.decisions == codes
    sizes = _Sizes.of(right, weights, together)
    recalls = [sizes.share(right, codes == code) for code in range(n_classes)]
    gains = (_least_constant_costs(judge) - judge.costs(said.decisions)) * len(codes) / weights.sum()
    figures = {
        "accuracy": sizes.share(right, np.ones(len(codes), dtype=bool)),
        "gain": _mean_with_interval(gains, sizes.factor),
        "balanced accuracy": _mean_of(recalls),
    }
    if n_classes == 2:
        figures["precision"] = sizes.share(right, said.decisions == 1)
        figures["recall"] = recalls[1]
        figures["AUC"] = _auc(said.probabilities[:, 1], codes == 1, weights, sizes.factor)
    return figures


def _between(one: Estimate, other: Estimate) -> Estimate:
    """Halfway between two estimates, with an interval that holds both of theirs."""
    return Estimate((one.value + other.value) / 2, min(one.low, other.low), max(one.high, other.high))


def _least_constant_costs(judge: Judge) -> FloatArray:
    """What the best constant answer costs, row by row."""
    constants = [judge.costs(np.full(len(judge.codes), code)) for code in range(len(judge.classes))]
    return min(constants, key=lambda costs: float(costs.sum()))


def _by_other_folds(candidates: Sequence[Candidate], losses: FloatArray, judge: Judge) -> _Said:
    """What is said about each fold's rows by the candidate that the other folds choose."""
    complexities = np.array([candidate.complexity for candidate in candidates])
    decisions = candidates[0].decisions.copy()
    probabilities = candidates[0].probabilities.copy()
    n_folds = int(judge.fold.max()) + 1
    for number in range(n_folds):
        held = judge.fold == number
        others = ~held if judge.scoring is None else np.arange(losses.shape[1]) != number
        choice = least_complex_of_the_best(losses[:, others], complexities, judge.among(~held))
        decisions[held] = candidates[choice].decisions[held]
        probabilities[held] = candidates[choice].probabilities[held]
    return _Said(decisions, probabilities)


class _Sizes:
    """How much evidence weights of rows are: as many rows as would be that uncertain, were they independent."""

    def __init__(self, weights: FloatArray, factor: float) -> None:
        self.weights, self.factor = weights, factor

    @classmethod
    def of(cls, right: BoolArray, weights: FloatArray, together: IntArray | None) -> _Sizes:
        """Rows that stay together count for less when they are right and wrong together."""
        factor = WIDENING
        if together is not None:
            apart = right - right @ weights / weights.sum()
            alone = float(((weights * apart) ** 2).sum())
            jointly = float((np.bincount(together, weights * apart) ** 2).sum())
            factor *= max(1.0, jointly / alone) if alone > 0 else 1.0
        return cls(weights, factor)

    def share(self, right: BoolArray, among: BoolArray) -> Estimate:
        """Estimate a share among some rows, with a Wilson interval."""
        weights = self.weights[among]
        if not len(weights):
            return Estimate(0.0, 0.0, 1.0)
        value = float(right[among] @ weights / weights.sum())
        size = float(weights.sum() ** 2 / (weights**2).sum()) / self.factor
        middle = (value + Z**2 / (2 * size)) / (1 + Z**2 / size)
        half = Z * np.sqrt(value * (1 - value) / size + Z**2 / (4 * size**2)) / (1 + Z**2 / size)
        return Estimate(value, float(max(0.0, middle - half)), float(min(1.0, middle + half)))


def _mean_of(shares: Sequence[Estimate]) -> Estimate:
    """The mean of shares of different rows, with the interval that follows from theirs."""
    count = len(shares)
    value = float(np.mean([share.value for share in shares]))
    down = np.sqrt(sum((share.value - share.low) ** 2 for share in shares)) / count
    up = np.sqrt(sum((share.high - share.value) ** 2 for share in shares)) / count
    return Estimate(value, float(value - down), float(value + up))


def _mean_with_interval(values: FloatArray, factor: float) -> Estimate:
    value = float(values.mean())
    half = float(Z * np.sqrt(factor * values.var(ddof=1) / len(values)))
    return Estimate(value, value - half, value + half)


def _auc(scores: FloatArray, is_positive: BoolArray, weights: FloatArray, factor: float) -> Estimate:
    """The area under the ROC curve, with the interval of Hanley and McNeil."""
    from sklearn.metrics import roc_auc_score

    value = float(roc_auc_score(is_positive, scores, sample_weight=weights))
    n_positive, n_negative = int(is_positive.sum()), int((~is_positive).sum())
    both_positive, both_negative = value / (2 - value), 2 * value**2 / (1 + value)
    variance = value * (1 - value) + (n_positive - 1) * (both_positive - value**2)
    variance += (n_negative - 1) * (both_negative - value**2)
    half = float(Z * np.sqrt(factor * max(variance, 0.0) / (n_positive * n_negative)))
    return Estimate(value, max(0.0, value - half), min(1.0, value + half))


def _gaps(decisions: IntArray, codes: IntArray, weights: FloatArray, groups: Groups) -> dict[str, float]:
    """The largest differences between groups, for every sensitive column."""
    found = {}
    among = {
        "selection rate": np.ones(len(codes), dtype=bool),
        "true positive rate": codes == 1,
        "false positive rate": codes == 0,
    }
    for at, column in enumerate(groups.columns):
        members = groups.codes[:, at]
        for name, rows in among.items():
            rates = [
                float((decisions[part] == 1) @ weights[part] / weights[part].sum())
                for group in np.unique(members[members >= 0])
                if (part := rows & (members == group)).any()
            ]
            if len(rates) > 1:
                found[f"{name} by {column}"] = max(rates) - min(rates)
    return found


def _differ(by_fold: Sequence[BoolArray]) -> bool:
    """Whether shares of folds differ by more than chance (chi-square)."""
    from scipy.stats import chi2_contingency

    table = np.array([[part.sum(), len(part) - part.sum()] for part in by_fold if len(part)])
    if len(table) < 2 or not np.all(table.sum(axis=0) > 0):
        return False
    return bool(chi2_contingency(table).pvalue < UNLIKELY)
