"""The command line: listing plugins, the demonstration, and errors without tracebacks."""

from __future__ import annotations

from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

from rulecg.commands import cli, plugins
from rulecg_core import ConfigurationError, load_registry


def test_a_forgotten_mark_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A function with the name of a hook that lacks @hookimpl is a problem, not silence."""
    (tmp_path / "unmarked_plugin.py").write_text("def rulecg_register_pricers(register):\n    register('p', int)\n")
    monkeypatch.syspath_prepend(tmp_path)
    registry = load_registry([EntryPoint("unmarked", "unmarked_plugin", "rulecg")])
    assert [str(problem) for problem in registry.faults] == [
        "plugin 'unmarked' of an unknown distribution: rulecg_register_pricers has no effect: put "
        "@rulecg_core.hookimpl in front of it"
    ]


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


@pytest.mark.parametrize("option", ["--time-limit", "--seed", "--config", "--positive", "--cut-points"])
def test_two_dashes_are_no_value(option: str, capsys: pytest.CaptureFixture[str]) -> None:
    """``--seed=--`` is refused as an option without its value."""
    with pytest.raises(SystemExit, match="2"):
        cli.main(["fit", "t.csv", "--target", "y", f"{option}=--"])
    assert f"{option}: expected one argument" in capsys.readouterr().err
