"""Better rules next to the chosen ones: drop, add or exchange one condition of one rule, or grow a rule anew.

The best rule is often one threshold away from a generated one. The descent itself is compiled; see
:mod:`rulecg_core.kernels.descent`.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Protocol

import numpy as np
from attrs import evolve, frozen

from .problem import Problem
from .rules import Rule
from .sample_bits import SampleBits
from .scoring import Scorer

if TYPE_CHECKING:
    from .kernels.records import Judge, Layout, Memory, State

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
    from .kernels import descent  # noqa: F401 - compiled when loaded


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

    def descend(
        self, rules: Sequence[Rule], deadline: Clock, rng: np.random.Generator, memory: Memory | None = None
    ) -> tuple[Rule, ...]:
        """Change one condition at a time, and grow further rules, while that improves the rule set.

        A ``memory`` may be used again for the same bits, but not by two descents at a time."""
        from .kernels.descent import DONE, OUT_OF_ROOM, begin, descend

        memory = memory or self.memory()
        state = self._state(rules, seed=int(rng.integers(1, 1 << 62)))
        begin(self._layout, state)
        while not deadline.passed:
            ended = descend(self._layout, self._judge, memory, state, BUDGET)
            if ended == DONE:
                break
            if ended == OUT_OF_ROOM:
                state = self._state(_rules_of(state), seed=int(state.random[0]))
                begin(self._layout, state)
        return _rules_of(state)

    def memory(self) -> Memory:
        """Room for what descents can use again."""
        from .kernels.records import Memory

        n_features = self.problem.n_features
        n_places = int(np.clip(REMEMBERED // n_features, *PLACES))
        return Memory(
            stems=np.zeros((n_places, self.problem.max_conditions), dtype=np.int64),
            lengths=np.full(n_places, -1, dtype=np.int64),
            # Not filled: a place that is never used then takes no memory.
            costs=np.empty((n_places, n_features)),
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
        from .kernels.records import Layout

        bits, problem = self.bits, self.problem
        sizes = np.diff(np.append(bits.starts, len(bits.filled)))
        return Layout(
            features=bits.features,
            by_word=np.ascontiguousarray(bits.features.T),
            values=np.ascontiguousarray(np.repeat(bits.values, sizes, axis=1)),
            weighted=np.flatnonzero(np.any(bits.values[1:] != 0, axis=1)) + 1,
            filled=bits.filled,
            always=bits.always,
            n_always=int(np.count_nonzero(bits.always)),
            empty=bits.empty,
            per_length=bits.per_length,
            per_rule=bits.per_rule,
            # Copies, since the problem's own arrays are read-only: another type to the compiler.
            costs=problem.feature_costs.copy(),
            chains=problem.chains.copy(),
        )

    @cached_property
    def _judge(self) -> Judge:
        return self.score.judge()

    def _state(self, rules: Sequence[Rule], seed: int) -> State:
        from .kernels.records import State

        most = self.problem.max_conditions
        # Rules given to start with may be longer than allowed here: what comes out of a descent never is.
        rules = [rule for rule in dict.fromkeys(rules) if len(rule) <= most]
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
            state.conditions[at, : len(rule)] = rule.features
            state.lengths[at] = len(rule)
        return state


def _rules_of(state: State) -> tuple[Rule, ...]:
    n_rules = int(state.counts[0])
    lines = zip(state.conditions[:n_rules].tolist(), state.lengths[:n_rules].tolist(), strict=True)
    return tuple(Rule(conditions[:length]) for conditions, length in lines)
