"""Compiled weighing of pairs and triples of conditions inside a node, and the rules found by it."""

# Arguments of compiled functions have the types that the compiler is given.
# mypy: allow-untyped-defs

from __future__ import annotations

import numpy as np
from numba import types

from rulecg_kernels.compiler import F1, F2, F3, I1, I2, INT, U1, U2, F, compiled

from .bits import weigh_chosen, weigh_range
from .pruning import same_cover, sort_up
from .search_state import BEST, COST, CUT, DEAD, FOUND, LISTING, NEVER, PRICE, RECORD, SLACK, TINY, WORK


@compiled(I1, F1, F1, I2)
def keep_best(state, numbers, found_values, found_rules):
    """Forget the worse half of the rules found, so that the room for found rules never runs out."""
    count = state[FOUND]
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
    state[FOUND] = most
    numbers[RECORD] = values[most - 1]


@compiled(I1, F1, F, F1, I2, I1, INT, INT, INT, INT)
def record(state, numbers, value, found_values, found_rules, rule, depth, first, second, third):
    """Keep a rule; outside listing, a better rule lowers the cut below which rules are still of interest."""
    if state[FOUND] >= found_values.shape[0]:
        keep_best(state, numbers, found_values, found_rules)
        if value >= numbers[RECORD]:
            return
    place = state[FOUND]
    found_values[place] = value
    for position in range(found_rules.shape[1]):
        found_rules[place, position] = rule[position] if position < depth else -1
    found_rules[place, depth] = first
    if second >= 0:
        found_rules[place, depth + 1] = second
    if third >= 0:
        found_rules[place, depth + 2] = third
    state[FOUND] = place + 1
    if state[LISTING] == 0 and value < numbers[BEST]:
        numbers[BEST] = value
        numbers[CUT] = min(numbers[CUT], value - numbers[SLACK])


@compiled(
    INT, INT, F, I1, F, F, F1, I1, U2, I1, I1, U2, F2, F3, F, I1, F1, F1, I2, I1, INT, I1, F1, F1, U1, U1, I1, F1, F1
)
def weigh_thirds(
    i, n_chosen, price, candidates, gain, cost, prices, chains, columns, words, terms, masks, values, tables,
    least_price, state, numbers, found_values, found_rules, rule, depth, chosen, row_gains, row_costs, row_bits,
    pair_bits, thirds, third_costs, third_gains,
):
    """Weigh all rules with candidate i and two of the chosen ones, whose pairs with i are weighed."""
    # A rule through i, j, l keeps at least cost - removal_j - removal_l and gains at most what the weaker keeps. So
    # j matters only with a removal that together with the best partner's reaches the target.
    target = cost + price + 2.0 * least_price - numbers[CUT]
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
        state[WORK] += previous
    for a in range(n_chosen - 1):
        first = chosen[a]
        base = price + prices[first]
        n_thirds = 0
        for b in range(a + 1, n_chosen):
            other = chosen[b]
            low = base + prices[other] + max(0.0, row_costs[a] + row_costs[b] - cost)
            if low - min(row_gains[a], row_gains[b]) < numbers[CUT] and chains[other] != chains[first]:
                thirds[n_thirds] = other
                third_gains[n_thirds] = 0.0
                third_costs[n_thirds] = 0.0
                n_thirds += 1
        state[WORK] += n_chosen - a
        if n_thirds == 0:
            continue
        for word in range(words[2]):
            pair_bits[word] = row_bits[word] & columns[word, first]
        weigh_chosen(
            third_costs, thirds, n_thirds, pair_bits, columns, words[1], words[2], terms, masks, values, tables
        )
        weigh_chosen(third_gains, thirds, n_thirds, pair_bits, columns, 0, words[1], terms, masks, values, tables)
        state[WORK] += n_thirds * (1 + words[2])
        for c in range(n_thirds):
            value = base + prices[thirds[c]] + third_costs[c] - third_gains[c]
            if value < numbers[RECORD]:
                record(
                    state, numbers, value, found_values, found_rules, rule, depth, candidates[i], candidates[first],
                    candidates[thirds[c]],
                )


@compiled(
    INT, INT, INT, INT, F1, I1, F1, F1, F1, I1, U2, U1, I1, I1, U2, F2, F3, types.boolean, I1, F2, F, I1, F1, F1, I2,
    I1, INT, INT, F2, F2, I1, I2, F2, U2, outer=True,
)
def weigh_rows(
    first_row, last_row, size, further, frame_numbers, candidates, gains, costs, prices, chains, columns, covered,
    words, terms, masks, values, tables, has_parent, parents, up_pair_gains, least_price, state,
    numbers, found_values, found_rules, rule, depth, spent_at, pair_gains, pair_costs, dominated, ints,
    floats,
    bits,
):
    """Weigh candidates first_row to last_row, each with every later one that could still matter; record rules, note
    pairs that live. Returns the row that comes next: before the last when the budget is spent or the room is full."""
    chosen, thirds = ints[0], ints[1]
    row_gains, row_costs, removals, third_costs, third_gains = floats[0], floats[1], floats[2], floats[3], floats[4]
    lows = floats[5]
    row_bits, pair_bits = bits[0], bits[1]
    total_cost = frame_numbers[COST]
    exact_covers = state[LISTING] == 1
    for i in range(first_row, last_row):
        later = size - i - 1
        if state[WORK] > spent_at or (
            exact_covers and state[FOUND] + (later * (later + 1)) // 2 > found_values.shape[0]
        ):
            return i
        if further >= 2:
            for j in range(i + 1, size):
                pair_gains[i, j] = DEAD
            if dominated[i]:
                continue
        chain = chains[i]
        price = frame_numbers[PRICE] + prices[i]
        gain = gains[i]
        cost = costs[i]
        for word in range(words[3]):
            row_bits[word] = covered[word] & columns[word, i]
        for c in range(later):
            row_costs[c] = 0.0
        weigh_range(
            row_costs, i + 1, later, row_bits, columns, words[1], words[2], terms, masks, values, tables
        )
        state[WORK] += later * (1 + (words[2] - words[1]) // 2)
        least_cost = cost
        for c in range(later):
            row_costs[c] = row_costs[c] if chains[i + 1 + c] != chain else NEVER
        for c in range(later):
            least_cost = min(least_cost, row_costs[c])
        # The largest removals of cost by other conditions, of different chains: candidates are in order of removal.
        # With one further condition it must join i too: then what it removes below i is known.
        removals[1] = cost - least_cost
        if further > 1:
            n_removals = 0
            removals[0] = 0.0
            j = 0
            while n_removals < further and j < size:
                # The first of a chain removes the most; the others of that chain do not count.
                fresh = chains[j] != chain
                back = j - 1
                while fresh and back >= 0:
                    fresh = chains[back] != chains[j]
                    back -= 1
                if fresh:
                    removals[n_removals + 1] = removals[n_removals] + max(0.0, total_cost - costs[j])
                    n_removals += 1
                j += 1
            while n_removals < further:
                removals[n_removals + 1] = removals[n_removals]
                n_removals += 1
        # What the pair must cost at least, by its own cost and by what each condition alone gains.
        for c in range(later):
            lows[c] = row_costs[c]
        for q in range(1, further + 1):
            for c in range(later):
                lows[c] = min(lows[c], q * least_price + max(0.0, row_costs[c] - removals[q]))
        for c in range(later):
            lows[c] += prices[i + 1 + c] - min(gain, gains[i + 1 + c])
        limit = numbers[CUT] - price
        n_chosen = 0
        for c in range(later):
            chosen[n_chosen] = i + 1 + c
            n_chosen += lows[c] < limit
        n_kept = 0
        for c in range(n_chosen):
            j = chosen[c]
            low = lows[j - i - 1]
            if has_parent:
                # The pair gains no more than it did above.
                one, two = parents[i], parents[j]
                if one > two:
                    one, two = two, one
                low += max(0.0, min(gain, gains[j]) - up_pair_gains[one, two])
            chosen[n_kept] = j
            row_costs[n_kept] = row_costs[j - i - 1]
            row_gains[n_kept] = 0.0
            n_kept += low < limit
        n_chosen = n_kept
        if n_chosen == 0:
            continue
        weigh_chosen(row_gains, chosen, n_chosen, row_bits, columns, 0, words[1], terms, masks, values, tables)
        state[WORK] += n_chosen * (1 + words[1])
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
                and (not exact_covers or same_cover(j, -1, row_bits, columns, words[3]))
            ):
                # The second condition removes nothing: all rules through both are better without it.
                continue
            if base + pair_cost < numbers[RECORD]:
                record(
                    state, numbers, base + pair_cost, found_values, found_rules, rule, depth, candidates[i],
                    candidates[j], -1,
                )
            if further >= 2:
                if (
                    pair_gain >= gains[j] - TINY
                    and pair_cost >= cost - TINY
                    and prices[i] <= prices[j]
                    and least_price >= 0.0
                    and not exact_covers
                ):
                    # Candidate i keeps all the gain of j and no cost that j does not keep: better in any rule.
                    dominated[j] = 1
                    continue
                for q in range(1, further + 1):
                    if base + q * least_price + max(0.0, pair_cost - removals[q]) < numbers[CUT]:
                        pair_gains[i, j] = pair_gain
                        pair_costs[i, j] = pair_cost
                        break
            elif further == 1:
                chosen[n_kept] = j
                row_gains[n_kept] = pair_gain
                row_costs[n_kept] = pair_cost
                n_kept += 1
        if n_kept >= 2:
            weigh_thirds(
                i, n_kept, price, candidates, gain, cost, prices, chains, columns, words, terms, masks, values, tables,
                least_price, state, numbers, found_values, found_rules, rule, depth, chosen, row_gains, row_costs,
                row_bits, pair_bits, thirds, third_costs, third_gains,
            )
    return last_row
