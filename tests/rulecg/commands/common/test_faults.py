"""A fault is one sentence that names whose it is."""

from __future__ import annotations

import importlib
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

from rulecg.commands import cli, plugins
from rulecg.commands.common import exit_codes, faults


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
