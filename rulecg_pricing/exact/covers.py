"""Compiled comparison of covers: which rules cover the same samples."""

# Arguments of compiled functions have the types that the compiler is given.
# mypy: allow-untyped-defs

from __future__ import annotations

import numpy as np

from rulecg_kernels.compiler import I1, I2, INT, U1, U2, compiled


@compiled(U2, I2, INT, INT)
def cover_word(columns, rules, rule, word):
    """64 samples of the cover of one rule; rules are padded with -1."""
    bits = columns[rules[rule, 0], word]
    for position in range(1, rules.shape[1]):
        if rules[rule, position] >= 0:
            bits &= columns[rules[rule, position], word]
    return bits


@compiled(U2, I2, U1, outer=True)
def hash_covers(columns, rules, hashes):
    """Fill in a number for each rule: equal for equal covers, and hardly ever for others."""
    for rule in range(rules.shape[0]):
        number = np.uint64(0x9E3779B97F4A7C15)
        for word in range(columns.shape[1]):
            # Covers differ in few bits: only a full mix between words keeps one difference from undoing another.
            number = (number ^ cover_word(columns, rules, rule, word)) * np.uint64(0xFF51AFD7ED558CCD)
            number = (number ^ (number >> np.uint64(32))) * np.uint64(0xC4CEB9FE1A85EC53)
            number = (number ^ (number >> np.uint64(29))) * np.uint64(0x9E3779B97F4A7C15)
            number ^= number >> np.uint64(32)
        hashes[rule] = number


@compiled(U2, I2, I1, outer=True)
def all_as_first(columns, rules, first):
    """Whether every rule r covers exactly what rule first[r] covers."""
    for rule in range(rules.shape[0]):
        if first[rule] != rule:
            for word in range(columns.shape[1]):
                if cover_word(columns, rules, rule, word) != cover_word(columns, rules, first[rule], word):
                    return False
    return True
