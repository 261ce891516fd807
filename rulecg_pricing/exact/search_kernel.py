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

from rulecg_kernels.compiler import I1, INT, U1, compiled, lowest_bit, popcount

from .bits import pack_samples
from .pruning import arrange, plausible, promising
from .record_types import ABOVE, CANDIDATES, GIVEN, LEVELS, PACKED, PROGRESS, ROOT, SCRATCH, TREE
from .records import Above, Ahead, Candidates, Node, Packed
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
    PAUSED,
    PRICE,
    ROW,
    SIZE,
    WORK,
)
from .weighing import weigh_rows


@compiled(GIVEN, ABOVE, CANDIDATES, PROGRESS, SCRATCH, INT, INT)
def _next_child(given, above, candidates, progress, scratch, first, last):
    """The first child from ``first`` on that is worth entering, and how many candidates it has: below 2 for none."""
    conditions, parents, gains, costs = candidates.conditions, candidates.parents, candidates.gains, candidates.costs
    state, kept = progress.state, scratch.ints[0]
    for s in range(first, last):
        if above.dominated[s]:
            continue
        price = above.price + given.prices[above.conditions[s]]
        size = 0
        for j in range(s + 1, above.size):
            if above.pair_gains[s, j] != DEAD and not above.dominated[j]:
                conditions[size] = above.conditions[j]
                parents[size] = j
                gains[size] = above.pair_gains[s, j]
                costs[size] = above.pair_costs[s, j]
                size += 1
        state[WORK] += above.size - s
        # The cheap test first, until it drops no more; then the sweep, once.
        swept = False
        while size >= 2:
            ahead = Ahead(size, above.further, price, above.costs[s], progress.numbers[CUT])
            count = plausible(given, candidates, ahead, scratch)
            state[WORK] += 2 * size
            if count == size:
                if swept:
                    break
                promising(given, candidates, ahead, scratch)
                state[WORK] += 4 * size
                swept = True
            old_size = size
            size = 0
            for c in range(old_size):
                conditions[size] = conditions[c]
                parents[size] = parents[c]
                gains[size] = gains[c]
                costs[size] = costs[c]
                size += kept[c]
            if swept and size == old_size:
                break
        if size >= 2:
            return s, size
    return last - 1, 0


@compiled(GIVEN, PACKED, PACKED, U1, I1, INT, SCRATCH)
def _repack(given, old, new, covered, conditions, size, scratch):
    """Pack the covered samples anew, into fewer words, for the conditions in use; covered then covers them all."""
    count = 0
    for section in range(3):
        for word in range(old.words[section], old.words[section + 1]):
            bits = covered[word]
            while bits != np.uint64(0):
                new.ids[count] = old.ids[word * 64 + np.int64(lowest_bit(bits))]
                count += 1
                bits &= bits - np.uint64(1)
    for feature_block in range(scratch.used_blocks.shape[0]):
        scratch.used_blocks[feature_block] = 0
    for c in range(size):
        scratch.used_blocks[conditions[c] >> 6] = 1
    pack_samples(given, new, covered, scratch)


@compiled(ROOT, LEVELS, INT)
def _packed_at(root, levels, level):
    """The samples as a level has them; level 0 is the root's."""
    if level == 0:
        return root.packed
    at = level - 1
    return Packed(
        levels.columns[at], levels.words[at], levels.ids[at], levels.terms[at], levels.masks[at], levels.values[at],
        levels.tables[at],
    )  # fmt: skip


@compiled(GIVEN, ROOT, TREE, LEVELS, PROGRESS, SCRATCH, INT)
def _weigh_node(given, root, tree, levels, progress, scratch, spent_at):
    """Weigh the pairs of the node where the search is, as far as budget and room go; whether all are weighed."""
    depth = progress.state[DEPTH]
    frame = tree.frames[depth]
    own = min(depth, tree.pair_gains.shape[0]) - 1
    node = Node(
        frame[SIZE],
        depth,
        given.max_conditions - depth - 2,
        given.least_price,
        tree.numbers[depth],
        Candidates(tree.conditions[depth], tree.parents[depth], tree.gains[depth], tree.costs[depth]),
        tree.prices[depth],
        tree.chains[depth],
        tree.columns[depth],
        tree.covered[depth],
        tree.pair_gains[own],
        tree.pair_costs[own],
        tree.dominated[depth],
        True,
        root.pair_gains if depth == 1 else tree.pair_gains[depth - 2],
    )
    packed = _packed_at(root, levels, frame[LEVEL])
    frame[ROW] = weigh_rows(node, packed, progress, scratch, frame[ROW], frame[SIZE] - 1, spent_at)
    return frame[ROW] >= frame[SIZE] - 1


@compiled(GIVEN, ROOT, TREE, INT)
def _as_above(given, root, tree, depth):
    """A node whose pairs are weighed, as its children see it."""
    size, further, price = tree.frames[depth, SIZE], given.max_conditions - depth - 2, tree.numbers[depth, PRICE]
    if depth == 0:
        known = root.candidates
        return Above(
            size, further, price, known.conditions, known.gains, known.costs, root.pair_gains, root.pair_costs,
            root.dominated,
        )  # fmt: skip
    return Above(
        size, further, price, tree.conditions[depth], tree.gains[depth], tree.costs[depth], tree.pair_gains[depth - 1],
        tree.pair_costs[depth - 1], tree.dominated[depth],
    )  # fmt: skip


@compiled(GIVEN, ROOT, TREE, LEVELS, PROGRESS, SCRATCH)
def _open_child(given, root, tree, levels, progress, scratch):
    """Look for the next child of the node where the search is, and enter it if it has pairs."""
    depth, child = progress.state[DEPTH], progress.state[DEPTH] + 1
    above = _as_above(given, root, tree, depth)
    # Its candidates are the later ones that live together with it.
    candidates = Candidates(tree.conditions[child], tree.parents[child], tree.gains[child], tree.costs[child])
    last = progress.state[LAST] if depth == 0 else above.size - 2
    s, size = _next_child(given, above, candidates, progress, scratch, tree.frames[depth, CHILD], last)
    tree.frames[depth, CHILD] = s + 1
    if size < 2:
        return
    condition = above.conditions[s]
    tree.numbers[child, GAIN] = above.gains[s]
    tree.numbers[child, COST] = above.costs[s]
    tree.numbers[child, PRICE] = above.price + given.prices[condition]
    level = tree.frames[depth, LEVEL]
    packed = _packed_at(root, levels, level)
    covered, words, counts = tree.covered[child], packed.words, scratch.counts
    n_words = 0
    for section in range(3):
        counts[section] = 0
        for word in range(words[section], words[section + 1]):
            covered[word] = tree.covered[depth, word] & packed.columns[word, condition]
            counts[section] += np.int64(popcount(covered[word]))
        n_words += (counts[section] + 63) // 64
    size = arrange(given, candidates, size, tree.numbers[child], covered, packed, scratch)
    if size < 2:
        return
    if size >= 6 and n_words <= 0.7 * words[3] and level < levels.columns.shape[0]:
        level += 1
        fewer = _packed_at(root, levels, level)
        _repack(given, packed, fewer, covered, candidates.conditions, size, scratch)
        packed = fewer
        progress.state[WORK] += n_words * 200
    progress.rule[depth] = condition
    progress.state[DEPTH] = child
    tree.frames[child, SIZE], tree.frames[child, LEVEL] = size, level
    tree.frames[child, ROW], tree.frames[child, CHILD] = 0, 0
    for c in range(size):
        tree.prices[child, c] = given.prices[candidates.conditions[c]]
        tree.chains[child, c] = given.chains[candidates.conditions[c]]
        tree.dominated[child, c] = 0
    progress.state[WORK] += size * (1 + packed.words[3])
    for word in range(packed.words[3]):
        for c in range(size):
            tree.columns[child, word, c] = packed.columns[word, candidates.conditions[c]]


@compiled(GIVEN, ROOT, TREE, LEVELS, PROGRESS, SCRATCH, INT, outer=True)
def search(given, root, tree, levels, progress, scratch, budget):
    """Continue the search below some conditions until it is finished, the budget is spent or the room is full.

    Frame 0 is the root: the search goes below its candidates from CHILD on, up to the state's LAST (exclusive)."""
    state = progress.state
    spent_at = state[WORK] + budget
    while state[WORK] <= spent_at:
        depth = state[DEPTH]
        if depth > 0:
            frame = tree.frames[depth]
            if frame[ROW] < frame[SIZE] - 1 and not _weigh_node(
                given, root, tree, levels, progress, scratch, spent_at
            ):
                return PAUSED if state[WORK] > spent_at else FULL
            # All pairs are weighed: go on to the children, if rules may be that long.
            if given.max_conditions - depth - 2 < 2 or frame[CHILD] >= frame[SIZE] - 2:
                state[DEPTH] = depth - 1
                continue
        elif tree.frames[0, CHILD] >= state[LAST]:
            return FINISHED
        _open_child(given, root, tree, levels, progress, scratch)
    return PAUSED
