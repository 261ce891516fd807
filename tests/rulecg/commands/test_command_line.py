"""The command line from a table to predictions: files in, files out, exit codes, and errors that say what to do."""

import contextlib
import gzip
import json
import os
import pty
import re
import signal
import subprocess
import sys
import threading

import pytest

import rulecg
from rulecg.commands import cli, task
from rulecg_core import BackendUnavailable, InfeasibleError
from rulecg_core.base.events import Finished, IncumbentFound, RoundFinished, Started
from rulecg_core.base.status import Status, Stop


@pytest.fixture(scope="module")
def folder(tmp_path_factory, lending):
    """The lending data as a new user might have it."""
    folder = tmp_path_factory.mktemp("loans")
    table = lending.data.assign(approved=lending.target.map({True: "yes", False: "no"}))
    table.to_csv(folder / "loans.csv", index=False)
    with gzip.open(folder / "loans.csv.gz", "wt") as stream:
        table.to_csv(stream, index=False)
    table.to_parquet(folder / "loans.parquet")
    return folder


FIT = ["--target", "approved", "--positive", "yes", "--max-complexity", "8", "--time-limit", "1", "--quiet"]


@pytest.fixture(scope="module")
def model_file(folder):
    path = folder / "model.json"
    assert cli.main(["fit", str(folder / "loans.csv"), *FIT, "--sensitive", "sex,race", "--out", str(path)]) == 0
    return path


def test_fit_writes_a_model_with_everything_that_was_asked(model_file, lending):
    """Labels by their own names, the groups, the settings and a fingerprint of the inputs."""
    model = rulecg.load_model(model_file)
    assert model.classes == ("no", "yes")
    assert model.sensitive == ("sex", "race")
    assert model.settings["max_complexity"] == 8
    assert model.fingerprint.n_rows == len(lending.data)
    assert str(model).startswith("approved is yes if\n")


@pytest.mark.parametrize("name", ["loans.csv", "loans.csv.gz", "loans.parquet"])
def test_predictions_are_the_same_from_every_kind_of_file(name, model_file, folder, lending, capsys):
    """CSV, gzip and Parquet."""
    pytest.importorskip("pyarrow")
    assert cli.main(["predict", str(model_file), str(folder / name), "--proba"]) == 0
    lines = capsys.readouterr().out.splitlines()
    model = rulecg.load_model(model_file)
    assert lines[0] == "prediction,probability of no,probability of yes"
    assert [line.split(",")[0] for line in lines[1:]] == model.predict(lending.data).tolist()


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


def test_options_come_from_a_file_and_the_command_line_overrides_them(folder, capsys):
    """The same names; a table for each command; what is typed wins."""
    config = folder / "fit.toml"
    config.write_text(
        'target = "approved"\npositive = "yes"\nquiet = true\n[fit]\nmax_complexity = 99\ntime-limit = 1\n'
        'forbid = ["sex", "race"]\n[report]\ntitle = "not for fit"\n'
    )
    out = folder / "configured.json"
    words = ["fit", str(folder / "loans.csv"), "--config", str(config), "--max-complexity", "6", "--out", str(out)]
    assert cli.main(words) == 0
    settings = rulecg.load_model(out).settings
    assert (settings["max_complexity"], settings["time_limit"]) == (6, 1)
    assert settings["forbid"] == ["sex", "race"]
    config.write_text("max-complexty = 3\n")
    assert cli.main(words) == 2
    assert "Did you mean 'max-complexity'?" in capsys.readouterr().err


PATH = ["--target", "approved", "--positive", "yes", "--time-limit", "1", "--quiet"]
WRONG = {
    "no such file": (["fit", "nothing.csv", "--target", "x", "--out", "m"], "does not exist"),
    "no target": (["fit", "DATA", "--out", "m"], "--target"),
    "a column that is not there": (["fit", "DATA", "--target", "aproved", "--out", "m"], "Did you mean 'approved'"),
    "no positive value": (["fit", "DATA", "--target", "approved", "--out", "m"], "--positive"),
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


WRONG_OPTIONS = [
    ["--jobs", "0"], ["--jobs", "100000"], ["--seed", "-1"], ["--seed", "4294967296"], ["--seed", "9" * 400],
    ["--max-conditions", "0"], ["--max-complexity", "nan"], ["--time-limit", "-1"], ["--quantiles", "1"],
]  # fmt: skip


@pytest.mark.parametrize("words", WRONG_OPTIONS, ids=lambda words: " ".join(words)[:30])
def test_options_out_of_bounds_are_told_before_anything_is_read(words, capsys):
    """Exit code 2 and the bounds, whether or not the table is there."""
    with pytest.raises(SystemExit) as left:
        cli.main(["fit", "nothing.csv", "--target", "x", *words])
    assert left.value.code == 2
    assert f"argument {words[0]}: " in capsys.readouterr().err


CONFIGURATIONS = {
    "a number for a command": ("fit = 1", "must be a table"),
    "a list of tables for a command": ("[[fit]]\nseed = 1", "must be a table"),
    "lists without end": ("seed = " + "[" * 5000 + "]" * 5000, "nested too deeply"),
    "a number without end": ("seed = " + "9" * 5000, "not a TOML file"),
    "a date": ("seed = 2020-01-01", "must be text, a number"),
}


@pytest.mark.parametrize("what", CONFIGURATIONS)
def test_wrong_configuration_files_are_answered_in_one_message(what, folder, capsys):
    """Whatever stands in the TOML file."""
    text, message = CONFIGURATIONS[what]
    (folder / "wrong.toml").write_text(text)
    assert cli.main(["fit", str(folder / "loans.csv"), "--config", str(folder / "wrong.toml")]) == 2
    assert message in capsys.readouterr().err


def test_fit_without_a_file_shows_the_rules(folder, capsys):
    """--out is a wish, not a duty: the rules are printed, and that they are not kept."""
    assert cli.main(["fit", str(folder / "loans.csv"), *FIT]) == 0
    shown = capsys.readouterr().out
    assert "approved is yes if\n" in shown
    assert "Model: not kept" in shown


def test_fit_says_what_the_accuracy_is_worth(folder, lending, capsys):
    """Beside saying always the same; with recall and precision; the gaps after --constraint; the unit of the bound."""
    words = ["--sensitive", "sex", "--constraint", "equalized-odds:0.1"]
    assert cli.main(["fit", str(folder / "loans.csv"), *FIT, *words]) == 0
    shown = capsys.readouterr().out
    share = max(lending.target.mean(), 1 - lending.target.mean())
    common = "yes" if lending.target.mean() > 0.5 else "no"
    assert re.search(rf"Training accuracy: \d+\.\d% of 600 rows \(always saying {common}: {share:.1%}\)", shown)
    assert re.search(r"  yes: recall \d+\.\d% of \d+ rows, precision \d+\.\d%", shown)
    assert re.search(r"  equalized-odds:0.1: .* is 0?\.?\d+.*, at most 0\.1 allowed", shown)
    assert "objective below" in shown
    assert "The objective counts, on the training rows, every missed positive row once" in shown


def test_sensitive_columns_in_the_rules_are_the_first_thing_said(tmp_path, capsys):
    """A rule on sex is told before the rule itself, with what forbids it."""
    lines = ["sex,age,y"] + [f"{'f' if k % 2 else 'm'},{k % 7},{k % 2}" for k in range(40)]
    (tmp_path / "people.csv").write_text("\n".join(lines) + "\n")
    words = ["fit", str(tmp_path / "people.csv"), "--target", "y", "--sensitive", "sex", "--time-limit", "1", "--quiet"]
    assert cli.main(words) == 0
    assert capsys.readouterr().out.startswith(
        "ATTENTION: the rules decide by the sensitive column sex; --forbid sex forbids it.\n"
    )
    assert cli.main([*words, "--forbid", "sex"]) == 0
    assert "ATTENTION" not in capsys.readouterr().out


def test_truth_values_mean_the_same_whatever_else_stands_in_the_column(tmp_path, capsys):
    """Learned on True and False; then some rows say unknown, or all say yes and no."""
    member = [k % 3 != 0 for k in range(60)]
    rows = "".join(f"{m},{k % 5},{int(m)}\n" for k, m in enumerate(member))
    (tmp_path / "train.csv").write_text("member,age,y\n" + rows)
    fit = ["fit", str(tmp_path / "train.csv"), "--target", "y", "--time-limit", "1", "--quiet"]
    assert cli.main([*fit, "--out", str(tmp_path / "m.json")]) == 0
    capsys.readouterr()
    for spelled in ("True,False,True,unknown", "yes,no,Y,unknown", "t,f,1,unknown"):
        text = "member,age\n" + "".join(f"{word},1\n" for word in spelled.split(","))
        (tmp_path / "new.csv").write_text(text)
        assert cli.main(["predict", str(tmp_path / "m.json"), str(tmp_path / "new.csv")]) == 0
        shown = capsys.readouterr()
        assert shown.out.split()[1:4] == ["1", "0", "1"]
        assert "1 value of column 'member'" in shown.err


def test_a_sketch_of_rows_is_kept_unless_it_is_not_wanted(folder, model_file):
    """--no-row-sketch leaves the hashes of training rows out of the model file."""
    out = folder / "no-sketch.json"
    assert rulecg.load_model(model_file).fingerprint.sketch is not None
    assert cli.main(["fit", str(folder / "loans.csv"), *FIT, "--no-row-sketch", "--out", str(out)]) == 0
    assert rulecg.load_model(out).fingerprint.sketch is None


MODELS = {
    "a number beyond all bounds": lambda text: text.replace('"seconds": ', '"seconds": 1e999, "x": ', 1),
    "a null in its history": lambda text: re.sub(r'("relaxation"): [0-9.]+', r"\1: null", text),
    "empty objects without end": lambda text: "[" + "{}," * 3_000_000 + "{}]",
    "an integer of 5000 digits": lambda text: text.replace('"version": ', '"version": ' + "9" * 5000, 1),
}


@pytest.mark.parametrize("what", MODELS)
def test_hostile_model_files_are_answered_in_one_message(what, folder, model_file, capsys):
    """Whatever stands in the file, every command that reads it says that it cannot be used."""
    bad = folder / "bad.json"
    bad.write_text(MODELS[what](model_file.read_text()))
    for command in (["predict", str(bad), str(folder / "loans.csv")], ["export", str(bad), "--to", "sql"]):
        assert cli.main(command) == 2
        assert capsys.readouterr().err.startswith("rulecg: ")


def test_integers_of_four_hundred_digits_are_refused_by_name(tmp_path, capsys):
    """As an input they name the column; as a target they are told like any other label."""
    rows = "".join(f"{'9' * 400 if k % 2 else 1},{k},{k % 2}\n" for k in range(20))
    (tmp_path / "t.csv").write_text("code,age,y\n" + rows)
    words = ["fit", str(tmp_path / "t.csv"), "--time-limit", "1", "--quiet"]
    assert cli.main([*words, "--target", "y"]) == 2
    assert "Column 'code' holds numbers beyond 1e308" in capsys.readouterr().err
    assert cli.main([*words, "--target", "code"]) == 2
    assert "--positive" in capsys.readouterr().err


def run_in_shell(command, **environment):
    whole = {**os.environ, **environment}
    return subprocess.run(["bash", "-c", command], capture_output=True, text=True, timeout=60, env=whole)


def test_output_that_cannot_be_written_is_told_in_one_sentence(model_file, folder):
    """A full device, a closed output, and an output that knows ASCII only."""
    predict = f"{sys.executable} -m rulecg.commands.cli predict {model_file} {folder / 'loans.csv'}"
    full = run_in_shell(f"{predict} > /dev/full")
    assert (full.returncode, full.stderr) == (2, "rulecg: Cannot write standard output: No space left on device.\n")
    closed = run_in_shell(f"{predict} >&-")
    assert closed.returncode == 2
    assert closed.stderr.startswith("rulecg: Cannot write standard output: ")
    assert closed.stderr.count("\n") == 1


def test_a_stream_of_ascii_alone_gets_spelled_out_text_and_no_wrong_data(tmp_path):
    """People read an escape; programs get an error instead of another value."""
    rows = "".join(f"{'é' if k % 2 else 'a'},{k % 2}\n" for k in range(40))
    (tmp_path / "t.csv").write_text("letter,y\n" + rows, encoding="utf-8")
    rulecg_command = f"{sys.executable} -m rulecg.commands.cli"
    options = f"--target y --time-limit 1 --quiet --out {tmp_path}/m.json"
    fit = run_in_shell(f"{rulecg_command} fit {tmp_path}/t.csv {options}", PYTHONIOENCODING="ascii")
    assert (fit.returncode, fit.stderr) == (0, "")
    assert "\\xe9" in fit.stdout or "letter != a" in fit.stdout
    words = f"predict {tmp_path}/m.json {tmp_path}/t.csv --with-data"
    predict = run_in_shell(f"{rulecg_command} {words}", PYTHONIOENCODING="ascii")
    assert predict.returncode == 2
    assert "Standard output takes ascii only" in predict.stderr


def test_standard_input_is_a_table(model_file, folder):
    """``cat loans.csv | rulecg predict model.json /dev/stdin``."""
    command = f"cat {folder / 'loans.csv'} | {sys.executable} -m rulecg.commands.cli predict {model_file}"
    assert run_in_shell(f"{command} /dev/stdin").stdout == run_in_shell(f"{command} -").stdout
    assert run_in_shell(f"{command} -").stdout.startswith("prediction\n")


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


def test_ctrl_c_keeps_the_best_model_so_far(folder, tmp_path):
    """The process ends with 130 and the model file is there, loads and predicts."""
    out = tmp_path / "model.json"
    environment = {**os.environ, "PYTHONUNBUFFERED": "1"}
    process = subprocess.Popen(
        [sys.executable, "-m", "rulecg.commands.cli", "fit", str(folder / "loans.csv"), "--target", "approved",
         "--positive", "yes", "--max-complexity", "60", "--max-conditions", "8", "--quantiles", "40",
         "--time-limit", "none", "--out", str(out)],
        stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment,
    )  # fmt: skip
    for line in process.stderr:
        if "round" in line:
            break
    process.send_signal(signal.SIGINT)
    try:
        process.communicate(timeout=40)
    except subprocess.TimeoutExpired:  # a second Ctrl-C, as a person would
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=40)
    assert process.returncode == 130
    assert rulecg.load_model(out).certificate.stop == "interrupted"


def test_a_pipe_gets_plain_lines(folder, tmp_path, capsys):
    """Progress goes to standard error, one line at a time and without control codes."""
    assert cli.main(["fit", str(folder / "loans.csv"), *FIT[:-1], "--out", str(tmp_path / "model.json")]) == 0
    shown = capsys.readouterr()
    assert re.search(r"round 1: \d+ rules", shown.err)
    assert "round 1" not in shown.out
    assert "\x1b" not in shown.err


def test_a_terminal_gets_a_live_display(lending, monkeypatch):
    """One table is redrawn in place; its last state stays on the screen."""
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "100")
    leader, follower = pty.openpty()
    shown = bytearray()

    def read():
        with contextlib.suppress(OSError):  # how a closed terminal ends
            while piece := os.read(leader, 65536):
                shown.extend(piece)

    reader = threading.Thread(target=read)
    reader.start()
    with os.fdopen(follower, "w") as terminal, contextlib.redirect_stdout(terminal):
        rulecg.RuleSetClassifier(max_complexity=6, time_limit=1.0, verbose=1).fit(lending.data, lending.target)
    reader.join(timeout=20)
    text = shown.decode()
    assert "\x1b[" in text
    for word in ("round", "rules", "proven bound", "best", "gap", "seconds", "finished"):
        assert word in text


def test_the_live_display_follows_the_events():
    """Bound, best objective and gap are the last that the run told."""
    from rich.console import Console

    from rulecg.estimators.live import LiveState

    state = LiveState("demo [bold]")
    state(Started(0.0, 10, 20, 1, "highs", ("beam",)))
    state(RoundFinished(0.1, 3, 12.5, 8.0, None, 40, 10, "beam"))
    state(IncumbentFound(0.2, 16.0, 2, "local search"))
    assert state.gap == 0.5
    state(Finished(0.3, Status.LP_OPTIMAL, Stop.COMPLETED, 10.0, 9.0, 41))
    console = Console(width=100, record=True, file=open(os.devnull, "w"), markup=False)  # noqa: SIM115
    console.print(state.render())
    shown = console.export_text()
    assert re.search(r"3 .* 41 .* 12\.50 .* 9 .* 10 .* 10\.0% .* 0\.3", shown)
    assert "lp-optimal" in shown


def test_a_reader_that_has_seen_enough_is_no_error(model_file, folder):
    """``rulecg predict … | head -1`` ends quietly."""
    command = f"{sys.executable} -m rulecg.commands.cli predict {model_file} {folder / 'loans.csv'} | head -1"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, timeout=60)
    assert done.stdout == "prediction\n"
    assert done.stderr == ""


def test_thresholds_can_be_chosen(folder):
    """--thresholds and --quantiles reach the binarizer; auto is what is taken when neither is given."""
    chosen = {}
    for name, words in {
        "distinct": ["--thresholds", "distinct"],
        "trees": ["--thresholds", "trees"],
        "halves": ["--quantiles", "2"],
        "auto": [],
    }.items():
        path = folder / f"{name}.json"
        assert cli.main(["fit", str(folder / "loans.csv"), *FIT, *words, "--out", str(path)]) == 0
        chosen[name] = rulecg.load_model(path)
    settings = {name: model.settings["binarizer"] for name, model in chosen.items()}
    assert "thresholds='distinct'" in settings["distinct"]
    assert "thresholds='trees'" in settings["trees"]
    assert "n_quantiles=2" in settings["halves"]
    assert settings["auto"] == "auto"
    assert len(chosen["halves"].conditions) < len(chosen["auto"].conditions)
    assert set(chosen["trees"].conditions) != set(chosen["distinct"].conditions)
