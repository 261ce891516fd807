"""Search over subsets of given rules: add, drop and swap moves to a local optimum, perturbation, and again."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from rulecg_core import BoolArray, Deadline, FloatArray, IntArray

from .cover_state import CoverState

FIRST_CHOICES = 6
"""How many first rules each one-for-two move tries."""
KEPT = 5
"""How many subsets one search over given rules remembers."""
PATIENCE = 12
"""Perturbations without a new best after which the search returns to the best rule set."""

Preference = Callable[[FloatArray, FloatArray], FloatArray]
"""From gains and sizes of rules, what to maximise when adding one."""


def by_gain_per_size(gain: FloatArray, size: FloatArray) -> FloatArray:
    return gain / np.maximum(size, 1e-12)


def by_gain(gain: FloatArray, size: FloatArray) -> FloatArray:
    return gain


class SubsetSearch:
    """Descent and perturbation on one state, remembering the best subsets met."""

    def __init__(self, state: CoverState, deadline: Deadline, rng: np.random.Generator) -> None:
        self.state = state
        self.deadline = deadline
        self.rng = rng
        self._met: dict[tuple[int, ...], tuple[float, float]] = {}
        self._banned: BoolArray = np.zeros(state.table.n_rules, dtype=bool)

    @property
    def merit(self) -> tuple[float, float]:
        """What is minimised: first the violation of the rows, then the objective."""
        return self.state.violation, self.state.objective

    def best_sets(self) -> list[tuple[int, ...]]:
        return sorted(self._met, key=lambda chosen: (self._met[chosen], chosen))[: KEPT]

    def run(
        self, start: Sequence[int] | IntArray, key: Preference = by_gain_per_size, *, rounding: bool = False
    ) -> None:
        """Descend from a subset; with ``rounding``, from what its rules in this order bring one by one."""
        self.state.move_to(np.zeros(0, dtype=np.int64) if rounding else np.asarray(start, dtype=np.int64))
        if rounding:
            for rule in start:
                if self._accept(self.state.add_values()[:, [rule]]) is not None:
                    self._try([], [int(rule)])
        self.descend(key)

    def perturb(self, restarts: int, weights: FloatArray) -> None:
        """Leave local optima again and again; come back to the best subset when that brings nothing."""
        if not self._met:
            return
        best = self.best_sets()[0]
        self.state.move_to(np.array(best, dtype=np.int64))
        idle = 0
        for _ in range(restarts):
            if self.deadline.passed:
                return
            before, previous = self.merit, self.state.chosen
            self._shake(weights)
            self._settle_softly()
            self.descend()
            if self.merit < self._met[best]:
                best, idle = tuple(self.state.chosen.tolist()), 0
                continue
            idle += 1
            if idle % PATIENCE == 0:
                self.state.move_to(np.array(best, dtype=np.int64))
            elif self.merit > before and self.rng.random() > 0.1:
                self.state.move_to(previous)

    def _shake(self, weights: FloatArray) -> None:
        """Drop a few rules and keep them out while the rest settles; or force a rule in, rather one that the relaxation
        likes."""
        state = self.state
        slots = state.slots
        liked, others = (np.flatnonzero(which & ~state.is_chosen) for which in (weights > 0, weights >= 0))
        kind = self.rng.random()
        if len(liked) and kind < 0.4:
            state.add(int(self.rng.choice(liked, p=weights[liked] / weights[liked].sum())))
            n_out = 1
        elif len(others) and kind < 0.6:
            state.add(int(self.rng.choice(others)))
            n_out = int(self.rng.integers(0, 3))
        else:
            n_out = int(self.rng.integers(1, max(3, len(slots) // 3) + 1))
        out = self.rng.permutation(slots)[:n_out]
        self._banned[state.rules_in(out)] = True
        state.exchange(out.tolist(), [])
        self._settle(thorough=False)
        self._banned[:] = False

    def _settle_softly(self) -> None:
        """Go on where rows may be broken at a price, so that the next descent begins elsewhere."""
        state, strict = self.state, self.state.score
        if strict.can_soften:
            state.score = strict.softened(state.objective, self.rng)
            self._settle(thorough=False)
            state.score = strict

    # Descent --------------------------------------------------------------------------------------------------------

    def descend(self, key: Preference = by_gain_per_size) -> None:
        """To a local optimum of all moves, which is remembered."""
        self._settle(key)
        self._met[tuple(self.state.chosen.tolist())] = self.merit
        if len(self._met) > 100 * KEPT:
            self._met = {chosen: self._met[chosen] for chosen in self.best_sets()}

    def _settle(self, key: Preference = by_gain_per_size, *, thorough: bool = True) -> None:
        """To a local optimum of all moves; without ``thorough``, of the cheap ones."""
        moves = [self._swap_or_drop, *([self._two_for_one, self._one_for_two] if thorough else [])]
        while not self.deadline.passed:
            self._fill(key)
            if not any(move() for move in moves):
                break

    def _fill(self, key: Preference) -> None:
        """Add rules, the most useful first, while that improves."""
        state = self.state
        while not self.deadline.passed:
            values = state.add_values()
            objective, violation = state.score(values)
            if state.violation > 0:
                gain = np.where(violation < state.violation - 1e-9, state.violation - violation, 0.0)
            else:
                gain = np.where(violation > 0, 0.0, state.objective - objective)
            gain[(gain < self._least_gain) | state.is_chosen | self._banned] = 0.0
            rule = int(np.argmax(key(gain, state.table.sizes)))
            if gain[rule] <= 0 or not self._try([], [rule]):
                return

    @property
    def _least_gain(self) -> float:
        return 1e-7 * max(1.0, abs(self.state.objective)) if self.state.violation == 0 else 1e-9

    def _accept(self, values: FloatArray, forbidden: BoolArray | None = None) -> int | None:
        """The best improving neighbour among forms × neighbours, or None."""
        objective, violation = self.state.score(values)
        if forbidden is not None:
            violation[forbidden] = np.inf
        if not objective.size:
            return None
        if self.state.violation > 0:
            at = int(np.lexsort((objective, violation))[0])
            return at if violation[at] < self.state.violation - self._least_gain else None
        objective = np.where(violation > 0, np.inf, objective)
        at = int(np.argmin(objective))
        return at if objective[at] < self.state.objective - self._least_gain else None

    def _try(self, slots: Sequence[int], rules: Sequence[int]) -> bool:
        """Make a move; take it back when exact values show that it does not improve after all."""
        before, previous = self.merit, self.state.chosen
        self.state.exchange(slots, rules)
        if self.merit < before:
            return True
        self.state.move_to(previous)
        return False

    def _swap_or_drop(self) -> bool:
        state = self.state
        slots = state.slots
        if not len(slots):
            return False
        n_rules = state.table.n_rules
        swaps = state.swap_values()
        values = np.concatenate([swaps.reshape(len(swaps), -1), state.drop_values()], axis=1)
        out = state.is_chosen | self._banned
        at = self._accept(values, np.concatenate([np.tile(out, len(slots)), np.zeros(len(slots), dtype=bool)]))
        if at is None:
            return False
        if at >= len(slots) * n_rules:
            return self._try([int(slots[at - len(slots) * n_rules])], [])
        return self._try([int(slots[at // n_rules])], [at % n_rules])

    def _two_for_one(self) -> bool:
        """Cheap optimistic values pick the pairs and rules worth a closer look."""
        state = self.state
        slots = state.slots
        out = state.is_chosen | self._banned
        for at, first in enumerate(slots[:-1]):
            if self.deadline.passed:
                return False
            loose = state.loose_two_for_one_values(int(first))[:, at + 1 :]
            objective, violation = state.score(loose)
            good = (violation <= 0) & (objective < state.objective - self._least_gain) & ~out
            for second in np.flatnonzero(good.any(axis=1)):
                rules = np.flatnonzero(good[second])
                partner = int(slots[at + 1 + second])
                chosen = self._accept(state.two_for_one_values(int(first), partner, rules))
                if chosen is not None and self._try([int(first), partner], [int(rules[chosen])]):
                    return True
        return False

    def _one_for_two(self) -> bool:
        """As above: what two rules cover both is at first counted twice, to find the rules worth a closer look."""
        state = self.state
        out = state.is_chosen | self._banned
        objective, violation = state.score(state.swap_values())
        without, _ = state.score(state.drop_values())
        for at, slot in enumerate(state.slots):
            if self.deadline.passed:
                return False
            gain = np.where((violation[at] > state.violation) | out, 0.0, without[at] - objective[at])
            useful = np.argsort(-by_gain_per_size(gain, state.table.sizes), kind="stable")[:FIRST_CHOICES]
            for first in useful[gain[useful] > 0]:
                pair_objective, pair_violation = state.score(
                    state.loose_one_for_two_values(int(slot), int(first))
                )
                good = (pair_violation <= 0) & (pair_objective < state.objective - self._least_gain) & ~out
                good[first] = False
                rules = np.flatnonzero(good)
                second = self._accept(state.one_for_two_values(int(slot), int(first), rules))
                if second is not None and self._try([int(slot)], [int(first), int(rules[second])]):
                    return True
        return False
