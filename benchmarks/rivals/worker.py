"""Fit one rival on one fold, in whichever interpreter has it: ``python -m benchmarks.rivals.worker FOLDER SECONDS``.

The folder holds ``job.json`` and ``job.npz``, written by :mod:`benchmarks.rivals.jobs`; ``outcome.json`` is written
into it. With inner folds the candidates' parameters are tuned by cross-validation first; without, every candidate is
fitted and reported.
"""

from __future__ import annotations

import json
import signal
import sys
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from ..clock import clock
from . import rival
from .interface import Rival, Unsuitable


def folds(labels: np.ndarray, n_folds: int) -> list[tuple[np.ndarray, np.ndarray]]:
    """Stratified folds, shuffled with seed 0: pairs of training and test positions."""
    rng = np.random.default_rng(0)
    place = np.empty(len(labels), dtype=int)
    for value in (False, True):
        members = rng.permutation(np.flatnonzero(labels == value))
        place[members] = np.arange(len(members)) % n_folds
    return [(np.flatnonzero(place != k), np.flatnonzero(place == k)) for k in range(n_folds)]


class Fold:
    """Training and test samples with the conditions' names."""

    def __init__(self, folder: Path, columns: list[tuple[Any, ...]]) -> None:
        stored = np.load(folder / "job.npz", allow_pickle=False)
        index = pd.MultiIndex.from_tuples(columns, names=["column", "operator", "value"])
        self.train, self.test = (pd.DataFrame(stored[part], columns=index) for part in ("train", "test"))
        self.y_train = stored["y_train"].astype(bool)
        has_groups = "groups_train" in stored
        self.groups_train: np.ndarray | None = stored["groups_train"] if has_groups else None
        self.groups_test: np.ndarray | None = stored["groups_test"] if has_groups else None

    def fit(self, name: str, parameters: dict[str, Any], rows: np.ndarray | None = None) -> Rival:
        """The rival, fitted on all training samples or on some."""
        learner = rival(name)(**parameters)
        if rows is None:
            return learner.fit(self.train, self.y_train, self.groups_train)
        groups = None if self.groups_train is None else self.groups_train[rows]
        return learner.fit(self.train.iloc[rows], self.y_train[rows], groups)


def tuned(fold: Fold, name: str, candidates: list[dict[str, Any]], n_folds: int, seconds: float) -> tuple[int, int]:
    """The candidate with the best accuracy over inner folds, and how many were tried in the time."""
    began, scores = time.perf_counter(), []
    for parameters in candidates:
        right = 0
        for train, test in folds(fold.y_train, n_folds):
            learner = fold.fit(name, parameters, train)
            groups = None if fold.groups_train is None else fold.groups_train[test]
            right += int((learner.predict(fold.train.iloc[test], groups) == fold.y_train[test]).sum())
        scores.append(right)
        if time.perf_counter() - began > seconds:
            break
    return int(np.argmax(scores)), len(scores)


def run(folder: Path) -> list[dict[str, Any]]:
    """Do the job; one outcome for the tuned candidate, or one for each."""
    job = json.loads((folder / "job.json").read_text(encoding="utf-8"))
    fold = Fold(folder, [tuple(column) for column in job["columns"]])
    candidates, tried = job["candidates"], 0
    if job["inner_folds"] and len(candidates) > 1:
        chosen, tried = tuned(fold, job["rival"], candidates, job["inner_folds"], job["tuning_seconds"])
        candidates = [candidates[chosen]]
    outcomes = []
    for parameters in candidates:
        began = time.perf_counter()
        learner = fold.fit(job["rival"], parameters)
        seconds = time.perf_counter() - began
        outcomes.append(
            {
                "parameters": parameters,
                "tried": tried,
                "seconds": seconds,
                "complexity": learner.complexity(),
                "train": learner.predict(fold.train, fold.groups_train).astype(int).tolist(),
                "test": learner.predict(fold.test, fold.groups_test).astype(int).tolist(),
            }
        )
    return outcomes


class TimeIsUp(BaseException):
    """No Exception, so that no rival catches it."""


def _ring(number: int, frame: Any) -> None:
    raise TimeIsUp


def main() -> None:
    """Run the job of a folder, from now within so many seconds, and leave what came out there."""
    folder, seconds = Path(sys.argv[1]), float(sys.argv[2])
    warnings.simplefilter("ignore")
    # The clock starts when everything is imported: on a busy machine that takes longer than a small fit.
    is_wall = clock() == "wall"
    signal.signal(signal.SIGALRM if is_wall else signal.SIGPROF, _ring)
    signal.setitimer(signal.ITIMER_REAL if is_wall else signal.ITIMER_PROF, seconds)
    try:
        answer: dict[str, Any] = {"outcomes": run(folder)}
    except TimeIsUp:
        answer = {"reason": f"over {seconds:g} s"}
    except Unsuitable as reason:
        answer = {"reason": str(reason)}
    except Exception as error:  # A rival's fault is a line of the table, not the end of the run.
        answer = {"reason": f"{type(error).__name__}: {error}"[:300]}
    (folder / "outcome.json").write_text(json.dumps(answer), encoding="utf-8")


if __name__ == "__main__":
    main()
