"""Cells are kept as they are finished, and a run goes on where it ended."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from benchmarks.paper.cells import Cell, Key, Store, run_cells


def _measure(key: Key, settings: Mapping[str, Any]) -> list[dict[str, Any]]:
    if key["number"] == settings.get("bad"):
        raise ValueError("this one fails")
    return [{"square": key["number"] ** 2}]


def _cells(n: int, **settings: Any) -> list[Cell]:
    return [Cell({"number": number}, settings) for number in range(n)]


def _silent(text: str) -> None:
    pass


def test_a_second_run_does_only_what_is_missing(tmp_path: Path) -> None:
    """What the store has is not measured again, and the table holds all of it."""
    store = Store(tmp_path / "cells.jsonl")
    run_cells(_cells(2), _measure, store, say=_silent)
    said: list[str] = []
    table = run_cells(_cells(4), _measure, store, say=said.append)
    assert table["square"].tolist() == [0, 1, 4, 9]
    assert said[0] == "2 of 4 cells are in cells.jsonl already"
    assert len(said) == 3


def test_progress_tells_how_much_is_left(tmp_path: Path) -> None:
    """Every finished cell is told with the count, the time passed and the time left."""
    said: list[str] = []
    run_cells(_cells(2), _measure, Store(tmp_path / "cells.jsonl"), say=said.append)
    assert said[0].startswith("[1/2] 0: ")
    assert said[-1].endswith("about 0 s left")


def test_other_limits_make_other_cells(tmp_path: Path) -> None:
    """A cell that was run with other settings does not count."""
    store = Store(tmp_path / "cells.jsonl")
    run_cells(_cells(1, seconds=1), _measure, store, say=_silent)
    run_cells(_cells(1, seconds=2), _measure, store, say=_silent)
    assert len(store.read()) == 2


def test_a_torn_line_costs_only_its_own_cell(tmp_path: Path) -> None:
    """A line that was cut off in the middle is run again; those before and after stay."""
    store = Store(tmp_path / "cells.jsonl")
    run_cells(_cells(2), _measure, store, say=_silent)
    text = store.path.read_text()
    store.path.write_text(text[:-9])
    table = run_cells(_cells(3), _measure, store, say=_silent)
    assert table["square"].tolist() == [0, 1, 4]
    assert len(Store(store.path).read()) == 3


def test_a_cell_that_fails_is_told_and_run_again(tmp_path: Path) -> None:
    """A fault stands in the table with its reason; the others are there; the next run tries again."""
    store = Store(tmp_path / "cells.jsonl")
    table = run_cells(_cells(3, bad=1), _measure, store, say=_silent)
    assert table["reason"].dropna().tolist() == ["ValueError: this one fails"]
    assert len(store.read()) == 2


def test_cells_run_side_by_side(tmp_path: Path) -> None:
    """With two jobs the table is the same, in the order of the cells."""
    table = run_cells(_cells(4), _measure, Store(tmp_path / "cells.jsonl"), jobs=2, say=_silent)
    assert table["square"].tolist() == [0, 1, 4, 9]
