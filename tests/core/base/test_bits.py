"""Packed bits count and add up as the plain ones do."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rulecg_core.base import bits
from rulecg_core.base.bits import as_words, bit_count, covered_sums, number_equal_lines, population

seeds = st.integers(0, 2**32 - 1)


@given(seed=seeds, n_lines=st.integers(0, 6), width=st.integers(0, 1_100))
def test_sums_over_set_bits_are_those_of_the_plain_matrix(seed, n_lines, width):
    """However many entries, and whatever their values, each line adds up to its own."""
    rng = np.random.default_rng(seed)
    plain, values = rng.random((n_lines, width)) < 0.4, rng.normal(size=width)
    found = covered_sums(np.packbits(plain, axis=1), values)
    np.testing.assert_allclose(found, plain.astype(float) @ values, atol=1e-9)


@given(seed=seeds, width=st.integers(0, 300))
def test_bits_are_counted(seed, width):
    """The number of set bits is that of the plain vector."""
    plain = np.random.default_rng(seed).random(width) < 0.5
    assert bit_count(np.packbits(plain)) == plain.sum()


@pytest.mark.parametrize("has_instruction", [True, False])
def test_every_word_has_its_own_population(has_instruction, monkeypatch):
    """With and without NumPy's own instruction, in any shape."""
    if not has_instruction:
        monkeypatch.delattr(np, "bitwise_count", raising=False)
    words = np.random.default_rng(0).integers(0, 2**64, size=(3, 4), dtype=np.uint64)
    words[0, 0], words[0, 1] = 0, 2**64 - 1
    expected = [[bin(int(word)).count("1") for word in line] for line in words]
    assert population(words).tolist() == expected


@pytest.mark.parametrize("hashes_collide", [False, True])
@given(seed=seeds, n_lines=st.integers(1, 60), width=st.integers(0, 20))
def test_equal_lines_have_equal_numbers_in_order_of_appearance(hashes_collide, seed, n_lines, width):
    """Two lines share a number exactly if they are equal, even when all hashes collide."""
    lines = np.random.default_rng(seed).integers(0, 2, (n_lines, width), dtype=np.uint8)
    with pytest.MonkeyPatch.context() as patch:
        if hashes_collide:
            patch.setattr(bits, "line_hashes", lambda words: np.zeros(len(words), dtype=np.uint64))
        first, number = number_equal_lines(lines)
    seen = {}
    expected = [seen.setdefault(line.tobytes(), len(seen)) for line in lines]
    assert number.tolist() == expected
    assert first.tolist() == [expected.index(each) for each in range(len(seen))]


def test_words_are_padded_with_zeros():
    """Lines of bytes keep their bits; what is missing to a whole word is zero."""
    words = as_words(np.array([[255, 1, 0], [0, 0, 0]], dtype=np.uint8))
    assert words.shape == (2, 1)
    assert population(words).tolist() == [[9], [0]]
