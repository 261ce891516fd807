"""Listing what plugins offer, and what is wrong with them."""

from __future__ import annotations

import re
from importlib.metadata import EntryPoint

import pytest

from rulecg.commands import cli, plugins
from rulecg_core import Availability, Backend, load_registry
from rulecg_core.plugins.kinds import KINDS
from rulecg_core.plugins.registry import Entry, Fault


def test_plugins_lists_every_kind(capsys: pytest.CaptureFixture[str]) -> None:
    """Every backend, pricer, constraint and master stands in the listing with its distribution."""
    assert cli.main(["plugins"]) == 0
    shown = capsys.readouterr().out
    for entry in load_registry():
        assert re.search(rf"^  {re.escape(entry.name)} +rulecg +(available|default|not available)", shown, re.MULTILINE)
    assert re.search(r"^  highs +rulecg +default", shown, re.MULTILINE)
    headings = [line for line in shown.splitlines() if line and line[0] != " "]
    assert headings == [f"{kind.capitalize()}s" for kind in KINDS]


def test_plugins_says_why_not_and_how_to_install() -> None:
    """A backend whose solver is missing is listed with the reason and the command that brings it."""

    class Absent(Backend):
        """A solver that is not installed."""

        name = "absent"

        @classmethod
        def availability(cls) -> Availability:
            return Availability(False, "the package absent is not installed", "pip install absent")

    registry = load_registry([])
    registry.add(Entry("backend", "absent", Absent, "somebody-s-solver"))
    shown = plugins.render(registry)
    assert "absent  somebody-s-solver  not available  the package absent is not installed" in shown
    assert "; install: pip install absent" in shown


@pytest.mark.parametrize("answer", [None, "yes", RuntimeError("no licence")])
def test_plugins_survives_an_availability_that_fails(answer: object) -> None:
    """A backend that raises, or answers something else, is listed as not available with that as the reason."""

    class Moody(Backend):
        """A solver with a fault."""

        name = "moody"

        @classmethod
        def availability(cls) -> Availability:
            if isinstance(answer, Exception):
                raise answer
            return answer  # type: ignore[return-value]

    registry = load_registry([])
    registry.add(Entry("backend", "moody", Moody, "somebody-s-solver"))
    shown = plugins.render(registry)
    assert "moody  somebody-s-solver  not available  availability() of somebody-s-solver " in shown


def test_broken_plugins_are_listed_as_problems(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A plugin that fails on import is named while the rest is listed; --strict makes it an exit code."""
    broken = EntryPoint("broken", "no_such_module_anywhere", "rulecg")
    registry = load_registry([broken])
    monkeypatch.setattr(plugins, "load_registry", lambda: registry)
    assert cli.main(["plugins"]) == 0
    assert "plugin 'broken' of" in capsys.readouterr().out
    assert cli.main(["plugins", "--strict"]) == 1
    assert isinstance(registry.faults[0], Fault)


def test_strict_is_content_when_all_is_well() -> None:
    """Without problems --strict exits with 0."""
    assert cli.main(["plugins", "--strict"]) == 0
