"""What rules cover and what that is worth: compiled, for one rule beside the others of a rule set."""

# Arguments of compiled functions have the types that the compiler is given.
# mypy: allow-untyped-defs

from __future__ import annotations

import numpy as np

from rulecg_kernels.compiler import F1, F2, I2, INT, U1, U2, F, popcount, summing
from rulecg_kernels.rule_bounds import keeps

from .records import JUDGE, LAYOUT, STATE

TOLERANCE = 1e-9
"""How far a row may be outside its bounds, relative to the size of the bound."""


@summing(F2, INT, U2, INT, INT, INT)
def marked_sum(values, form, words, line, start, stop):
    """What the marked samples of a line are worth to a form, in some words."""
    total = 0.0
    for word in range(start, stop):
        total += values[form, word] * np.float64(popcount(words[line, word]))
    return total


@summing(LAYOUT, U2, INT, INT, INT, F2, INT)
def add_common_sums(layout, inside, stem, start, stop, totals, line):
    """Add, for every feature that is counted, what the samples of a stem that have it are worth to the objective, in
    some words."""
    # Unsigned, or the compiler would look at each position whether it counts from the end.
    for word in range(np.uint64(start), np.uint64(stop)):
        marked = inside[stem, word]
        if marked == np.uint64(0):
            continue
        value = layout.values[0, word]
        for feature in range(layout.by_word.shape[1]):
            totals[line, feature] += value * np.float64(popcount(layout.by_word[word, feature] & marked))


@summing(F2, INT, U2, INT, U2, INT)
def common_sum(values, form, features, feature, inside, stem):
    """What the samples of a stem that have a feature are worth to a form."""
    total = 0.0
    for word in range(features.shape[1]):
        total += values[form, word] * np.float64(popcount(features[feature, word] & inside[stem, word]))
    return total


@summing(LAYOUT, U2, INT, F1)
def add_sums(layout, words, line, totals):
    """Add to the forms' totals what the marked samples of a line are worth."""
    totals[0] += marked_sum(layout.values, 0, words, line, 0, words.shape[1])
    for at in range(layout.weighted.shape[0]):
        form = layout.weighted[at]
        totals[form] += marked_sum(layout.values, form, words, line, 0, words.shape[1])


@summing(LAYOUT, F1, F, F1)
def with_rule(layout, base, length, values):
    """The forms' values with one more rule of this length, but for what it covers."""
    for form in range(values.shape[0]):
        values[form] = base[form] + layout.per_rule[form] + layout.per_length[form] * length


@summing(JUDGE, F1)
def fill_variables(judge, values):
    """Auxiliary variables take their least possible values."""
    for variable in range(judge.variables.shape[1]):
        least = 0.0
        for row in range(judge.lo.shape[0]):
            coefficient = judge.variables[1 + row, variable]
            if coefficient < 0:
                least = max(least, (values[1 + row] - judge.hi[row]) / -coefficient)
            elif coefficient > 0:
                least = max(least, (judge.lo[row] - values[1 + row]) / coefficient)
        for form in range(values.shape[0]):
            values[form] += judge.variables[form, variable] * least


@summing(JUDGE, F1)
def judged(judge, values):
    """Violation and objective."""
    fill_variables(judge, values)
    violation, objective = 0.0, values[0]
    for side in range(judge.rows.shape[0]):
        beyond = judge.factor[side] * values[1 + judge.rows[side]] - judge.bound[side]
        if beyond > TOLERANCE:
            if judge.is_soft[side] and judge.price < np.inf:
                objective += judge.price * beyond
            else:
                violation += beyond
    return violation, objective


@summing(LAYOUT, JUDGE, F1, F, F)
def breaks_size(layout, judge, base, length, violation):
    """Whether one more rule of this length breaks the rows that count nothing but size by more than this."""
    for side in range(judge.rows.shape[0]):
        if not judge.is_soft[side]:
            form = 1 + judge.rows[side]
            value = base[form] + layout.per_rule[form] + layout.per_length[form] * length
            beyond = judge.factor[side] * value - judge.bound[side]
            if beyond > TOLERANCE:
                violation -= beyond
    return violation < -1e-12


@summing(F, F, F, F)
def is_better(violation, objective, than_violation, than_objective):
    """Rounding must not look like progress, or the descent would go round in circles."""
    if violation < than_violation - 1e-9:
        return True
    return violation <= than_violation + 1e-12 and objective < than_objective - 1e-9 * max(1.0, abs(than_objective))


@summing(LAYOUT, U2, INT, I2, INT, INT)
def narrow(layout, words, line, conditions, rule, length):
    """Of the samples marked in a line keep those that have all conditions of a rule."""
    for at in range(length):
        feature = conditions[rule, at]
        for word in range(words.shape[1]):
            words[line, word] &= layout.features[feature, word]


@summing(LAYOUT, I2, INT, INT)
def rule_length(layout, conditions, rule, length):
    total = 0.0
    for at in range(length):
        total += layout.costs[conditions[rule, at]]
    return total


@summing(STATE, INT, INT, I2, INT)
def copy_without(state, rule, left_out, conditions, line):
    """Write down the conditions of a rule but for the one at a position; how many that are."""
    kept = 0
    for at in range(state.lengths[rule]):
        if at != left_out:
            conditions[line, kept] = state.conditions[rule, at]
            kept += 1
    return kept


@summing(I2, INT, I2, INT, INT)
def same_rule(some, line, others, other_line, length):
    """Whether two rules of the same length have the same conditions, in whatever order."""
    common = 0
    for at in range(length):
        for other in range(length):
            if some[line, at] == others[other_line, other]:
                common += 1
    return common == length


@summing(STATE, INT, I2, INT, INT)
def is_known(state, left_out, conditions, line, length):
    """Whether one of the other rules has just these conditions."""
    for rule in range(state.counts[0]):
        if rule == left_out or state.lengths[rule] != length:
            continue
        if same_rule(state.conditions, rule, conditions, line, length):
            return True
    return False


@summing(LAYOUT, I2, INT, INT, INT)
def is_allowed(layout, conditions, line, length, hopeful):
    """Whether a rule keeps every bound on single rules; if ``hopeful``, whether one that has its conditions may."""
    if layout.limits.least.shape[0] == 0 or length == 0:
        return True
    return keeps(layout.limits, conditions[line], length, hopeful)


@summing(LAYOUT, STATE, INT, I2, INT, INT, U2)
def set_rule(layout, state, rule, conditions, line, length, scratch):
    """Write down a rule and what it covers."""
    state.lengths[rule] = length
    for at in range(length):
        state.conditions[rule, at] = conditions[line, at]
    for word in range(layout.filled.shape[0]):
        state.covers[rule, word] = layout.filled[word]
    narrow(layout, state.covers, rule, state.conditions, rule, length)
    for word in range(layout.filled.shape[0]):
        scratch[0, word] = state.covers[rule, word] & layout.always[word]
    size = rule_length(layout, state.conditions, rule, length)
    for form in range(state.own.shape[1]):
        state.own[rule, form] = layout.per_rule[form] + layout.per_length[form] * size
    add_sums(layout, scratch, 0, state.own[rule])


@summing(LAYOUT, STATE, INT, U1, U2, F1)
def residual(layout, state, left_out, opened, scratch, base):
    """What is still open to one more rule beside all the others, and the forms' values without it."""
    for form in range(base.shape[0]):
        base[form] = layout.empty[form]
    for word in range(opened.shape[0]):
        opened[word] = np.uint64(0)
    for rule in range(state.counts[0]):
        if rule != left_out:
            for word in range(opened.shape[0]):
                opened[word] |= state.covers[rule, word]
            for form in range(base.shape[0]):
                base[form] += state.own[rule, form]
    for word in range(opened.shape[0]):
        scratch[0, word] = opened[word] & ~layout.always[word]
        opened[word] = (~opened[word] | layout.always[word]) & layout.filled[word]
    add_sums(layout, scratch, 0, base)
