"""The compiled depth-first search over conjunctions.

A node is a conjunction. Its frame holds the conditions that may still join it (candidates, those that remove the most
cost first) with the negative weight ("gain") and the positive weight ("cost") that each would keep, and the same for
every pair of candidates. All pairs are weighed before any child is entered: so a child knows bounds for its own pairs
before it looks at the data. Where rules can grow by at most three conditions no child is entered at all: the third
conditions are weighed right after the pairs.

A rule through a pair with q further conditions costs at least ``prices + max(0, cost of the pair - the q largest
removals of cost) - gain of the pair``; conditions of one chain never count twice.
"""

# Arguments of compiled functions have the types that the compiler is given.
# mypy: allow-untyped-defs

from __future__ import annotations

import numpy as np
from numba import types

from ._bits import (
    BYTES,
    F1,
    F2,
    F3,
    F4,
    I1,
    I2,
    INT,
    U1,
    U2,
    U3,
    F,
    compiled,
    lowest_bit,
    popcount,
    select_samples,
    weigh_chosen,
    weigh_range,
)

PAUSED = 0
FINISHED = 1
FULL = 2

# Places in the integer state.
DEPTH, FOUND, WORK, NODES, WEIGHED, LISTING, LAST = 0, 1, 2, 3, 4, 5, 6
N_STATE = 7
# Places in the float state.
CUT, RECORD, BEST, SLACK = 0, 1, 2, 3
N_FLOAT = 4
# Places in the integers of a frame.
SIZE, ROW, CHILD, LEVEL = 0, 1, 2, 3
N_FRAME = 4
# Places in the floats of a frame.
GAIN, COST, PRICE = 0, 1, 2
N_INTS, N_FLOATS, N_BITS = 7, 6, 3
TINY = 1e-11
DEAD = -1e300
"""The gain noted for a pair that is in no rule of interest."""
NEVER = 1e300
"""The cost noted for a pair of one chain."""


@compiled(F1, I1, INT)
def sort_up(keys, order, size):
    """Fill order[:size] so that the keys come smallest first; of equal keys the first comes first."""
    for place in range(size):
        order[place] = place
    gap = 1
    while gap < size // 3:
        gap = 3 * gap + 1
    while gap > 0:
        for place in range(gap, size):
            entry = order[place]
            key = keys[entry]
            back = place
            while back >= gap:
                other = order[back - gap]
                if keys[other] < key or (keys[other] == key and other < entry):
                    break
                order[back] = other
                back -= gap
            order[back] = entry
        gap //= 3


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


@compiled(INT, INT, U1, U2, INT)
def same_cover(first, second, covered, columns, n_words):
    """Whether two conditions keep the same of the covered samples (second = -1: whether the first keeps all)."""
    for word in range(n_words):
        bits = covered[word]
        other = bits if second < 0 else columns[word, second] & bits
        if columns[word, first] & bits != other:
            return False
    return True


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
        state[WEIGHED] += n_thirds
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
        state[WEIGHED] += n_chosen
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


@compiled(
    INT, INT, F, I1, F1, F1, F, F1, F, I1, F, I1, F1, F1, I1, F2, outer=True)
def promising(
    size, further, price, candidates, gains, costs, total_cost, prices, least_price, chains, cut, kept, best, losses,
    order, top,
):
    """Mark the candidates that can be in a rule of interest with 1 to ``further`` other candidates.

    The other conditions all keep at least the gain g of the weakest among them, so they remove at most R_q(g), the
    q largest removals among candidates that keep g. A rule through candidate u with gain g in all is of interest only
    if ``cost_u - R_q(g) - g`` (and ``-g``) is below the cut less prices: one sweep in order of gain tests all u.
    """
    for place in range(size):
        kept[place] = 0
        losses[place] = -gains[place]
    sort_up(losses, order, size)
    for q in range(1, further + 1):
        # top holds the chains and the removals of the q largest removals so far; best[place] = R_q + gain.
        least_gain = price + (q + 1) * least_price - cut
        n_top = 0
        total = 0.0
        last = -1
        for place in range(size):
            candidate = order[place]
            if gains[candidate] <= least_gain:
                break
            last = place
            removal = max(0.0, total_cost - costs[candidate])
            chain = chains[candidates[candidate]]
            found = -1
            weakest = 0
            for t in range(n_top):
                if top[t, 0] == chain:
                    found = t
                if top[t, 1] < top[weakest, 1]:
                    weakest = t
            if found >= 0:
                if removal > top[found, 1]:
                    total += removal - top[found, 1]
                    top[found, 1] = removal
            elif n_top < q:
                top[n_top, 0] = chain
                top[n_top, 1] = removal
                total += removal
                n_top += 1
            elif removal > top[weakest, 1]:
                total += removal - top[weakest, 1]
                top[weakest, 0] = chain
                top[weakest, 1] = removal
            best[place] = total + gains[candidate]
        most = DEAD
        for back in range(last + 1):
            candidate = order[last - back]
            most = max(most, best[last - back])
            if most > costs[candidate] + price + prices[candidates[candidate]] + q * least_price - cut:
                kept[candidate] = 1


@compiled(INT, INT, F, I1, F1, F1, F, F1, F, I1, F, F2, I1)
def plausible(
    size, further, price, candidates, gains, costs, total_cost, prices, least_price, chains, cut, top, kept
):
    """Mark the candidates that can be in a rule of interest with 1 to ``further`` others, by one cheap pass.

    The removals of a rule's conditions and the gain of the weakest among them must together reach a target. Either the
    candidate is the weakest and the others remove the most that conditions of other chains can, or one of the others
    brings the largest sum of removal and gain. Returns how many are marked."""
    n_top = 0
    most_both = DEAD
    for c in range(size):
        removal = total_cost - costs[c]
        most_both = max(most_both, removal + gains[c])
        chain = chains[candidates[c]]
        place = n_top
        for t in range(n_top):
            if top[t, 0] == chain:
                place = t
        if place == n_top:
            if n_top <= further:
                n_top += 1
            elif top[n_top - 1, 1] < removal:
                place = n_top - 1
            else:
                continue
        elif top[place, 1] >= removal:
            continue
        while place > 0 and top[place - 1, 1] < removal:
            top[place, 0] = top[place - 1, 0]
            top[place, 1] = top[place - 1, 1]
            place -= 1
        top[place, 0] = chain
        top[place, 1] = removal
    count = 0
    for c in range(size):
        chain = chains[candidates[c]]
        removal = total_cost - costs[c]
        target = total_cost + price + prices[candidates[c]] - cut
        others = 0.0
        fewer = 0.0
        kept[c] = 0
        q = 0
        for t in range(n_top):
            if top[t, 0] == chain:
                continue
            q += 1
            if q > further:
                break
            others += top[t, 1]
            target += least_price
            if gains[c] > target - total_cost and (
                removal + gains[c] + others > target or removal + most_both + fewer > target
            ):
                kept[c] = 1
                count += 1
                break
            fewer = others
    return count


@compiled(
    INT, INT, INT, INT, F, I1, F1, F2, F2, I1, I1, I1, F1, F1, F1, F, I1, I1, F1, I2, F2, F2
)
def next_child(
    first, last, up_size, further, up_price, up_candidates, up_costs, up_pair_gains, up_pair_costs, dominated,
    candidates, parents, gains, costs, prices, least_price, chains, state, numbers, ints, floats, top,
):
    """The first child from ``first`` on that is worth entering, and how many candidates it has: below 2 for none."""
    kept, order = ints[0], ints[1]
    best, losses = floats[0], floats[1]
    for s in range(first, last):
        if dominated[s]:
            continue
        price = up_price + prices[up_candidates[s]]
        size = 0
        for j in range(s + 1, up_size):
            if up_pair_gains[s, j] != DEAD and not dominated[j]:
                candidates[size] = up_candidates[j]
                parents[size] = j
                gains[size] = up_pair_gains[s, j]
                costs[size] = up_pair_costs[s, j]
                size += 1
        state[WORK] += up_size - s
        # The cheap test first, until it drops no more; then the sweep, once.
        swept = False
        while size >= 2:
            count = plausible(
                size, further, price, candidates, gains, costs, up_costs[s], prices, least_price, chains,
                numbers[CUT], top, kept,
            )
            state[WORK] += 2 * size
            if count == size:
                if swept:
                    break
                promising(
                    size, further, price, candidates, gains, costs, up_costs[s], prices, least_price, chains,
                    numbers[CUT], kept, best, losses, order, top,
                )
                state[WORK] += 4 * size
                swept = True
            old_size = size
            size = 0
            for c in range(old_size):
                candidates[size] = candidates[c]
                parents[size] = parents[c]
                gains[size] = gains[c]
                costs[size] = costs[c]
                size += kept[c]
            if swept and size == old_size:
                break
        if size >= 2:
            return s, size
    return last - 1, 0


@compiled(INT, I1, I1, F1, F1, F1, U1, U2, INT, F1, I1, types.boolean, I2, F2, outer=True)
def arrange(
    size, candidates, parents, gains, costs, frame_numbers, covered, columns, n_words, prices, chains, exact_covers,
    ints, floats,
):
    """Sort candidates by removal, largest first; drop those that remove nothing and copies of others. New size.

    Unless covers must stay exact (in a listing), also drop those of which another of the same chain, at no higher
    price, keeps as much gain and no more cost: in any rule the other is at least as good."""
    order, old_candidates, old_parents = ints[0], ints[1], ints[2]
    old_gains, old_costs = floats[0], floats[1]
    sort_up(costs, order, size)
    for c in range(size):
        old_candidates[c], old_parents[c] = candidates[c], parents[c]
        old_gains[c], old_costs[c] = gains[c], costs[c]
    total_gain = frame_numbers[GAIN]
    total_cost = frame_numbers[COST]
    count = 0
    for place in range(size):
        c = order[place]
        candidate = old_candidates[c]
        gain = old_gains[c]
        cost = old_costs[c]
        if (
            prices[candidate] >= 0.0
            and gain >= total_gain - TINY
            and cost >= total_cost - TINY
            and (not exact_covers or same_cover(candidate, -1, covered, columns, n_words))
        ):
            continue
        copied = False
        back = count - 1
        while prices[candidate] >= 0.0 and back >= 0 and costs[back] >= cost - TINY:
            other = candidates[back]
            if (
                abs(gains[back] - gain) <= TINY
                and prices[other] >= 0.0
                and same_cover(candidate, other, covered, columns, n_words)
            ):
                copied = True
                if prices[candidate] < prices[other]:
                    candidates[back] = candidate
                    parents[back] = old_parents[c]
                break
            back -= 1
        back = count - 1
        while not exact_covers and not copied and back >= 0:
            other = candidates[back]
            if chains[other] == chains[candidate]:
                copied = gains[back] >= gain - TINY and prices[other] <= prices[candidate] and prices[other] >= 0.0
                break
            back -= 1
        if not copied:
            candidates[count] = candidate
            parents[count] = old_parents[c]
            gains[count] = gain
            costs[count] = cost
            count += 1
    return count


@compiled(
    U2, F1, I1, I1, U1, I1, INT, I1, I1, U2, I1, I1, U2, F2, F3, BYTES, I1, U1
)
def repack(
    rows, weights, old_ids, words, covered, candidates, size, counts, ids, columns, new_words, terms, masks, values,
    tables, used_blocks, spread, block,
):
    """Pack the covered samples anew, into fewer words, for the features in use; covered then covers them all."""
    count = 0
    for section in range(3):
        for word in range(words[section], words[section + 1]):
            bits = covered[word]
            while bits != np.uint64(0):
                ids[count] = old_ids[word * 64 + np.int64(lowest_bit(bits))]
                count += 1
                bits &= bits - np.uint64(1)
    for feature_block in range(used_blocks.shape[0]):
        used_blocks[feature_block] = 0
    for c in range(size):
        used_blocks[candidates[c] >> 6] = 1
    select_samples(
        rows, weights, ids, counts, used_blocks, columns, new_words, terms, masks, values, tables, block
    )
    # From now on a bit's place says which sample it is: spread the identifiers over the words.
    count = 0
    for section in range(3):
        place = 64 * new_words[section]
        left = counts[section]
        for word in range(new_words[section], new_words[section + 1]):
            covered[word] = ~np.uint64(0) if left >= 64 else (np.uint64(1) << np.uint64(left)) - np.uint64(1)
            left -= 64
        for _ in range(counts[section]):
            spread[place] = ids[count]
            place += 1
            count += 1
    for place in range(64 * new_words[3]):
        ids[place] = spread[place]


@compiled(
    U2, F1, F1, F, I1, INT, INT, I1, F1, I2, F2, I2, I2, F2, F2, F2, I2, U3, U2, F3, F3, I2, I1, I1, F1, F1, F2, F2,
    I1, U2, I1, I1, I1, U2, F2, F3, U3, I2, I2, I2, U3, F3, F4, F1, I2, I2, F2, U2, BYTES, outer=True,
)
def search(
    rows, weights, prices, least_price, chains, max_conditions, budget, state, numbers, frames, frame_numbers,
    frame_candidates, frame_parents, frame_gains, frame_costs, frame_prices, frame_chains, frame_columns,
    frame_covered, pair_gains, pair_costs, frame_dominated, rule, root_candidates, root_gains, root_costs,
    root_pair_gains, root_pair_costs, root_dominated, root_columns, root_words, root_ids, root_terms, root_masks,
    root_values, root_tables, level_columns, level_words, level_ids, level_terms, level_masks, level_values,
    level_tables, found_values, found_rules, ints, floats, bits, used_blocks,
):
    """Continue the search below some conditions until it is finished, the budget is spent or the room is full.

    Frame 0 is the root: the search goes below its candidates from CHILD on, up to the state's LAST (exclusive). What
    is named root is shared by all searches and only read here."""
    spent_at = state[WORK] + budget
    depth = state[DEPTH]
    counts = np.zeros(3, np.int64)
    top = np.empty((max_conditions + 1, 2))
    while True:
        if depth > 0:
            frame = frames[depth]
            size = frame[SIZE]
            level = frame[LEVEL]
            further = max_conditions - depth - 2
            if frame[ROW] < size - 1:
                if level == 0:
                    words = root_words
                    terms, masks, values, tables = root_terms, root_masks, root_values, root_tables
                else:
                    words = level_words[level - 1]
                    terms, masks = level_terms[level - 1], level_masks[level - 1]
                    values, tables = level_values[level - 1], level_tables[level - 1]
                up_pair_gains = root_pair_gains if depth == 1 else pair_gains[depth - 2]
                own = min(depth, pair_gains.shape[0]) - 1
                frame[ROW] = weigh_rows(
                    frame[ROW], size - 1, size, further, frame_numbers[depth], frame_candidates[depth],
                    frame_gains[depth], frame_costs[depth], frame_prices[depth], frame_chains[depth],
                    frame_columns[depth], frame_covered[depth], words, terms, masks, values, tables, True,
                    frame_parents[depth], up_pair_gains, least_price, state, numbers,
                    found_values, found_rules, rule, depth, spent_at, pair_gains[own], pair_costs[own],
                    frame_dominated[depth], ints, floats, bits,
                )
                if frame[ROW] < size - 1:
                    state[DEPTH] = depth
                    return PAUSED if state[WORK] > spent_at else FULL
            # All pairs are weighed: go on to the children, if rules may be that long.
            if further < 2 or frame[CHILD] >= size - 2:
                depth -= 1
                continue
        elif frames[0, CHILD] >= state[LAST]:
            state[DEPTH] = 0
            return FINISHED
        # Open the next child of the frame: its candidates are the later ones that live together with it.
        if depth == 0:
            up_candidates, up_gains, up_costs = root_candidates, root_gains, root_costs
            up_pair_gains, up_pair_costs, dominated = root_pair_gains, root_pair_costs, root_dominated
        else:
            up_candidates, up_gains, up_costs = frame_candidates[depth], frame_gains[depth], frame_costs[depth]
            up_pair_gains, up_pair_costs = pair_gains[depth - 1], pair_costs[depth - 1]
            dominated = frame_dominated[depth]
        child = depth + 1
        candidates, parents = frame_candidates[child], frame_parents[child]
        gains, costs = frame_gains[child], frame_costs[child]
        start = frames[depth, CHILD]
        s, size = next_child(
            start, state[LAST] if depth == 0 else frames[depth, SIZE] - 2, frames[depth, SIZE],
            max_conditions - depth - 2, frame_numbers[depth, PRICE], up_candidates, up_costs, up_pair_gains,
            up_pair_costs, dominated, candidates, parents, gains, costs, prices, least_price, chains, state, numbers,
            ints, floats, top,
        )
        frames[depth, CHILD] = s + 1
        if size < 2:
            continue
        condition = up_candidates[s]
        frame_numbers[child, GAIN] = up_gains[s]
        frame_numbers[child, COST] = up_costs[s]
        frame_numbers[child, PRICE] = frame_numbers[depth, PRICE] + prices[condition]
        level = frames[depth, LEVEL]
        covered = frame_covered[child]
        if level == 0:
            columns, words = root_columns, root_words
        else:
            columns, words = level_columns[level - 1], level_words[level - 1]
        n_words = 0
        for section in range(3):
            counts[section] = 0
            for word in range(words[section], words[section + 1]):
                covered[word] = frame_covered[depth, word] & columns[word, condition]
                counts[section] += np.int64(popcount(covered[word]))
            n_words += (counts[section] + 63) // 64
        size = arrange(
            size, candidates, parents, gains, costs, frame_numbers[child], covered, columns, words[3], prices,
            chains, state[LISTING] == 1, ints, floats,
        )
        if size < 2:
            continue
        state[NODES] += 1
        if size >= 6 and n_words <= 0.7 * words[3] and level < level_columns.shape[0]:
            repack(
                rows, weights, root_ids if level == 0 else level_ids[level - 1], words, covered, candidates, size,
                counts, level_ids[level], level_columns[level], level_words[level], level_terms[level],
                level_masks[level], level_values[level], level_tables[level], used_blocks, ints[0], bits[2],
            )
            columns, words = level_columns[level], level_words[level]
            state[WORK] += n_words * 200
            level += 1
        rule[depth] = condition
        depth = child
        frames[depth, SIZE] = size
        frames[depth, ROW] = 0
        frames[depth, CHILD] = 0
        frames[depth, LEVEL] = level
        for c in range(size):
            frame_prices[depth, c] = prices[candidates[c]]
            frame_chains[depth, c] = chains[candidates[c]]
            frame_dominated[depth, c] = 0
        for word in range(words[3]):
            for c in range(size):
                frame_columns[depth, word, c] = columns[word, candidates[c]]
