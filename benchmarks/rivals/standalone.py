"""Fit one other rule learner on data prepared by ``time_to_quality.py`` and print what came out as JSON.

    python benchmarks/rivals/standalone.py aix360|ripper FOLDER

It imports nothing of rulecg, so that it can run with the interpreter of another environment.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd


def aix360(folder: Path) -> dict[str, Any]:
    """BooleanRuleCG with its default settings, on the same binary conditions as rulecg."""
    from aix360.algorithms.rbm import BooleanRuleCG

    stored = np.load(folder / "binary.npz")
    conditions = json.loads((folder / "conditions.json").read_text())
    columns = pd.MultiIndex.from_tuples([tuple(c) for c in conditions], names=["feature", "operation", "value"])
    train, test = (pd.DataFrame(stored[part].astype(int), columns=columns) for part in ("train", "test"))
    model = BooleanRuleCG(silent=True)
    began = time.perf_counter()
    model.fit(train, stored["y_train"].astype(int))
    seconds = time.perf_counter() - began
    rules = model.explain()["rules"]
    return {
        "seconds": seconds,
        "train": float(np.mean(model.predict(train) == stored["y_train"])),
        "test": float(np.mean(model.predict(test) == stored["y_test"])),
        "complexity": sum(2 + rule.count(" AND ") for rule in rules),
    }


def ripper(folder: Path) -> dict[str, Any]:
    """RIPPER of the package wittgenstein with its default settings, on the original table."""
    import wittgenstein

    train, test = (pd.read_csv(folder / f"{part}.csv") for part in ("train", "test"))
    stored = np.load(folder / "binary.npz")
    model = wittgenstein.RIPPER(random_state=0)
    began = time.perf_counter()
    model.fit(train, y=stored["y_train"])
    seconds = time.perf_counter() - began
    return {
        "seconds": seconds,
        "train": float(np.mean(np.asarray(model.predict(train)) == stored["y_train"])),
        "test": float(np.mean(np.asarray(model.predict(test)) == stored["y_test"])),
        "complexity": sum(1 + len(rule.conds) for rule in model.ruleset_.rules),
    }


if __name__ == "__main__":
    print(json.dumps({"aix360": aix360, "ripper": ripper}[sys.argv[1]](Path(sys.argv[2]))))
