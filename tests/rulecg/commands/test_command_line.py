"""The command line from a table to predictions: files in, files out, exit codes, and errors that say what to do."""

import contextlib
import gzip
import json
import os
import pty
import re
import shutil
import signal
import subprocess
import sys
import threading

import pytest

import rulecg
from rulecg.commands import cli, completion, task
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


WRONG = {
    "no such file": (["fit", "nothing.csv", "--target", "x", "--out", "m"], "does not exist"),
    "no target": (["fit", "DATA", "--out", "m"], "--target"),
    "a column that is not there": (["fit", "DATA", "--target", "aproved", "--out", "m"], "Did you mean 'approved'"),
    "no positive value": (["fit", "DATA", "--target", "approved", "--out", "m"], "--positive"),
    "a value that is not there": (
        ["fit", "DATA", "--target", "approved", "--positive", "Yes", "--out", "m"], "Its values: no, yes",
    ),
    "nowhere to write": (["fit", "DATA", *FIT], "--out"),
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


@pytest.mark.parametrize("shell", completion.SHELLS)
def test_completion_scripts_know_every_command_and_option(shell, tmp_path):
    """Generated from the parser; the shell itself accepts the script where it is installed."""
    parser = cli.build_parser()
    script = completion.script(shell, parser)
    for name, subparser in completion.subcommands(parser).items():
        assert name in script
        for action in subparser._actions:
            for option in action.option_strings:
                assert option.lstrip("-") in script
    if shutil.which(shell):
        path = tmp_path / "script"
        path.write_text(script)
        subprocess.run([shell, "-n", str(path)], check=True, timeout=20)


def test_bash_completes_commands_options_and_choices(tmp_path):
    """Tried in bash itself."""
    bash = shutil.which("bash")
    if bash is None:
        pytest.skip("no bash here")
    path = tmp_path / "script"
    path.write_text(completion.script("bash", cli.build_parser()))
    ask = 'source "$0"; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _rulecg; echo "${COMPREPLY[@]}"'
    for words, expected in [(["fi"], "fit"), (["fit", "--time"], "--time-limit"), (["export", "--to", "sq"], "sql")]:
        out = subprocess.run([bash, "-c", ask, path, "rulecg", *words], capture_output=True, text=True, timeout=20)
        assert out.stdout.split() == [expected]


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
