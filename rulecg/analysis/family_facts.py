"""What families of covers have in common, and in what they differ: counted on all of them, some at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property

import numpy as np
import pandas as pd

from rulecg_core import Row
from rulecg_core.base.arrays import BoolArray, FloatArray, IntArray
from rulecg_core.data.goal import Goal
from rulecg_core.proof.families.enumeration import Families
from rulecg_core.proof.families.texts import texts_of

AT_A_TIME = 4_096
RATES = {"selection rate": None, "true positive rate": True, "false positive rate": False}
"""Rates whose differences between groups are counted, and which labels they are about."""


class FamilyFacts:
    """Counts on families.

    Parameters
    ----------
    goal : Goal
        What they were listed by: the data, the objective, the bounds on size.
    families : Families
        The families.
    threshold : float
        The largest objective of the list.
    """

    def __init__(self, goal: Goal, families: Families, threshold: float) -> None:
        self.goal, self.problem, self.families, self.threshold = goal, goal.problem, families, threshold
        self._texts: dict[int, tuple[list[tuple[int, ...]], bool]] = {}

    # Counting -----------------------------------------------------------------------------------------------------

    def _blocks(self, which: IntArray) -> Iterator[tuple[IntArray, IntArray]]:
        """Families with the same number of rules, some at a time: where they stand, and their rules."""
        rules = self.families.families[which]
        numbers = (rules >= 0).sum(axis=1)
        for number in np.unique(numbers):
            places = np.flatnonzero(numbers == number)
            for at in range(0, len(places), AT_A_TIME):
                some = places[at : at + AT_A_TIME]
                yield some, rules[some][:, :number]

    def _counted(self, which: IntArray, count: Callable[[IntArray], FloatArray]) -> FloatArray:
        values = np.empty(len(which))
        for places, rules in self._blocks(which):
            values[places] = count(rules)
        return values

    def covered(self, which: IntArray, weights: FloatArray) -> FloatArray:
        """Sum the weights of the samples that each family covers."""
        return self._counted(which, lambda rules: self.families.table.weighed(rules, weights))

    @cached_property
    def everything(self) -> IntArray:
        """All families."""
        return np.arange(len(self.families))

    def errors(self, which: IntArray) -> FloatArray:
        """Count the true errors of families, in weight."""
        problem, truth = self.problem, self.problem.truth
        found = self.covered(which, np.where(truth, -problem.weights, problem.weights))
        return np.asarray((found + problem.weights[truth].sum()) * problem.unit)

    def keep_rows(self, rows: Sequence[Row]) -> BoolArray:
        """Find the families that keep rows in true counts, each covered sample counted once."""
        keeps = np.ones(len(self.families), dtype=bool)
        lengths = self._counted(self.everything, lambda rules: self.families.table.lengths[rules].sum(axis=1))
        numbers = (self.families.families >= 0).sum(axis=1)
        for row in rows:
            form = row.form
            if form.variables:
                # A row with a variable of its own says nothing in true counts.
                continue
            weights, const = np.zeros(self.problem.n_samples), form.const
            if form.cover is not None:
                weights = weights + form.cover
            if form.missed is not None:
                weights, const = weights - form.missed, const + float(form.missed.sum())
            values = self.covered(self.everything, weights) + form.length * lengths + form.rule * numbers + const
            keeps &= (values >= row.lo - 1e-9) & (values <= row.hi + 1e-9)
        return keeps

    # Gaps ---------------------------------------------------------------------------------------------------------

    @cached_property
    def gaps(self) -> dict[str, FloatArray]:
        """For every sensitive column and rate the largest difference between two groups, of every family."""
        problem, found = self.problem, {}
        groups = problem.sensitive_groups
        for place, column in enumerate(groups.columns):
            codes = groups.codes[:, place]
            for name, label in RATES.items():
                who = np.ones(problem.n_samples, dtype=bool) if label is None else problem.labels == label
                rates = [self._rate(who & (codes == code)) for code in range(len(groups.labels[place]))]
                known = [rate for rate in rates if rate is not None]
                if len(known) > 1:
                    found[f"{name} by {column}"] = np.max(known, axis=0) - np.min(known, axis=0)
        return found

    def _rate(self, members: BoolArray) -> FloatArray | None:
        weights = np.where(members, self.problem.weights, 0.0)
        total = float(weights.sum())
        if total == 0:
            return None
        share = self.covered(self.everything, weights) / total
        return share if self.problem.logic == "dnf" else 1.0 - share

    def gap_ranges(self) -> pd.DataFrame:
        """Give the least and largest value of every gap."""
        lines = [(name, values.min(), values.max()) for name, values in self.gaps.items() if len(values)]
        return pd.DataFrame(lines, columns=["gap", "least", "most"])

    # Predictions --------------------------------------------------------------------------------------------------

    def disagreement(self, which: IntArray) -> dict[str, float]:
        """Compare predictions with those of the first family."""
        if not len(which):
            return {"ambiguity": float("nan"), "discrepancy": float("nan")}
        weights, n = self.problem.weights, self.problem.n_samples
        first = next(iter(self._predictions(which[:1])))[1][0]
        differs, most = np.zeros(n, dtype=bool), 0.0
        for _, covered in self._predictions(which):
            others = covered != first
            differs |= others.any(axis=0)
            most = max(most, float((others @ weights).max(initial=0.0)))
        total = float(weights.sum())
        return {"ambiguity": float(weights[differs].sum()) / total, "discrepancy": most / total}

    def accepted_by(self, which: IntArray) -> FloatArray:
        """Give for every row the share of families that predict the outcome."""
        count = np.zeros(self.problem.n_samples)
        for _, covered in self._predictions(which):
            count += covered.sum(axis=0)
        share = count / max(1, len(which))
        return np.asarray((share if self.problem.logic == "dnf" else 1.0 - share)[self.problem.inverse])

    def _predictions(self, which: IntArray) -> Iterator[tuple[IntArray, BoolArray]]:
        for places, rules in self._blocks(which):
            yield places, self.families.table.predictions(rules, self.problem.n_samples)

    # Texts --------------------------------------------------------------------------------------------------------

    def texts(self, rule: int) -> tuple[list[tuple[int, ...]], bool]:
        """List the texts of a rule's cover; whether these are all."""
        if rule not in self._texts:
            shown = self.families.table.rules[rule]
            found, complete = texts_of(self.problem, shown.covers(self.problem.X))
            self._texts[rule] = (found or [shown.features], complete)
        return self._texts[rule]

    def longest(self, at: int) -> float:
        """How long the conditions of a family may be together, within every bound on size and the threshold."""
        form, number = self.goal.objective, float(np.count_nonzero(self.families.families[at] >= 0))
        room = np.inf
        for row in self.goal.rows:
            if row.form.length > 0:
                room = min(room, (row.hi - row.form.const - row.form.rule * number) / row.form.length)
        if form.length > 0:
            shortest = float(self.problem.lengths(self.families.rules(at)).sum())
            room = min(room, shortest + (self.threshold - float(self.families.objectives[at])) / form.length)
        return float(room)

    def n_texts(self, at: int) -> float:
        """Count the texts of a family that keep the bounds on size; NaN where they are too many."""
        ways, room = {0.0: 1}, self.longest(at)
        for rule in self.families.families[at]:
            if rule < 0:
                continue
            texts, complete = self.texts(int(rule))
            if not complete:
                return float("nan")
            longer: dict[float, int] = {}
            for text in texts:
                own = float(self.problem.condition_costs[list(text)].sum())
                for length, count in ways.items():
                    if length + own <= room + 1e-9:
                        longer[length + own] = longer.get(length + own, 0) + count
            ways = longer
        return float(sum(ways.values()))

    def table(self, which: IntArray) -> pd.DataFrame:
        """Describe families, one line for each."""
        errors, problem = self.errors(which), self.problem
        lines = []
        for at, wrong in zip(which.tolist(), errors.tolist(), strict=True):
            rules = self.families.rules(at)
            n_conditions = float(problem.lengths(rules).sum())
            text = " or ".join(problem.rule_set(rules).texts()) if problem.logic == "dnf" else " and ".join(
                f"({clause})" for clause in problem.rule_set(rules).texts()
            )
            lines.append(
                {
                    "objective": float(self.families.objectives[at] * problem.unit),
                    "errors": wrong,
                    "complexity": n_conditions + len(rules),
                    "rules": len(rules),
                    "columns": ", ".join(self.columns(rules)),
                    "texts": self.n_texts(at),
                    **{name: float(values[at]) for name, values in self.gaps.items()},
                    "rule_set": text,
                }
            )
        return pd.DataFrame(lines)

    def columns(self, rules: Iterable[Iterable[int]]) -> list[str]:
        """Name the columns of rules, each once."""
        return list(dict.fromkeys(self.problem.conditions[feature].column for rule in rules for feature in rule))

    def always(self, which: IntArray) -> dict[str, list[str]]:
        """Find the conditions and columns that no text of any family is without."""
        conditions: set[int] | None = None
        columns: set[str] | None = None
        for family in self.families.families[which]:
            own_conditions: set[int] = set()
            own_columns: set[str] = set()
            for rule in family[family >= 0].tolist():
                texts, complete = self.texts(rule)
                if complete:
                    own_conditions |= set(texts[0]).intersection(*map(set, texts))
                    own_columns |= set(self.columns([texts[0]])).intersection(*(self.columns([t]) for t in texts))
            conditions = own_conditions if conditions is None else conditions & own_conditions
            columns = own_columns if columns is None else columns & own_columns
            if not conditions and not columns:
                break
        return {
            "conditions": [str(self.problem.conditions[feature]) for feature in sorted(conditions or ())],
            "columns": sorted(columns or ()),
        }
