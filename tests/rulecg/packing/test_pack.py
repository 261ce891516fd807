"""Packing finds the conditions that all rows in memory have, and loses no row."""

import numpy as np
import pandas as pd
import pytest

from rulecg import Binarizer, RulecgError
from rulecg.packing.pack import Packing, pack
from rulecg.partitions.manifest import Manifest
from rulecg.partitions.open_partition import opened

pytest.importorskip("pyarrow")


def people(n=5_000, seed=0):
    rng = np.random.default_rng(seed)
    return pd.DataFrame(
        {
            "age": rng.integers(18, 90, n),
            "income": np.where(rng.random(n) < 0.1, np.nan, rng.normal(size=n)),
            "job": rng.choice(["cook", "nurse", "pilot", None], n),
            "sex": rng.choice(["f", "m"], n),
            "smokes": rng.random(n) < 0.3,
            "day": pd.to_datetime("2020-01-01") + pd.to_timedelta(rng.integers(0, 999, n), "D"),
            "sick": rng.integers(0, 2, n),
        }
    )


@pytest.mark.parametrize("kind", ["parquet", "csv"])
def test_conditions_and_counts_are_those_of_the_table_in_memory(kind, tmp_path):
    """From two files of either kind: the same conditions as `Binarizer.fit`, each true as often, in every cell."""
    table = people()
    for number, part in enumerate(np.array_split(np.arange(len(table)), 2)):
        write = table.iloc[part].to_parquet if kind == "parquet" else table.iloc[part].to_csv
        write(tmp_path / f"{number}.{kind}", index=False)
    sources = sorted(tmp_path.glob(f"*.{kind}"))
    made = pack(sources, tmp_path / "packed", Packing("sick", sensitive="sex", partition_rows=1_300))
    inputs = table.drop(columns="sick")
    binarizer = Binarizer().fit(inputs)
    assert list(made.conditions) == binarizer.conditions_
    features = binarizer.transform(inputs)
    read = Manifest.load(tmp_path / "packed")
    assert read.partitions == made.partitions
    assert len(read.partitions) == 4
    found = {cell: np.zeros(len(made.conditions), dtype=int) for cell in read.cells}
    for partition in read.partitions:
        with opened(partition) as data:
            for segment in partition.segments:
                for digit, plane in enumerate(data.planes):
                    own = slice(segment.start, segment.stop)
                    held = np.unpackbits((data.bits[:, own] & plane[own]).view(np.uint8), axis=1)
                    found[segment.cell] += held.sum(axis=1, dtype=int) << digit
    for cell, counts in found.items():
        own = (table["sick"] == cell.label) & (table["sex"] == read.group_labels[0][cell.groups[0]])
        np.testing.assert_array_equal(counts, features[own.to_numpy()].sum(axis=0))


def test_equal_rows_become_one_with_their_weight(tmp_path):
    """Rows of equal conditions, label and groups are stored once, and weights of a column count."""
    table = pd.DataFrame({"x": [0, 0, 1, 1, 1] * 20, "w": [1, 2, 3, 4, 5] * 20, "y": [0, 0, 1, 1, 0] * 20})
    table.to_csv(tmp_path / "t.csv", index=False)
    made = pack(tmp_path / "t.csv", tmp_path / "packed", Packing("y", weight="w"))
    assert [partition.n_samples for partition in made.partitions] == [3]
    assert made.weights.tolist() == [(1 + 2 + 5) * 20, (3 + 4) * 20]


@pytest.mark.parametrize(
    ("packing", "message"),
    [
        (Packing("z"), "z"),
        (Packing("job"), "3 different values|no value"),
        (Packing("sex"), "Say which value"),
        (Packing("sick", binarizer="trees"), "depend on labels"),
        (Packing("sick", weight="income"), "whole numbers"),
    ],
)
def test_what_cannot_be_packed_is_refused_in_a_sentence(packing, message, tmp_path):
    """Wrong columns, classes, binarizers and weights say what to do."""
    people(200).to_csv(tmp_path / "t.csv", index=False)
    with pytest.raises(RulecgError, match=message):
        pack(tmp_path / "t.csv", tmp_path / "packed", packing)


def test_packed_data_are_never_overwritten(tmp_path):
    """A folder that holds packed data is left as it is."""
    people(200).to_csv(tmp_path / "t.csv", index=False)
    pack(tmp_path / "t.csv", tmp_path / "packed", Packing("sick"))
    with pytest.raises(RulecgError, match="already"):
        pack(tmp_path / "t.csv", tmp_path / "packed", Packing("sick"))
