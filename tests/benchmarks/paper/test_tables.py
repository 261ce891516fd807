"""Every table and figure from end to end, on tiny data and with the least of limits."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from benchmarks.paper import data as paper_data
from benchmarks.paper.__main__ import EXPERIMENTS, main
from rulecg.datasets import Dataset

SETS = {
    "certificate": "transfusion",
    "hamming": "adult",
    **dict.fromkeys(["unconstrained", "faircorels", "fair-fronts", "fair-complexity", "proxy-gap", "rates"], "compas"),
}
"""Elsewhere heart; adult is both a plain and a fair row of the comparison of losses."""
LEARNERS = {
    "accuracy": ["rulecg", "CART"],
    "additional": ["rulecg", "IDS"],
    "today": ["rulecg", "GOSDT"],
    "fronts": ["rulecg", "BCD"],
    "unconstrained": ["rulecg", "Hardt"],
    "fair-fronts": ["rulecg", "Hardt"],
    "faircorels": ["rulecg", "FairCORELS"],
}
FIGURES = ("fronts", "hamming", "proxy-gap", "fair-fronts", "rates")
LIMITS = ["--outer", "2", "--inner", "2", "--splits", "1", "--seconds", "0.3"]


def _tiny(name: str) -> Dataset:
    """A hundred rows in which two columns decide nearly everything, and a group that matters a little."""
    rng = np.random.default_rng(0)
    table = pd.DataFrame({f"x{j}": rng.integers(0, 3, 100) for j in range(3)} | {"group": rng.integers(0, 2, 100)})
    noise = rng.random(100) < 0.1
    target = ((table["x0"] > 0) & (table["x1"] < 2)) ^ noise ^ ((table["group"] == 1) & (table["x2"] == 0))
    return Dataset(name, table, target.astype(bool).rename("yes"), table[["group"]])


@pytest.fixture(autouse=True)
def tiny_data(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Every data set is the tiny one."""
    paper_data.dataset.cache_clear()
    monkeypatch.setattr(paper_data, "load", _tiny)
    yield
    paper_data.dataset.cache_clear()


def _run(table: str, folder: Path, *more: str) -> list[str]:
    arguments = [table, "--sets", SETS.get(table, "heart"), *LIMITS]
    if table in LEARNERS:
        arguments += ["--learners", *LEARNERS[table]]
    main([*arguments, "--output", str(folder), *more])
    return arguments


@pytest.mark.parametrize("table", EXPERIMENTS)
def test_every_table_is_made_from_end_to_end(table: str, tmp_path: Path) -> None:
    """A page with the command and the limits, a table that is not empty, the cells, and the figure if it is one."""
    _run(table, tmp_path)
    page = (tmp_path / f"{table}.md").read_text()
    assert f"python -m benchmarks.paper {table} --sets" in page
    assert "outer folds 2" in page
    assert len(pd.read_csv(tmp_path / f"{table}.csv"))
    assert (tmp_path / "cells" / f"{EXPERIMENTS[table].store}.jsonl").exists()
    if table in FIGURES:
        assert (tmp_path / f"{table}.svg").read_text().lstrip().startswith("<?xml")
        assert f"({table}.svg)" in page


def test_accuracy_has_a_line_per_learner_and_measure(tmp_path: Path) -> None:
    """Two learners and two measures on one data set are four lines, each over both folds."""
    limits = ["--outer", "2", "--inner", "2", "--seconds", "4"]
    learners = ["--learners", "rulecg", "CART"]
    main(["accuracy", "--sets", "heart", *learners, *limits, "--output", str(tmp_path)])
    summary = pd.read_csv(tmp_path / "accuracy.csv")
    assert summary[["learner", "measure"]].to_numpy().tolist() == [
        [learner, measure] for learner in ("rulecg", "CART") for measure in ("test accuracy", "complexity")
    ]
    assert summary["cells"].tolist() == [2, 2, 2, 2]
    assert summary["paper mean"].tolist() == [78.9, 11.3, 81.6, 32.0]


def test_a_finished_table_is_not_run_again(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The second call reads every cell from the file, and writes the same page."""
    _run("accuracy", tmp_path)
    before = (tmp_path / "accuracy.md").read_text()
    capsys.readouterr()

    def never(*arguments: Any, **named: Any) -> Any:
        raise AssertionError("nothing is left to run")

    monkeypatch.setattr("benchmarks.paper.nested.run_rival", never)
    _run("accuracy", tmp_path)
    assert "4 of 4 cells are in nested.jsonl already" in capsys.readouterr().out
    assert (tmp_path / "accuracy.md").read_text() == before


def test_a_page_is_written_from_the_cells_that_are_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With --no-run nothing is measured, and what was not measured before has a dash beside the paper's number."""
    _run("accuracy", tmp_path)

    def never(*arguments: Any, **named: Any) -> Any:
        raise AssertionError("nothing is to be run")

    monkeypatch.setattr("benchmarks.paper.nested.run_rival", never)
    main(["accuracy", "--sets", "heart", "--learners", "rulecg", "AM", "--no-run", *LIMITS, "--output", str(tmp_path)])
    summary = pd.read_csv(tmp_path / "accuracy.csv").set_index(["learner", "measure"])
    assert summary.loc[("rulecg", "test accuracy"), "cells"] == 2
    assert summary.loc[("AM", "test accuracy"), "cells"] == 0
    assert summary.loc[("AM", "test accuracy"), "paper mean"] == 72.9


def test_fair_rule_sets_keep_their_bound_on_the_training_rows(tmp_path: Path) -> None:
    """Both phases end in rule sets whose true gap on training rows is within eps."""
    _run("fair-complexity", tmp_path)
    cells = pd.read_csv(tmp_path / "fair-complexity-cells.csv")
    assert (cells["train opportunity"] <= cells["eps"] + 1e-9).all()


def test_data_that_is_not_there_stands_with_its_reason(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a user's own file, FICO's line has the paper's numbers, and the page says why there are no others."""
    monkeypatch.setenv("RULECG_DATA", str(tmp_path))
    main(["data", "--sets", "fico", "--output", str(tmp_path)])
    page = (tmp_path / "data.md").read_text()
    assert "| fico | – | 9871 |" in page
    assert "heloc_dataset_v1.csv" in page


def test_the_list_names_every_table(capsys: pytest.CaptureFixture[str]) -> None:
    """Without a table, the command says which there are."""
    main(["--list"])
    assert [line.split()[0] for line in capsys.readouterr().out.splitlines()] == list(EXPERIMENTS)
