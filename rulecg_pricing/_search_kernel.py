"""The compiled depth-first search over conjunctions.

A node is a conjunction; its frame holds the conditions that may still join it (candidates), the negative weight
("gain") and positive weight ("cost") that each would keep, and the same for every pair of them. All pairs are
weighed before any child is entered: so a child knows which of its own pairs are dead before it looks at the data.

Notation in bounds: a rule through the pair (i, j) with q further conditions costs at least
``prices + max(0, cost of the pair - the q largest removals of cost) - gain of the pair``.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from ._bits import lowest_bit, popcount, select_samples, weigh

PAUSED = 0
FINISHED = 1
FULL = 2

# Places in the integer state.
DEPTH, FOUND, WORK, NODES, WEIGHED, LISTING = 0, 1, 2, 3, 4, 5
N_STATE = 8
# Places in the float state.
CUT, RECORD, BEST, SLACK, FOCUS = 0, 1, 2, 3, 4
N_FLOAT = 8
# Places in the integers of a frame.
SIZE, ROW, CHILD, LEVEL, PARENT = 0, 1, 2, 3, 4
N_FRAME = 6
# Places in the floats of a frame.
GAIN, COST, PRICE = 0, 1, 2
TINY = 1e-11


@njit(cache=True, nogil=True)
def record(state, numbers, value, found_values, found_rules, rule, depth, first, second):
    # type: ignore[no-untyped-def]
    """Keep a rule; outside listing, a better rule lowers the cut below which rules are still of interest."""
    place = state[FOUND]
    found_values[place] = value
    for position in range(depth):
        found_rules[place, position] = rule[position]
    found_rules[place, depth] = first
    if second >= 0:
        found_rules[place, depth + 1] = second
    for position in range(depth + (2 if second >= 0 else 1), found_rules.shape[1]):
        found_rules[place, position] = -1
    state[FOUND] = place + 1
    if state[LISTING] == 0 and value < numbers[BEST]:
        numbers[BEST] = value
        numbers[CUT] = min(numbers[CUT], value * numbers[FOCUS] - numbers[SLACK])


@njit(cache=True, nogil=True)
def keep_best(state, numbers, found_values, found_rules, most):
    # type: ignore[no-untyped-def]
    """Forget all but the best rules found, so that the room for found rules never runs out."""
    count = state[FOUND]
    if count <= most:
        return
    order = np.argsort(found_values[:count], kind="mergesort")[:most]
    values = found_values[order].copy()
    rules = found_rules[order].copy()
    found_values[:most] = values
    found_rules[:most] = rules
    state[FOUND] = most
    numbers[RECORD] = values[most - 1]


@njit(cache=True, nogil=True)
def weigh_pairs(
    first_row,
    last_row,
    size,
    further,
    frame_numbers,
    candidates,
    gains,
    costs,
    has_parent,
    parents,
    parent_costs,
    parent_pair_gains,
    parent_pair_costs,
    parent_live,
    covered,
    columns,
    first_words,
    terms,
    masks,
    values,
    tables,
    prices,
    least_price,
    chains,
    state,
    numbers,
    found_values,
    found_rules,
    rule,
    depth,
    most_kept,
    spent_at,
    pair_gains,
    pair_costs,
    live,
    chosen,
    places,
    row_gains,
    row_costs,
    row_bits,
    removals,
):  # type: ignore[no-untyped-def]
    """Weigh candidates first_row to last_row, each with every later one that could still matter; record rules, mark
    live pairs. Returns the row that comes next: before the last when the budget is spent or the room is full."""
    room = found_values.shape[0] - size - 1
    total_cost = frame_numbers[COST]
    for i in range(first_row, last_row):
        if state[FOUND] > room:
            if state[LISTING] == 1:
                return i
            keep_best(state, numbers, found_values, found_rules, most_kept)
        if state[WORK] > spent_at:
            return i
        condition = candidates[i]
        price = frame_numbers[PRICE] + prices[condition]
        # The largest removals of cost by conditions of different chains. Candidates are in order of removal.
        n_removals = 0
        removals[0] = 0.0
        j = 0
        while n_removals < further and j < size:
            fresh = chains[candidates[j]] != chains[condition]
            # In order of removal the first of a chain removes the most; the others of that chain do not count.
            back = j - 1
            while fresh and back >= 0:
                fresh = chains[candidates[back]] != chains[candidates[j]]
                back -= 1
            if fresh:
                removals[n_removals + 1] = removals[n_removals] + max(0.0, total_cost - costs[j])
                n_removals += 1
            j += 1
        while n_removals < further:
            removals[n_removals + 1] = removals[n_removals]
            n_removals += 1

        cut = numbers[CUT]
        n_chosen = 0
        for j in range(i + 1, size):
            other = candidates[j]
            if chains[other] == chains[condition]:
                continue
            gain = min(gains[i], gains[j])
            union = total_cost
            if has_parent:
                if parent_live[parents[i], parents[j]] == 0:
                    continue
                gain = min(gain, parent_pair_gains[parents[i], parents[j]])
                union = min(
                    union,
                    parent_costs[parents[i]] + parent_costs[parents[j]] - parent_pair_costs[parents[i], parents[j]],
                )
            cost = max(0.0, costs[i] + costs[j] - union)
            base = price + prices[other] - gain
            if base + cost >= cut:
                possible = False
                for q in range(1, further + 1):
                    if base + q * least_price + max(0.0, cost - removals[q]) < cut:
                        possible = True
                        break
                if not possible:
                    continue
            chosen[n_chosen] = other
            places[n_chosen] = j
            row_gains[n_chosen] = gain
            row_costs[n_chosen] = 0.0
            n_chosen += 1
        state[WORK] += size - i
        if n_chosen == 0:
            continue
        for word in range(first_words[3]):
            row_bits[word] = covered[word] & columns[word, condition]
        weigh(
            row_costs, chosen, n_chosen, row_bits, columns, first_words[1], first_words[2], terms, masks, values, tables
        )
        state[WORK] += n_chosen * (2 + first_words[3])
        n_kept = 0
        for c in range(n_chosen):
            other = chosen[c]
            base = price + prices[other] - row_gains[c]
            cost = row_costs[c]
            if base + cost >= cut:
                possible = False
                for q in range(1, further + 1):
                    if base + q * least_price + max(0.0, cost - removals[q]) < cut:
                        possible = True
                        break
                if not possible:
                    continue
            chosen[n_kept] = other
            places[n_kept] = places[c]
            row_gains[n_kept] = 0.0
            row_costs[n_kept] = cost
            n_kept += 1
        weigh(row_gains, chosen, n_kept, row_bits, columns, 0, first_words[1], terms, masks, values, tables)
        state[WEIGHED] += n_kept
        for c in range(n_kept):
            j = places[c]
            base = price + prices[chosen[c]] - row_gains[c]
            value = base + row_costs[c]
            if value < numbers[RECORD]:
                record(state, numbers, value, found_values, found_rules, rule, depth, condition, chosen[c])
            for q in range(1, further + 1):
                if base + q * least_price + max(0.0, row_costs[c] - removals[q]) < numbers[CUT]:
                    live[i, j] = 1
                    live[j, i] = 1
                    pair_gains[i, j] = row_gains[c]
                    pair_gains[j, i] = row_gains[c]
                    pair_costs[i, j] = row_costs[c]
                    pair_costs[j, i] = row_costs[c]
                    break
    return last_row


@njit(cache=True, nogil=True)
def sort_up(keys, order, size):
    # type: ignore[no-untyped-def]
    """Fill order[:size] so that the keys come smallest first; equal keys keep their order."""
    if size > 40:
        order[:size] = np.argsort(keys[:size], kind="mergesort")
        return
    for place in range(size):
        key = keys[place]
        back = place
        while back > 0 and keys[order[back - 1]] > key:
            order[back] = order[back - 1]
            back -= 1
        order[back] = place


@njit(cache=True, nogil=True)
def promising(
    size, further, price, candidates, gains, costs, total_cost, prices, least_price, chains, cut, kept, best, top,
    order, losses
):  # type: ignore[no-untyped-def]
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
        # top holds the chains and removals of the q largest removals so far, best[place] = R_q + gain.
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
            for t in range(n_top):
                if top[t, 0] == chain:
                    found = t
                    break
            if found >= 0:
                if removal > top[found, 1]:
                    total += removal - top[found, 1]
                    top[found, 1] = removal
            elif n_top < q:
                top[n_top, 0] = chain
                top[n_top, 1] = removal
                total += removal
                n_top += 1
            else:
                weakest = 0
                for t in range(1, n_top):
                    if top[t, 1] < top[weakest, 1]:
                        weakest = t
                if removal > top[weakest, 1]:
                    total += removal - top[weakest, 1]
                    top[weakest, 0] = chain
                    top[weakest, 1] = removal
            best[place] = total + gains[candidate]
        most = -1e300
        place = last
        while place >= 0:
            candidate = order[place]
            if best[place] > most:
                most = best[place]
            if most > costs[candidate] + price + prices[candidates[candidate]] + q * least_price - cut:
                kept[candidate] = 1
            place -= 1


@njit(cache=True, nogil=True)
def next_child(
    first,
    last,
    up_size,
    further,
    up_price,
    up_candidates,
    up_costs,
    up_pair_gains,
    up_pair_costs,
    up_live,
    candidates,
    parents,
    gains,
    costs,
    prices,
    least_price,
    chains,
    state,
    numbers,
    kept,
    best,
    top,
    order,
    losses,
):  # type: ignore[no-untyped-def]
    """The first child from ``first`` on that is worth entering, and how many candidates it has: below 2 for none."""
    for s in range(first, last):
        price = up_price + prices[up_candidates[s]]
        size = 0
        for j in range(s + 1, up_size):
            if up_live[s, j]:
                candidates[size] = up_candidates[j]
                parents[size] = j
                gains[size] = up_pair_gains[s, j]
                costs[size] = up_pair_costs[s, j]
                size += 1
        state[WORK] += up_size - s
        old_size = size + 1
        while size >= 2 and size < old_size:
            old_size = size
            promising(
                size, further, price, candidates, gains, costs, up_costs[s], prices, least_price, chains,
                numbers[CUT], kept, best, top, order, losses,
            )
            size = 0
            for c in range(old_size):
                if kept[c]:
                    candidates[size] = candidates[c]
                    parents[size] = parents[c]
                    gains[size] = gains[c]
                    costs[size] = costs[c]
                    size += 1
            state[WORK] += 4 * old_size
        if size >= 2:
            return s, size
    return last - 1, 0


@njit(cache=True, nogil=True)
def same_cover(first, second, covered, columns, n_words):
    # type: ignore[no-untyped-def]
    """Whether two conditions keep the same of the covered samples (second = -1: whether the first keeps all)."""
    for word in range(n_words):
        bits = covered[word]
        other = bits if second < 0 else columns[word, second] & bits
        if columns[word, first] & bits != other:
            return False
    return True


@njit(cache=True, nogil=True)
def arrange(
    size, candidates, parents, gains, costs, frame_numbers, covered, columns, n_words, prices, exact_covers, order,
    old_ints, old_floats
):  # type: ignore[no-untyped-def]
    """Sort candidates by removal, largest first; drop those that remove nothing and copies of others. New size."""
    sort_up(costs, order, size)
    old_candidates, old_parents = old_ints[0], old_ints[1]
    old_gains, old_costs = old_floats[0], old_floats[1]
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
        if prices[candidate] >= 0.0 and gain >= total_gain - TINY and cost >= total_cost - TINY:
            if not exact_covers or same_cover(candidate, -1, covered, columns, n_words):
                continue
        copied = False
        back = count - 1
        while back >= 0 and costs[back] >= cost - TINY:
            if abs(gains[back] - gain) <= TINY and same_cover(candidate, candidates[back], covered, columns, n_words):
                if prices[candidate] >= 0.0 and prices[candidates[back]] >= 0.0:
                    copied = True
                    if prices[candidate] < prices[candidates[back]]:
                        candidates[back] = candidate
                        parents[back] = old_parents[c]
                    break
            back -= 1
        if copied:
            continue
        candidates[count] = candidate
        parents[count] = old_parents[c]
        gains[count] = gain
        costs[count] = cost
        count += 1
    return count


@njit(cache=True, nogil=True)
def search(
    rows,
    weights,
    prices,
    least_price,
    chains,
    max_conditions,
    most_kept,
    budget,
    state,
    numbers,
    frames,
    frame_numbers,
    frame_candidates,
    frame_parents,
    frame_gains,
    frame_costs,
    frame_covered,
    pair_gains,
    pair_costs,
    live,
    rule,
    root_candidates,
    root_gains,
    root_costs,
    root_pair_gains,
    root_pair_costs,
    root_live,
    root_columns,
    root_words,
    root_ids,
    root_terms,
    root_masks,
    root_values,
    root_tables,
    level_columns,
    level_words,
    level_ids,
    level_terms,
    level_masks,
    level_values,
    level_tables,
    found_values,
    found_rules,
    scratch_ints,
    scratch_floats,
    scratch_bits,
    used_blocks,
):  # type: ignore[no-untyped-def]
    """Continue the search below one condition until it is finished, the budget is spent or the room is full.

    Frame 0 is the root, shared by all searches and never written here; frames 1 and deeper belong to this search.
    State DEPTH = 0 with frame 0's CHILD set asks to open that child of the root first."""
    spent_at = state[WORK] + budget
    depth = state[DEPTH]
    opening = depth == 0
    counts = np.zeros(3, np.int64)
    chosen = scratch_ints[0]
    places = scratch_ints[1]
    kept = scratch_ints[2]
    order = scratch_ints[4]
    row_gains = scratch_floats[0]
    row_costs = scratch_floats[1]
    best = scratch_floats[2]
    removals = scratch_floats[3]
    losses = scratch_floats[4]
    old_ints = scratch_ints[:2]
    old_floats = scratch_floats[:2]
    top = np.empty((max_conditions + 1, 2))
    row_bits = scratch_bits[0]
    block = scratch_bits[1]
    while True:
        if not opening:
            frame = frames[depth]
            size = frame[SIZE]
            level = frame[LEVEL]
            further = max_conditions - depth - 2
            if frame[ROW] < size - 1:
                if level == 0:
                    columns, words = root_columns, root_words
                    terms, masks, values, tables = root_terms, root_masks, root_values, root_tables
                else:
                    columns, words = level_columns[level - 1], level_words[level - 1]
                    terms, masks = level_terms[level - 1], level_masks[level - 1]
                    values, tables = level_values[level - 1], level_tables[level - 1]
                if depth == 1:
                    up_costs, up_live = root_costs, root_live
                    up_pair_gains, up_pair_costs = root_pair_gains, root_pair_costs
                else:
                    up_costs, up_live = frame_costs[depth - 1], live[depth - 2]
                    up_pair_gains, up_pair_costs = pair_gains[depth - 2], pair_costs[depth - 2]
                own = min(depth, pair_gains.shape[0]) - 1
                frame[ROW] = weigh_pairs(
                    frame[ROW], size - 1, size, further, frame_numbers[depth], frame_candidates[depth],
                    frame_gains[depth], frame_costs[depth], True, frame_parents[depth], up_costs, up_pair_gains,
                    up_pair_costs, up_live, frame_covered[depth], columns, words, terms, masks, values, tables, prices,
                    least_price, chains, state, numbers, found_values, found_rules, rule, depth, most_kept, spent_at,
                    pair_gains[own], pair_costs[own], live[own], chosen, places, row_gains, row_costs, row_bits,
                    removals,
                )
                if frame[ROW] < size - 1:
                    state[DEPTH] = depth
                    return PAUSED if state[WORK] > spent_at else FULL
            # All pairs are weighed: go on to the children, if rules may be that long.
            if further < 1 or frame[CHILD] >= size - 2:
                depth -= 1
                if depth == 0:
                    state[DEPTH] = 0
                    return FINISHED
                continue
        # Open the next child of the frame: its candidates are the later ones that are live together with it.
        if depth == 0:
            up_candidates, up_gains, up_costs = root_candidates, root_gains, root_costs
            up_pair_gains, up_pair_costs, up_live = root_pair_gains, root_pair_costs, root_live
        else:
            up_candidates, up_gains, up_costs = frame_candidates[depth], frame_gains[depth], frame_costs[depth]
            up_pair_gains, up_pair_costs, up_live = pair_gains[depth - 1], pair_costs[depth - 1], live[depth - 1]
        child = depth + 1
        further = max_conditions - depth - 2
        candidates = frame_candidates[child]
        parents = frame_parents[child]
        gains = frame_gains[child]
        costs = frame_costs[child]
        start = frames[depth, CHILD]
        s, size = next_child(
            start, start + 1 if opening else frames[depth, SIZE] - 2, frames[depth, SIZE], further,
            frame_numbers[depth, PRICE], up_candidates, up_costs, up_pair_gains, up_pair_costs, up_live, candidates,
            parents, gains, costs, prices, least_price, chains, state, numbers, kept, best, top, order, losses,
        )
        frames[depth, CHILD] = s + 1
        if size < 2:
            if opening:
                return FINISHED
            continue
        opening = False
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
        counts[:] = 0
        for section in range(3):
            for word in range(words[section], words[section + 1]):
                covered[word] = frame_covered[depth, word] & columns[word, condition]
                counts[section] += popcount(covered[word])
        size = arrange(
            size, candidates, parents, gains, costs, frame_numbers[child], covered, columns, words[3], prices,
            state[LISTING] == 1, order, old_ints, old_floats,
        )
        if size < 2:
            if depth == 0:
                return FINISHED
            continue
        state[NODES] += 1
        n_words = 0
        for section in range(3):
            n_words += (counts[section] + 63) // 64
        if size >= 6 and n_words <= 0.7 * words[3] and level < level_columns.shape[0]:
            # The node's samples fill far fewer words when packed anew.
            old_ids = root_ids if level == 0 else level_ids[level - 1]
            ids = level_ids[level]
            count = 0
            for section in range(3):
                for word in range(words[section], words[section + 1]):
                    bits = covered[word]
                    while bits != np.uint64(0):
                        ids[count] = old_ids[word * 64 + np.int64(lowest_bit(bits))]
                        count += 1
                        bits &= bits - np.uint64(1)
            used_blocks[:] = 0
            for c in range(size):
                used_blocks[candidates[c] >> 6] = 1
            level_words[level] = select_samples(
                rows, weights, ids, counts, used_blocks, level_columns[level], level_terms[level],
                level_masks[level], level_values[level], level_tables[level], block,
            )
            # From now on a bit's place says which sample it is: spread the identifiers over the words.
            count = 0
            spread = scratch_ints[3]
            for section in range(3):
                place = 64 * level_words[level, section]
                for _ in range(counts[section]):
                    spread[place] = ids[count]
                    place += 1
                    count += 1
            for place in range(64 * level_words[level, 3]):
                ids[place] = spread[place]
            for section in range(3):
                left = counts[section]
                for word in range(level_words[level, section], level_words[level, section + 1]):
                    covered[word] = ~np.uint64(0) if left >= 64 else (np.uint64(1) << np.uint64(left)) - np.uint64(1)
                    left -= 64
            state[WORK] += count * (1 + used_blocks.sum())
            level += 1
        rule[depth] = condition
        depth = child
        frames[depth, SIZE] = size
        frames[depth, ROW] = 0
        frames[depth, CHILD] = 0
        frames[depth, LEVEL] = level
        if further > 1:
            own_live = live[depth - 1]
            for a in range(size):
                for b in range(size):
                    own_live[a, b] = 0
