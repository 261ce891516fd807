"""Passes over all features at once: what each would keep of what a stem covers. A stem is a rule without one of its
conditions, or one that is to grow."""

# Arguments of compiled functions have the types that the compiler is given.
# mypy: allow-untyped-defs

from __future__ import annotations

import numpy as np

from rulecg_kernels.compiler import I2, INT, U1, F, summing

from .records import JUDGE, LAYOUT, MEMORY, SCRATCH, STATE
from .rule_values import (
    add_common_sums,
    add_sums,
    common_sum,
    judged,
    marked_sum,
    rule_length,
    same_rule,
    with_rule,
)


@summing(U1, INT)
def random_below(random, limit):
    word = random[0]
    word ^= word << np.uint64(13)
    word ^= word >> np.uint64(7)
    word ^= word << np.uint64(17)
    random[0] = word
    return np.int64((word >> np.uint64(11)) % np.uint64(limit))


@summing(LAYOUT, STATE, I2, INT, INT)
def mark_stem(layout, state, stems, stem, length):
    """Mark the chains that a stem uses; its length."""
    for at in range(length):
        state.in_use[layout.chains[stems[stem, at]]] |= 1 << stem
    return rule_length(layout, stems, stem, length)


@summing(LAYOUT, STATE, I2, INT, INT)
def unmark_stem(layout, state, stems, stem, length):
    for at in range(length):
        state.in_use[layout.chains[stems[stem, at]]] = 0


@summing(LAYOUT, JUDGE, SCRATCH, F, F, INT, INT)
def extended(layout, judge, scratch, size, first, feature, stem):
    """Violation and objective with a stem and a further feature, of which the first form's value is known."""
    values = scratch.values
    with_rule(layout, scratch.base, size, values)
    values[0] = first
    for at in range(layout.weighted.shape[0]):
        form = layout.weighted[at]
        values[form] += common_sum(layout.values, form, layout.features, feature, scratch.inside, stem)
    return judged(judge, values)


@summing(LAYOUT, MEMORY, SCRATCH, INT, INT)
def _recall(layout, memory, scratch, stem, length):
    """The place where the memory has a stem; if it was not there, it is put there instead of another."""
    stems, inside = scratch.stems, scratch.inside
    place = np.uint64(0)
    for at in range(length):
        word = np.uint64(stems[stem, at] + 1) * np.uint64(0x9E3779B97F4A7C15)
        place += word ^ (word >> np.uint64(29))
    place = np.int64(place % np.uint64(memory.stems.shape[0]))
    if memory.lengths[place] == length and same_rule(memory.stems, place, stems, stem, length):
        return place
    memory.lengths[place] = length
    for at in range(length):
        memory.stems[place, at] = stems[stem, at]
    last = memory.costs.shape[1] - 1
    for feature in range(last):
        memory.costs[place, feature] = 0.0
    add_common_sums(layout, inside, stem, 0, layout.n_always, memory.costs, place)
    memory.costs[place, last] = marked_sum(layout.values, 0, inside, stem, 0, layout.n_always)
    return place


@summing(LAYOUT, MEMORY, SCRATCH, INT, INT)
def weigh(layout, memory, scratch, stem, length):
    """For every feature, what the samples of a stem that have it are worth to the objective; what they all are."""
    inside, sums = scratch.inside, scratch.sums
    place = _recall(layout, memory, scratch, stem, length)
    n_counted, n_words = layout.by_word.shape[1], inside.shape[1]
    for feature in range(n_counted):
        sums[0, feature] = memory.costs[place, feature]
    add_common_sums(layout, inside, stem, layout.n_always, n_words, sums, 0)
    total = memory.costs[place, n_counted] + marked_sum(layout.values, 0, inside, stem, layout.n_always, n_words)
    for twin in range(sums.shape[1] - n_counted):
        sums[0, n_counted + twin] = total - sums[0, twin]
    return total


@summing(LAYOUT, STATE, SCRATCH, INT)
def with_old(layout, state, scratch, rule):
    """The forms' values with a rule as it is; the first line then marks what it covers of what is open."""
    opened, inside = scratch.opened, scratch.inside
    for word in range(opened.shape[0]):
        inside[0, word] = state.covers[rule, word] & opened[word]
    with_rule(
        layout, scratch.base, rule_length(layout, state.conditions, rule, state.lengths[rule]), scratch.values
    )
    add_sums(layout, inside, 0, scratch.values)
