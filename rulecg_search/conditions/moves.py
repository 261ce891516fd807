"""Better rules next to the chosen ones: drop, add or exchange one condition of one rule, or grow a rule anew.

The best rule is often one threshold away from a generated one. The descent itself is compiled; see
:mod:`rulecg_search.kernels.descent`.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Protocol

import numpy as np
from attrs import Factory, evolve, field, frozen

from rulecg_core import FloatArray, Problem, Rule, RuleBound

from ..scoring import Scorer
from .order import ConditionOrder
from .sample_bits import SampleBits

if TYPE_CHECKING:
    from rulecg_kernels.rule_bounds import Limits

    from ..kernels.records import Found, Judge, Layout, Memory, State

BLURRED_WORDS = 1 << 13
"""How many words of 64 samples a perturbed descent looks at, at most."""
BUDGET = 20_000_000
"""How many words the compiled descent looks at before the deadline is looked at: a few milliseconds."""
REMEMBERED, PLACES = 1 << 22, (64, 1 << 12)
"""How many numbers a memory may hold, and in how many places at least and at most."""
ROOM = 16
"""For how many further rules a descent has room at first."""


def prepare() -> None:
    """Load (the first time of all: compile) what the first descent would otherwise wait for."""
    from ..kernels import annealing, descent

    for kernel in (descent.begin, descent.descend, annealing.anneal):
        kernel.load()


class Clock(Protocol):
    """Anything that tells when to end."""

    @property
    def passed(self) -> bool: ...


@frozen(eq=False, slots=False)
class ConditionMoves:
    """Descent by single conditions, in the counts that the bits were laid out for."""

    problem: Problem
    bits: SampleBits
    score: Scorer
    bounds: tuple[RuleBound, ...] = ()
    """What every rule must keep by itself."""
    order: ConditionOrder = field(default=Factory(lambda self: ConditionOrder.of(self.problem), takes_self=True))

    def descend(
        self, rules: Sequence[Rule], deadline: Clock, rng: np.random.Generator, memory: Memory | None = None
    ) -> tuple[Rule, ...]:
        """Change one condition at a time, and grow further rules, while that improves the rule set.

        A ``memory`` may be used again for the same bits, but not by two descents at a time."""
        from ..kernels.descent import DONE, OUT_OF_ROOM, descend
        from ..kernels.records import Setting

        setting = Setting(self._layout, self._judge, memory or self.memory())
        state = self.begin(rules, rng)
        while not deadline.passed:
            ended = descend(setting, state, BUDGET)
            if ended == DONE:
                break
            if ended == OUT_OF_ROOM:
                state = self._state(self.rules_of(state), seed=int(state.random[0]))
        return self.rules_of(state)

    def begin(self, rules: Sequence[Rule], rng: np.random.Generator) -> State:
        """A rule set that is to be changed."""
        return self._state(rules, seed=int(rng.integers(1, 1 << 62)))

    def anneal(self, state: State, found: Found, temperatures: FloatArray, sweep: int, memory: Memory) -> int:
        """Draw conditions anew for a few milliseconds, beginning at a position of the temperatures; where to go on.

        ``found`` takes the best rule set met. Rows must bound nothing but size."""
        from ..kernels.annealing import anneal
        from ..kernels.records import Cooling, Setting

        setting = Setting(self._layout, self._judge, memory)
        return int(anneal(setting, state, found, Cooling(temperatures, sweep, BUDGET)))

    @staticmethod
    def nothing_found(state: State) -> Found:
        """Room for the best rule set that a state becomes."""
        from ..kernels.records import Found

        shape = state.conditions.shape
        return Found(
            conditions=np.zeros(shape, dtype=np.int64),
            lengths=np.zeros(shape[0], dtype=np.int64),
            counts=np.zeros(1, dtype=np.int64),
            objective=np.full(1, np.inf),
        )

    def memory(self) -> Memory:
        """Room for what descents can use again."""
        from ..kernels.records import Memory

        n_numbers = self.order.n_counted + 1
        n_places = int(np.clip(REMEMBERED // n_numbers, *PLACES))
        return Memory(
            stems=np.zeros((n_places, self.problem.max_conditions), dtype=np.int64),
            lengths=np.full(n_places, -1, dtype=np.int64),
            # Not filled: a place that is never used then takes no memory.
            costs=np.empty((n_places, n_numbers)),
        )

    def blurred(self, rng: np.random.Generator) -> ConditionMoves:
        """The same on a random part of the samples and with another weight of what covering costs: good rule sets
        there are close to good ones here, but not to the same local optimum."""
        share = rng.uniform(0.15, 0.5) * min(1.0, BLURRED_WORDS / max(1, len(self.bits.filled)))
        return evolve(self, bits=self.bits.sampled(share, float(np.exp(rng.uniform(-0.5, 1.5))), rng))

    def softened(self, objective: float, rng: np.random.Generator) -> ConditionMoves:
        """The same where rows may be broken at a price."""
        return evolve(self, score=self.score.softened(objective, rng))

    @cached_property
    def _layout(self) -> Layout:
        from ..kernels.records import Layout

        bits, problem, order = self.bits, self.problem, self.order
        sizes = np.diff(np.append(bits.starts, len(bits.filled)))
        features, chains = bits.features[order.features], problem.chains[order.features]
        summands, empty = bits.summable()
        return Layout(
            features=features,
            by_word=np.ascontiguousarray(features[: order.n_counted].T),
            values=np.ascontiguousarray(np.repeat(summands, sizes, axis=1)),
            weighted=np.flatnonzero(np.any(bits.values[1:] != 0, axis=1)) + 1,
            filled=bits.filled,
            always=bits.always,
            n_always=int(np.count_nonzero(bits.always)),
            empty=empty,
            per_length=bits.per_length,
            per_rule=bits.per_rule,
            costs=problem.condition_costs[order.features],
            least_cost=float(problem.condition_costs.min()),
            largest_cost=float(problem.condition_costs.max()),
            chains=chains,
            chain_starts=np.searchsorted(np.sort(chains), np.arange(bits.n_chains + 1)),
            chain_members=np.argsort(chains, kind="stable"),
            limits=self._limits,
        )

    @cached_property
    def _limits(self) -> Limits:
        """The bounds on single rules, conditions in the order of the layout."""
        from rulecg_kernels.rule_bounds import limits_of

        limits, features = limits_of(self.problem.X, self.problem.condition_costs, self.bounds), self.order.features
        if not len(limits.least):
            return limits
        return limits._replace(columns=limits.columns[features], lengths=limits.lengths[features])

    def _may_begin(self, rule: Rule) -> bool:
        """Rules given to start with may be longer than allowed here, or break a bound; what comes out never does."""
        if len(rule) > self.problem.max_conditions:
            return False
        if not self.bounds or not len(rule):
            return True
        from rulecg_kernels.rule_bounds import which_keep

        return bool(which_keep(self._limits, self.order.places[list(rule.features)], len(rule), 0))

    @cached_property
    def _judge(self) -> Judge:
        return self.score.judge()

    def _state(self, rules: Sequence[Rule], seed: int) -> State:
        from ..kernels.descent import begin
        from ..kernels.records import State

        most = self.problem.max_conditions
        rules = list(filter(self._may_begin, dict.fromkeys(rules)))
        room = len(rules) + ROOM
        state = State(
            conditions=np.zeros((room, most), dtype=np.int64),
            lengths=np.zeros(room, dtype=np.int64),
            covers=np.zeros((room, len(self.bits.filled)), dtype=np.uint64),
            own=np.zeros((room, len(self.bits.empty))),
            is_settled=np.zeros(room, dtype=np.bool_),
            waiting=np.zeros(room, dtype=np.int64),
            counts=np.array([len(rules), 0]),
            in_use=np.zeros(self.bits.n_chains, dtype=np.int64),
            random=np.array([seed], dtype=np.uint64),
        )
        for at, rule in enumerate(rules):
            state.conditions[at, : len(rule)] = self.order.places[list(rule.features)]
            state.lengths[at] = len(rule)
        begin(self._layout, state)
        return state

    def rules_of(self, found: State | Found) -> tuple[Rule, ...]:
        n_rules = int(found.counts[0])
        features = self.order.features[found.conditions[:n_rules]].tolist()
        lengths = found.lengths[:n_rules].tolist()
        return tuple(Rule(conditions[:length]) for conditions, length in zip(features, lengths, strict=True))
