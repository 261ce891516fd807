"""What has changed since training: conditions, rules, accuracy and gaps, with care for many questions at once."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from attrs import evolve, frozen

from rulecg_core import ConfigurationError, Registry, load_registry

from ..analysis.intervals import wilson
from ..model.model import Model
from ..report.evidence import Evidence
from .baseline import Baseline, condition_counts, rule_counts

if TYPE_CHECKING:
    import pandas as pd

_SECOND_OF_PAIR = (">", "!=", "present", "false")
FEW = 10
"""Below this many rows of a kind the exact test is used instead of the normal one."""


@frozen
class Shift:
    """A share in training and now."""

    what: str
    is_used: bool
    """Whether it is about rules: conditions that no rule uses may drift without any decision changing."""
    then: tuple[int, int]
    """How many of how many, in training."""
    now: tuple[int, int]
    p: float
    """The chance of a difference at least as large, were nothing changed; of a fall, where only falls matter."""
    adjusted: float = 1.0
    """The same after Holm's correction for all questions asked."""
    is_alarm: bool = False
    column: str = ""
    """The column, where it is about a condition."""

    @property
    def share_then(self) -> float:
        """The share in training."""
        return self.then[0] / self.then[1] if self.then[1] else math.nan

    @property
    def share_now(self) -> float:
        """The share now."""
        return self.now[0] / self.now[1] if self.now[1] else math.nan

    @property
    def interval(self) -> tuple[float, float] | None:
        """Wilson's 95 % interval of the share now."""
        return wilson(*self.now)


@frozen
class GapShift:
    """A gap between groups in training and now."""

    column: str
    metric: str
    then: float
    now: float
    low: float
    high: float
    is_alarm: bool


@frozen(eq=False)
class Check:
    """What a check found."""

    model: Model
    n_rows: int
    n_labelled: int
    conditions: tuple[Shift, ...]
    firing: tuple[Shift, ...]
    precision: tuple[Shift, ...]
    accuracy: Shift | None
    gaps: tuple[GapShift, ...]
    absent: tuple[str, ...]
    """Columns that training had and these rows do not."""
    alpha: float
    margin: float
    notes: tuple[str, ...] = ()

    @property
    def alarms(self) -> list[str]:
        """What has changed beyond chance and beyond the margin, in words; of a column its largest change."""
        found = []
        if self.accuracy is not None and self.accuracy.is_alarm:
            found.append(f"accuracy: {_from_to(self.accuracy)}")
        found += [f"rule {shift.what} fires: {_from_to(shift)}" for shift in self.firing if shift.is_alarm]
        found += [f"rule {shift.what} is right: {_from_to(shift)}" for shift in self.precision if shift.is_alarm]
        for gap in self.gaps:
            if gap.is_alarm:
                found.append(f"{gap.metric} between groups of {gap.column}: {gap.then:.3f} to {gap.now:.3f}")
        by_column: dict[str, list[Shift]] = {}
        for shift in self.conditions:
            if shift.is_alarm:
                by_column.setdefault(shift.column, []).append(shift)
        for own in by_column.values():
            largest = max(own, key=lambda shift: (shift.is_used, abs(shift.share_now - shift.share_then)))
            more = "" if len(own) == 1 else f" (and {len(own) - 1} more of {largest.column})"
            unused = "" if largest.is_used else ", which no rule uses"
            found.append(f"condition {largest.what}{unused}: {_from_to(largest)}{more}")
        return found

    @property
    def is_alarm(self) -> bool:
        """Whether anything has changed that somebody should look at."""
        return bool(self.alarms)


def _from_to(shift: Shift) -> str:
    return f"{shift.share_then:.1%} to {shift.share_now:.1%}"


def check(
    model: Model,
    table: Any,
    *,
    target: str | None = None,
    sensitive: Sequence[str] | None = None,
    alpha: float = 0.05,
    margin: float = 0.05,
) -> Check:
    """Set new rows beside the training rows.

    Parameters
    ----------
    model : Model
        A model that was learned by this release, so that it holds the counts of its training rows.
    table : table
        New rows.
    target : str or None
        The column with the recorded outcome; the one learned from unless given. Rows without one are welcome.
    sensitive : sequence of str or None
        The columns that define groups; those learned with unless given.
    alpha : float
        The chance of at least one false alarm about shares, were nothing changed (Holm's correction over all of them).
    margin : float
        Smaller changes are no alarm, however sure.

    Returns
    -------
    Check
        Shifts of conditions, of how often rules fire and are right, of accuracy and of gaps; ``is_alarm`` sums up.

    Raises
    ------
    ConfigurationError
        When the model does not know its training counts, or alpha or margin is no such number.

    Examples
    --------
    >>> import pandas as pd
    >>> from rulecg import RuleSetClassifier
    >>> table = pd.DataFrame({"income": [20, 30, 60, 80] * 25})
    >>> model = RuleSetClassifier(max_complexity=2).fit(table, table["income"] > 50).model_
    >>> check(model, table).is_alarm, check(model, table + 25).alarms[-1]
    (False, 'condition income <= 30: 50.0% to 0.0% (and 2 more of income)')
    """
    baseline = model.baseline
    if baseline is None:
        raise ConfigurationError(
            "This model does not hold the counts of its training rows, because it was edited or written by an earlier "
            "release: learn it again."
        )
    if not 0 < alpha < 1 or not 0 <= margin < 1:
        raise ConfigurationError(f"alpha and margin lie between 0 and 1, such as 0.05: not {alpha!r} and {margin!r}.")
    evidence = Evidence.of(model, table, target, sensitive)
    shifts = _judged(_shifts(evidence, baseline), alpha, margin)
    gaps, notes = _gaps(evidence, margin, load_registry())
    names = dict.fromkeys(condition.column for condition in model.conditions)
    return Check(
        model=model,
        n_rows=len(evidence.table),
        n_labelled=0 if evidence.truth is None else int(evidence.labelled.sum()),
        conditions=tuple(shifts["conditions"]),
        firing=tuple(shifts["firing"]),
        precision=tuple(shifts["precision"]),
        accuracy=shifts["accuracy"][0] if shifts["accuracy"] else None,
        gaps=gaps,
        absent=tuple(name for name in names if name not in evidence.table),
        alpha=alpha,
        margin=margin,
        notes=notes,
    )


def _shifts(evidence: Evidence, baseline: Baseline) -> dict[str, list[Shift]]:
    """Every share that is compared, by kind."""
    model = evidence.model
    rows = model.checked(evidence.table)
    codes, labelled = _codes(evidence)
    shifts: dict[str, list[Shift]] = {"conditions": _conditions(model, evidence.table), "firing": [], "precision": []}
    for number, own in enumerate(model.firings(rows)):
        now, _ = rule_counts(model, number, own, codes)
        seen, right = rule_counts(model, number, own[labelled], codes[labelled])
        then, then_right = baseline.fired[number], baseline.right[number]
        for at, text in enumerate(_rule_texts(model, number)):
            before, seen_now = (then[at], baseline.n_rows), (now[at], len(rows))
            shifts["firing"].append(Shift(text, True, before, seen_now, _two_sided(before, seen_now)))
            if seen[at] and then[at]:
                shifts["precision"].append(_fall(text, (then_right[at], then[at]), (right[at], seen[at])))
    shifts["accuracy"] = []
    if labelled.any():
        now_right = (evidence.n_right, int(labelled.sum()))
        shifts["accuracy"].append(_fall("accuracy", (baseline.n_right, baseline.n_rows), now_right))
    return shifts


def holm(chances: Sequence[float]) -> list[float]:
    """Correct chances for being asked many questions, whatever these have to do with each other.

    Parameters
    ----------
    chances : sequence of float
        The chance of each finding by itself, were nothing changed.

    Returns
    -------
    list of float
        Corrected chances (Holm 1979): the chance that any of those at most alpha is a false alarm is at most alpha.

    Examples
    --------
    >>> holm([0.01, 0.04, 0.03])
    [0.03, 0.06, 0.06]
    """
    corrected, highest = [1.0] * len(chances), 0.0
    for rank, at in enumerate(sorted(range(len(chances)), key=lambda place: chances[place])):
        highest = max(highest, min(1.0, (len(chances) - rank) * chances[at]))
        corrected[at] = highest
    return corrected


def _judged(shifts: dict[str, list[Shift]], alpha: float, margin: float) -> dict[str, list[Shift]]:
    """One family of questions: every share that was looked at."""
    corrected = iter(holm([shift.p for own in shifts.values() for shift in own]))
    judged: dict[str, list[Shift]] = {}
    for kind, own in shifts.items():
        judged[kind] = []
        for shift in own:
            adjusted = next(corrected)
            is_large = abs(shift.share_now - shift.share_then) >= margin
            judged[kind].append(evolve(shift, adjusted=adjusted, is_alarm=bool(adjusted <= alpha and is_large)))
    return judged


def _conditions(model: Model, table: pd.DataFrame) -> list[Shift]:
    baseline = model.baseline
    assert baseline is not None
    used = {c for rule_set in model.rule_sets for c in rule_set.conditions}
    listed = set(model.conditions)
    now = condition_counts(model.conditions, table)
    found = []
    for condition, before, after in zip(model.conditions, baseline.conditions, now, strict=True):
        other = condition.complement()
        # A condition and its complement are one question.
        if after < 0 or (condition.operator in _SECOND_OF_PAIR and other in listed):
            continue
        then, seen = (before, baseline.n_rows), (after, len(table))
        is_used = bool({condition, other} & used)
        found.append(Shift(str(condition), is_used, then, seen, _two_sided(then, seen), column=condition.column))
    return found


def _fall(what: str, then: tuple[int, int], now: tuple[int, int]) -> Shift:
    """Only a fall matters."""
    has_fallen = now[0] * then[1] < then[0] * now[1]
    return Shift(what, True, then, now, _two_sided(then, now) / 2 if has_fallen else 1.0)


def _two_sided(then: tuple[int, int], now: tuple[int, int]) -> float:
    """The chance of so different shares, were they drawn alike: the normal test, and Fisher's where rows are few."""
    (before, of_before), (after, of_after) = then, now
    total, held = of_before + of_after, before + after
    if not of_before or not of_after or held in (0, total):
        return 1.0
    least = min(of_before, of_after) * min(held, total - held) / total
    if least < FEW:
        from scipy.stats import fisher_exact

        return float(fisher_exact([[before, of_before - before], [after, of_after - after]]).pvalue)
    share = held / total
    spread = math.sqrt(share * (1 - share) * (1 / of_before + 1 / of_after))
    return math.erfc(abs(before / of_before - after / of_after) / spread / math.sqrt(2))


def _rule_texts(model: Model, number: int) -> list[str]:
    rule_set = model.rule_sets[number]
    texts = rule_set.texts() if rule_set.logic == "dnf" else [f"not ({text})" for text in rule_set.texts()]
    return texts if model.is_binary else [f"{model.classes[number]}: {text}" for text in texts]


def _codes(evidence: Evidence) -> tuple[Any, Any]:
    """For every row the position of its recorded label, and which rows have one that the model knows."""
    place = {label: at for at, label in enumerate(evidence.model.classes)}
    if evidence.truth is None:
        none = np.full(len(evidence.table), -1)
        return none, none >= 0
    codes = np.array([place.get(label, -1) for label in evidence.truth.tolist()], dtype=np.int64)
    return codes, evidence.labelled


def _gaps(evidence: Evidence, margin: float, registry: Registry) -> tuple[tuple[GapShift, ...], tuple[str, ...]]:
    """Gaps that plugins measure, on these rows and on rows with the counts of the training rows."""
    baseline = evidence.model.baseline
    assert baseline is not None
    if evidence.sensitive is None:
        return (), ("No sensitive columns are known: name them with --sensitive to compare groups.",)
    if not evidence.model.is_binary or evidence.truth is None:
        reason = "the rows have no recorded outcome" if evidence.truth is None else "there are more than two classes"
        return (), (f"Gaps between groups are not compared: {reason}.",)
    known = evidence.labelled
    truth, predicted, columns = baseline.training_rows()
    found: list[GapShift] = []
    notes: list[str] = []
    for name in map(str, evidence.sensitive.columns):
        groups = evidence.sensitive.loc[known, [name]]
        now = _gap_table(registry, evidence.y_true[known], evidence.y_pred[known], groups)
        then = _gap_table(registry, truth, predicted, {name: columns[name]}) if name in columns else None
        if now is None:
            continue
        if then is None:
            notes.append(f"{name} was no sensitive column in training, so its gaps there are not known.")
        for metric in (metric for metric in now.index if str(metric).endswith("difference")):
            gap, low, high = (float(now.loc[metric, part]) for part in ("gap", "low", "high"))
            before = math.nan if then is None else float(then.loc[metric, "gap"])
            # Wider than in training by the margin, and the whole interval lies above what training had.
            is_alarm = bool(low > before and gap - before >= margin)
            found.append(GapShift(name, str(metric), before, gap, low, high, is_alarm))
    return tuple(found), tuple(notes)


def _gap_table(registry: Registry, truth: Any, predicted: Any, sensitive: Any) -> Any:
    """The first table of a registered audit that gives gaps with intervals; None when no plugin has one."""
    for entry in registry:
        if entry.kind == "audit" and entry.placement.get("by_column"):
            found = entry.factory(truth, predicted, sensitive_features=sensitive)
            if {"gap", "low", "high"} <= set(found.columns):
                return found
    return None
