"""The page of licences has a line for everything that is installed with rulecg."""

from __future__ import annotations

import re
from importlib.metadata import PackageNotFoundError, requires
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from rulecg_core.plugins.config import tomllib

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
EXTRAS: dict[str, list[str]] = PROJECT["optional-dependencies"]


def canonical(name: str) -> str:
    """A distribution's name as the index compares names."""
    return re.sub(r"[-_.]+", "-", name).lower()


def named_on_the_page() -> set[str]:
    """The first cell of every line of its tables, without what stands in brackets."""
    page = (ROOT / "docs" / "licences.md").read_text(encoding="utf-8")
    cells = re.findall(r"^\| ([^|]+) \|", page, flags=re.MULTILINE)
    return {canonical(name) for cell in cells for name in re.sub(r" \(.*?\)", "", cell).split(", ")}


def installed_with(names: list[str]) -> set[str]:
    """These requirements and all that they bring on this Python."""
    found: set[str] = set()
    left = [Requirement(name) for name in names]
    while left:
        requirement = left.pop()
        name = canonical(requirement.name)
        is_wanted = requirement.marker is None or requirement.marker.evaluate({"extra": ""})
        if name in found or name == "rulecg" or not is_wanted:
            continue
        found.add(name)
        try:
            left += [Requirement(each) for each in requires(name) or []]
        except PackageNotFoundError:
            continue  # of another Python or platform; what is required by name has its line all the same
    return found


@pytest.mark.parametrize("extra", [None, *(extra for extra in EXTRAS if extra not in ("dev", "docs"))])
def test_everything_that_users_install_has_a_line(extra: str | None) -> None:
    """What rulecg or one of its extras needs, and what that needs in turn."""
    wanted = PROJECT["dependencies"] if extra is None else EXTRAS[extra]
    assert installed_with(wanted) <= named_on_the_page()


@pytest.mark.parametrize("extra", ["dev", "docs"])
def test_everything_that_developers_name_has_a_line(extra: str) -> None:
    """What stands in pyproject.toml for those who work on rulecg."""
    assert {canonical(Requirement(name).name) for name in EXTRAS[extra]} - {"rulecg"} <= named_on_the_page()


def test_every_library_that_users_need_has_a_line_whatever_the_python() -> None:
    """Requirements for other Pythons, too."""
    assert {canonical(Requirement(name).name) for name in PROJECT["dependencies"]} <= named_on_the_page()
