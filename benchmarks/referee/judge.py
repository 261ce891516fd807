"""Every rule set of a small problem, by plain enumeration. Imports numpy and nothing of ours."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import Any

import numpy as np

STRICT, LOOSE = 1e-9, 3e-6
"""Rule sets that break a bound by no more than the first keep it; by more than the second they do not."""


@dataclass(frozen=True)
class Case:
    """A problem as raw arrays, and what is asked of rule sets."""

    X: Any
    labels: Any
    weights: Any
    costs: tuple[float, float]
    """Of a false positive and a false negative."""
    teacher: Any
    """Probabilities of the positive label, half of the weight of the labels; None without a teacher."""
    groups: Any
    logic: str
    loss: str
    constraint: str
    bound: float
    most: float
    """Of the complexity."""
    per_rule: float
    per_condition: float
    penalty: float
    condition_costs: Any
    max_conditions: int


@dataclass(frozen=True)
class Verdict:
    """What is true of a case."""

    least: float
    """The least objective of rule sets that keep every bound, as the loss counts and in true counts."""
    least_loose: float
    """The least objective of rule sets that as the loss counts keep every bound or nearly do."""
    is_close: bool
    """Whether some rule set is so near a bound that both may be said of it."""
    canonical: frozenset[frozenset[int]]
    """The first of the best rule sets: fewest errors, least complex, fewest rules, by text."""
    is_defined: bool = True
    """Whether every rate that is bounded has rows to be a share of."""


@dataclass(frozen=True)
class Counted:
    """One rule set, counted."""

    objective: float
    errors: float
    broken: float
    """The largest violation as the loss counts."""
    truly_broken: float


class Judge:
    """Counts rule sets of one case."""

    def __init__(self, case: Case) -> None:
        self.case = case
        self.seen = case.X if case.logic == "dnf" else ~case.X
        labels, weights = case.labels, case.weights
        q = labels.astype(float)
        if case.teacher is not None:
            q = 0.5 * q + 0.5 * case.teacher
        fp, fn = case.costs
        negative, positive = fn * q * weights, fp * (1 - q) * weights
        # What it costs when no rule covers the sample, and when one does.
        self.uncovered, self.covered = (negative, positive) if case.logic == "dnf" else (positive, negative)
        self.features = range(case.X.shape[1])

    def all_sets(self) -> list[tuple[tuple[int, ...], ...]]:
        """Every rule set within the size, "always" among them."""
        case = self.case
        rules = [
            chosen
            for size in range(1, case.max_conditions + 1)
            for chosen in itertools.combinations(self.features, size)
        ]
        sets: list[tuple[tuple[int, ...], ...]] = [()]
        if case.per_rule <= case.most + 1e-9:
            sets.append(((),))
        lengths = {rule: sum(case.condition_costs[j] for j in rule) for rule in rules}
        sizes = {rule: case.per_rule + case.per_condition * lengths[rule] for rule in rules}

        def grow(chosen: tuple[tuple[int, ...], ...], first: int, room: float) -> None:
            for at in range(first, len(rules)):
                if sizes[rules[at]] <= room + 1e-9:
                    sets.append((*chosen, rules[at]))
                    grow((*chosen, rules[at]), at + 1, room - sizes[rules[at]])

        grow((), 0, case.most)
        return sets

    def count(self, rules: tuple[tuple[int, ...], ...]) -> Counted:
        """Count one rule set from the raw table."""
        case = self.case
        times = np.zeros(len(case.labels))
        for rule in rules:
            times += self.seen[:, list(rule)].all(axis=1)
        once = np.minimum(times, 1.0)
        counted = once if case.loss == "01" else times
        net = self.uncovered - self.covered
        objective = np.minimum(self.uncovered, self.covered).sum()
        objective += (np.maximum(net, 0) * (1 - once)).sum() + (np.maximum(-net, 0) * counted).sum()
        length = sum(case.condition_costs[j] for rule in rules for j in rule)
        objective += case.penalty * (case.per_rule * len(rules) + case.per_condition * length)
        if case.constraint == "minimax-error":
            worst = max(0.0, *(self._error(counted, once, members) for members in self._groups()))
            objective += case.bound * case.weights.sum() * worst
        predicted = once > 0 if case.logic == "dnf" else once == 0
        errors = case.weights[predicted != case.labels].sum()
        return Counted(
            float(objective), float(errors), self._broken(counted, once), self._broken(once, once)
        )

    def _groups(self) -> list[Any]:
        return [self.case.groups == name for name in np.unique(self.case.groups)]

    def _wrong(self, counted: Any, once: Any, members: Any, label: bool) -> float:
        """The weight of a group's samples of one label that are predicted wrongly, covers counted."""
        case = self.case
        wrongly_covered = label if case.logic == "cnf" else not label
        each = counted if wrongly_covered else 1 - once
        return float((case.weights * each)[members & (case.labels == label)].sum())

    def _weight(self, members: Any) -> float:
        return float(self.case.weights[members].sum())

    def _error(self, counted: Any, once: Any, members: Any) -> float:
        both = self._wrong(counted, once, members, True) + self._wrong(counted, once, members, False)
        return both / self._weight(members)

    def rates(self, counted: Any, once: Any, members: Any) -> dict[str, float]:
        """The rates of one group that the constraint is about."""
        labels = self.case.labels
        name = self.case.constraint
        found: dict[str, float] = {}
        if name in ("equality-of-opportunity", "equalized-odds", "group-recall-floor"):
            found["fnr"] = self._wrong(counted, once, members, True) / self._weight(members & labels)
        if name in ("equalized-odds", "false-positive-rate-parity"):
            found["fpr"] = self._wrong(counted, once, members, False) / self._weight(members & ~labels)
        if name in ("error-rate-parity", "accuracy-parity"):
            found["error"] = self._error(counted, once, members)
        if name.startswith("demographic"):
            selected = self._wrong(counted, once, members, False)
            selected += self._weight(members & labels) - self._wrong(counted, once, members, True)
            found["selected"] = selected / self._weight(members)
        return found

    def _broken(self, counted: Any, once: Any) -> float:
        case = self.case
        if case.constraint in ("none", "minimax-error"):
            return 0.0
        rates = [self.rates(counted, once, members) for members in self._groups()]
        if case.constraint == "group-recall-floor":
            return max(case.bound - (1 - each["fnr"]) for each in rates)
        worst = -1.0
        for one, other in itertools.permutations(rates, 2):
            for name in one:
                if case.constraint == "demographic-ratio":
                    worst = max(worst, case.bound * other[name] - one[name])
                else:
                    worst = max(worst, one[name] - other[name] - case.bound)
        return worst

    def is_defined(self) -> bool:
        """Whether every bounded rate has something to be a share of."""
        labels, name = self.case.labels, self.case.constraint
        needs = {
            "equality-of-opportunity": [labels], "equalized-odds": [labels, ~labels], "group-recall-floor": [labels],
            "false-positive-rate-parity": [~labels],
        }.get(name, [])  # fmt: skip
        groups = self._groups()
        if name not in ("none", "minimax-error", "group-recall-floor") and len(groups) < 2:
            return False
        return all(self._weight(members & cell) > 0 for members in groups for cell in needs)

    def verdict(self) -> Verdict:
        """Try every rule set."""
        if not self.is_defined():
            return Verdict(np.inf, np.inf, False, frozenset(), False)
        counted = [(rules, self.count(rules)) for rules in self.all_sets()]
        kept = [(rules, each) for rules, each in counted if max(each.broken, each.truly_broken) <= STRICT]
        least = min((each.objective for _, each in kept), default=np.inf)
        loose = min((each.objective for _, each in counted if each.broken <= LOOSE), default=np.inf)
        close = any(
            STRICT < broken <= LOOSE for _, each in counted for broken in (each.broken, each.truly_broken)
        )
        scale = max(1e-300, float(np.abs(self.uncovered).sum() + np.abs(self.covered).sum()))
        best = [(rules, each) for rules, each in kept if each.objective <= least + 1e-9 * scale]
        canonical = min((self._key(rules, each) for rules, each in best), default=None)
        first: frozenset[frozenset[int]] = frozenset()
        if canonical is not None:
            first = frozenset(frozenset(int(name[1:]) for name in texts) for _, texts in canonical[3])
        return Verdict(least, loose, close, first)

    def _key(self, rules: tuple[tuple[int, ...], ...], each: Counted) -> Any:
        texts = sorted((len(rule), tuple(sorted(f"x{j}" for j in rule))) for rule in rules)
        size = len(rules) + sum(self.case.condition_costs[j] for rule in rules for j in rule)
        return round(each.errors / self.case.weights.sum(), 11), round(size, 11), len(rules), texts
