"""Compiled passes over packed samples: select, transpose and weigh 64 samples at a time."""

# Arguments of compiled functions have the types that the compiler is given.
# mypy: allow-untyped-defs

from __future__ import annotations

import numpy as np

from rulecg_kernels.compiler import F1, F3, I1, INT, U1, U2, U, compiled, popcount

from .record_types import GIVEN, PACKED, SCRATCH
from .search_state import MOST_TERMS


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


@compiled(F1, PACKED, INT, INT, INT)
def weigh_plan(weights, packed, first, last, word):
    """Prepare how the word with the samples ids[first:last] is weighed."""
    ids, terms, masks, values, tables = packed.ids, packed.terms, packed.masks, packed.values, packed.tables
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


@compiled(GIVEN, PACKED, SCRATCH)
def _select_samples(given, packed, scratch):
    """Pack samples anew: columns[word, condition] holds 64 of them; every section starts a new word.

    ``packed.ids`` holds the samples of the sections one after the other, ``scratch.counts`` how many each has."""
    rows, ids, columns, words, block = given.rows, packed.ids, packed.columns, packed.words, scratch.bits[2]
    word = 0
    start = 0
    for section in range(3):
        words[section] = word
        stop = start + scratch.counts[section]
        while start < stop:
            last = min(start + 64, stop)
            if section < 2:
                weigh_plan(given.weights, packed, start, last, word)
            for feature_block in range(rows.shape[1]):
                if not scratch.used_blocks[feature_block]:
                    continue
                for bit in range(64):
                    block[bit] = rows[ids[start + bit], feature_block] if start + bit < last else np.uint64(0)
                transpose_block(block)
                for bit in range(64):
                    columns[word, 64 * feature_block + bit] = block[bit]
            word += 1
            start = last
    words[3] = word


@compiled(GIVEN, PACKED, U1, SCRATCH, outer=True)
def pack_samples(given, packed, covered, scratch):
    """Pack the samples in ``packed.ids`` anew, for the conditions in use; covered then covers them all.

    From then on a bit's place says which sample it is: the identifiers are spread over the words."""
    _select_samples(given, packed, scratch)
    counts, ids, words, spread = scratch.counts, packed.ids, packed.words, scratch.ints[0]
    count = 0
    for section in range(3):
        place = 64 * words[section]
        left = counts[section]
        for word in range(words[section], words[section + 1]):
            covered[word] = ~np.uint64(0) if left >= 64 else (np.uint64(1) << np.uint64(left)) - np.uint64(1)
            left -= 64
        for _ in range(counts[section]):
            spread[place] = ids[count]
            place += 1
            count += 1
    for place in range(64 * words[3]):
        ids[place] = spread[place]


@compiled(F1, INT, INT, U1, U2, PACKED, INT, outer=True)
def weigh_range(total, start, count, covered, columns, packed, section):
    """Add to total[c] the weight of the covered samples of a section that are in column start + c."""
    for word in range(packed.words[section], packed.words[section + 1]):
        bits = covered[word]
        if bits == np.uint64(0):
            continue
        n_terms = packed.terms[word]
        if n_terms > 0:
            for term in range(n_terms):
                value = packed.values[word, term]
                part = bits & packed.masks[word, term]
                for c in range(count):
                    total[c] += value * np.int32(popcount(columns[word, start + c] & part))
        else:
            for c in range(count):
                total[c] += look_up(columns[word, start + c] & bits, word, packed.tables)


@compiled(F1, I1, INT, U1, U2, PACKED, INT)
def weigh_chosen(total, chosen, count, covered, columns, packed, section):
    """Add to total[c] the weight of the covered samples of a section that are in column chosen[c]."""
    for word in range(packed.words[section], packed.words[section + 1]):
        bits = covered[word]
        if bits == np.uint64(0):
            continue
        n_terms = packed.terms[word]
        if n_terms > 0:
            for term in range(n_terms):
                value = packed.values[word, term]
                part = bits & packed.masks[word, term]
                for c in range(count):
                    total[c] += value * np.int32(popcount(columns[word, chosen[c]] & part))
        else:
            for c in range(count):
                total[c] += look_up(columns[word, chosen[c]] & bits, word, packed.tables)
