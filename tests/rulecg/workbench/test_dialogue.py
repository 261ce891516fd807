"""The workbench in words."""

import subprocess
import sys

import pytest

from rulecg import save_model
from rulecg.workbench.dialogue import Dialogue
from rulecg_core import ConfigurationError, UnknownNameError


def test_a_conversation_does_what_its_lines_say(bench, tmp_path):
    """Keep, price, ban, undo, history and save, each with its answer."""
    dialogue = Dialogue(bench)
    dialogue.say("wait")
    assert "1* " in dialogue.say("keep 1")
    assert "costs" in dialogue.say("price ban e")
    assert "banned: e" in dialogue.say("ban e")
    assert "banned" not in dialogue.say("undo")
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


def test_the_command_takes_lines_from_standard_input(classifier, rows, tmp_path):
    """``rulecg edit`` does a script from standard input and writes the model; a wrong line ends it with code 2."""
    table, y = rows
    model, data, out = tmp_path / "model.json", tmp_path / "data.csv", tmp_path / "edited.json"
    table.assign(label=y).to_csv(data, index=False)
    save_model(classifier, model, data=table, target="label")
    command = [sys.executable, "-m", "rulecg.commands.cli", "edit", str(model), str(data), "--folds", "0"]
    done = subprocess.run(
        command, input=f"keep 1\nban e\nsave {out}\n", capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr
    assert "banned: e" in done.stdout
    assert out.exists()
    wrong = subprocess.run(command, input="keep 99\n", capture_output=True, text=True, timeout=120, check=False)
    assert wrong.returncode != 0
