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

from rulecg_kernels.compiler import (
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
)

from .bits import select_samples
from .pruning import arrange, plausible, promising
from .search_state import (
    CHILD,
    COST,
    CUT,
    DEAD,
    DEPTH,
    FINISHED,
    FULL,
    GAIN,
    LAST,
    LEVEL,
    LISTING,
    PAUSED,
    PRICE,
    ROW,
    SIZE,
    WORK,
)
from .weighing import weigh_rows


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
    U2, F1, F1, F1, F, I1, INT, INT, I1, F1, I2, F2, I2, I2, F2, F2, F2, I2, U3, U2, F3, F3, I2, I1, I1, F1, F1, F2, F2,
    I1, U2, I1, I1, I1, U2, F2, F3, U3, I2, I2, I2, U3, F3, F4, F1, I2, I2, F2, U2, BYTES, outer=True,
)
def search(
    rows, weights, prices, lengths, least_price, chains, max_conditions, budget, state, numbers, frames, frame_numbers,
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
            lengths, chains, state[LISTING] == 1, ints, floats,
        )
        if size < 2:
            continue
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
