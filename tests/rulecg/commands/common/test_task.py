"""Learning tasks from the command line: exit codes, and errors that say what to do."""

import json
import re

import pytest

from rulecg.commands import cli
from rulecg.commands.common import task
from rulecg_core import BackendUnavailable, InfeasibleError

from ..words import FIT


def test_explain_and_export_write_text_and_files(model_file, folder, capsys):
    """Explanations as text or JSON lines; every export language gives something."""
    assert cli.main(["explain", str(model_file), str(folder / "loans.csv"), "--limit", "5"]) == 0
    assert capsys.readouterr().out.startswith("row 1: ")
    assert cli.main(["explain", str(model_file), str(folder / "loans.csv"), "--limit", "5", "--json"]) == 0
    rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [row["row"] for row in rows] == [1, 2, 3, 4, 5]
    for language in ("sql", "python", "json", "text", "markdown", "latex", "html"):
        out = folder / f"rules.{language}"
        assert cli.main(["export", str(model_file), "--to", language, "--out", str(out)]) == 0
        assert out.read_text().strip()


PATH = ["--target", "approved", "--positive", "yes", "--time-limit", "1", "--quiet"]


WRONG = {
    "no such file": (["fit", "nothing.csv", "--target", "x", "--out", "m"], "does not exist"),
    "no target": (["fit", "DATA", "--out", "m"], "--target"),
    "a column that is not there": (["fit", "DATA", "--target", "aproved", "--out", "m"], "Did you mean 'approved'"),
    "a value that is not there": (
        ["fit", "DATA", "--target", "approved", "--positive", "Yes", "--out", "m"], "Its values: no, yes",
    ),
    "a folder that is not there": (["fit", "DATA", *FIT, "--out", "no/such/folder/m.json"], "No such file"),
    "groups made of the target": (["fit", "DATA", *FIT, "--sensitive", "approved"], "the column to predict"),
    "a forbidden target": (["fit", "DATA", *FIT, "--forbid", "approved"], "the column to predict"),
    "a target of numbers": (["fit", "DATA", "--target", "debt_ratio", "--quiet"], "Unknown label type"),
    "one fold": (["path", "DATA", *PATH, "--folds", "1"], "--folds 1 cannot be done: give 2 to"),
    "too many folds": (["path", "DATA", *PATH, "--folds", "2000"], "--folds 2000 cannot be done: give 2 to"),
    "a report nowhere": (["report", "MODEL", "DATA", "--out", "no/such/folder/r.html"], "No such file"),
    "a separator of two": (["predict", "MODEL", "DATA", "--separator", ";;"], "one character"),
    "a table of no schema": (["export", "MODEL", "--to", "sql", "--table", "a..b"], "no name of a table"),
    "an unknown constraint": (["fit", "DATA", *FIT, "--constraint", "equal:1", "--out", "m"], "Unknown constraint"),
    "an unknown backend": (["fit", "DATA", *FIT, "--backend", "cplex", "--out", "m"], "Unknown backend 'cplex'"),
    "no model": (["predict", "DATA", "DATA"], "no rulecg model file"),
    "a folder": (["predict", "MODEL", "."], "is a folder"),
    "an unknown immutable column": (["explain", "MODEL", "DATA", "--immutable", "incom"], "Did you mean 'income'"),
}  # fmt: skip


@pytest.mark.parametrize("what", WRONG)
def test_wrong_input_is_answered_in_one_message_without_traceback(what, folder, model_file, capsys):
    """Exit code 2, and the message says what to do."""
    words, message = WRONG[what]
    places = {"DATA": str(folder / "loans.csv"), "MODEL": str(model_file)}
    assert cli.main([places.get(word, word) for word in words]) == 2
    error = capsys.readouterr().err
    assert error.startswith("rulecg: ")
    assert message in error


@pytest.mark.parametrize(
    ("error", "code"), [(InfeasibleError({"row": 1.0}), 3), (BackendUnavailable("cbc", "absent", "pip"), 4)]
)
def test_impossible_wishes_and_missing_solvers_have_their_own_exit_codes(error, code, monkeypatch, capsys):
    """A script can tell them from a mistake in the options."""

    def fail(arguments):
        raise error

    monkeypatch.setattr(task.Task, "of", fail)
    assert cli.main(["fit", "loans.csv", "--out", "model.json"]) == code
    assert capsys.readouterr().err == f"rulecg: {error}\n"


def test_a_pipe_gets_plain_lines(folder, tmp_path, capsys):
    """Progress goes to standard error, one line at a time and without control codes."""
    assert cli.main(["fit", str(folder / "loans.csv"), *FIT[:-1], "--out", str(tmp_path / "model.json")]) == 0
    shown = capsys.readouterr()
    assert re.search(r"round 1: \d+ rules", shown.err)
    assert "round 1" not in shown.out
    assert "\x1b" not in shown.err
