"""Texts that stand for missing values, in the estimator, on the command line and in the model file."""

import numpy as np
import pandas as pd

import rulecg
from rulecg.commands.cli import main
from rulecg.inputs.missing_texts import without_texts


def test_texts_for_missing_values_leave_numbers_and_the_table_as_it_was():
    """A column of numbers and question marks is one of numbers, one of words keeps them; the input is not touched."""
    table = pd.DataFrame({"age": ["31", "?"], "job": ["?", "cook"], "n": [1, 2]}, dtype=object)
    found = without_texts(table, ["?"])
    assert found["age"].tolist()[0] == 31
    assert found["job"].tolist()[1] == "cook"
    assert found.isna().sum().tolist() == [1, 1, 0]
    assert table["age"].tolist() == ["31", "?"]


def questions():
    """A table in which "?" hides a number or a word; who has no job is positive."""
    rng = np.random.default_rng(0)
    age = rng.integers(20, 60, 120).astype(str).astype(object)
    job = rng.choice(["cook", "nurse", "clerk", "?"], 120).astype(object)
    age[::7] = "?"
    return pd.DataFrame({"age": age, "job": job}), pd.Series(job == "?", name="out")


def test_the_estimator_takes_texts_for_missing_values():
    """Numbers behind question marks are cut as numbers, and "?" is missing, in fit and in predict."""
    table, truth = questions()
    classifier = rulecg.RuleSetClassifier(max_complexity=3, time_limit=5, na_values=["?"]).fit(table, truth)
    assert str(classifier.rule_set_) == "out if\n  job is missing"
    assert any(c.column == "age" and c.operator == "<=" for c in classifier.binarizer_.conditions_)
    assert (classifier.predict(table) == truth).all()


def test_the_command_line_takes_them_and_the_model_file_keeps_them(tmp_path, capsys):
    """After fit --na-values the later commands know by themselves what is missing."""
    table, truth = questions()
    data, model = tmp_path / "data.csv", tmp_path / "model.json"
    table.assign(out=truth).to_csv(data, index=False)
    words = ["--target", "out", "--na-values", "?", "--max-complexity", "3", "--quiet", "--time-limit", "5"]
    assert main(["fit", str(data), *words, "--out", str(model)]) == 0
    assert "job is missing" in capsys.readouterr().out
    assert main(["predict", str(model), str(data)]) == 0
    assert capsys.readouterr().out.splitlines()[1:] == [str(value) for value in truth]
