"""Two-level Boolean rules of Su, Wei, Varshney and Malioutov (2016): alternating minimization and block descent.

Their objective for an OR of ANDs, per sample: a negative costs one for each rule that covers it, a positive costs one
where no rule does (the flips of rule outputs that would set it right), plus ``theta`` for each condition. Both methods
solve a linear program for one rule at a time and round it: conditions enter in the order of their weights, those that
change nothing are left out, and the prefix of least cost is kept, or no rule at all where that costs less.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import pandas as pd

from .interface import Grid, Rival

if TYPE_CHECKING:
    Clause = frozenset[int]
    """The conditions of one rule; an empty one is switched off and covers nothing."""


class _TwoLevel(Rival):
    """What both methods share: the data, the program for one rule, and how rules begin."""

    source = "Su, Wei, Varshney, Malioutov 2016; written from the paper"
    needs = ("scipy",)
    grid: ClassVar[Grid] = {"theta": (0.1, 0.03, 0.01, 0.003, 0.001, 0.0003, 0.0001)}

    @classmethod
    def defaults(cls) -> dict[str, Any]:
        return {"theta": 0.003, "n_rules": 10, "rounds": 20}

    def fit(self, X: pd.DataFrame, y: np.ndarray, sensitive: np.ndarray | None = None) -> Rival:
        holds = X.to_numpy().astype(bool)
        labels = np.asarray(y, dtype=bool)
        self._positives, self._negatives = holds[labels], holds[~labels]
        # Equal negatives are one line of the program, with their number as its price.
        self._distinct, self._times = np.unique(self._negatives, axis=0, return_counts=True)
        self._n = len(labels)
        clauses = self._begin()
        best, cost = clauses, self._cost(clauses)
        met = {tuple(clauses)}
        for _ in range(self.parameters["rounds"]):
            clauses = self._round(clauses)
            # Rounding may make a round worse than the one before; a state met again would only repeat itself.
            if tuple(clauses) in met:
                break
            met.add(tuple(clauses))
            if self._cost(clauses) < cost:
                best, cost = clauses, self._cost(clauses)
        self.clauses_: tuple[Clause, ...] = tuple(clause for clause in best if clause)
        return self

    def predict(self, X: pd.DataFrame, sensitive: np.ndarray | None = None) -> np.ndarray:
        holds = X.to_numpy().astype(bool)
        covered = np.zeros(len(holds), dtype=bool)
        for clause in self.clauses_:
            covered |= _covers(clause, holds)
        return covered

    def complexity(self) -> int:
        return sum(1 + len(clause) for clause in self.clauses_)

    def _round(self, clauses: list[Clause]) -> list[Clause]:
        raise NotImplementedError

    def _begin(self) -> list[Clause]:
        """Rules one after the other, each for the positives that those before leave (set covering)."""
        clauses: list[Clause] = []
        left = np.ones(len(self._positives), dtype=bool)
        for _ in range(self.parameters["n_rules"]):
            clause = self._one_rule(left) if left.any() else frozenset()
            clauses.append(clause)
            left &= ~_covers(clause, self._positives)
        return clauses

    def _cost(self, clauses: list[Clause]) -> float:
        """The objective: Hamming loss per sample, and theta for each condition."""
        missed = np.ones(len(self._positives), dtype=bool)
        covers = 0
        for clause in clauses:
            missed &= ~_covers(clause, self._positives)
            covers += int(_covers(clause, self._negatives).sum())
        return (int(missed.sum()) + covers) / self._n + self.parameters["theta"] * sum(map(len, clauses))

    def _one_rule(self, wanted: np.ndarray) -> Clause:
        """The rule for some positives against all negatives: a linear program, then rounding."""
        from scipy.optimize import linprog
        from scipy.sparse import csr_matrix, hstack, identity

        theta, n_conditions = self.parameters["theta"], self._positives.shape[1]
        violated = (~self._positives[wanted]).sum(axis=0)
        cost = np.concatenate([violated / self._n + theta, self._times / self._n])
        # A negative is kept out by conditions that it violates, or its slack is paid for.
        rows = hstack([csr_matrix(~self._distinct, dtype=np.float64), identity(len(self._distinct))])
        found = linprog(
            cost, A_ub=-rows.tocsr(), b_ub=-np.ones(len(self._distinct)),
            bounds=[(0, 1)] * n_conditions + [(0, None)] * len(self._distinct), method="highs",
        )  # fmt: skip
        if found.x is None:
            return frozenset()
        weights = found.x[:n_conditions]
        order = [int(j) for j in np.argsort(-weights, kind="stable") if weights[j] > 1e-6]
        return self._rounded(order, wanted)

    def _rounded(self, order: list[int], wanted: np.ndarray) -> Clause:
        targets = self._positives[wanted]
        best: Clause = frozenset()
        least = len(targets) / self._n
        chosen: list[int] = []
        hit, wrong = np.ones(len(targets), dtype=bool), np.ones(len(self._negatives), dtype=bool)
        for condition in order:
            new_hit, new_wrong = hit & targets[:, condition], wrong & self._negatives[:, condition]
            if new_hit.sum() == hit.sum() and new_wrong.sum() == wrong.sum():
                continue
            chosen, hit, wrong = [*chosen, condition], new_hit, new_wrong
            cost = (len(targets) - hit.sum() + wrong.sum()) / self._n + self.parameters["theta"] * len(chosen)
            if cost < least - 1e-12:
                best, least = frozenset(chosen), cost
        return best


class AlternatingMinimization(_TwoLevel):
    """Gives every positive to the rule that is nearest to covering it, then learns every rule anew, and so on."""

    name = "AM"

    def _round(self, clauses: list[Clause]) -> list[Clause]:
        distances = np.stack([_violations(clause, self._positives) for clause in clauses])
        owners = distances.argmin(axis=0)
        return [
            self._one_rule(owners == number) if np.any(owners == number) else frozenset()
            for number in range(len(clauses))
        ]


class BlockDescent(_TwoLevel):
    """Learns one rule anew at a time, for the positives that the others leave, while that lowers the objective."""

    name = "BCD"

    def _round(self, clauses: list[Clause]) -> list[Clause]:
        clauses = list(clauses)
        for number in range(len(clauses)):
            others = clauses[:number] + clauses[number + 1 :]
            left = np.ones(len(self._positives), dtype=bool)
            for clause in others:
                left &= ~_covers(clause, self._positives)
            candidate = [*others[:number], self._one_rule(left) if left.any() else frozenset(), *others[number:]]
            if self._cost(candidate) < self._cost(clauses):
                clauses = candidate
        return clauses


def _covers(clause: Clause, holds: np.ndarray) -> np.ndarray:
    if not clause:
        return np.zeros(len(holds), dtype=bool)
    return np.asarray(holds[:, sorted(clause)].all(axis=1))


def _violations(clause: Clause, holds: np.ndarray) -> np.ndarray:
    """How many conditions of the rule each sample violates; a rule that is switched off is out of reach."""
    if not clause:
        return np.full(len(holds), holds.shape[1] + 1)
    return np.asarray((~holds[:, sorted(clause)]).sum(axis=1))
