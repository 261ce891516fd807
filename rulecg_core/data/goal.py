"""What rule sets are judged by: an objective, rows, and how often a covered sample counts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property

import numpy as np
from attrs import evolve, frozen

from ..base.arrays import BoolArray, FloatArray, read_only
from .bounds.rule_bound import RuleBound, all_allow
from .linear_form import LinearForm, Row
from .problem import Problem
from .rules import Rule

KEPT = 1e-9
"""How far a row may be outside its bounds and still count as kept: what floating-point sums leave of equality."""
ROUNDING = 1e-6
"""Differences below this share of an objective may be rounding."""
NEARLY_KEPT = 1e-6
"""The same for rule sets that a solver found within its own tolerance."""


@frozen
class Candidate:
    """A rule set with everything that decides whether and why it is chosen."""

    rules: tuple[Rule, ...]
    objective: float
    """Value of the master's objective."""
    errors: float
    """True 0-1 loss: the weight of the samples whose label is predicted wrongly."""
    cost: float
    """What the predictions cost by the problem's stakes, each sample counted once: the errors, unless stakes differ."""
    complexity: float
    proxy_violation: float
    """Largest violation of a row as the master sees it (each cover counted)."""
    true_violation: float
    """Largest violation of a row in true counts (each covered sample counted once)."""

    @property
    def has_conditions(self) -> bool:
        """Whether every rule has conditions: false for the one rule that covers everything, which stands alone."""
        return all(map(len, self.rules))

    @property
    def is_feasible(self) -> bool:
        """Whether every row holds in true counts."""
        return self.true_violation <= KEPT

    @property
    def keeps_rows(self) -> bool:
        """Whether every row holds as the master counts."""
        return self.proxy_violation <= NEARLY_KEPT


@frozen(eq=False)
class _Counts:
    """What forms are evaluated on."""

    missed: FloatArray
    covered: FloatArray
    """How often each sample is covered."""
    once: FloatArray
    """1 where a sample is covered at all."""
    length: float
    n_rules: float


@frozen(eq=False, slots=False)
class Goal:
    """Minimise the objective over rule sets that keep every row.

    A goal is data: masters, proofs and heuristics judge rule sets by the same one.
    """

    problem: Problem
    objective: LinearForm
    rows: tuple[Row, ...]
    max_rules: float = np.inf
    """No rule set that keeps the rows has more rules than this."""
    counts_once: bool = False
    """Whether a covered sample counts once in the objective and in every row, however many rules cover it."""
    rule_bounds: tuple[RuleBound, ...] = ()
    """What every rule of a rule set must keep by itself."""
    max_columns: float = np.inf
    """How many columns of the table the conditions of a rule set may be on, all rules together."""
    kept: tuple[Rule, ...] = ()
    """Rules that are in every rule set. Objective and rows then speak of what the others add: see :meth:`keeping`."""
    whole: Goal | None = None
    """With kept rules, the goal as it was before: what complete rule sets are judged by."""

    @cached_property
    def tracked(self) -> BoolArray:
        """The samples that the objective or some row looks at when they are missed."""
        used = np.zeros(self.problem.n_samples, dtype=bool)
        for form in self.forms:
            if form.missed is not None:
                used |= form.missed != 0
        return read_only(used)

    # Facts that follow ----------------------------------------------------------------------------------------------

    @property
    def forms(self) -> tuple[LinearForm, ...]:
        """The objective and the forms of the rows."""
        return (self.objective, *(row.form for row in self.rows))

    @cached_property
    def variables(self) -> tuple[str, ...]:
        """Names of the auxiliary variables that forms use."""
        return tuple(dict.fromkeys(name for form in self.forms for name in form.variables))

    @cached_property
    def counts_only_size(self) -> bool:
        """Whether rules meet in nothing but size: every cover counts, and no row looks at which samples are covered or
        missed, nor does it matter on which columns. Gaps are small then, and proofs by listing close them."""
        return not self.counts_once and np.isinf(self.max_columns) and all(row.bounds_size for row in self.rows)

    @cached_property
    def prefers_short_rules(self) -> bool:
        """Whether a rule can always give way to a shorter one with the same cover, and to none where another one has
        its cover: no row asks for more conditions or rules, the objective does not pay for them, and it does not matter
        on which columns conditions are."""
        sized = [(self.objective.length, self.objective.rule)]
        sized += [(row.form.length, row.form.rule) for row in self.rows if row.hi < np.inf]
        sized += [(-row.form.length, -row.form.rule) for row in self.rows if row.lo > -np.inf]
        return np.isinf(self.max_columns) and all(length >= 0 and rule >= 0 for length, rule in sized)

    @cached_property
    def counts_truly(self) -> bool:
        """Whether rows have their true values for every rule set: none counts covers, of which there can be several."""
        return self.counts_once or all(row.form.cover is None or not row.form.cover.any() for row in self.rows)

    @cached_property
    def step(self) -> float:
        """By how much a better rule set lowers the objective at least: the unit of the stakes (1 where errors are
        counted) when every objective is a whole multiple of it, 0 when nothing is known."""
        form, stakes = self.objective, self.problem.stakes
        unit = 1.0 if stakes is None else stakes.unit
        if unit == 0 or any(form.variables.values()):
            return 0.0
        costs = self.problem.condition_costs
        parts = [form.missed, form.cover, np.array([form.length, form.rule, form.const])]
        whole = all(part is None or _are_multiples(part, unit) for part in parts)
        costs_whole = form.length == 0 or np.array_equal(costs, np.round(costs))
        # A step that proofs could not tell from rounding is none.
        largest = form.const + (0.0 if form.missed is None else float(np.abs(form.missed).sum()))
        return unit if whole and costs_whole and (unit >= 1 or unit > 4 * ROUNDING * largest) else 0.0

    @cached_property
    def least_objective(self) -> float:
        """What the objective cannot be below, whatever the rules; minus infinity if nothing is known."""
        form = self.objective
        parts = [form.missed, form.cover, np.array([form.length, form.rule, *form.variables.values()])]
        return form.const if all(part is None or np.all(part >= 0) for part in parts) else -np.inf

    # Kept rules -----------------------------------------------------------------------------------------------------

    def keeping(self, kept: Sequence[Rule]) -> Goal:
        """Make the goal for what is added to some rules that are in every rule set.

        What the kept rules cover cannot be missed any more, and what they add to the objective and to every row is
        there in any case: so it moves into the constants. Nothing else changes, so that every master, pricer, search
        and proof works on what is left to decide, and a proof is about all rule sets with the kept rules.
        """
        kept = tuple(dict.fromkeys(kept))
        if not kept:
            return self
        whole = self.whole or self
        counts = whole._counts(kept)
        rows = tuple(evolve(row, form=whole._beside(row.form, counts)) for row in whole.rows)
        return evolve(
            whole,
            objective=whole._beside(whole.objective, counts),
            rows=rows,
            max_rules=max(0.0, whole.max_rules - len(kept)),
            kept=kept,
            whole=whole,
        )

    def _beside(self, form: LinearForm, counts: _Counts) -> LinearForm:
        """The form as further rules see it beside rules with these counts."""
        open_ = counts.once == 0
        covered = counts.once if self.counts_once else counts.covered
        const = form.value(np.zeros(len(open_)), covered, counts.length, counts.n_rules)
        missed = None if form.missed is None else np.where(open_, form.missed, 0.0)
        cover = form.cover
        if self.counts_once and cover is not None:
            cover = np.where(open_, cover, 0.0)
        return evolve(form, missed=missed, cover=cover, const=const)

    def counting(self, once: bool) -> Goal:
        """The same goal with covered samples counted once, or once for each rule, also beside kept rules."""
        if once == self.counts_once:
            return self
        if self.whole is None:
            return evolve(self, counts_once=once)
        return evolve(self.whole, counts_once=once).keeping(self.kept)

    def completed(self, rules: Sequence[Rule]) -> tuple[Rule, ...]:
        """The whole rule set: the kept rules, and those of the given ones that are none of them."""
        return (*self.kept, *self.beside_kept(rules))

    def beside_kept(self, rules: Sequence[Rule]) -> tuple[Rule, ...]:
        """The given rules that are not kept anyway: what candidates hold."""
        return tuple(rule for rule in rules if rule not in self.kept) if self.kept else tuple(rules)

    # Judging rule sets ----------------------------------------------------------------------------------------------

    def allows(self, rules: Sequence[Rule]) -> BoolArray:
        """Which rules keep every bound on single rules."""
        if not self.rule_bounds:
            return np.ones(len(rules), dtype=bool)
        return all_allow(self.rule_bounds, self.problem.packed_covers(rules), self.problem.lengths(rules))

    def allowed(self, rules: Sequence[Rule]) -> list[Rule]:
        """The rules that keep every bound on single rules."""
        return [rule for rule, allowed in zip(rules, self.allows(rules), strict=True) if allowed]

    @property
    def constant_rule(self) -> Rule | None:
        """The rule without conditions; None where rules must have some, where it breaks a bound on single rules, and
        beside kept rules, where it would not stand alone."""
        rule = self.problem.constant_rule
        return rule if rule is not None and not self.kept and self.allows([rule])[0] else None

    def n_columns(self, rules: Sequence[Rule]) -> int:
        """On how many columns of the table the conditions of a rule set are."""
        return len(self.problem.columns_of(rules)) if len(rules) else 0

    def evaluate(self, rules: Sequence[Rule]) -> Candidate:
        """Count everything about one rule set from the data. Beside kept rules, the candidate's rules are the others,
        and everything counted is about the whole rule set."""
        rules = self.beside_kept(rules)
        found = self._evaluated(rules) if self.whole is None else self.whole._evaluated((*self.kept, *rules))
        broken = 0.0
        if self.rule_bounds and not self.allows(rules).all():
            broken = 1.0
        if np.isfinite(self.max_columns):
            broken = max(broken, self.n_columns((*self.kept, *rules)) - self.max_columns)
        return evolve(
            found,
            rules=rules,
            proxy_violation=max(found.proxy_violation, broken),
            true_violation=max(found.true_violation, broken),
        )

    def _evaluated(self, rules: tuple[Rule, ...]) -> Candidate:
        counts = self._counts(rules)
        variables = least_variables(self.rows, [self._value(row.form, counts) for row in self.rows])
        objective = self._value(self.objective, counts)
        objective += sum(self.objective.variables.get(name, 0.0) * float(value) for name, value in variables.items())
        proxy = true = 0.0
        for row in self.rows:
            helped = sum(coefficient * float(variables[name]) for name, coefficient in row.form.variables.items())
            proxy = max(proxy, row.violation(self._value(row.form, counts) + helped))
            if not row.form.variables:
                true = max(true, row.violation(self._true_value(row.form, counts)))
        wrong = np.where(self.problem.truth, counts.missed, counts.once)
        # Not `@`: see LinearForm.value.
        errors = float(np.einsum("i,i->", wrong, self.problem.weights))
        stakes = self.problem.stakes
        return Candidate(
            rules=rules,
            objective=float(objective),
            errors=errors,
            cost=errors if stakes is None else stakes.cost_of(counts.once > 0),
            complexity=counts.length + counts.n_rules,
            proxy_violation=proxy,
            true_violation=true,
        )

    def row_values(self, rules: Sequence[Rule]) -> dict[str, tuple[float, float]]:
        """For every row, its value for the rule set as the goal counts, and in true counts."""
        if self.whole is not None:
            return self.whole.row_values(self.completed(rules))
        counts = self._counts(rules)
        return {row.name: (self._value(row.form, counts), self._true_value(row.form, counts)) for row in self.rows}

    def within_size(self, rules: Iterable[Rule]) -> list[Rule]:
        """Of rules in this order, take those that fit, with the ones before, within the bounds on size."""
        size_rows = [row for row in self.rows if row.bounds_size]
        nothing = np.zeros(0)
        chosen: list[Rule] = []
        length = 0.0
        for rule in rules:
            longer = length + self.problem.length(rule)
            values = [row.form.value(nothing, nothing, longer, len(chosen) + 1.0) for row in size_rows]
            if all(value <= row.hi for value, row in zip(values, size_rows, strict=True)):
                chosen.append(rule)
                length = longer
        return chosen

    def _counts(self, rules: Sequence[Rule]) -> _Counts:
        covered = np.zeros(self.problem.n_samples)
        for covers in self.problem.packed_covers(rules):
            covered += self.problem.unpack(covers[None])[0]
        once: BoolArray = covered > 0
        missed = (~once).astype(np.float64)
        length = sum(map(self.problem.length, rules))
        return _Counts(missed, covered, once.astype(np.float64), length, float(len(rules)))

    def _value(self, form: LinearForm, counts: _Counts) -> float:
        covered = counts.once if self.counts_once else counts.covered
        return form.value(counts.missed, covered, counts.length, counts.n_rules)

    def _true_value(self, form: LinearForm, counts: _Counts) -> float:
        return form.value(counts.missed, counts.once, counts.length, counts.n_rules)


def _are_multiples(values: FloatArray, unit: float) -> bool:
    return bool(np.array_equal(values / unit, np.round(values / unit)))


def least_variables(rows: Sequence[Row], values: Sequence[FloatArray | float]) -> Mapping[str, FloatArray]:
    """Find the least auxiliary variables that satisfy the rows they appear in.

    Parameters
    ----------
    rows : the rows, in the order of the values
    values : for every row, its form's value without auxiliary variables; numbers, or arrays of one shape

    Returns
    -------
    For every variable its value, in the shape of the values.
    """
    least: dict[str, FloatArray] = {}
    for row, value in zip(rows, values, strict=True):
        for name, coefficient in row.form.variables.items():
            lacking: FloatArray = np.zeros_like(np.asarray(value, dtype=np.float64))
            if coefficient < 0:
                lacking = (np.asarray(value) - row.hi) / -coefficient
            elif coefficient > 0:
                lacking = (row.lo - np.asarray(value)) / coefficient
            least[name] = np.maximum(least.get(name, 0.0), np.maximum(lacking, 0.0))
    return least
