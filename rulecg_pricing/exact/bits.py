"""Compiled passes over packed samples: select, transpose and weigh 64 samples at a time."""

# Arguments of compiled functions have the types that the compiler is given.
# mypy: allow-untyped-defs

from __future__ import annotations

import numpy as np

from rulecg_kernels.compiler import BYTES, F1, F2, F3, I1, INT, U1, U2, U, compiled, popcount

MOST_TERMS = 6
"""A word with at most this many distinct weights is weighed by counting bits; one with more through tables."""


@compiled(U1)
def transpose_block(block):
    """Transpose a 64 x 64 matrix of bits in place."""
    shift = np.uint64(32)
    mask = np.uint64(0x00000000FFFFFFFF)
    width = 32
    while width > 0:
        start = 0
        while start < 64:
            for row in range(start, start + width):
                swapped = ((block[row] >> shift) ^ block[row + width]) & mask
                block[row] ^= swapped << shift
                block[row + width] ^= swapped
            start += 2 * width
        width >>= 1
        shift >>= np.uint64(1)
        mask ^= mask << shift


@compiled(F1, I1, INT, INT, INT, I1, U2, F2, F3)
def weigh_plan(weights, ids, first, last, word, terms, masks, values, tables):
    """Prepare how the word with the samples ids[first:last] is weighed."""
    count = 0
    for bit in range(last - first):
        weight = abs(weights[ids[first + bit]])
        place = 0
        while place < count and values[word, place] != weight:
            place += 1
        if place == count:
            if count == MOST_TERMS:
                count += 1
                break
            values[word, count] = weight
            masks[word, count] = np.uint64(0)
            count += 1
        masks[word, place] |= np.uint64(1) << np.uint64(bit)
    if count <= MOST_TERMS:
        terms[word] = count
        return
    terms[word] = 0
    for byte in range(8):
        tables[word, byte, 0] = 0.0
        for bit in range(8):
            place = first + 8 * byte + bit
            weight = abs(weights[ids[place]]) if place < last else 0.0
            half = 1 << bit
            for entry in range(half):
                tables[word, byte, half + entry] = tables[word, byte, entry] + weight


@compiled(U, INT, F3)
def look_up(kept, word, tables):
    """The weight of the samples of one word, byte by byte."""
    byte = np.uint64(255)
    low = (tables[word, 0, kept & byte] + tables[word, 1, (kept >> np.uint64(8)) & byte]) + (
        tables[word, 2, (kept >> np.uint64(16)) & byte] + tables[word, 3, (kept >> np.uint64(24)) & byte]
    )
    high = (tables[word, 4, (kept >> np.uint64(32)) & byte] + tables[word, 5, (kept >> np.uint64(40)) & byte]) + (
        tables[word, 6, (kept >> np.uint64(48)) & byte] + tables[word, 7, kept >> np.uint64(56)]
    )
    return low + high


@compiled(U2, F1, I1, I1, BYTES, U2, I1, I1, U2, F2, F3, U1, outer=True)
def select_samples(
    rows, weights, ids, counts, used_blocks, columns, words, terms, masks, values, tables, block
):
    """Pack the given samples anew: columns[word, feature] holds 64 of them; every section starts a new word.

    ``ids`` holds the samples of the sections (gains, costs, weightless) one after the other; ``words`` receives the
    first word of every section and the number of words."""
    word = 0
    start = 0
    for section in range(3):
        words[section] = word
        stop = start + counts[section]
        while start < stop:
            last = min(start + 64, stop)
            if section < 2:
                weigh_plan(weights, ids, start, last, word, terms, masks, values, tables)
            for feature_block in range(rows.shape[1]):
                if not used_blocks[feature_block]:
                    continue
                for bit in range(64):
                    block[bit] = rows[ids[start + bit], feature_block] if start + bit < last else np.uint64(0)
                transpose_block(block)
                for bit in range(64):
                    columns[word, 64 * feature_block + bit] = block[bit]
            word += 1
            start = last
    words[3] = word


@compiled(F1, INT, INT, U1, U2, INT, INT, I1, U2, F2, F3, outer=True)
def weigh_range(total, start, count, covered, columns, first, last, terms, masks, values, tables):
    """Add to total[c] the weight of the covered samples that are in column start + c, for the words first to last."""
    for word in range(first, last):
        bits = covered[word]
        if bits == np.uint64(0):
            continue
        n_terms = terms[word]
        if n_terms > 0:
            for term in range(n_terms):
                value = values[word, term]
                part = bits & masks[word, term]
                for c in range(count):
                    total[c] += value * np.int32(popcount(columns[word, start + c] & part))
        else:
            for c in range(count):
                total[c] += look_up(columns[word, start + c] & bits, word, tables)


@compiled(F1, I1, INT, U1, U2, INT, INT, I1, U2, F2, F3)
def weigh_chosen(total, chosen, count, covered, columns, first, last, terms, masks, values, tables):
    """Add to total[c] the weight of the covered samples that are in column chosen[c], for the words first to last."""
    for word in range(first, last):
        bits = covered[word]
        if bits == np.uint64(0):
            continue
        n_terms = terms[word]
        if n_terms > 0:
            for term in range(n_terms):
                value = values[word, term]
                part = bits & masks[word, term]
                for c in range(count):
                    total[c] += value * np.int32(popcount(columns[word, chosen[c]] & part))
        else:
            for c in range(count):
                total[c] += look_up(columns[word, chosen[c]] & bits, word, tables)
