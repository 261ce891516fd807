"""Compiled passes over packed samples: select, transpose and weigh 64 samples at a time."""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba import njit, types
from numba.extending import intrinsic

MOST_TERMS = 6
"""A word with at most this many distinct weights is weighed by counting bits; one with more through tables."""
ALL_BITS = np.uint64(0xFFFFFFFFFFFFFFFF)


@intrinsic  # type: ignore[untyped-decorator]
def popcount(typing_context: Any, word: Any) -> Any:
    """The number of set bits of a 64-bit word."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.ctpop(arguments[0])

    return types.uint64(types.uint64), generate


@intrinsic  # type: ignore[untyped-decorator]
def lowest_bit(typing_context: Any, word: Any) -> Any:
    """The position of the lowest set bit of a word that is not 0."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.cttz(arguments[0], ir.Constant(ir.IntType(1), 1))

    return types.uint64(types.uint64), generate


@njit(cache=True, nogil=True)
def transpose_block(block):  # type: ignore[no-untyped-def]
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


@njit(cache=True, nogil=True)
def weigh_plan(weights, ids, first, last, terms, masks, values, table):  # type: ignore[no-untyped-def]
    """Prepare how one word with the samples ids[first:last] is weighed; returns nothing, fills the word's entries."""
    count = 0
    for bit in range(last - first):
        weight = abs(weights[ids[first + bit]])
        place = 0
        while place < count and values[place] != weight:
            place += 1
        if place == count:
            if count == MOST_TERMS:
                count += 1
                break
            values[count] = weight
            masks[count] = np.uint64(0)
            count += 1
        masks[place] |= np.uint64(1) << np.uint64(bit)
    if count <= MOST_TERMS:
        terms[0] = count
        return
    terms[0] = 0
    for byte in range(8):
        row = table[byte]
        row[0] = 0.0
        for bit in range(8):
            place = first + 8 * byte + bit
            weight = abs(weights[ids[place]]) if place < last else 0.0
            half = 1 << bit
            for entry in range(half):
                row[half + entry] = row[entry] + weight


@njit(cache=True, nogil=True)
def select_samples(
    rows, weights, ids, sections, used_blocks, columns, terms, masks, values, tables, block
):  # type: ignore[no-untyped-def]
    """Pack the given samples anew: columns[word, feature] holds 64 of them; every section starts a new word.

    ``ids`` holds the samples of the sections (gains, costs, weightless) one after the other. Returns the first word
    of every section and the number of words."""
    first_words = np.zeros(4, np.int64)
    word = 0
    start = 0
    for section in range(3):
        first_words[section] = word
        stop = start + sections[section]
        while start < stop:
            last = min(start + 64, stop)
            if section < 2:
                weigh_plan(
                    weights, ids, start, last, terms[word : word + 1], masks[word], values[word], tables[word]
                )
            for feature_block in range(rows.shape[1]):
                if not used_blocks[feature_block]:
                    continue
                # Bit b of the transposed row f must be sample b: rows go in as they are.
                for bit in range(64):
                    block[bit] = rows[ids[start + bit], feature_block] if start + bit < last else np.uint64(0)
                transpose_block(block)
                for bit in range(64):
                    columns[word, 64 * feature_block + bit] = block[bit]
            word += 1
            start = last
    first_words[3] = word
    return first_words


@njit(cache=True, nogil=True)
def weigh(total, chosen, n_chosen, covered, columns, first, last, terms, masks, values, tables):
    # type: ignore[no-untyped-def]
    """Add to total[j] the weight of the covered samples that have feature chosen[j]."""
    for word in range(first, last):
        bits = covered[word]
        if bits == np.uint64(0):
            continue
        column = columns[word]
        n_terms = terms[word]
        if n_terms == 1:
            value = values[word, 0]
            for j in range(n_chosen):
                total[j] += value * popcount(column[chosen[j]] & bits)
        elif n_terms > 1:
            for j in range(n_chosen):
                kept = column[chosen[j]] & bits
                weight = 0.0
                for term in range(n_terms):
                    weight += values[word, term] * popcount(kept & masks[word, term])
                total[j] += weight
        else:
            table = tables[word]
            byte = np.uint64(255)
            for j in range(n_chosen):
                kept = column[chosen[j]] & bits
                low = (table[0, kept & byte] + table[1, (kept >> np.uint64(8)) & byte]) + (
                    table[2, (kept >> np.uint64(16)) & byte] + table[3, (kept >> np.uint64(24)) & byte]
                )
                high = (table[4, (kept >> np.uint64(32)) & byte] + table[5, (kept >> np.uint64(40)) & byte]) + (
                    table[6, (kept >> np.uint64(48)) & byte] + table[7, kept >> np.uint64(56)]
                )
                total[j] += low + high
