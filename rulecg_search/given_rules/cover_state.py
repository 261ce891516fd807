"""Covers of some rules in a compact form, and a chosen subset of them whose every neighbour is cheap to evaluate.

The value of every form (the objective and each row) for a set of rules is

    constant + Σ over chosen rules of per_rule + Σ over samples that no chosen rule covers of uncovered

both in the Hamming count, where ``uncovered`` holds the missed positives' coefficients and the covered negatives are
in ``per_rule``, and in the true count, where a covered sample counts once. Samples that the rules cannot tell apart are
added up into one class.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from rulecg_core import BoolArray, FloatArray, IntArray

from ..scoring import Scorer

SingleArray = NDArray[np.float32]

@frozen(eq=False)
class CoverTable:
    """Rules, the classes of samples they tell apart, and what they add to each form."""

    covers: BoolArray
    """Rules × classes."""
    by_class: SingleArray
    """Classes × rules: the same as numbers, for fast sums over few classes."""
    uncovered: FloatArray
    """Forms × classes: what a class adds to a form while no chosen rule covers it."""
    per_rule: FloatArray
    """Forms × rules: what a chosen rule adds to a form."""
    constant: FloatArray
    sizes: FloatArray
    """What a rule costs in the measure by which the greedy construction divides: its length plus one."""
    score: Scorer

    @property
    def n_rules(self) -> int:
        return len(self.covers)

    @classmethod
    def merged(
        cls,
        covers: BoolArray,
        uncovered: FloatArray,
        per_rule: FloatArray,
        constant: FloatArray,
        sizes: FloatArray,
        score: Scorer,
        rng: np.random.Generator,
    ) -> CoverTable:
        """Build from covers of samples (rules × samples): drop samples that no form looks at, merge equal ones."""
        used = np.flatnonzero(np.any(uncovered != 0, axis=0))
        covers, uncovered = covers[:, used], uncovered[:, used]
        # A sum of random words over the covering rules: equal for samples covered by the same rules, and else only
        # by an accident that would mislead a heuristic and nothing more.
        words = rng.integers(1, 2**63, size=len(covers), dtype=np.uint64)
        marks = np.zeros(covers.shape[1], dtype=np.uint64)
        for word, covered in zip(words, covers, strict=True):
            marks[covered] += word
        _, first, inverse = np.unique(marks, return_index=True, return_inverse=True)
        inverse = inverse.reshape(-1)
        summed = [np.bincount(inverse, line, minlength=len(first)) for line in uncovered]
        classes = np.ascontiguousarray(covers[:, first])
        return cls(
            covers=classes,
            by_class=np.ascontiguousarray(classes.T, dtype=np.float32),
            uncovered=np.array(summed, dtype=np.float64).reshape(len(uncovered), len(first)),
            per_rule=per_rule,
            constant=constant,
            sizes=sizes,
            score=score,
        )


class CoverState:
    """A chosen subset of the table's rules with the values of every neighbouring subset at hand.

    ``_sums[f, 0, k]`` is what rule k would newly cover of form f; ``_sums[f, 1 + s, k]`` is what it covers of the
    classes that only the rule in slot s covers. A change of one rule updates them from the few classes it touches.
    """

    def __init__(self, table: CoverTable) -> None:
        self.table = table
        self._score = table.score
        self._weighted = np.flatnonzero(np.any(table.uncovered != 0, axis=1))
        self._exact: FloatArray = table.uncovered[self._weighted]
        self._weights: SingleArray = self._exact.astype(np.float32)
        self._is_positive = np.all(self._exact >= 0, axis=1)
        n_classes = table.covers.shape[1]
        self._counts = np.zeros(n_classes, dtype=np.int32)
        self._owners = np.zeros(n_classes, dtype=np.int64)
        self._rule_in_slot: IntArray = np.full(8, -1, dtype=np.int64)
        self._sums = np.zeros((len(self._weighted), 9, table.n_rules))
        self._sums[:, 0] = self._weights @ table.by_class
        self._only = np.zeros((len(self._weighted), 9))
        self.is_chosen: BoolArray = np.zeros(table.n_rules, dtype=bool)
        self.values: FloatArray = np.zeros(0)
        self.objective = self.violation = math.inf
        self._refresh()

    @property
    def slots(self) -> IntArray:
        """The slots in use, in the order of all ``*_values`` arrays."""
        return np.flatnonzero(self._rule_in_slot >= 0)

    def rules_in(self, slots: IntArray) -> IntArray:
        return self._rule_in_slot[slots]

    @property
    def chosen(self) -> IntArray:
        """Positions of the chosen rules, in increasing order."""
        return np.flatnonzero(self.is_chosen)

    def _refresh(self) -> None:
        """Values of the forms from scratch, free of accumulated rounding."""
        missing = self._counts == 0
        self.values = self.table.constant + self.table.per_rule[:, self.is_chosen].sum(axis=1)
        self.values = self.values + self.table.uncovered @ missing
        objective, violation = self.score(self.values)
        self.objective, self.violation = float(objective), float(violation)

    @property
    def score(self) -> Scorer:
        """By what subsets are judged: the table's scorer, or a softened one for a while."""
        return self._score

    @score.setter
    def score(self, score: Scorer) -> None:
        self._score = score
        self._refresh()

    # Changes --------------------------------------------------------------------------------------------------------

    def add(self, rule: int) -> None:
        self._take_in(rule)
        self._refresh()

    def drop(self, slot: int) -> None:
        self._put_out(slot)
        self._refresh()

    def exchange(self, slots: Sequence[int], rules: Sequence[int]) -> None:
        """Drop the rules in some slots and add others."""
        for slot in slots:
            self._put_out(int(slot))
        for rule in rules:
            self._take_in(int(rule))
        self._refresh()

    def move_to(self, chosen: IntArray) -> None:
        """Become the given subset."""
        wanted = np.zeros_like(self.is_chosen)
        wanted[chosen] = True
        slots = self.slots
        self.exchange(slots[~wanted[self.rules_in(slots)]].tolist(), np.flatnonzero(wanted & ~self.is_chosen).tolist())

    def _take_in(self, rule: int) -> None:
        free = np.flatnonzero(self._rule_in_slot < 0)
        if not len(free):
            size = len(self._rule_in_slot)
            self._rule_in_slot = np.concatenate([self._rule_in_slot, np.full(size, -1, dtype=np.int64)])
            self._sums = np.concatenate([self._sums, np.zeros((len(self._sums), size, self.table.n_rules))], axis=1)
            self._only = np.concatenate([self._only, np.zeros((len(self._only), size))], axis=1)
            free = np.array([size])
        line = int(free[0]) + 1
        classes = np.flatnonzero(self.table.covers[rule])
        counts = self._counts[classes]
        fresh = classes[counts == 0]
        self._sums[:, line] = self._weights[:, fresh] @ self.table.by_class[fresh]
        self._sums[:, 0] -= self._sums[:, line]
        self._only[:, line] = self._exact[:, fresh].sum(axis=1)
        self._move_owned(classes[counts == 1], -1.0)
        self._counts[classes] += 1
        self._owners[classes] += line
        self._rule_in_slot[line - 1] = rule
        self.is_chosen[rule] = True

    def _put_out(self, slot: int) -> None:
        line, rule = slot + 1, int(self._rule_in_slot[slot])
        classes = np.flatnonzero(self.table.covers[rule])
        self._counts[classes] -= 1
        self._owners[classes] -= line
        self._sums[:, 0] += self._sums[:, line]
        self._sums[:, line] = 0.0
        self._only[:, line] = 0.0
        self._rule_in_slot[slot] = -1
        self.is_chosen[rule] = False
        self._move_owned(classes[self._counts[classes] == 1], 1.0)

    def _move_owned(self, classes: IntArray, sign: float) -> None:
        """Give (or take, with sign -1) classes to the slots that alone cover them."""
        if not len(classes):
            return
        owners = self._owners[classes]
        order = np.argsort(owners, kind="stable")
        classes, owners = classes[order], owners[order]
        rows, weights = self.table.by_class[classes], self._weights[:, classes]
        exact = self._exact[:, classes]
        starts = np.flatnonzero(np.concatenate([[True], owners[1:] != owners[:-1]]))
        for start, stop in zip(starts, [*starts[1:], len(owners)], strict=True):
            self._sums[:, owners[start]] += sign * (weights[:, start:stop] @ rows[start:stop])
            self._only[:, owners[start]] += sign * exact[:, start:stop].sum(axis=1)

    # Neighbours: forms × neighbours ---------------------------------------------------------------------------------

    def add_values(self) -> FloatArray:
        """After adding each rule."""
        values = self.values[:, None] + self.table.per_rule
        values[self._weighted] -= self._sums[:, 0]
        return values

    def drop_values(self) -> FloatArray:
        """After dropping the rule in each slot."""
        slots = self.slots
        values = self.values[:, None] - self.table.per_rule[:, self.rules_in(slots)]
        values[self._weighted] += self._only[:, slots + 1]
        return values

    def swap_values(self) -> FloatArray:
        """After putting each rule in the place of the one in each slot: forms × slots × rules."""
        values = self.drop_values()[:, :, None] + self.table.per_rule[:, None, :]
        values[self._weighted] -= self._sums[:, self.slots + 1] + self._sums[:, :1]
        return values

    def loose_two_for_one_values(self, first: int) -> FloatArray:
        """After putting each rule in the place of two, the one in slot ``first`` and the one in each slot: forms ×
        slots × rules. Classes that just these two cover are forgotten, so that the values are cheap; where every
        coefficient is positive they are optimistic."""
        rule = self._rule_in_slot[first]
        values = self.swap_values() - self.table.per_rule[:, rule][:, None, None]
        values[self._weighted] += self._only[:, first + 1, None, None] - self._sums[:, first + 1][:, None]
        return values

    def two_for_one_values(self, first: int, second: int, rules: IntArray) -> FloatArray:
        """After putting each of some rules in the place of those in two slots."""
        out = self._rule_in_slot[[first, second]]
        values = (self.values - self.table.per_rule[:, out].sum(axis=1))[:, None] + self.table.per_rule[:, rules]
        shared = self.table.covers[out[0]] & self.table.covers[out[1]] & (self._counts == 2)
        classes = np.flatnonzero(shared)
        lost = self._only[:, [first + 1, second + 1]].sum(axis=1)
        lost = lost + self._exact[:, classes].sum(axis=1)
        won = self._sums[:, [0, first + 1, second + 1]][:, :, rules].sum(axis=1)
        won = won + self._weights[:, classes] @ self.table.by_class[np.ix_(classes, rules)]
        values[self._weighted] += lost[:, None] - won
        return values

    def loose_one_for_two_values(self, slot: int, first: int) -> FloatArray:
        """The same for every rule, cheap and, where every coefficient is positive, optimistic: what ``first`` and the
        other rule both cover is counted twice, but no more than all that the dropped rule alone covered."""
        values = (self.values - self.table.per_rule[:, self._rule_in_slot[slot]])[:, None]
        values = values + self.table.per_rule[:, [first]] + self.table.per_rule
        regained = self._sums[:, slot + 1] + self._sums[:, slot + 1, [first]]
        capped = np.minimum(regained, self._only[:, [slot + 1]])
        regained = np.where(self._is_positive[:, None], capped, regained)
        values[self._weighted] += self._only[:, [slot + 1]] - regained - self._sums[:, 0] - self._sums[:, 0, [first]]
        return values

    def one_for_two_values(self, slot: int, first: int, rules: IntArray) -> FloatArray:
        """After dropping the rule in the slot, adding the rule ``first`` and each of some other rules."""
        out = self._rule_in_slot[slot]
        values = (self.values - self.table.per_rule[:, out] + self.table.per_rule[:, first])[:, None]
        values = values + self.table.per_rule[:, rules]
        alone = self.table.covers[out] & (self._counts == 1)
        overlap = np.flatnonzero(self.table.covers[first] & (alone | (self._counts == 0)))
        sums = self._sums[:, 0] + self._sums[:, slot + 1]
        won = sums[:, rules] + sums[:, [first]]
        won = won - self._weights[:, overlap] @ self.table.by_class[np.ix_(overlap, rules)]
        values[self._weighted] += self._only[:, [slot + 1]] - won
        return values
