"""Sketches of rows recognise training rows however they are sorted, cut or mixed, and say how sure that is."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from rulecg.model.origin.fingerprint import Fingerprint
from rulecg.model.origin.row_sketch import EVERY_ROW, MOST_DIGESTS


def people(n_rows: int, seed: int = 0) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    return pd.DataFrame(
        {
            "income": rng.normal(50, 10, n_rows).round(2),
            "job": rng.choice(["nurse", "cook", "smith"], n_rows),
            "member": rng.random(n_rows) < 0.5,
        }
    )


@pytest.mark.parametrize("n_rows", [300, 20_000])
def test_training_rows_are_recognised_in_any_order_and_number(n_rows: int) -> None:
    """Shuffled, minus one row, or halved: all of them were learned from."""
    table = people(n_rows)
    fingerprint = Fingerprint.of(table)
    shuffled = table.sample(frac=1, random_state=1)
    for rows in (shuffled, table.iloc[1:], table.iloc[: n_rows // 2], shuffled.assign(further=1)):
        overlap = fingerprint.overlap(rows)
        assert overlap is not None
        assert overlap.share == 1
        assert overlap.is_beyond_chance


@pytest.mark.parametrize("n_rows", [300, 20_000])
def test_new_rows_are_told_from_training_rows(n_rows: int) -> None:
    """Rows drawn anew overlap no more than chance has it, and half of each gives about a half within its error."""
    table = people(n_rows)
    fingerprint, fresh = Fingerprint.of(table), people(n_rows, seed=1).assign(income=lambda t: t["income"] + 1000)
    new = fingerprint.overlap(fresh)
    assert new is not None
    assert new.share == 0
    assert not new.is_beyond_chance
    mixed = fingerprint.overlap(pd.concat([table.iloc[: n_rows // 2], fresh.iloc[: n_rows // 2]]))
    assert mixed is not None
    assert mixed.low <= 0.5 <= mixed.high
    assert mixed.high - mixed.low < 0.1


def test_equal_rows_by_chance_are_no_training_rows() -> None:
    """With few different rows nearly every new row equals one learned from, and nothing follows from it."""
    table = people(2000)[["job", "member"]]
    overlap = Fingerprint.of(table).overlap(people(2000, seed=9)[["job", "member"]])
    assert overlap is not None
    assert overlap.share == overlap.by_chance == 1
    assert not overlap.is_beyond_chance


def test_the_interval_holds_the_true_share() -> None:
    """Of many mixtures of old and new rows at least nine in ten intervals hold the true share."""
    table = people(9000)
    fingerprint = Fingerprint.of(table)
    hits = 0
    for seed in range(20):
        fresh = people(1000, seed=100 + seed).assign(income=lambda t: -t["income"])
        overlap = fingerprint.overlap(pd.concat([table.sample(500, random_state=seed), fresh]))
        assert overlap is not None
        hits += overlap.low <= 1 / 3 <= overlap.high
    assert hits >= 18


def test_sketches_are_bounded_keyed_and_optional() -> None:
    """At most 4096 digests; another table has another key; storage does not matter; none when none is wanted."""
    table = people(20_000)
    sketch = Fingerprint.of(table).sketch
    assert sketch is not None
    assert 0.95 * MOST_DIGESTS < len(sketch.digests) <= MOST_DIGESTS
    assert sketch.below < EVERY_ROW
    other = Fingerprint.of(table.iloc[1:]).sketch
    assert other is not None
    assert other.key != sketch.key
    assert not set(other.digests) & set(sketch.digests)
    stored = table.astype({"job": "category", "member": object})
    overlap = Fingerprint.of(table).overlap(stored)
    assert overlap is not None
    assert overlap.share == 1
    assert Fingerprint.of(table, row_sketch=False).sketch is None
    assert Fingerprint.of(table, row_sketch=False).overlap(table) is None


def test_tables_without_the_columns_cannot_be_compared() -> None:
    """Nothing is said about other tables."""
    assert Fingerprint.of(people(50)).overlap(people(50)[["job"]]) is None
