"""Where tests find the paper's data: the folder RULECG_DATA names, else one beside the repository."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import settings

# A busy machine is no failure; and what CI finds, a second run must find again.
settings.register_profile("rulecg", deadline=None, derandomize=bool(os.environ.get("CI")))
settings.load_profile("rulecg")

_BESIDE = Path(__file__).resolve().parents[2] / "shared" / "data"

if "RULECG_DATA" not in os.environ and _BESIDE.is_dir():
    os.environ["RULECG_DATA"] = str(_BESIDE)


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "paper_data: needs the paper's data sets in the folder that RULECG_DATA names")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    if Path(os.environ.get("RULECG_DATA", "")).joinpath("banknote.csv.gz").is_file():
        return
    missing = pytest.mark.skip(reason="the paper's data sets are absent: set RULECG_DATA to their folder")
    for item in items:
        if item.get_closest_marker("paper_data"):
            item.add_marker(missing)
