"""Hand a rival one fold of data, in a process of its own that can be ended when its time is up."""

from __future__ import annotations

import itertools
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
from attrs import frozen

from ..clock import clock
from . import availability, rival

ROOT = Path(__file__).parents[2]
START = 60.0
"""Seconds beyond its own that a process gets to begin, and to hear that its time is up: compiled code does not."""


@frozen(eq=False)
class Samples:
    """Conditions, labels and, for fair learners, groups of training and test samples."""

    train: pd.DataFrame
    test: pd.DataFrame
    y_train: npt.NDArray[np.bool_]
    groups_train: npt.NDArray[Any] | None = None
    groups_test: npt.NDArray[Any] | None = None


@frozen(eq=False)
class Outcome:
    """What a rival predicted, how large it is, and how long the last fit took."""

    parameters: dict[str, Any]
    tried: int
    """How many candidates were compared before; 0 where nothing was tuned."""
    seconds: float
    complexity: int | None
    train: npt.NDArray[np.bool_]
    test: npt.NDArray[np.bool_]


class NoOutcome(Exception):
    """The rival did not come to a model; the message says why, for the table."""


def candidates(grid: Mapping[str, Sequence[Any]], fixed: Mapping[str, Any] | None = None) -> list[dict[str, Any]]:
    """Every combination of a grid's values, with what is fixed.

    >>> candidates({"a": (1, 2)}, {"b": 3})
    [{'a': 1, 'b': 3}, {'a': 2, 'b': 3}]
    """
    return [dict(zip(grid, values, strict=True)) | dict(fixed or {}) for values in itertools.product(*grid.values())]


def run_rival(
    name: str, samples: Samples, parameters: Sequence[Mapping[str, Any]], *, inner_folds: int, seconds: float
) -> list[Outcome]:
    """Tune (with inner folds) and fit a rival, or fit it with all parameters given (without); its outcomes.

    Half of the seconds may go into tuning; after all of them the rival has lost, and its process ends. Where they
    are the processor's, its process ends in any case after ten times as many of the wall's.

    Raises
    ------
    NoOutcome
        The rival is not there, cannot be run on this data, failed, or took too long.
    """
    found = availability(rival(name))
    if not found.is_there:
        raise NoOutcome(found.reason)
    with tempfile.TemporaryDirectory(prefix="rival-") as text:
        folder = Path(text)
        _write(folder, name, samples, parameters, inner_folds, seconds)
        environment = {**os.environ, "PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
        command = [found.interpreter or sys.executable, "-m", "benchmarks.rivals.worker", str(folder), str(seconds)]
        longest = START + (10 * seconds if clock() == "processor" else seconds)
        try:
            run = subprocess.run(
                command, capture_output=True, text=True, check=False, timeout=longest, cwd=ROOT, env=environment
            )
        except subprocess.TimeoutExpired:
            raise NoOutcome(f"over {seconds:g} s") from None
        answer = folder / "outcome.json"
        if not answer.exists():
            raise NoOutcome(f"ended without an answer: {run.stderr.strip()[-200:]}")
        read = json.loads(answer.read_text(encoding="utf-8"))
    if "reason" in read:
        raise NoOutcome(read["reason"])
    return [
        Outcome(**{**line, "train": np.array(line["train"], dtype=bool), "test": np.array(line["test"], dtype=bool)})
        for line in read["outcomes"]
    ]


def _write(
    folder: Path,
    name: str,
    samples: Samples,
    parameters: Sequence[Mapping[str, Any]],
    inner_folds: int,
    seconds: float,
) -> None:
    arrays: dict[str, Any] = {
        "train": samples.train.to_numpy().astype(np.uint8),
        "test": samples.test.to_numpy().astype(np.uint8),
        "y_train": samples.y_train,
    }
    if samples.groups_train is not None and samples.groups_test is not None:
        both = np.concatenate([samples.groups_train, samples.groups_test])
        # Codes: text of any kind would need pickles.
        codes = np.unique(both.astype(str), return_inverse=True)[1]
        arrays["groups_train"], arrays["groups_test"] = np.split(codes, [len(samples.groups_train)])
    np.savez(folder / "job.npz", **arrays)
    job = {
        "rival": name,
        "columns": [list(column) for column in samples.train.columns],
        "candidates": [dict(each) for each in parameters] or [{}],
        "inner_folds": inner_folds,
        "tuning_seconds": 0.5 * seconds,
    }
    (folder / "job.json").write_text(json.dumps(job, default=str), encoding="utf-8")
