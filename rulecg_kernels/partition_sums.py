"""Compiled sums over packed rows: 64 rows to a word, one line of words per condition."""

# Arguments of compiled functions have the types that the compiler is given.
# mypy: allow-untyped-defs

from __future__ import annotations

import numpy as np
from numba import types

from .compiler import I1, INT, U1, U2, U, compiled, popcount

_BITS = types.Array(types.uint64, 2, "C", readonly=True)
_WORDS = types.Array(types.uint64, 1, "C", readonly=True)
_INTEGERS = types.Array(types.int64, 1, "C", readonly=True)
_RULES = types.Array(types.int64, 2, "C", readonly=True)
MASKS_AT_ONCE = 64
"""So many masks of a block stay in a processor's cache while all conditions pass by."""


@compiled(U1)
def _population(words):
    total = np.uint64(0)
    for at in range(words.shape[0]):
        total += popcount(words[at])
    return np.int64(total)


@compiled(_WORDS, U1, U)
def _common_population(one, other, flip):
    # Slices, and not places in the whole: only then does the compiler count eight words at a time.
    total = np.uint64(0)
    for at in range(other.shape[0]):
        total += popcount((one[at] ^ flip) & other[at])
    return np.int64(total)


# Eight parameters: the bits and what is asked of them are arrays of their own, which change from call to call.
@compiled(_BITS, _INTEGERS, U, U2, INT, _INTEGERS, INT, INT[:, :, ::1], outer=True)
def add_extension_sums(bits, features, flip, masks, start, bounds, factor, sums):
    """Add to ``sums[mask, position, segment]`` how many rows of the segment the mask and the feature at the position
    share, times the factor. Feature -1 stands for all rows; ``bounds`` are where segments begin, in words from
    ``start``; ``flip`` is 0, or all ones to ask for rows without the feature."""
    for first in range(0, masks.shape[0], MASKS_AT_ONCE):
        last = min(first + MASKS_AT_ONCE, masks.shape[0])
        for segment in range(bounds.shape[0] - 1):
            low, high = bounds[segment], bounds[segment + 1]
            if low == high:
                continue
            for position in range(features.shape[0]):
                feature = features[position]
                for at in range(first, last):
                    if feature < 0:
                        count = _population(masks[at, low:high])
                    else:
                        count = _common_population(bits[feature, start + low : start + high], masks[at, low:high], flip)
                    sums[at, position, segment] += factor * count


@compiled(_BITS, U, _RULES, INT, U2, outer=True)
def write_covers(bits, flip, rules, start, covers):
    """Write which rows of a block have every feature of each rule; lines of ``rules`` end with -1 where short."""
    for rule in range(rules.shape[0]):
        for word in range(covers.shape[1]):
            covers[rule, word] = np.uint64(0xFFFFFFFFFFFFFFFF)
        for place in range(rules.shape[1]):
            feature = rules[rule, place]
            if feature < 0:
                continue
            for word in range(covers.shape[1]):
                covers[rule, word] &= bits[feature, start + word] ^ flip


@compiled(U2, U1, outer=True)
def write_signatures(covers, signatures):
    """Write for every row of a block which of at most 64 rules cover it, a bit per rule."""
    for row in range(signatures.shape[0]):
        signatures[row] = np.uint64(0)
    for rule in range(covers.shape[0]):
        for word in range(covers.shape[1]):
            left = covers[rule, word]
            for bit in range(64):
                signatures[64 * word + bit] |= ((left >> np.uint64(bit)) & np.uint64(1)) << np.uint64(rule)


@compiled(_BITS, INT, _INTEGERS, U2, outer=True)
def write_reordered(bits, start, order, reordered):
    """Write the rows of a block in another order: row ``order[i]`` of the block becomes row i, or none where -1."""
    for feature in range(reordered.shape[0]):
        for word in range(reordered.shape[1]):
            made = np.uint64(0)
            for bit in range(64):
                row = order[64 * word + bit]
                if row >= 0:
                    found = bits[feature, start + (row >> 6)] >> np.uint64(row & 63)
                    made |= (found & np.uint64(1)) << np.uint64(bit)
            reordered[feature, word] = made


@compiled(_BITS, I1, U2, outer=True)
def write_rows(bits, rows, lines):
    """Write some rows as lines of their own, 64 features to a word."""
    for at in range(rows.shape[0]):
        word, bit = rows[at] >> 6, np.uint64(rows[at] & 63)
        for place in range(lines.shape[1]):
            lines[at, place] = np.uint64(0)
        for feature in range(bits.shape[0]):
            held = (bits[feature, word] >> bit) & np.uint64(1)
            lines[at, feature >> 6] |= held << np.uint64(feature & 63)
