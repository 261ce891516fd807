"""The command line: listing plugins, the demonstration, and errors without tracebacks."""

from __future__ import annotations

import importlib
import re
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

from rulecg.commands import cli, exit_codes, faults, plugins
from rulecg_core import Availability, Backend, ConfigurationError, load_registry
from rulecg_core.plugins.registry import KINDS, Entry, Problem


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
    assert "moody  somebody-s-solver  not available  its availability() " in shown


def test_a_forgotten_mark_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A function with the name of a hook that lacks @hookimpl is a problem, not silence."""
    (tmp_path / "unmarked_plugin.py").write_text("def rulecg_register_pricers(register):\n    register('p', int)\n")
    monkeypatch.syspath_prepend(tmp_path)
    registry = load_registry([EntryPoint("unmarked", "unmarked_plugin", "rulecg")])
    assert [str(problem) for problem in registry.problems] == [
        "plugin 'unmarked' of an unknown distribution: rulecg_register_pricers does nothing, because it is not marked "
        "with @hookimpl: import it from rulecg_core"
    ]


def test_the_fault_of_a_plugin_is_one_sentence(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """An error from a stranger's code names the stranger; one from ours says so; a variable shows where."""
    (tmp_path / "faulty_plugin.py").write_text("def fail():\n    return [].notes\n")
    monkeypatch.syspath_prepend(tmp_path)
    point = EntryPoint("faulty", "faulty_plugin", "rulecg")
    monkeypatch.setattr(faults, "entry_points", lambda group: [point])
    monkeypatch.setattr(plugins, "load_registry", importlib.import_module("faulty_plugin").fail)
    assert cli.main(["plugins"]) == exit_codes.FAULT
    shown = capsys.readouterr().err
    assert shown.startswith("rulecg: the plugin faulty failed (AttributeError: 'list' object has no attribute 'notes')")
    assert shown.count("\n") == 1
    monkeypatch.setattr(faults, "entry_points", lambda group: [])
    assert cli.main(["plugins"]) == exit_codes.FAULT
    assert "a fault in rulecg" in capsys.readouterr().err
    monkeypatch.setenv("RULECG_TRACEBACK", "1")
    assert cli.main(["plugins"]) == exit_codes.FAULT
    assert "faulty_plugin.py" in capsys.readouterr().err


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
    assert isinstance(registry.problems[0], Problem)


def test_strict_is_content_when_all_is_well() -> None:
    """Without problems --strict exits with 0."""
    assert cli.main(["plugins", "--strict"]) == 0


def test_demo_shows_rules_accuracy_complexity_and_certificate(capsys: pytest.CaptureFixture[str]) -> None:
    """The demonstration learns both embedded data sets and says in words what was proven."""
    assert cli.main(["demo"]) == 0
    shown = capsys.readouterr().out
    assert "x wins if\n" in shown
    assert "approved if\n" in shown
    assert "Accuracy on these rows: 100.0%" in shown
    assert shown.count("Complexity: ") == 2
    assert "Certificate: Proven optimal: no rule set within the limits has an objective below 0." in shown
    assert "done: objective" in shown


def test_errors_are_one_message_without_a_traceback(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """An error that a person can act on goes to stderr as one message with exit code 2."""

    def fail() -> None:
        raise ConfigurationError("This is wrong: do that.")

    monkeypatch.setattr(plugins, "load_registry", fail)
    assert cli.main(["plugins"]) == 2
    printed = capsys.readouterr()
    assert printed.err == "rulecg: This is wrong: do that.\n"
    assert printed.out == ""


def test_wrong_configured_backend_is_one_message(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A misspelt RULECG_BACKEND is answered by name, with the nearest known one."""
    monkeypatch.setenv("RULECG_BACKEND", "higs")
    assert cli.main(["demo", "--quiet"]) == 2
    assert "Unknown backend 'higs'. Did you mean 'highs'?" in capsys.readouterr().err


def test_interrupt_has_its_own_exit_code(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Ctrl-C outside of a fit ends with code 130, as shells expect."""

    def interrupt() -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(plugins, "load_registry", interrupt)
    assert cli.main(["plugins"]) == 130
    assert "interrupted" in capsys.readouterr().err


def test_unknown_command_and_version(capsys: pytest.CaptureFixture[str]) -> None:
    """argparse's own exits: 2 with the known commands, 0 with the version."""
    with pytest.raises(SystemExit) as wrong:
        cli.main(["plug"])
    assert wrong.value.code == 2
    assert "plugins" in capsys.readouterr().err
    with pytest.raises(SystemExit) as version:
        cli.main(["--version"])
    assert version.value.code == 0
