"""Cells of a table: run in parallel, each kept at once in a file, so that a run goes on where it ended."""

from __future__ import annotations

import json
import os
import time
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd
from attrs import frozen
from joblib import Parallel, delayed

from ..clock import clock

Key = dict[str, Any]
"""What tells a cell from others: data set, learner, fold and the like; plain values."""
Measure = Callable[[Key, Mapping[str, Any]], list[dict[str, Any]]]
"""From a cell's key and the protocol's settings to its lines; importable, so that other processes can call it."""


@frozen(eq=False)
class Cell:
    """One piece of work."""

    key: Key
    settings: Mapping[str, Any]
    """Limits and sizes that it is run with; others make another cell."""

    @property
    def name(self) -> str:
        """The same for the same work."""
        return json.dumps([self.key, dict(self.settings)], sort_keys=True, default=str)


@frozen(eq=False)
class Store:
    """Finished cells, one JSON line each. A line is written in one go; a torn last line is as if it were not there."""

    path: Path

    def read(self) -> dict[str, list[dict[str, Any]]]:
        """The lines of every finished cell, by the cell's name."""
        if not self.path.exists():
            return {}
        found = {}
        for text in self.path.read_text(encoding="utf-8").splitlines():
            try:
                line = json.loads(text)
            except json.JSONDecodeError:
                continue
            found[Cell(line["key"], line["settings"]).name] = line["rows"]
        return found

    def add(self, cell: Cell, rows: Sequence[Mapping[str, Any]]) -> None:
        """Keep a finished cell."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        line = json.dumps({"key": cell.key, "settings": dict(cell.settings), "rows": list(rows)}, default=_plain)
        # A line that an interrupted run left torn must not swallow this one.
        is_torn = self.path.exists() and self.path.stat().st_size > 0 and not _ends_with_newline(self.path)
        handle = os.open(self.path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
        try:
            os.write(handle, (("\n" if is_torn else "") + line + "\n").encode())
            os.fsync(handle)
        finally:
            os.close(handle)


def run_cells(
    cells: Sequence[Cell], measure: Measure, store: Store, *, jobs: int = 1, say: Callable[[str], None] = print
) -> pd.DataFrame:
    """Run the cells that the store does not have, and give the lines of all of them as one table.

    Every line says how busy the machine was when its cell ended (``load``, processes that want to run). A cell that
    fails stands in the table with its reason and is run again next time.
    """
    known = store.read()
    waiting = [cell for cell in cells if cell.name not in known]
    if len(waiting) < len(cells):
        say(f"{len(cells) - len(waiting)} of {len(cells)} cells are in {store.path.name} already")
    began = time.monotonic()
    for done, (cell, rows, error) in enumerate(_results(waiting, measure, jobs), 1):
        if error:
            known[cell.name] = [{"reason": error}]
        else:
            store.add(cell, rows)
            known[cell.name] = rows
        passed = time.monotonic() - began
        left = passed / done * (len(waiting) - done)
        told = ", ".join(f"{value}" for value in cell.key.values())
        say(f"[{done}/{len(waiting)}] {told}: {error or _summary(rows)}; {_span(passed)}, about {_span(left)} left")
    return pd.DataFrame([{**cell.key, **row} for cell in cells for row in known.get(cell.name, ())])


def _results(
    cells: Sequence[Cell], measure: Measure, jobs: int
) -> Iterator[tuple[Cell, list[dict[str, Any]], str]]:
    work: Iterable[Any] = (delayed(_guarded)(cell, measure) for cell in cells)
    yield from Parallel(n_jobs=jobs, return_as="generator_unordered", pre_dispatch="n_jobs")(work)


def _guarded(cell: Cell, measure: Measure) -> tuple[Cell, list[dict[str, Any]], str]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            if cell.settings.get("clock", "wall") != clock():
                raise RuntimeError(f"the cell's seconds are not those of the {clock()} clock")
            rows = measure(cell.key, cell.settings)
            load = round(os.getloadavg()[0], 1)
            return cell, [{**row, "load": load} for row in rows], ""
        except Exception as error:  # One cell's fault must not end a run of hours.
            return cell, [], f"{type(error).__name__}: {error}"[:300]


def _summary(rows: Sequence[Mapping[str, Any]]) -> str:
    if not rows:
        return "nothing"
    first = rows[0]
    known = [name for name in ("test", "complexity") if isinstance(first.get(name), (int, float))]
    shown = [f"{name} {first[name]:.4g}" for name in known]
    return ", ".join(shown) or str(first.get("reason") or "done")


def _span(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest:02d} s" if minutes else f"{rest} s"


def _ends_with_newline(path: Path) -> bool:
    with path.open("rb") as file:
        file.seek(-1, os.SEEK_END)
        return file.read(1) == b"\n"


def _plain(value: Any) -> Any:
    return value.item() if hasattr(value, "item") else str(value)
