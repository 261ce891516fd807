"""Small packed data for tests: planted rules, equal rows, two groups."""

from pathlib import Path

import numpy as np
import pandas as pd

from rulecg.packing.pack import Packing, pack
from rulecg.partitions.manifest import Manifest


def planted(n=3_000, n_columns=8, seed=0):
    """Truth values with two planted rules, 5 % of labels flipped, and a group."""
    rng = np.random.default_rng(seed)
    X = rng.random((n, n_columns)) < np.resize([0.3, 0.4, 0.5, 0.6], n_columns)
    truth = (X[:, 0] & X[:, 2]) | (X[:, 1] & X[:, 3] & X[:, 5])
    table = pd.DataFrame(X, columns=[f"x{at}" for at in range(n_columns)])
    return table.assign(sex=np.where(rng.random(n) < 0.4, "f", "m"), y=(truth ^ (rng.random(n) < 0.05)).astype(int))


def packed(table, folder: Path, n_partitions=3, **options) -> Manifest:
    """The table in so many partitions."""
    folder.mkdir(parents=True, exist_ok=True)
    table.to_parquet(folder / "table.parquet")
    rows = -(-len(table) // n_partitions)
    packing = Packing("y", sensitive="sex", drop="sex", partition_rows=rows, **options)
    return pack(folder / "table.parquet", folder / "packed", packing)
