"""Descent by single conditions: change, drop or add one condition of one rule, or grow a further rule.

With the other rules fixed, the value of every form is linear in what one rule covers, so that one pass over the bits
evaluates all features that could be added to what remains of a rule without one of its conditions. A call does a
limited amount of work and leaves the rest to the next one, so that its caller can keep a deadline; it holds no lock, so
that several descents run side by side.
"""

# Arguments of compiled functions have the types that they are called with.
# mypy: allow-untyped-defs

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from .compiler import BOOLS, F1, F2, I1, I2, INT, U1, U2, F, compiled, popcount, record, summing

BEAM = 6
"""How many partial rules are kept when a rule is grown."""
TOLERANCE = 1e-9
"""How far a row may be outside its bounds, relative to the size of the bound."""
DONE, OUT_OF_BUDGET, OUT_OF_ROOM = 0, 1, 2
"""How a call ended."""


class Layout(NamedTuple):
    """The samples as bits, and what covering them is worth."""

    features: Any
    """Features × words of 64 samples."""
    values: Any
    """Forms × words: what covering one sample of the word adds to the form."""
    weighted: Any
    """The forms with any value, besides the first one, the objective."""
    filled: Any
    """The bits that stand for samples."""
    always: Any
    """The bits of samples that count for every rule that covers them, not only for the first."""
    empty: Any
    """The forms' values for the empty rule set."""
    per_length: Any
    per_rule: Any
    costs: Any
    """What each feature adds to the length of a rule."""
    chains: Any
    """Two features with the same number here never belong in one rule: the weaker one says nothing."""


class Judge(NamedTuple):
    """Objective and violation from the values of the forms."""

    rows: Any
    """For every finite bound of a row: the row, and by ``factor * value - bound`` how far outside a value is."""
    factor: Any
    bound: Any
    is_soft: Any
    """Whether the row looks at samples: it may then be broken at a price."""
    price: Any
    variables: Any
    """Forms × auxiliary variables: their coefficients."""
    lo: Any
    hi: Any


class State(NamedTuple):
    """A rule set on its way down, with room for more rules."""

    conditions: Any
    """Rules × most conditions; the rest of a line is unused."""
    lengths: Any
    covers: Any
    own: Any
    """Rules × forms: what a rule adds whatever else is chosen."""
    is_settled: Any
    waiting: Any
    counts: Any
    """How many rules there are, and how many of them wait for their turn."""
    in_use: Any
    """For every chain, which stems use it; 0 between passes."""
    random: Any


LAYOUT = record(Layout, U2, F2, I1, U1, U1, F1, F1, F1, F1, I1)
JUDGE = record(Judge, I1, F1, F1, BOOLS, F, F2, F1, F1)
STATE = record(State, I2, I1, U2, F2, BOOLS, I1, I1, I1, U1)


@summing
def _random_below(random, limit):
    word = random[0]
    word ^= word << np.uint64(13)
    word ^= word >> np.uint64(7)
    word ^= word << np.uint64(17)
    random[0] = word
    return np.int64((word >> np.uint64(11)) % np.uint64(limit))


# Values -------------------------------------------------------------------------------------------------------------


@summing
def _sum(values, form, words, line):
    """What the marked samples of a line are worth to a form."""
    total = 0.0
    for word in range(words.shape[1]):
        total += values[form, word] * np.float64(popcount(words[line, word]))
    return total


@summing
def _common_sum(values, form, features, feature, inside, stem):
    """What the samples of a stem that have a feature are worth to a form."""
    total = 0.0
    for word in range(features.shape[1]):
        total += values[form, word] * np.float64(popcount(features[feature, word] & inside[stem, word]))
    return total


@summing
def _add_sums(layout, words, line, totals):
    """Add to the forms' totals what the marked samples of a line are worth."""
    totals[0] += _sum(layout.values, 0, words, line)
    for at in range(layout.weighted.shape[0]):
        form = layout.weighted[at]
        totals[form] += _sum(layout.values, form, words, line)


@summing
def _with_rule(layout, base, length, values):
    """The forms' values with one more rule of this length, but for what it covers."""
    for form in range(values.shape[0]):
        values[form] = base[form] + layout.per_rule[form] + layout.per_length[form] * length


@summing
def _fill_variables(judge, values):
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


@summing
def _score(judge, values):
    """Violation and objective."""
    _fill_variables(judge, values)
    violation, objective = 0.0, values[0]
    for side in range(judge.rows.shape[0]):
        beyond = judge.factor[side] * values[1 + judge.rows[side]] - judge.bound[side]
        if beyond > TOLERANCE:
            if judge.is_soft[side] and judge.price < np.inf:
                objective += judge.price * beyond
            else:
                violation += beyond
    return violation, objective


@summing
def _breaks_size(layout, judge, base, length, violation):
    """Whether one more rule of this length breaks the rows that count nothing but size by more than this."""
    for side in range(judge.rows.shape[0]):
        if not judge.is_soft[side]:
            form = 1 + judge.rows[side]
            value = base[form] + layout.per_rule[form] + layout.per_length[form] * length
            beyond = judge.factor[side] * value - judge.bound[side]
            if beyond > TOLERANCE:
                violation -= beyond
    return violation < -1e-12


@summing
def _is_better(violation, objective, than_violation, than_objective):
    """Rounding must not look like progress, or the descent would go round in circles."""
    if violation < than_violation - 1e-9:
        return True
    return violation <= than_violation + 1e-12 and objective < than_objective - 1e-9 * max(1.0, abs(than_objective))


# Rules --------------------------------------------------------------------------------------------------------------


@summing
def _narrow(layout, words, line, conditions, rule, length):
    """Of the samples marked in a line keep those that have all conditions of a rule."""
    for at in range(length):
        feature = conditions[rule, at]
        for word in range(words.shape[1]):
            words[line, word] &= layout.features[feature, word]


@summing
def _length(layout, conditions, rule, length):
    total = 0.0
    for at in range(length):
        total += layout.costs[conditions[rule, at]]
    return total


@summing
def _same(some, line, others, other_line, length):
    """Whether two rules of the same length have the same conditions, in whatever order."""
    common = 0
    for at in range(length):
        for other in range(length):
            if some[line, at] == others[other_line, other]:
                common += 1
    return common == length


@summing
def _is_known(state, left_out, conditions, line, length):
    """Whether one of the other rules has just these conditions."""
    for rule in range(state.counts[0]):
        if rule == left_out or state.lengths[rule] != length:
            continue
        if _same(state.conditions, rule, conditions, line, length):
            return True
    return False


@summing
def _set_rule(layout, state, rule, conditions, line, length, scratch):
    """Write down a rule and what it covers."""
    state.lengths[rule] = length
    for at in range(length):
        state.conditions[rule, at] = conditions[line, at]
    for word in range(layout.filled.shape[0]):
        state.covers[rule, word] = layout.filled[word]
    _narrow(layout, state.covers, rule, state.conditions, rule, length)
    for word in range(layout.filled.shape[0]):
        scratch[0, word] = state.covers[rule, word] & layout.always[word]
    size = _length(layout, state.conditions, rule, length)
    for form in range(state.own.shape[1]):
        state.own[rule, form] = layout.per_rule[form] + layout.per_length[form] * size
    _add_sums(layout, scratch, 0, state.own[rule])


@summing
def _residual(layout, state, left_out, opened, scratch, base):
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
    _add_sums(layout, scratch, 0, base)


# Passes over all features -------------------------------------------------------------------------------------------


@summing
def _mark_stem(layout, state, stems, stem, length):
    """Mark the chains that a stem uses; its length."""
    for at in range(length):
        state.in_use[layout.chains[stems[stem, at]]] |= 1 << stem
    return _length(layout, stems, stem, length)


@summing
def _unmark_stem(layout, state, stems, stem, length):
    for at in range(length):
        state.in_use[layout.chains[stems[stem, at]]] = 0


@summing
def _extended(layout, judge, base, length, first, feature, inside, stem, values):
    """Violation and objective with a stem and a further feature, of which the first form's value is known."""
    _with_rule(layout, base, length, values)
    values[0] = first
    for at in range(layout.weighted.shape[0]):
        form = layout.weighted[at]
        values[form] += _common_sum(layout.values, form, layout.features, feature, inside, stem)
    return _score(judge, values)


@summing
def _change(layout, judge, state, rule, opened, inside, stems, sizes, base, values):
    """Replace a rule by the best one that is one condition away, if that improves; whether it did."""
    length, most = state.lengths[rule], state.conditions.shape[1]
    _residual(layout, state, rule, opened, inside, base)
    for word in range(opened.shape[0]):
        inside[0, word] = state.covers[rule, word] & opened[word]
    _with_rule(layout, base, _length(layout, state.conditions, rule, length), values)
    _add_sums(layout, inside, 0, values)
    violation, objective = _score(judge, values)
    best_stem, best_feature = -1, -1
    # Stems are the rule without one of its conditions; the last one, if there is room, is the whole rule.
    n_stems = length + 1 if length < most else length
    for stem in range(n_stems):
        kept = 0
        for at in range(length):
            if at != stem:
                stems[stem, kept] = state.conditions[rule, at]
                kept += 1
        for word in range(opened.shape[0]):
            inside[stem, word] = opened[word]
        _narrow(layout, inside, stem, stems, stem, kept)
        sizes[stem] = _mark_stem(layout, state, stems, stem, kept)
        if 0 < kept < length and not _is_known(state, rule, stems, stem, kept):
            _with_rule(layout, base, sizes[stem], values)
            _add_sums(layout, inside, stem, values)
            new_violation, new_objective = _score(judge, values)
            if _is_better(new_violation, new_objective, violation, objective):
                violation, objective, best_stem = new_violation, new_objective, stem
    # Where all rows hold, the objective alone tells most features to be of no use; prices only raise it.
    is_plain = judge.variables.shape[1] == 0
    for feature in range(layout.features.shape[0]):
        users = state.in_use[layout.chains[feature]]
        for stem in range(n_stems):
            if (users >> stem) & 1:
                continue
            size = sizes[stem] + layout.costs[feature]
            if _breaks_size(layout, judge, base, size, violation) and is_plain:
                continue
            first = base[0] + layout.per_rule[0] + layout.per_length[0] * size
            first += _common_sum(layout.values, 0, layout.features, feature, inside, stem)
            if is_plain and violation == 0.0 and first >= objective:
                continue
            new_violation, new_objective = _extended(
                layout, judge, base, size, first, feature, inside, stem, values
            )
            if _is_better(new_violation, new_objective, violation, objective):
                kept = length - 1 if stem < length else length
                stems[stem, kept] = feature
                if not _is_known(state, rule, stems, stem, kept + 1):
                    violation, objective, best_stem, best_feature = new_violation, new_objective, stem, feature
    for stem in range(n_stems):
        _unmark_stem(layout, state, stems, stem, length - 1 if stem < length else length)
    if best_stem < 0:
        return False
    kept = length - 1 if best_stem < length else length
    if best_feature >= 0:
        stems[best_stem, kept] = best_feature
        kept += 1
    _set_rule(layout, state, rule, stems, best_stem, kept, inside)
    return True


@summing
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
        if broken[at] == violation and worth[at] == objective and _same(found, at, found, last, length):
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


@summing
def _grow(layout, judge, state, opened, inside, stems, sizes, base, values):
    """Add a rule that improves the rule set, found by a narrow beam search; whether there is one."""
    most = state.conditions.shape[1]
    found = np.zeros((BEAM + 1, most), dtype=np.int64)
    broken, worth = np.empty(BEAM), np.empty(BEAM)
    best, best_length = np.zeros((1, most), dtype=np.int64), 0
    _residual(layout, state, -1, opened, inside, base)
    for form in range(values.shape[0]):
        values[form] = base[form]
    violation, objective = _score(judge, values)
    is_plain = judge.variables.shape[1] == 0
    n_stems = 1
    for length in range(most):
        for stem in range(n_stems):
            for word in range(opened.shape[0]):
                inside[stem, word] = opened[word]
            _narrow(layout, inside, stem, stems, stem, length)
            sizes[stem] = _mark_stem(layout, state, stems, stem, length)
        n_found = 0
        for feature in range(layout.features.shape[0]):
            users = state.in_use[layout.chains[feature]]
            for stem in range(n_stems):
                if (users >> stem) & 1:
                    continue
                size = sizes[stem] + layout.costs[feature]
                if _breaks_size(layout, judge, base, size, violation) and is_plain:
                    continue
                first = base[0] + layout.per_rule[0] + layout.per_length[0] * size
                first += _common_sum(layout.values, 0, layout.features, feature, inside, stem)
                if is_plain and n_found == BEAM and broken[BEAM - 1] == 0.0 and first >= worth[BEAM - 1]:
                    continue
                new_violation, new_objective = _extended(
                    layout, judge, base, size, first, feature, inside, stem, values
                )
                for at in range(length):
                    found[BEAM, at] = stems[stem, at]
                found[BEAM, length] = feature
                n_found = _offer(found, broken, worth, n_found, new_violation, new_objective, length + 1)
        for stem in range(n_stems):
            _unmark_stem(layout, state, stems, stem, length)
        if n_found == 0:
            break
        for at in range(n_found):
            for condition in range(length + 1):
                stems[at, condition] = found[at, condition]
            better = _is_better(broken[at], worth[at], violation, objective)
            if better and not _is_known(state, -1, found, at, length + 1):
                violation, objective, best_length = broken[at], worth[at], length + 1
                for condition in range(length + 1):
                    best[0, condition] = found[at, condition]
        n_stems = n_found
    if best_length == 0:
        return False
    state.counts[0] += 1
    _set_rule(layout, state, state.counts[0] - 1, best, 0, best_length, inside)
    return True


# What is called from outside ----------------------------------------------------------------------------------------


@compiled(LAYOUT, STATE, outer=True)
def begin(layout, state):
    """Fill in what follows from the conditions of a state's rules."""
    scratch = np.empty((1, layout.filled.shape[0]), dtype=np.uint64)
    for rule in range(state.counts[0]):
        _set_rule(layout, state, rule, state.conditions, rule, state.lengths[rule], scratch)


@compiled(LAYOUT, JUDGE, STATE, INT, outer=True)
def descend(layout, judge, state, budget):
    """Change one condition at a time, and grow further rules, while that improves the rule set.

    ``budget`` is how many words of 64 samples may be looked at, more or less, before the caller is asked again."""
    n_features, n_words = layout.features.shape
    most, room = state.conditions.shape[1], state.conditions.shape[0]
    n_lines = max(BEAM, most + 1)
    opened = np.empty(n_words, dtype=np.uint64)
    inside = np.empty((n_lines, n_words), dtype=np.uint64)
    stems, sizes = np.zeros((n_lines, most + 1), dtype=np.int64), np.empty(n_lines)
    base, values = np.empty(layout.empty.shape[0]), np.empty(layout.empty.shape[0])
    spent = 0
    while spent < budget:
        n_rules = state.counts[0]
        n_settled = 0
        for rule in range(n_rules):
            n_settled += state.is_settled[rule]
        if n_settled == n_rules:
            if n_rules == room:
                return OUT_OF_ROOM
            spent += BEAM * most * n_features * n_words
            if not _grow(layout, judge, state, opened, inside, stems, sizes, base, values):
                return DONE
            for rule in range(n_rules + 1):
                state.is_settled[rule] = False
            continue
        if state.counts[1] == 0:
            for at in range(n_rules):
                other = _random_below(state.random, at + 1)
                state.waiting[at] = state.waiting[other]
                state.waiting[other] = at
            state.counts[1] = n_rules
        state.counts[1] -= 1
        rule = state.waiting[state.counts[1]]
        if state.is_settled[rule]:
            continue
        spent += (state.lengths[rule] + 1) * n_features * n_words
        if _change(layout, judge, state, rule, opened, inside, stems, sizes, base, values):
            for other in range(n_rules):
                state.is_settled[other] = False
        else:
            state.is_settled[rule] = True
    return OUT_OF_BUDGET
