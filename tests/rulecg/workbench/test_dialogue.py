"""The workbench in words."""

import io

import pytest

from rulecg import save_model
from rulecg.commands.cli import main
from rulecg.commands.common.exit_codes import WRONG_INPUT
from rulecg.workbench.dialogue import Dialogue
from rulecg_core import ConfigurationError, UnknownNameError


def test_a_conversation_does_what_its_lines_say(bench, tmp_path):
    """Keep, price, ban, undo, history and save, each with its answer."""
    dialogue = Dialogue(bench)
    dialogue.say("wait")
    assert "1* " in dialogue.say("keep 1")
    assert "costs" in dialogue.say("price ban e")
    assert "banned: e" in dialogue.say("ban e")
    assert "banned:" not in dialogue.say("undo")
    assert "keep 1" in dialogue.say("prices") or "keep" in dialogue.say("prices")
    assert dialogue.say("history").splitlines()[0].startswith("1. keep 1")
    assert "Model:" in dialogue.say(f"save {tmp_path / 'm.json'}")
    assert (tmp_path / "m.json").exists()
    assert dialogue.say("# a comment") == ""
    dialogue.say("quit")
    assert dialogue.has_ended


@pytest.mark.parametrize("line", ["keep", "sing", 'add "a', "price", "save"])
def test_a_line_that_makes_no_sense_is_an_error_in_words(bench, line):
    """Too few words, an unknown command, an open quote: said, and nothing is done."""
    with pytest.raises((ConfigurationError, UnknownNameError)):
        Dialogue(bench).say(line)
    assert not bench.edits


def test_the_command_takes_lines_from_standard_input(classifier, rows, tmp_path, monkeypatch, capsys):
    """``rulecg edit`` does a script from standard input and writes the model; a wrong line ends it."""
    table, y = rows
    model, data, out = tmp_path / "model.json", tmp_path / "data.csv", tmp_path / "edited.json"
    table.assign(label=y).to_csv(data, index=False)
    save_model(classifier, model, data=table, target="label")
    command = ["edit", str(model), str(data), "--folds", "0"]
    monkeypatch.setattr("sys.stdin", io.StringIO(f"keep 1\nban e\nsave {out}\n"))
    assert main(command) == 0
    assert "banned: e" in capsys.readouterr().out
    assert out.exists()
    monkeypatch.setattr("sys.stdin", io.StringIO("keep 99\nban e\n"))
    assert main(command) == WRONG_INPUT
    assert "banned: e" not in capsys.readouterr().out
