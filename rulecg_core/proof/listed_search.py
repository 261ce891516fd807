"""Exact search for the best rule set among listed rules: by number of rules, by their sizes, then rule by rule.

With K rules fixed, every vector of duals bounds the objective: a rule set loses against the bound the reduced costs of
its rules, plus the dual of a positive for each time that it is covered too often. That K is fixed makes the bounds much
tighter than those of the relaxation, and so does fixing how many rules may be longer than how much. What remains is
searched rule by rule, the one with the least reduced cost first, with new duals for the rest after each; the last
two rules are found by trying all pairs that fit together.

Valid while the rows look at nothing but size.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np
from attrs import evolve, field, frozen

from ..api.backend import Backend
from ..base.arrays import BoolArray, FloatArray, IntArray
from ..base.limits import Deadline
from ..data.goal import Goal
from ..data.rules import Rule
from .list_duals import Bound, ListDuals, Part
from .listed_covers import ListedCovers, sums
from .listed_pairs import fitting_pairs, n_pairs

MOST_ENTRIES = 150_000_000
"""Rules times positives, beyond which a list is not searched: its covers are unpacked for a moment."""
MOST_PAIRS = 1_000_000
"""Up to this many pairs, the best two rules are found by trying them all; beyond it, duals thin them out first."""
CHUNK = 5_000
"""How many rules have their covers unpacked at a time."""
MOST_COMPOSITIONS = 400
"""If there are more ways than this to divide the size among the rules, the size stays one row."""


@frozen(eq=False)
class ListSearch:
    """The best rule set found, none if none beats the known one; ``complete`` when no other can."""

    sets: tuple[tuple[Rule, ...], ...]
    complete: bool
    n_nodes: int


@frozen
class ListBudget:
    """After how much a search for all rule sets is given up."""

    sets: int = 10_000
    nodes: float = math.inf
    deadline: Deadline = field(factory=Deadline)
    first: int = 1
    """The number of rules to try first: near that of the best rule sets, the others are soon seen to be worse."""


def can_search(goal: Goal, n_rules: int) -> bool:
    """Whether the search is valid for the goal's rows and objective, and the list short enough for it."""
    objective = goal.objective
    return (
        goal.counts_only_size
        and (objective.missed is None or bool(np.all(objective.missed >= 0)))
        and not objective.variables
        and n_rules * int(np.count_nonzero(goal.tracked)) <= MOST_ENTRIES
    )


def search_list(  # what is searched and when to give up, with defaults for what seldom matters
    goal: Goal,
    backend: Backend,
    rules: Sequence[Rule],
    known: float,
    step: float,
    deadline: Deadline,
    first: int = 1,
    most_nodes: float = math.inf,
) -> ListSearch:
    """Find the best rule set of the listed rules whose objective is at least a step below a known one.

    Parameters
    ----------
    goal : what rule sets are judged by
    backend : solves the duals' linear programs
    rules : the list
    known, step : the objective to improve on, and by how much at least
    deadline : when to give up
    first : the number of rules to try first
    most_nodes : after how many parts to give up
    """
    search = _Search(goal, backend, rules, known, step, deadline, most_nodes)
    try:
        search.run(first)
    except (TimeoutError, _TooMuchError):
        return ListSearch(search.found_sets(), False, search.n_nodes)
    return ListSearch(search.found_sets(), True, search.n_nodes)


def search_all(  # what search_list needs, and how many sets are wanted
    goal: Goal, backend: Backend, rules: Sequence[Rule], limit: float, budget: ListBudget
) -> ListSearch:
    """Find every rule set of the listed rules whose objective is at most a limit.

    Parameters
    ----------
    goal : what rule sets are judged by
    backend : solves the duals' linear programs
    rules : the list, no two with equal covers
    limit : the largest objective that is still of interest
    budget : after how much the search is given up

    Returns
    -------
    All of them, in no particular order; what was found so far when the budget was spent, which is then not complete.
    """
    search = _Collection(goal, backend, rules, limit, budget)
    try:
        search.run(budget.first)
    except (TimeoutError, _TooMuchError):
        return ListSearch(search.found_sets(), False, search.n_nodes)
    return ListSearch(search.found_sets(), True, search.n_nodes)


class _Search:
    def __init__(
        self,
        goal: Goal,
        backend: Backend,
        rules: Sequence[Rule],
        known: float,
        step: float,
        deadline: Deadline,
        most_nodes: float = math.inf,
    ) -> None:
        self.rules, self.best, self.step, self.deadline = rules, known, step, deadline
        self.most_nodes = most_nodes
        self.n_nodes = 0
        self.found: tuple[int, ...] | None = None
        problem, objective = goal.problem, goal.objective
        lengths = problem.lengths(rules)
        rows = [row.normalised() for row in goal.rows]
        missed = np.zeros(problem.n_samples) if objective.missed is None else objective.missed
        positives = np.flatnonzero(missed > 0)
        of_positives, costs, sizes = [], [np.zeros(0)], [np.zeros((len(rows), 0))]
        for at in range(0, len(rules), CHUNK):
            some = slice(at, at + CHUNK)
            covers = problem.covers(rules[some])
            of_positives.append(covers[:, positives])
            costs.append(objective.coefficients(covers, lengths[some]))
            of_rows = [row.form.coefficients(covers, lengths[some]) for row in rows]
            sizes.append(np.array(of_rows).reshape(len(rows), len(covers)))
        self.costs = np.concatenate(costs)
        self.covers = ListedCovers(of_positives, missed[positives])
        self.weights = missed[positives]
        self.const = objective.const
        self.sizes = np.concatenate(sizes, axis=1)
        self.limits = np.array([row.hi for row in rows]) + 1e-9
        self.duals = ListDuals(backend, self.costs, self.covers, self.weights, self.deadline)
        self.slack = 1e-6 * max(1.0, abs(self.best))

    @property
    def worth(self) -> float:
        """Rule sets with an objective above this are of no interest."""
        return self.best - max(self.step, 2 * self.slack) + self.slack

    def found_sets(self) -> tuple[tuple[Rule, ...], ...]:
        return () if self.found is None else (tuple(self.rules[at] for at in self.found),)

    def take(self, chosen: tuple[int, ...]) -> None:
        """A rule set that looks better: its true objective decides."""
        covered = self.covers.of(np.array(chosen, dtype=np.int64)).any(axis=0)
        objective = self.const + float(self.costs[list(chosen)].sum() + self.weights[~covered].sum())
        if objective <= self.worth:
            self.best, self.found = objective, chosen

    def count_node(self) -> None:
        """One more part to search; an error when there is no time, or no budget, for it."""
        self.n_nodes += 1
        if self.deadline.passed:
            raise TimeoutError
        if self.n_nodes > self.most_nodes:
            raise _TooMuchError

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
                self.by_sizes(part, solved)

    def by_sizes(self, part: Part, solved: Bound) -> None:
        """Divide the size among the rules in every way; the most promising first."""
        within = solved.losses <= self.worth - solved.bound
        compositions = self.compositions(evolve(part, candidates=part.candidates[within]))
        if compositions is None:
            self.search_with(part, solved)
            return
        part = evolve(part, candidates=part.candidates[within])
        open_parts: list[tuple[float, int, Part, Bound]] = []
        for composition in compositions:
            divided = self.with_sizes(part, composition)
            if len(divided.candidates) >= part.n_rules:
                solved = self.duals.bound(divided, self.worth)
                if solved.bound <= self.worth:
                    open_parts.append((solved.bound, len(open_parts), divided, solved))
        for _, _, divided, solved in sorted(open_parts, key=lambda entry: entry[:2]):
            self.search_with(divided, solved)

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

    def search(self, part: Part, losses: FloatArray, reach: float) -> None:
        """Search the part; ``losses`` of the candidates, least first, and what they may add up to."""
        self.count_node()
        if len(part.candidates) < part.n_rules:
            return
        if part.n_rules == 1:
            self.best_single(part)
        elif part.n_rules == 2 and n_pairs(losses, reach) <= MOST_PAIRS:
            self.best_pair(part, losses, reach)
        else:
            self.search_with(part, self.duals.bound(part, self.worth))

    def search_with(self, part: Part, solved: Bound) -> None:
        """Search the part by the duals that were found for it."""
        reach = self.worth - solved.bound
        kept = np.flatnonzero(solved.losses <= reach)
        if len(kept) < part.n_rules:
            return
        order = kept[np.argsort(solved.losses[kept], kind="stable")]
        part, losses = evolve(part, candidates=part.candidates[order]), solved.losses[order]
        if part.n_rules == 1:
            self.best_single(part)
            return
        if part.n_rules == 2:
            self.best_pair(part, losses, reach)
            return
        is_first, n_first = self.first_rules(part, losses, reach)
        is_left = np.ones(len(losses), dtype=bool)
        covers = self.covers.by_byte(part.candidates)
        for at in np.flatnonzero(is_first):
            # The rule is the one with the least loss of its kind: the others of its kind lose at least as much.
            reach, loss = self.worth - solved.bound, float(losses[at])
            if n_first * loss > reach:
                break
            is_left[at] = False
            each = reach - loss - max(0, n_first - 2) * loss
            near = int(np.searchsorted(losses, each, side="right"))
            rule = int(part.candidates[at])
            again = sums(covers[:, :near], np.where(part.is_open & self.covers.of(rule), solved.duals, 0.0))
            new_losses = losses[:near] + again
            passing = np.flatnonzero((new_losses <= each) & is_left[:near])
            passing = passing[np.argsort(new_losses[passing], kind="stable")]
            self.with_rule(part, rule, part.candidates[passing], new_losses[passing], reach - loss)

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
        is_open = part.is_open & ~self.covers.of(rule)
        constant = part.constant + float(self.costs[rule])
        child = Part(further[fits], part.n_rules - 1, constant, is_open, part.rows, limits, (*part.chosen, rule))
        self.search(child, losses[fits], reach)

    def best_single(self, part: Part) -> None:
        values = self.costs[part.candidates] - self.covers.gains(part.candidates, part.is_open)
        self.take((*part.chosen, int(part.candidates[np.argmin(values)])))

    def best_pair(self, part: Part, losses: FloatArray, reach: float) -> None:
        """Try all pairs within reach: what two rules cover both, only one of them gains."""
        candidates = part.candidates
        values = self.costs[candidates] - self.covers.gains(candidates, part.is_open)
        base = part.constant + float(self.weights[part.is_open].sum())
        # Rounded sums find the pairs that may do, their true objectives decide.
        rounding = 1e-5 * (1.0 + float(self.weights.sum()))
        for one, other in fitting_pairs(part.rows[:, candidates], part.limits, losses, reach):
            overlaps = self.covers.overlaps(candidates[one], candidates[other], part.is_open)
            most = (self.worth + rounding - base - values[one])[:, None] - values[other]
            for left, right in zip(*np.nonzero(overlaps <= most), strict=True):
                pair = candidates[[one[left], other[right]]]
                if pair[0] != pair[1] and (part.rows[:, pair].sum(axis=1) <= part.limits).all():
                    self.take((*part.chosen, *pair.tolist()))


class _Collection(_Search):
    """Collects instead of improving: the limit stays where it is, and every rule set within it is kept."""

    def __init__(
        self, goal: Goal, backend: Backend, rules: Sequence[Rule], limit: float, budget: ListBudget
    ) -> None:
        super().__init__(goal, backend, rules, limit, 0.0, budget.deadline, budget.nodes)
        self.most = budget.sets
        self.sets: set[tuple[int, ...]] = set()

    @property
    def worth(self) -> float:
        return self.best + self.slack

    def found_sets(self) -> tuple[tuple[Rule, ...], ...]:
        return tuple(tuple(self.rules[at] for at in chosen) for chosen in sorted(self.sets))

    def take(self, chosen: tuple[int, ...]) -> None:
        covered = self.covers.of(np.array(chosen, dtype=np.int64)).any(axis=0)
        objective = self.const + float(self.costs[list(chosen)].sum() + self.weights[~covered].sum())
        if objective <= self.worth:
            self.sets.add(tuple(sorted(chosen)))
            if len(self.sets) > self.most:
                raise _TooMuchError

    def best_single(self, part: Part) -> None:
        values = self.costs[part.candidates] - self.covers.gains(part.candidates, part.is_open)
        room = self.worth - part.constant - float(self.weights[part.is_open].sum())
        for at in np.flatnonzero(values <= room + self.slack):
            self.take((*part.chosen, int(part.candidates[at])))


class _TooMuchError(Exception):
    """More rule sets or more nodes than the budget allows."""


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
