"""The checker's enumeration finds every conjunction within reach that no other one replaces."""

from itertools import combinations

import numpy as np
import pytest

from rulecg_verify.conjunctions import within_reach
from rulecg_verify.table import Samples


@pytest.mark.parametrize("seed", range(150))
def test_every_conjunction_within_reach_is_found_or_replaced(seed):
    """Of all conjunctions, those within reach cover like a found one that is no longer, or have an idle condition."""
    rng = np.random.default_rng(seed)
    n_conditions, n, n_others = rng.integers(1, 7), rng.integers(1, 8), rng.integers(1, 8)
    holds = rng.random((n + n_others, n_conditions)) < 0.7
    prices, costs = rng.integers(0, 9, n), rng.integers(1, 9, n_others)
    miss, cover = np.concatenate([prices + 1, 0 * costs]), np.concatenate([0 * prices, costs])
    size_price, most, reach = int(rng.integers(0, 4)), int(rng.integers(1, 5)), int(rng.integers(0, 12))
    found: dict[bytes, int] = {}
    for rules, covers, losses in within_reach(
        Samples(holds, miss, cover, 0, ""), prices, costs, size_price, most, reach
    ):
        for rule, packed, loss in zip(rules, covers, losses, strict=True):
            holding = holds[:, rule].all(axis=1)
            assert packed.tobytes() == np.packbits(holding).tobytes()
            assert loss == costs @ holding[n:] - prices @ holding[:n] + size_price * (1 + len(rule)) <= reach
            found[packed.tobytes()] = min(len(rule), found.get(packed.tobytes(), len(rule)))
    for length in range(1, most + 1):
        for rule in map(list, combinations(range(n_conditions), length)):
            holding = holds[:, rule].all(axis=1)
            loss = costs @ holding[n:] - prices @ holding[:n] + size_price * (1 + length)
            shorter = [[other for other in rule if other != left] for left in rule]
            is_idle = any((holds[n:][:, kept].all(axis=1) == holding[n:]).all() for kept in shorter)
            if loss <= reach and not is_idle:
                assert found.get(np.packbits(holding).tobytes(), most + 1) <= length
