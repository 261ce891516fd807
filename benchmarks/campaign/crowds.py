"""Many fits: at once in threads, processes and event loops, and one after the other without anything growing."""

from __future__ import annotations

import asyncio
import gc
import multiprocessing
import os
import threading
from collections.abc import Iterator
from concurrent.futures import Executor, ProcessPoolExecutor, ThreadPoolExecutor
from functools import partial
from pathlib import Path

import numpy as np

import rulecg
from rulecg_core import load_registry

from .attempts import Attempt, Skipped


def fitted(seed: int, backend: str | None = None) -> tuple[str, float]:
    """The rules and the errors of a small fit, the same for the same seed."""
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 5, (60, 4)).astype(float)
    y = (X[:, 0] > 2) ^ (rng.random(60) < 0.1)
    model = rulecg.RuleSetClassifier(max_complexity=5, time_limit=60, random_state=0, backend=backend).fit(X, y)
    assert int(np.sum(model.predict(X) != y)) == model.result_.errors
    return str(model.rule_set_), model.result_.errors


def _at_once(kind: str, number: int, folder: Path) -> None:
    """Fits side by side find what they find alone."""
    alone = [fitted(seed % 4) for seed in range(number)]
    pool: Executor
    if kind == "threads":
        pool = ThreadPoolExecutor(4)
    else:
        pool = ProcessPoolExecutor(2, mp_context=multiprocessing.get_context(kind))
    with pool:
        assert list(pool.map(fitted, [seed % 4 for seed in range(number)])) == alone


def _event_loop(number: int, folder: Path) -> None:
    async def many() -> list[tuple[str, float]]:
        return list(await asyncio.gather(*(asyncio.to_thread(fitted, seed % 4) for seed in range(number))))

    async def inside() -> tuple[str, float]:
        return fitted(1)

    assert asyncio.run(many()) == [fitted(seed % 4) for seed in range(number)]
    assert asyncio.run(inside()) == fitted(1)


def _in_use() -> dict[str, int]:
    """Kilobytes of memory, open files, threads and child processes of this process."""
    status = Path("/proc/self/status")
    if not status.exists():
        raise Skipped("what a process uses is read from /proc")
    memory = int(status.read_text().partition("VmRSS:")[2].split()[0])
    children = Path(f"/proc/self/task/{os.getpid()}/children")
    n_children = len(children.read_text().split()) if children.exists() else 0
    files = len(os.listdir("/proc/self/fd"))
    return {"memory": memory, "files": files, "threads": threading.active_count(), "processes": n_children}


def _in_a_row(backend: str, number: int, folder: Path) -> None:
    """After a quarter of the fits nothing grows any more: no file, thread or process, at most 10 MB + 20 KB a fit."""
    if not load_registry().entry("backend", backend).availability.available:
        raise Skipped(f"{backend} is not installed")
    for seed in range(max(3, number // 4)):
        fitted(seed, backend)
    gc.collect()
    before = _in_use()
    for seed in range(number):
        fitted(seed, backend)
    gc.collect()
    after = _in_use()
    grown = after["memory"] - before["memory"]
    assert grown <= 10_000 + 20 * number, f"memory grew by {grown} KB in {number} fits"
    for what in ("files", "threads", "processes"):
        assert after[what] <= before[what], f"{what} grew from {before[what]} to {after[what]} in {number} fits"


def attempts(number: int = 8, row: int = 100) -> Iterator[Attempt]:
    """So many fits at once, and so many in a row with each backend."""
    for kind in ("threads", "fork", "spawn", "forkserver"):
        yield Attempt("fits at once", f"{number} fits: {kind}", partial(_at_once, kind, number))
    yield Attempt("fits at once", f"{number} fits in an event loop", partial(_event_loop, number))
    for backend in load_registry().names("backend"):
        yield Attempt("fits in a row", f"{row} fits with {backend}", partial(_in_a_row, backend, row))
