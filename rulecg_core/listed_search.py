"""Exact search for the best rule set among listed rules: by number of rules, by their sizes, then rule by rule.

With K rules fixed, every vector of duals bounds the objective: a rule set loses against the bound the reduced costs of
its rules, plus the dual of a positive for each time that it is covered too often. That K is fixed makes the bounds much
tighter than those of the relaxation, and so does fixing how many rules may be longer than how much. What remains is
searched rule by rule, the one with the least reduced cost first, with new duals for the rest after each; the last
two rules are found by trying all pairs in one matrix product.

Valid while the rows look at nothing but size.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np
from attrs import evolve, frozen

from .arrays import AnyArray, BoolArray, FloatArray, IntArray
from .limits import Deadline
from .list_duals import ListDuals, Part
from .master import Master
from .rules import Rule

MOST_ENTRIES = 150_000_000
"""Rules times positives, beyond which a list is not searched: the covers alone would fill half a gigabyte."""
MOST_PAIRS = 300_000
"""Up to this many pairs, the best two rules are found by trying them all; beyond it, duals thin them out first."""
PAIR_ROWS = 64
"""How many rules are tried with their partners in one matrix product."""
MOST_COMPOSITIONS = 400
"""If there are more ways than this to divide the size among the rules, the size stays one row."""


@frozen(eq=False)
class ListSearch:
    """The best rule set found, none if none beats the known one; ``complete`` when no other can."""

    sets: tuple[tuple[Rule, ...], ...]
    complete: bool
    n_nodes: int


def can_search(master: Master, n_rules: int) -> bool:
    """Whether the search is valid for the master's rows and objective, and the list short enough for it."""
    objective = master.objective
    return (
        master.counts_only_size
        and not master.counts_once
        and (objective.zeta is None or bool(np.all(objective.zeta >= 0)))
        and not objective.variables
        and n_rules * int(np.count_nonzero(master.problem.y)) <= MOST_ENTRIES
    )


def search_list(
    master: Master, rules: Sequence[Rule], known: float, step: float, deadline: Deadline, first: int = 1
) -> ListSearch:
    """The best rule set of the listed rules with objective at most ``known - step``; ``first`` is the number of rules
    to try first."""
    search = _Search(master, rules, known, step, deadline)
    try:
        search.run(first)
    except TimeoutError:
        return ListSearch(search.found_sets(), False, search.n_nodes)
    return ListSearch(search.found_sets(), True, search.n_nodes)


class _Search:
    def __init__(
        self, master: Master, rules: Sequence[Rule], known: float, step: float, deadline: Deadline
    ) -> None:
        self.rules, self.best, self.step, self.deadline = rules, known, step, deadline
        self.n_nodes = 0
        self.found: tuple[int, ...] | None = None
        problem, objective = master.problem, master.objective
        covers = problem.covers(rules)
        lengths = np.array([problem.length(rule) for rule in rules])
        chunks = [slice(at, at + 2_000) for at in range(0, len(rules), 2_000)]
        rows = [row.normalised() for row in master.rows]
        zeta = np.zeros(problem.n_samples) if objective.zeta is None else objective.zeta
        positives = np.flatnonzero(problem.y & (zeta > 0))
        costs = [objective.coefficients(covers[some], lengths[some]) for some in chunks]
        self.costs = np.concatenate([*costs, np.zeros(0)])
        self.covers: AnyArray = covers[:, positives].astype(np.float32)
        self.weights = zeta[positives]
        self.const = objective.const
        self.sizes = np.array([row.form.coefficients(covers, lengths) for row in rows]).reshape(len(rows), len(lengths))
        self.limits = np.array([row.hi for row in rows]) + 1e-9
        self.duals = ListDuals(master.backend, self.costs, self.covers, self.weights, self.deadline)
        self.slack = 1e-6 * max(1.0, abs(self.best))

    @property
    def worth(self) -> float:
        """Rule sets with an objective above this are of no interest."""
        return self.best - max(self.step, 2 * self.slack) + self.slack

    def found_sets(self) -> tuple[tuple[Rule, ...], ...]:
        return () if self.found is None else (tuple(self.rules[at] for at in self.found),)

    def take(self, chosen: tuple[int, ...]) -> None:
        """A rule set that looks better: its true objective decides."""
        covered = self.covers[list(chosen)].any(axis=0)
        objective = self.const + float(self.costs[list(chosen)].sum() + self.weights[~covered].sum())
        if objective <= self.worth:
            self.best, self.found = objective, chosen

    # Numbers of rules, and their sizes -------------------------------------------------------------------------------

    def run(self, first: int) -> None:
        self.take(())
        fitting = np.flatnonzero((self.sizes <= self.limits[:, None]).all(axis=0))
        root = Part(fitting, 0, self.const, np.ones(len(self.weights), dtype=bool), self.sizes, self.limits)
        if not len(fitting):
            return
        for numbers, side in ((range(max(1, first), len(self.rules) + 1), 1), (range(max(1, first) - 1, 0, -1), -1)):
            for n_rules in numbers:
                part = evolve(root, n_rules=n_rules)
                solved = self.duals.bound(part, self.worth)
                if solved.bound > self.worth:
                    if side * solved.per_rule >= 0:
                        # The same duals show that going on in this direction only makes it worse.
                        break
                    continue
                self.by_sizes(evolve(part, candidates=part.candidates[solved.losses <= self.worth - solved.bound]))

    def by_sizes(self, part: Part) -> None:
        """Divide the size among the rules in every way; the most promising first."""
        compositions = self.compositions(part)
        if compositions is None:
            self.search(part)
            return
        open_parts: list[tuple[float, int, Part]] = []
        for composition in compositions:
            divided = self.with_sizes(part, composition)
            if len(divided.candidates) >= part.n_rules:
                solved = self.duals.bound(divided, self.worth)
                kept = divided.candidates[solved.losses <= self.worth - solved.bound]
                open_parts.append((solved.bound, len(open_parts), evolve(divided, candidates=kept)))
        for bound, _, divided in sorted(open_parts):
            if bound <= self.worth:
                self.search(divided)

    def compositions(self, part: Part) -> list[FloatArray] | None:
        """All maximal ways to choose the rules' sizes within the one row on size; None where that makes no sense."""
        if len(self.limits) != 1:
            return None
        values = np.unique(self.sizes[0, part.candidates])
        if len(values) > 12 or values[0] <= 0:
            return None
        found = []
        for composition in _compositions(values, part.n_rules, float(self.limits[0])):
            found.append(np.array(composition))
            if len(found) > MOST_COMPOSITIONS:
                return None
        return found

    def with_sizes(self, part: Part, composition: FloatArray) -> Part:
        """At most so many rules of at least each size: that is what a division of the size says."""
        sizes = self.sizes[0]
        candidates = part.candidates[sizes[part.candidates] <= composition.max()]
        steps = [size for size in np.unique(composition) if size > composition.min()]
        values = np.unique(self.sizes[0, candidates])
        # Between two sizes of the composition the row starts at the first size above the lower one.
        starts = [values[values > max(c for c in composition if c < size)].min() for size in steps]
        rows = np.array([sizes >= start for start in starts], dtype=np.float64).reshape(len(starts), len(sizes))
        limits = np.array([float((composition >= start).sum()) for start in starts])
        return evolve(part, candidates=candidates, rows=rows, limits=limits)

    # Rule by rule -----------------------------------------------------------------------------------------------------

    def search(self, part: Part, losses: FloatArray | None = None, reach: float = math.inf) -> None:
        """Search the part; ``losses`` of the candidates, least first, and what they may add up to, where known."""
        self.n_nodes += 1
        if self.deadline.passed:
            raise TimeoutError
        if len(part.candidates) < part.n_rules:
            return
        if part.n_rules == 1:
            self.best_single(part)
            return
        if part.n_rules == 2 and losses is not None and _n_pairs(losses, reach) <= MOST_PAIRS:
            self.best_pair(part, losses, reach)
            return
        solved = self.duals.bound(part, self.worth)
        reach = self.worth - solved.bound
        if reach < 0:
            return
        kept = np.flatnonzero(solved.losses <= reach)
        order = kept[np.argsort(solved.losses[kept], kind="stable")]
        part, losses = evolve(part, candidates=part.candidates[order]), solved.losses[order]
        if part.n_rules == 2:
            self.best_pair(part, losses, reach)
            return
        is_first, n_first = self.first_rules(part, losses, reach)
        is_left = np.ones(len(losses), dtype=bool)
        covers = self.covers[part.candidates]
        for at in np.flatnonzero(is_first):
            # The rule is the one with the least loss of its kind: the others of its kind lose at least as much.
            reach, loss = self.worth - solved.bound, float(losses[at])
            if n_first * loss > reach:
                break
            is_left[at] = False
            each = reach - loss - max(0, n_first - 2) * loss
            near = int(np.searchsorted(losses, each, side="right"))
            again = np.where(part.is_open, covers[at] * solved.duals, 0.0).astype(np.float32)
            new_losses = losses[:near] + covers[:near] @ again
            passing = np.flatnonzero((new_losses <= each) & is_left[:near])
            passing = passing[np.argsort(new_losses[passing], kind="stable")]
            self.with_rule(part, int(part.candidates[at]), part.candidates[passing], new_losses[passing], reach - loss)

    def first_rules(self, part: Part, losses: FloatArray, reach: float) -> tuple[BoolArray, int]:
        """A kind of rules that every rule set has some of, and how many at least: the kind with the fewest that can be
        the one with the least loss."""
        best = np.ones(len(losses), dtype=bool), part.n_rules
        fewest = np.searchsorted(losses, reach / part.n_rules, side="right")
        for row, limit in zip(part.rows, part.limits, strict=True):
            coefficients = row[part.candidates]
            at_least = part.n_rules - math.floor(limit)
            if at_least > 0 and np.all((coefficients == 0) | (coefficients == 1)):
                is_short = coefficients == 0
                count = np.count_nonzero(is_short[: np.searchsorted(losses, reach / at_least, side="right")])
                if count < fewest:
                    best, fewest = (is_short, at_least), count
        return best

    def with_rule(self, part: Part, rule: int, further: IntArray, losses: FloatArray, reach: float) -> None:
        """The rule sets with the rule and others of the further ones that still fit."""
        limits = part.limits - part.rows[:, rule]
        fits = (part.rows[:, further] <= limits[:, None]).all(axis=0)
        is_open = part.is_open & (self.covers[rule] == 0)
        constant = part.constant + float(self.costs[rule])
        child = Part(further[fits], part.n_rules - 1, constant, is_open, part.rows, limits, (*part.chosen, rule))
        self.search(child, losses[fits], reach)

    def best_single(self, part: Part) -> None:
        gains = self.covers[part.candidates] @ np.where(part.is_open, self.weights, 0.0)
        values = self.costs[part.candidates] - gains
        self.take((*part.chosen, int(part.candidates[np.argmin(values)])))

    def best_pair(self, part: Part, losses: FloatArray, reach: float) -> None:
        """Try all pairs within reach: what two rules cover both, only one of them gains."""
        ends = np.searchsorted(losses, reach - losses, side="right")
        covers = self.covers[part.candidates[: ends[0]]]
        weighted = covers * np.where(part.is_open, self.weights, 0.0).astype(np.float32)
        values = self.costs[part.candidates[: ends[0]]] - weighted.sum(axis=1)
        base = part.constant + float(self.weights[part.is_open].sum())
        # Single precision finds the pairs that may do, their true objectives decide.
        rounding = 1e-5 * (1.0 + float(self.weights.sum()))
        for at in range(0, int(ends[0]), PAIR_ROWS):
            first, last = at + 1, int(ends[at])
            if last <= first:
                break
            rows = slice(at, min(at + PAIR_ROWS, last))
            together = weighted[rows] @ covers[first:last].T
            together += values[rows, None] + values[None, first:last] + base
            for left, right in zip(*np.nonzero(together <= self.worth + rounding), strict=True):
                pair = part.candidates[[at + left, first + right]]
                if at + left < first + right and (part.rows[:, pair].sum(axis=1) <= part.limits).all():
                    self.take((*part.chosen, *pair.tolist()))


def _n_pairs(losses: FloatArray, reach: float) -> int:
    """How many pairs lose no more than is in reach, roughly."""
    return int(np.searchsorted(losses, reach - losses, side="right").sum()) // 2


def _compositions(values: FloatArray, n_parts: int, limit: float) -> Iterator[tuple[float, ...]]:
    """Non-increasing sizes out of the values, within the limit, none of which could be larger."""

    def extend(chosen: tuple[int, ...], room: float) -> Iterator[tuple[float, ...]]:
        left = n_parts - len(chosen)
        if left == 0:
            larger = (values[at + 1] - values[at] for at in set(chosen) if at + 1 < len(values))
            if all(more > room for more in larger):
                yield tuple(float(values[at]) for at in chosen)
            return
        for at in range(chosen[-1] if chosen else len(values) - 1, -1, -1):
            if values[at] + (left - 1) * values[0] <= room:
                yield from extend((*chosen, at), room - values[at])

    return extend((), limit)
