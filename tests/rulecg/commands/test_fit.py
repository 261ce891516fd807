"""From a table to a model file."""

import os
import re
import signal
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

import rulecg
from rulecg.commands import cli

from .words import FIT


def test_fit_writes_a_model_with_everything_that_was_asked(model_file, lending):
    """Labels by their own names, the groups, the settings and a fingerprint of the inputs."""
    model = rulecg.load_model(model_file)
    assert model.classes == ("no", "yes")
    assert model.sensitive == ("sex", "race")
    assert model.settings["max_complexity"] == 8
    assert model.fingerprint.n_rows == len(lending.data)
    assert str(model).startswith("approved is yes if\n")


def test_a_sketch_of_rows_is_kept_unless_it_is_not_wanted(folder, model_file):
    """--no-row-sketch leaves the hashes of training rows out of the model file."""
    out = folder / "no-sketch.json"
    assert rulecg.load_model(model_file).fingerprint.sketch is not None
    assert cli.main(["fit", str(folder / "loans.csv"), *FIT, "--no-row-sketch", "--out", str(out)]) == 0
    assert rulecg.load_model(out).fingerprint.sketch is None


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


def test_integers_of_four_hundred_digits_are_refused_by_name(tmp_path, capsys):
    """As an input they name the column; as a target they are told like any other label."""
    rows = "".join(f"{'9' * 400 if k % 2 else 1},{k},{k % 2}\n" for k in range(20))
    (tmp_path / "t.csv").write_text("code,age,y\n" + rows)
    words = ["fit", str(tmp_path / "t.csv"), "--time-limit", "1", "--quiet"]
    assert cli.main([*words, "--target", "y"]) == 2
    assert "Column 'code' holds numbers beyond 1e308" in capsys.readouterr().err
    assert cli.main([*words, "--target", "code"]) == 0
    assert "code is 1 if" in capsys.readouterr().out


@pytest.mark.parametrize(("labels", "described"), [("aab", "b"), ("abb", "a"), (("no", "yes", "yes"), "yes")])
def test_the_target_alone_says_enough(labels, described, tmp_path, capsys):
    """Of two values rules describe the one that says yes, else the rarer one."""
    rows = "".join(f"{k % 3},{labels[k % 3]}\n" for k in range(30))
    (tmp_path / "t.csv").write_text("x,y\n" + rows)
    assert cli.main(["fit", str(tmp_path / "t.csv"), "--target", "y", "--max-complexity", "2", "--quiet"]) == 0
    assert f"y is {described} if" in capsys.readouterr().out


def test_costs_class_weights_and_teacher_reach_the_fit(folder, capsys):
    """The options become settings of the model, by the labels' own names, and the summary names the objective."""
    out = folder / "costs.json"
    words = ["--costs", "fp=3,fn=1", "--class-weight", "yes=2", "--teacher", "forest", "--label-weight", "0.25"]
    assert cli.main(["fit", str(folder / "loans.csv"), *FIT, *words, "--out", str(out)]) == 0
    settings = rulecg.load_model(out).settings
    assert settings["teacher"] == "forest"
    assert settings["label_weight"] == 0.25
    assert settings["costs"] == "{'fp': 3.0, 'fn': 1.0}"
    assert settings["class_weight"] == "{True: 2.0}"
    assert "weighted cost expected by the teacher" in capsys.readouterr().out


def test_with_no_options_but_the_target_it_says_what_to_expect(tmp_path, capsys):
    """First the accuracy on new rows beside the majority class, then what was tried; file and report keep it."""
    rng = np.random.default_rng(0)
    table = pd.DataFrame({"a": rng.random(120).round(2), "b": rng.random(120).round(2)})
    table["y"] = np.where((table["a"] > 0.5) ^ (rng.random(120) < 0.05), 1, 0)
    table[:80].to_csv(tmp_path / "train.csv", index=False)
    table[80:].to_csv(tmp_path / "new.csv", index=False)
    words = ["--target", "y", "--quiet", "--time-limit", "300", "--test", str(tmp_path / "new.csv")]
    out = tmp_path / "m.json"
    assert cli.main(["fit", str(tmp_path / "train.csv"), *words, "--out", str(out)]) == 0
    shown = capsys.readouterr().out
    assert shown.startswith("Expected on new rows: accuracy ")
    assert "always saying" in shown.splitlines()[0]
    assert re.search(r"chosen: \d+, (dnf|cnf), labels count", shown)
    assert re.search(r"On 40 rows of .*new\.csv: accuracy \d+\.\d%", shown)
    assert "Training accuracy" in shown
    expected = rulecg.load_model(out).expected
    assert shown.startswith(expected.lines()[0])
    page = tmp_path / "page.html"
    assert cli.main(["report", str(out), str(tmp_path / "new.csv"), "--out", str(page)]) == 0
    assert "What to expect on new rows" in page.read_text()


def test_a_table_without_outcomes_tests_nothing(folder, tmp_path, capsys):
    """--test says which column is missing."""
    (tmp_path / "new.csv").write_text("a,b\n1,2\n")
    assert cli.main(["fit", str(folder / "loans.csv"), *FIT, "--test", str(tmp_path / "new.csv")]) == 2
    assert "Unknown column" in capsys.readouterr().err
