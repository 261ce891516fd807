"""Better rule sets by one change at a time, each change counted on all rows.

One pass over the partitions counts all changes of one condition of every rule (dropped, added, swapped), every rule
left out, and every rule of one condition added. The best change is made, until none is better.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain

import numpy as np
from attrs import frozen

from rulecg_core import Rule
from rulecg_core.base.arrays import BoolArray, IntArray
from rulecg_core.data.goal import KEPT

from .cell_goal import CellGoal, Verdict
from .questions import EVERYTHING, Context, Features
from .samples import PartitionedSamples


@frozen(eq=False)
class Improvement:
    """Changes rule sets on all rows."""

    samples: PartitionedSamples
    goal: CellGoal
    max_conditions: int

    def verdicts(self, rule_sets: Sequence[Sequence[Rule]]) -> list[Verdict]:
        """Count what rule sets are worth."""
        wanted = [tuple(sorted(set(rules))) for rules in rule_sets]
        counted = self.samples.covered(wanted)
        return [self.goal.verdict(rules, *found) for rules, found in zip(wanted, counted, strict=True)]

    def descend(self, start: Verdict, most: int) -> Verdict:
        """Make the best change, at most so many times, as long as it is one for the better."""
        best = start
        for _ in range(most):
            found = self.best_change(best.rules)
            if found is None or found.merit >= best.merit:
                break
            best = found
        return best

    def best_change(self, rules: Sequence[Rule]) -> Verdict | None:
        """The best rule set that differs by one change."""
        features: list[Features] = [rule.features for rule in rules]
        stems = [self._stems(rule) for rule in features]
        others = [tuple(other for place, other in enumerate(features) if place != at) for at in range(len(features))]
        asked = [(at, stem) for at, own in enumerate(stems) for stem in own] + [(len(features), ())]
        outside = [*others, tuple(features)]
        contexts = [context for at, stem in asked for context in (Context(stem), Context(stem, outside[at]))]
        contexts += [context for rule, rest in zip(features, others, strict=True)
                     for context in (Context(rule), Context(rule, rest))]  # fmt: skip
        contexts = list(dict.fromkeys(contexts))
        place = {context: number for number, context in enumerate(contexts)}
        sums = self.samples.extensions(contexts)
        each = np.array([sums[place[Context(rule)], 0] for rule in features], dtype=np.int64)
        each = each.reshape(len(features), sums.shape[2])
        _, once = self.samples.covered([rules])[0]
        # What the others cover together: all that is covered less what the rule alone covers.
        without = [once - sums[place[Context(rule, rest)], 0] for rule, rest in zip(features, others, strict=True)]
        best: Verdict | None = None
        for at, stem in asked:
            is_new = at == len(features)
            kept = list(rules) if is_new else [rule for number, rule in enumerate(rules) if number != at]
            own = each if is_new else np.delete(each, at, axis=0)
            alone = once if is_new else without[at]
            joined = sums[place[Context(stem, outside[at])]], sums[place[Context(stem)]]
            best = _better(best, self._best_of(kept, stem, (alone, own), joined))
        for at in range(len(features)):
            left = [rule for number, rule in enumerate(rules) if number != at]
            own = np.delete(each, at, axis=0)
            best = _better(best, self.goal.verdict(left, own, without[at]))
        return best

    def _stems(self, rule: Features) -> list[Features]:
        """The rule itself, and the rule without each of its conditions: what further conditions may be added to."""
        shorter = [tuple(other for other in rule if other != one) for one in rule]
        return [stem for stem in [rule, *shorter] if len(stem) < self.max_conditions or stem != rule]

    def _best_of(
        self, kept: list[Rule], stem: Features, others: tuple[IntArray, IntArray], joined: tuple[IntArray, IntArray]
    ) -> Verdict | None:
        """The best of all rule sets that have the stem, or the stem and one more condition, beside what is kept."""
        options = np.array([EVERYTHING, *self.samples.allowed])
        usable = self._usable(stem, options)
        once, covered = others[0] + joined[0], others[1].sum(axis=0) + joined[1]
        length = sum(map(self.goal.length, kept)) + self.goal.length(Rule(stem))
        longer = np.where(options == EVERYTHING, 0.0, self.goal.lengths[options])
        judged = self.goal.judge(once, covered, length + longer, np.float64(len(kept) + 1))
        order = np.lexsort((longer, judged.objective, np.maximum(judged.true_violation - KEPT, 0.0)))
        order = order[usable[order]]
        if not len(order):
            return None
        chosen = int(order[0])
        rule = Rule(stem if options[chosen] == EVERYTHING else (*stem, int(options[chosen])))
        if rule in kept:
            return None
        return self.goal.verdict([*kept, rule], np.vstack([others[1], joined[1][chosen]]), once[chosen])

    def _usable(self, stem: Features, options: IntArray) -> BoolArray:
        """Which options make another rule out of the stem: nothing twice, nothing nested, and some condition."""
        conditions = self.samples.manifest.conditions
        chains = {conditions[at].chain for at in stem} - {None}
        return np.array([
            (len(stem) > 0) if option == EVERYTHING
            else option not in stem and conditions[option].chain not in chains and len(stem) < self.max_conditions
            for option in options.tolist()
        ], dtype=bool)  # fmt: skip


def _better(one: Verdict | None, other: Verdict | None) -> Verdict | None:
    """The better of two; of equally good ones the one whose rules come first."""
    found = [each for each in (one, other) if each is not None]
    return min(found, key=lambda each: (each.merit, each.rules), default=None)


def rules_of(verdicts: Sequence[Verdict]) -> list[Rule]:
    """All rules of some rule sets, each once, in their order."""
    return list(dict.fromkeys(chain.from_iterable(each.rules for each in verdicts)))
