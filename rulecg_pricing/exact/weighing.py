"""Compiled weighing of pairs and triples of conditions inside a node, and the rules found by it."""

# Arguments of compiled functions have the types that the compiler is given.
# mypy: allow-untyped-defs

from __future__ import annotations

import numpy as np

from rulecg_kernels.compiler import F1, INT, F, compiled
from rulecg_kernels.rule_bounds import keeps

from .bits import weigh_chosen, weigh_range
from .pruning import same_cover, sort_up
from .record_types import NODE, PACKED, PROGRESS, SCRATCH
from .search_state import (
    BEST,
    COST,
    COSTS,
    CUT,
    DEAD,
    EXACT,
    FOUND,
    GAINS,
    LISTING,
    NEVER,
    PRICE,
    RECORD,
    SLACK,
    TINY,
    WORK,
)


@compiled(PROGRESS, allocates=True)
def keep_best(progress):
    """Forget the worse half of the rules found, so that the room for found rules never runs out."""
    found_values, found_rules = progress.values, progress.rules
    count = progress.state[FOUND]
    most = count // 2
    order = np.empty(count, np.int64)
    sort_up(found_values, order, count)
    values = np.empty(most)
    rules = np.empty((most, found_rules.shape[1]), np.int64)
    for place in range(most):
        values[place] = found_values[order[place]]
        for position in range(rules.shape[1]):
            rules[place, position] = found_rules[order[place], position]
    for place in range(most):
        found_values[place] = values[place]
        for position in range(rules.shape[1]):
            found_rules[place, position] = rules[place, position]
    progress.state[FOUND] = most
    progress.numbers[RECORD] = values[most - 1]


@compiled(PROGRESS, INT, INT, INT, INT)
def _is_allowed(progress, depth, first, second, third):
    """Whether the node's conditions with up to three more make a rule that keeps its bounds."""
    rule, n = progress.rule, depth + 1
    rule[depth] = first
    if second >= 0:
        rule[n] = second
        n += 1
    if third >= 0:
        rule[n] = third
        n += 1
    return keeps(progress.limits, rule, n, 0)


@compiled(PROGRESS, INT, INT, INT)
def _is_hopeful(progress, depth, first, second):
    """Whether some rule with the node's conditions and two more may keep its bounds."""
    progress.rule[depth] = first
    progress.rule[depth + 1] = second
    return keeps(progress.limits, progress.rule, depth + 2, 1)


@compiled(PROGRESS, F, INT, INT, INT, INT)
def record(progress, value, depth, first, second, third):
    """Keep a rule, if it is allowed; outside listing, a better rule lowers the cut below which rules are still of
    interest."""
    state, numbers, found_values, found_rules = progress.state, progress.numbers, progress.values, progress.rules
    if progress.limits.least.shape[0] > 0 and not _is_allowed(progress, depth, first, second, third):
        return
    if state[FOUND] >= found_values.shape[0]:
        keep_best(progress)
        if value >= numbers[RECORD]:
            return
    place = state[FOUND]
    found_values[place] = value
    for position in range(found_rules.shape[1]):
        found_rules[place, position] = progress.rule[position] if position < depth else -1
    found_rules[place, depth] = first
    if second >= 0:
        found_rules[place, depth + 1] = second
    if third >= 0:
        found_rules[place, depth + 2] = third
    state[FOUND] = place + 1
    if state[LISTING] == 0 and value < numbers[BEST]:
        numbers[BEST] = value
        numbers[CUT] = min(numbers[CUT], value - numbers[SLACK])


@compiled(NODE, PROGRESS, SCRATCH, INT, INT)
def _partners(node, progress, scratch, i, n_chosen):
    """Of the chosen candidates keep those that can be in a rule of three with candidate i; how many that are.

    A rule through i, j, l keeps at least cost - removal_j - removal_l and gains at most what the weaker keeps. So j
    matters only with a removal that together with the best partner's reaches the target."""
    chosen, row_gains, row_costs = scratch.ints[0], scratch.floats[0], scratch.floats[1]
    cost, price = node.candidates.costs[i], node.numbers[PRICE] + node.prices[i]
    target = cost + price + 2.0 * node.least_price - progress.numbers[CUT]
    least_gain = target - cost
    previous = n_chosen + 1
    while n_chosen >= 2 and n_chosen < previous:
        previous = n_chosen
        most_removed = DEAD
        most_both = DEAD
        for c in range(n_chosen):
            removal = cost - row_costs[c]
            most_removed = max(most_removed, removal)
            most_both = max(most_both, removal + row_gains[c])
        n_chosen = 0
        for c in range(previous):
            removal = cost - row_costs[c]
            if row_gains[c] > least_gain and (
                removal + row_gains[c] + most_removed > target or removal + most_both > target
            ):
                chosen[n_chosen] = chosen[c]
                row_gains[n_chosen] = row_gains[c]
                row_costs[n_chosen] = row_costs[c]
                n_chosen += 1
        progress.state[WORK] += previous
    return n_chosen


@compiled(NODE, PACKED, PROGRESS, SCRATCH, INT, INT)
def weigh_thirds(node, packed, progress, scratch, i, n_chosen):
    """Weigh all rules with candidate i and two of the chosen ones, whose pairs with i are weighed."""
    chosen, thirds = scratch.ints[0], scratch.ints[1]
    row_gains, row_costs = scratch.floats[0], scratch.floats[1]
    third_costs, third_gains = scratch.floats[3], scratch.floats[4]
    row_bits, pair_bits = scratch.bits[0], scratch.bits[1]
    state, numbers, words = progress.state, progress.numbers, packed.words
    conditions, cost = node.candidates.conditions, node.candidates.costs[i]
    price = node.numbers[PRICE] + node.prices[i]
    n_chosen = _partners(node, progress, scratch, i, n_chosen)
    for a in range(n_chosen - 1):
        first = chosen[a]
        base = price + node.prices[first]
        n_thirds = 0
        for b in range(a + 1, n_chosen):
            other = chosen[b]
            low = base + node.prices[other] + max(0.0, row_costs[a] + row_costs[b] - cost)
            if low - min(row_gains[a], row_gains[b]) < numbers[CUT] and node.chains[other] != node.chains[first]:
                thirds[n_thirds] = other
                third_gains[n_thirds] = 0.0
                third_costs[n_thirds] = 0.0
                n_thirds += 1
        state[WORK] += n_chosen - a
        if n_thirds == 0:
            continue
        for word in range(words[2]):
            pair_bits[word] = row_bits[word] & node.columns[word, first]
        weigh_chosen(third_costs, thirds, n_thirds, pair_bits, node.columns, packed, COSTS)
        weigh_chosen(third_gains, thirds, n_thirds, pair_bits, node.columns, packed, GAINS)
        state[WORK] += n_thirds * (1 + words[2])
        for c in range(n_thirds):
            value = base + node.prices[thirds[c]] + third_costs[c] - third_gains[c]
            if value < numbers[RECORD]:
                record(progress, value, node.depth, conditions[i], conditions[first], conditions[thirds[c]])


@compiled(NODE, PACKED, PROGRESS, SCRATCH, INT)
def _weigh_costs(node, packed, progress, scratch, i):
    """What candidate i keeps of cost with each later one; the least of it."""
    row_bits, row_costs, words = scratch.bits[0], scratch.floats[1], packed.words
    later, chain = node.size - i - 1, node.chains[i]
    for word in range(words[3]):
        row_bits[word] = node.covered[word] & node.columns[word, i]
    for c in range(later):
        row_costs[c] = 0.0
    weigh_range(row_costs, i + 1, later, row_bits, node.columns, packed, COSTS)
    progress.state[WORK] += later * (1 + (words[2] - words[1]) // 2)
    least_cost = node.candidates.costs[i]
    for c in range(later):
        row_costs[c] = row_costs[c] if node.chains[i + 1 + c] != chain else NEVER
    for c in range(later):
        least_cost = min(least_cost, row_costs[c])
    return least_cost


@compiled(NODE, F1, INT, F)
def _fill_removals(node, removals, i, least_cost):
    """The largest removals of cost by other conditions, of different chains: candidates are in order of removal.

    With one further condition it must join i too: then what it removes below i is known."""
    further, chains, costs = node.further, node.chains, node.candidates.costs
    removals[1] = costs[i] - least_cost
    if further > 1:
        n_removals = 0
        removals[0] = 0.0
        j = 0
        while n_removals < further and j < node.size:
            # The first of a chain removes the most; the others of that chain do not count.
            fresh = chains[j] != chains[i]
            back = j - 1
            while fresh and back >= 0:
                fresh = chains[back] != chains[j]
                back -= 1
            if fresh:
                removals[n_removals + 1] = removals[n_removals] + max(0.0, node.numbers[COST] - costs[j])
                n_removals += 1
            j += 1
        while n_removals < further:
            removals[n_removals + 1] = removals[n_removals]
            n_removals += 1


@compiled(NODE, SCRATCH, INT, F)
def _choose_pairs(node, scratch, i, limit):
    """Choose the later candidates that may be in a rule of interest with candidate i; how many that are."""
    chosen, row_gains, row_costs = scratch.ints[0], scratch.floats[0], scratch.floats[1]
    removals, lows = scratch.floats[2], scratch.floats[5]
    gains, parents = node.candidates.gains, node.candidates.parents
    later, gain = node.size - i - 1, gains[i]
    # What the pair must cost at least, by its own cost and by what each condition alone gains.
    for c in range(later):
        lows[c] = row_costs[c]
    for q in range(1, node.further + 1):
        for c in range(later):
            lows[c] = min(lows[c], q * node.least_price + max(0.0, row_costs[c] - removals[q]))
    for c in range(later):
        lows[c] += node.prices[i + 1 + c] - min(gain, gains[i + 1 + c])
    n_chosen = 0
    for c in range(later):
        chosen[n_chosen] = i + 1 + c
        n_chosen += lows[c] < limit
    n_kept = 0
    for c in range(n_chosen):
        j = chosen[c]
        low = lows[j - i - 1]
        if node.has_parent:
            # The pair gains no more than it did above.
            one, two = parents[i], parents[j]
            if one > two:
                one, two = two, one
            low += max(0.0, min(gain, gains[j]) - node.up_pair_gains[one, two])
        chosen[n_kept] = j
        row_costs[n_kept] = row_costs[j - i - 1]
        row_gains[n_kept] = 0.0
        n_kept += low < limit
    return n_kept


@compiled(NODE, PACKED, PROGRESS, SCRATCH, INT, INT)
def _take_pairs(node, packed, progress, scratch, i, n_chosen):
    """Record the rules that end with candidate i and a chosen one, and note pairs that live: with two or more further
    conditions in the node, with one among those that are still chosen, which are counted."""
    chosen, row_gains, row_costs, removals = scratch.ints[0], scratch.floats[0], scratch.floats[1], scratch.floats[2]
    numbers, prices, further, least_price = progress.numbers, node.prices, node.further, node.least_price
    conditions, gains = node.candidates.conditions, node.candidates.gains
    exact_covers, has_limits = progress.state[EXACT] == 1, progress.limits.least.shape[0] > 0
    price, gain, cost = node.numbers[PRICE] + prices[i], gains[i], node.candidates.costs[i]
    n_kept = 0
    for c in range(n_chosen):
        j = chosen[c]
        pair_gain = row_gains[c]
        pair_cost = row_costs[c]
        base = price + prices[j] - pair_gain
        if (
            pair_gain >= gain - TINY
            and pair_cost >= cost - TINY
            and prices[j] >= 0.0
            and (not exact_covers or same_cover(j, -1, scratch.bits[0], node.columns, packed.words[3]))
        ):
            # The second condition removes nothing: all rules through both are better without it.
            continue
        if has_limits and not _is_hopeful(progress, node.depth, conditions[i], conditions[j]):
            continue
        if base + pair_cost < numbers[RECORD]:
            record(progress, base + pair_cost, node.depth, conditions[i], conditions[j], -1)
        if further >= 2:
            if (
                pair_gain >= gains[j] - TINY
                and pair_cost >= cost - TINY
                and prices[i] <= prices[j]
                and least_price >= 0.0
                and not exact_covers
            ):
                # Candidate i keeps all the gain of j and no cost that j does not keep: better in any rule.
                node.dominated[j] = 1
                continue
            for q in range(1, further + 1):
                if base + q * least_price + max(0.0, pair_cost - removals[q]) < numbers[CUT]:
                    node.pair_gains[i, j] = pair_gain
                    node.pair_costs[i, j] = pair_cost
                    break
        elif further == 1:
            chosen[n_kept] = j
            row_gains[n_kept] = pair_gain
            row_costs[n_kept] = pair_cost
            n_kept += 1
    return n_kept


@compiled(NODE, PACKED, PROGRESS, SCRATCH, INT, INT, INT, outer=True)
def weigh_rows(node, packed, progress, scratch, first_row, last_row, spent_at):
    """Weigh candidates first_row to last_row, each with every later one that could still matter; record rules, note
    pairs that live. Returns the row that comes next: before the last when the budget is spent or the room is full."""
    state = progress.state
    for i in range(first_row, last_row):
        later = node.size - i - 1
        if state[WORK] > spent_at or (
            state[LISTING] == 1 and state[FOUND] + (later * (later + 1)) // 2 > progress.values.shape[0]
        ):
            return i
        if node.further >= 2:
            for j in range(i + 1, node.size):
                node.pair_gains[i, j] = DEAD
            if node.dominated[i]:
                continue
        least_cost = _weigh_costs(node, packed, progress, scratch, i)
        _fill_removals(node, scratch.floats[2], i, least_cost)
        limit = progress.numbers[CUT] - (node.numbers[PRICE] + node.prices[i])
        n_chosen = _choose_pairs(node, scratch, i, limit)
        if n_chosen == 0:
            continue
        row_gains, row_bits = scratch.floats[0], scratch.bits[0]
        weigh_chosen(row_gains, scratch.ints[0], n_chosen, row_bits, node.columns, packed, GAINS)
        state[WORK] += n_chosen * (1 + packed.words[1])
        n_kept = _take_pairs(node, packed, progress, scratch, i, n_chosen)
        if n_kept >= 2:
            weigh_thirds(node, packed, progress, scratch, i, n_kept)
    return last_row
