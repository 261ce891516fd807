"""Time limits: an answer within the limit, one second or a tenth more, on a machine that does nothing else."""

from __future__ import annotations

import time
from collections.abc import Iterator
from functools import lru_cache, partial
from pathlib import Path

import numpy as np

import rulecg
from rulecg_core.testing.timing import slowdown

from .attempts import Attempt

SHAPES = {"tiny": (30, 3, 2), "wide": (150, 300, 2), "long": (60_000, 8, 2), "many classes": (600, 8, 12)}
"""Rows, columns and classes."""
SECONDS = (0.01, 0.1, 0.5, 1.0, 2.0, 5.0)


@lru_cache
def _data(shape: str) -> tuple[np.ndarray, np.ndarray]:
    rows, columns, classes = SHAPES[shape]
    rng = np.random.default_rng(0)
    X = rng.random((rows, columns))
    return X, (np.floor((X[:, 0] + 0.2 * rng.random(rows)) * classes) % classes).astype(int)


def _limited(shape: str, seconds: float, logic: str, folder: Path) -> None:
    X, y = _data(shape)
    warm_up()
    overrun = 0.0
    for _ in range(3):  # other work on the machine may delay one fit, but hardly three
        slow, began = slowdown(), time.perf_counter()
        model = rulecg.RuleSetClassifier(30, time_limit=seconds, logic=logic, random_state=0).fit(X, y)
        took = time.perf_counter() - began
        assert len(model.predict(X[:30])) == 30
        allowed = seconds + max(1.0, 0.1 * seconds) * max(slow, slowdown())
        overrun = took - allowed
        if overrun <= 0:
            return
    raise AssertionError(f"took {took:.2f} s for a limit of {seconds:g} s; {allowed:.2f} s were allowed")


@lru_cache
def warm_up() -> None:
    """Compile what a fit needs: that is not part of its time."""
    for shape in ("tiny", "long"):
        X, y = _data(shape)
        rulecg.RuleSetClassifier(30, time_limit=1.0, random_state=0).fit(X[:2000], y[:2000])


def attempts() -> Iterator[Attempt]:
    """Every shape with every limit, as OR of ANDs and as AND of ORs."""
    for shape in SHAPES:
        for seconds in SECONDS:
            for logic in ("dnf", "cnf"):
                if logic == "cnf" and shape == "many classes":
                    continue
                name = f"{shape}, {seconds:g} s, {logic}"
                yield Attempt("time limits", name, partial(_limited, shape, seconds, logic))
