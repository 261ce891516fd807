"""Examples in the docstrings of the measurements run."""

from __future__ import annotations

import doctest
import importlib
import pkgutil

import pytest

import benchmarks.paper
import benchmarks.rivals

_MODULES = [
    info.name
    for package in (benchmarks.paper, benchmarks.rivals)
    for info in pkgutil.iter_modules(package.__path__, f"{package.__name__}.")
    if not info.name.endswith("__main__")
]


@pytest.mark.parametrize("name", [benchmarks.rivals.__name__, *_MODULES])
def test_examples_run(name: str) -> None:
    """Every example gives what it says."""
    assert doctest.testmod(importlib.import_module(name)).failed == 0
