"""Descent by single conditions: change, drop or add one condition of one rule, grow a further rule, or drop a condition
here for another one there.

With the other rules fixed, the value of every form is linear in what one rule covers, so that one pass over the bits
evaluates all features that could be added to what remains of a rule without one of its conditions. A call does a
limited amount of work and leaves the rest to the next one, so that its caller can keep a deadline; it holds no lock, so
that several descents run side by side.
"""

# Arguments of compiled functions have the types that the compiler is given.
# mypy: allow-untyped-defs

from __future__ import annotations

import numpy as np

from rulecg_kernels.compiler import F1, I2, INT, F, compiled, summing

from .passes import extended, mark_stem, random_below, unmark_stem, weigh, with_old
from .records import LAYOUT, SCRATCH, SETTING, STATE, Scratch
from .rule_values import (
    add_sums,
    breaks_size,
    copy_without,
    is_allowed,
    is_better,
    is_known,
    judged,
    narrow,
    residual,
    rule_length,
    same_rule,
    set_rule,
    with_rule,
)

BEAM = 6
"""How many partial rules are kept when a rule is grown."""
TRIES = 3
"""How many of the most promising pairs of changes are looked at more closely."""
WHOLE = -1
"""Left out of a rule: none of its conditions."""
DONE, OUT_OF_BUDGET, OUT_OF_ROOM = 0, 1, 2
"""How a call ended."""


@summing(SETTING, STATE, SCRATCH, INT)
def _change(setting, state, scratch, rule):
    """Replace a rule by the best one that is one condition away, if that improves; whether it did."""
    layout, judge = setting.layout, setting.judge
    opened, inside, stems, sizes = scratch.opened, scratch.inside, scratch.stems, scratch.sizes
    sums, base, values = scratch.sums, scratch.base, scratch.values
    length, most = state.lengths[rule], state.conditions.shape[1]
    residual(layout, state, rule, opened, inside, base)
    with_old(layout, state, scratch, rule)
    violation, objective = judged(judge, values)
    best_stem, best_feature = -1, -1
    # Stems are the rule without one of its conditions; the last one, if there is room, is the whole rule.
    n_stems = length + 1 if length < most else length
    for stem in range(n_stems):
        kept = copy_without(state, rule, stem, stems, stem)
        for word in range(opened.shape[0]):
            inside[stem, word] = opened[word]
        narrow(layout, inside, stem, stems, stem, kept)
        sizes[stem] = mark_stem(layout, state, stems, stem, kept)
        if 0 < kept < length and not is_known(state, rule, stems, stem, kept):
            with_rule(layout, base, sizes[stem], values)
            add_sums(layout, inside, stem, values)
            new_violation, new_objective = judged(judge, values)
            if is_better(new_violation, new_objective, violation, objective) and is_allowed(
                layout, stems, stem, kept, 0
            ):
                violation, objective, best_stem = new_violation, new_objective, stem
    # Where all rows hold, the objective alone tells most features to be of no use; prices only raise it.
    is_plain = judge.variables.shape[1] == 0
    for stem in range(n_stems):
        kept = length - 1 if stem < length else length
        if is_plain and breaks_size(layout, judge, base, sizes[stem] + layout.least_cost, violation):
            continue
        weigh(layout, setting.memory, scratch, stem, kept)
        for feature in range(layout.features.shape[0]):
            if (state.in_use[layout.chains[feature]] >> stem) & 1:
                continue
            size = sizes[stem] + layout.costs[feature]
            first = base[0] + layout.per_rule[0] + layout.per_length[0] * size + sums[0, feature]
            if is_plain and violation == 0.0 and first >= objective:
                continue
            new_violation, new_objective = extended(layout, judge, scratch, size, first, feature, stem)
            if is_better(new_violation, new_objective, violation, objective):
                stems[stem, kept] = feature
                if not is_known(state, rule, stems, stem, kept + 1) and is_allowed(layout, stems, stem, kept + 1, 0):
                    violation, objective, best_stem, best_feature = new_violation, new_objective, stem, feature
    for stem in range(n_stems):
        unmark_stem(layout, state, stems, stem, length - 1 if stem < length else length)
    if best_stem < 0:
        return False
    kept = length - 1 if best_stem < length else length
    if best_feature >= 0:
        stems[best_stem, kept] = best_feature
        kept += 1
    set_rule(layout, state, rule, stems, best_stem, kept, inside)
    return True


@summing(I2, F1, F1, INT, F, F, INT)
def _offer(found, broken, worth, n_found, violation, objective, length):
    """Keep the candidate in the last line among the best few before it, each once; how many there are then."""
    last = broken.shape[0]
    place = n_found
    while place > 0 and (
        violation < broken[place - 1] or (violation == broken[place - 1] and objective < worth[place - 1])
    ):
        place -= 1
    if place == last:
        return n_found
    for at in range(n_found):
        if broken[at] == violation and worth[at] == objective and same_rule(found, at, found, last, length):
            return n_found
    n_found = min(n_found + 1, last)
    for at in range(n_found - 1, place, -1):
        broken[at], worth[at] = broken[at - 1], worth[at - 1]
        for condition in range(length):
            found[at, condition] = found[at - 1, condition]
    broken[place], worth[place] = violation, objective
    for condition in range(length):
        found[place, condition] = found[last, condition]
    return n_found


@summing(SETTING, STATE, SCRATCH, allocates=True)
def grow(setting, state, scratch):
    """Add a rule that improves the rule set, found by a narrow beam search; whether there is one."""
    layout, judge = setting.layout, setting.judge
    opened, inside, stems, sizes = scratch.opened, scratch.inside, scratch.stems, scratch.sizes
    sums, base, values = scratch.sums, scratch.base, scratch.values
    most = state.conditions.shape[1]
    found = np.zeros((BEAM + 1, most), dtype=np.int64)
    broken, worth = np.empty(BEAM), np.empty(BEAM)
    best, best_length = np.zeros((1, most), dtype=np.int64), 0
    residual(layout, state, -1, opened, inside, base)
    for form in range(values.shape[0]):
        values[form] = base[form]
    violation, objective = judged(judge, values)
    is_plain = judge.variables.shape[1] == 0
    n_stems = 1
    for length in range(most):
        for stem in range(n_stems):
            for word in range(opened.shape[0]):
                inside[stem, word] = opened[word]
            narrow(layout, inside, stem, stems, stem, length)
            sizes[stem] = mark_stem(layout, state, stems, stem, length)
        n_found = 0
        for stem in range(n_stems):
            if is_plain and breaks_size(layout, judge, base, sizes[stem] + layout.least_cost, violation):
                continue
            weigh(layout, setting.memory, scratch, stem, length)
            for feature in range(layout.features.shape[0]):
                if (state.in_use[layout.chains[feature]] >> stem) & 1:
                    continue
                size = sizes[stem] + layout.costs[feature]
                first = base[0] + layout.per_rule[0] + layout.per_length[0] * size + sums[0, feature]
                if is_plain and n_found == BEAM and broken[BEAM - 1] == 0.0 and first >= worth[BEAM - 1]:
                    continue
                new_violation, new_objective = extended(layout, judge, scratch, size, first, feature, stem)
                for at in range(length):
                    found[BEAM, at] = stems[stem, at]
                found[BEAM, length] = feature
                if is_allowed(layout, found, BEAM, length + 1, 1):
                    n_found = _offer(found, broken, worth, n_found, new_violation, new_objective, length + 1)
        for stem in range(n_stems):
            unmark_stem(layout, state, stems, stem, length)
        if n_found == 0:
            break
        for at in range(n_found):
            for condition in range(length + 1):
                stems[at, condition] = found[at, condition]
            better = is_better(broken[at], worth[at], violation, objective)
            better = better and is_allowed(layout, found, at, length + 1, 0)
            if better and not is_known(state, -1, found, at, length + 1):
                violation, objective, best_length = broken[at], worth[at], length + 1
                for condition in range(length + 1):
                    best[0, condition] = found[at, condition]
        n_stems = n_found
    if best_length == 0:
        return False
    state.counts[0] += 1
    set_rule(layout, state, state.counts[0] - 1, best, 0, best_length, inside)
    return True


@summing(SETTING, STATE, SCRATCH, INT, F)
def _best_addition(setting, state, scratch, rule, now):
    """What adding the best condition to a rule brings, and which that is. The first line marks what the rule covers."""
    layout, stems, length = setting.layout, scratch.stems, state.lengths[rule]
    base, sums = scratch.base, scratch.sums
    best, added = np.inf, 0
    copy_without(state, rule, WHOLE, stems, 0)
    size = mark_stem(layout, state, stems, 0, length)
    weigh(layout, setting.memory, scratch, 0, length)
    for feature in range(layout.features.shape[0]):
        if state.in_use[layout.chains[feature]]:
            continue
        value = base[0] + layout.per_rule[0] + layout.per_length[0] * (size + layout.costs[feature])
        value += sums[0, feature] - now
        if value < best:
            best, added = value, feature
    unmark_stem(layout, state, stems, 0, length)
    return best, added


@summing(SETTING, STATE, SCRATCH, INT, F)
def _best_drop(setting, state, scratch, rule, now):
    """What leaving out the least useful condition of a rule brings, and where that stands."""
    layout, opened, inside, stems = setting.layout, scratch.opened, scratch.inside, scratch.stems
    best, dropped = np.inf, 0
    for left_out in range(state.lengths[rule]):
        kept = copy_without(state, rule, left_out, stems, 0)
        for word in range(opened.shape[0]):
            inside[0, word] = opened[word]
        narrow(layout, inside, 0, stems, 0, kept)
        with_rule(layout, scratch.base, rule_length(layout, stems, 0, kept), scratch.values)
        add_sums(layout, inside, 0, scratch.values)
        violation, objective = judged(setting.judge, scratch.values)
        if violation == 0.0 and objective - now < best:
            best, dropped = objective - now, left_out
    return best, dropped


@summing(SETTING, STATE, SCRATCH, allocates=True)
def _transfer(setting, state, scratch):
    """Drop a condition of one rule and add one to another, if both together improve the rule set; whether they did.

    Where size is scarce, neither would be of use without the other. What each brings by itself says which pairs are
    worth a closer look."""
    layout, judge = setting.layout, setting.judge
    opened, inside, stems, base = scratch.opened, scratch.inside, scratch.stems, scratch.base
    n_rules, most = state.counts[0], state.conditions.shape[1]
    drops, adds = np.full(n_rules, np.inf), np.full(n_rules, np.inf)
    dropped, added = np.zeros(n_rules, dtype=np.int64), np.zeros(n_rules, dtype=np.int64)
    now_violation, now = 0.0, 0.0
    for rule in range(n_rules):
        length = state.lengths[rule]
        residual(layout, state, rule, opened, inside, base)
        with_old(layout, state, scratch, rule)
        now_violation, now = judged(judge, scratch.values)
        if now_violation > 0.0:
            return False
        if length < most:
            adds[rule], added[rule] = _best_addition(setting, state, scratch, rule, now)
        if length > 1:
            drops[rule], dropped[rule] = _best_drop(setting, state, scratch, rule, now)
    for _ in range(TRIES):
        giver, taker, gain = -1, -1, 0.0
        for one in range(n_rules):
            for other in range(n_rules):
                if one != other and drops[one] + adds[other] < gain - 1e-9 * max(1.0, abs(now)):
                    giver, taker, gain = one, other, drops[one] + adds[other]
        if giver < 0:
            return False
        before, length = state.conditions[giver, dropped[giver]], state.lengths[giver]
        kept = copy_without(state, giver, dropped[giver], stems, 0)
        is_ruled_out = is_known(state, giver, stems, 0, kept) or not is_allowed(layout, stems, 0, kept, 0)
        set_rule(layout, state, giver, stems, 0, kept, inside)
        grown = copy_without(state, taker, WHOLE, stems, 1)
        stems[1, grown] = added[taker]
        is_ruled_out |= is_known(state, taker, stems, 1, grown + 1)
        is_ruled_out |= not is_allowed(layout, stems, 1, grown + 1, 0)
        set_rule(layout, state, taker, stems, 1, grown + 1, inside)
        residual(layout, state, -1, opened, inside, base)
        violation, objective = judged(judge, base)
        if not is_ruled_out and is_better(violation, objective, now_violation, now):
            return True
        stems[0, kept] = before
        set_rule(layout, state, giver, stems, 0, length, inside)
        set_rule(layout, state, taker, stems, 1, grown, inside)
        adds[taker] = np.inf
    return False


@summing(LAYOUT, STATE, allocates=True)
def new_scratch(layout, state):
    """Room to work in."""
    n_conditions, n_words = layout.features.shape
    most = state.conditions.shape[1]
    n_lines, n_forms = max(BEAM, most + 1), layout.empty.shape[0]
    return Scratch(
        np.empty(n_words, dtype=np.uint64),
        np.empty((n_lines, n_words), dtype=np.uint64),
        np.zeros((n_lines, most + 1), dtype=np.int64),
        np.empty(n_lines),
        np.empty((1, n_conditions)),
        np.empty(n_forms),
        np.empty(n_forms),
    )


# What is called from outside ----------------------------------------------------------------------------------------


@compiled(LAYOUT, STATE, outer=True, allocates=True)
def begin(layout, state):
    """Fill in what follows from the conditions of a state's rules."""
    scratch = np.empty((1, layout.filled.shape[0]), dtype=np.uint64)
    for rule in range(state.counts[0]):
        set_rule(layout, state, rule, state.conditions, rule, state.lengths[rule], scratch)


@compiled(SETTING, STATE, INT, outer=True, allocates=True)
def descend(setting, state, budget):
    """Change one condition at a time, grow further rules and move conditions from rule to rule, while that improves.

    ``budget`` is how many words of 64 samples may be looked at, more or less, before the caller is asked again."""
    n_conditions, n_words = setting.layout.features.shape
    most, room = state.conditions.shape[1], state.conditions.shape[0]
    scratch = new_scratch(setting.layout, state)
    spent = 0
    while spent < budget:
        n_rules = state.counts[0]
        n_settled = 0
        for rule in range(n_rules):
            n_settled += state.is_settled[rule]
        if n_settled == n_rules:
            if n_rules == room:
                return OUT_OF_ROOM
            spent += BEAM * most * n_conditions * n_words
            if not grow(setting, state, scratch) and not _transfer(setting, state, scratch):
                return DONE
            for rule in range(state.counts[0]):
                state.is_settled[rule] = False
            continue
        if state.counts[1] == 0:
            for at in range(n_rules):
                other = random_below(state.random, at + 1)
                state.waiting[at] = state.waiting[other]
                state.waiting[other] = at
            state.counts[1] = n_rules
        state.counts[1] -= 1
        rule = state.waiting[state.counts[1]]
        if state.is_settled[rule]:
            continue
        spent += (state.lengths[rule] + 1) * n_conditions * n_words
        if _change(setting, state, scratch, rule):
            for other in range(n_rules):
                state.is_settled[other] = False
        else:
            state.is_settled[rule] = True
    return OUT_OF_BUDGET
