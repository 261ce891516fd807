"""Learning again with a model's own settings, and answers that do not depend on threads or the order of rows."""

import numpy as np
import pytest

from rulecg import RuleSetClassifier, load_model, save_model
from rulecg.analysis.rerun import rerun
from rulecg.commands import cli
from rulecg.model.model_file import to_model

SCHEDULE = {"search": {"share": 0.25}, "generation": {"tight_shares": [0.5]}}


@pytest.fixture(scope="module")
def table(lending):
    return lending.data[["income", "debt_ratio", "home", "late_payments"]].assign(approved=lending.target)


@pytest.fixture(scope="module")
def counted(table, tmp_path_factory):
    """A file of a model whose fit counted work, with a schedule and a seed of its own."""
    inputs = table.drop(columns="approved")
    clf = RuleSetClassifier(
        max_complexity=8, time_limit=2.0, deterministic=True, random_state=7, schedule=SCHEDULE
    ).fit(inputs, table["approved"])
    path = tmp_path_factory.mktemp("rerun") / "model.json"
    save_model(to_model(clf, data=inputs, target="approved"), path)
    return path


def test_the_same_rows_give_the_same_rules_again(counted, table):
    """In any order; a changed schedule and seed come from the file, and no release differs."""
    model = load_model(counted)
    for rows in (table, table.sample(frac=1.0, random_state=3)):
        again = rerun(model, rows)
        assert (again.is_same, again.rules, again.versions, again.data) == (True, again.expected, (), "")


def test_the_model_file_names_seed_schedule_and_work(counted):
    """What differs from the usual schedule, the seed in use, and how much was counted."""
    settings = load_model(counted).settings
    assert settings["schedule"] == ["generation.tight_shares = [0.5]", "search.share = 0.25"]
    assert isinstance(settings["seed"], int)
    assert "seconds of work" in settings["work"]
    assert any(entry.startswith("highspy ") for entry in settings["made_with"])


def test_changed_data_are_told(counted, table):
    """Rows left out, and values that are others, are said with how many rows were there."""
    model = load_model(counted)
    fewer = rerun(model, table.iloc[:300])
    assert fewer.data == "300 rows (then 600), of which 100.0% were there"
    other = rerun(model, table.assign(income=np.where(np.arange(600) < 150, 1.0, table["income"])))
    assert other.data == "other values: 75.0% of the rows were there"


def test_the_command_compares_and_says_what_is_different(counted, table, tmp_path, capsys):
    """Exit code 0 with the same rules; 1 with both rule sets, and what is different about the rows."""
    table.to_csv(tmp_path / "same.csv", index=False)
    assert cli.main(["rerun", str(counted), str(tmp_path / "same.csv")]) == 0
    said = capsys.readouterr()
    assert said.out == "The same rules.\n"
    assert "Other data" not in said.err
    table.assign(approved=table["home"] == "owned").iloc[:400].to_csv(tmp_path / "other.csv", index=False)
    assert cli.main(["rerun", str(counted), str(tmp_path / "other.csv")]) == 1
    said = capsys.readouterr()
    assert said.out.startswith("Other rules. The model has:\n")
    assert "Other data: 400 rows (then 600)" in said.err


@pytest.mark.parametrize("size", [12, "auto"])
def test_threads_and_the_order_of_rows_change_nothing(table, size):
    """A fit that counts work gives the same rules with one thread and two, and for shuffled rows, also where the bound
    on complexity is chosen."""
    found = set()
    for threads, seed in ((1, None), (2, None), (2, 11)):
        rows = table if seed is None else table.sample(frac=1.0, random_state=seed)
        clf = RuleSetClassifier(max_complexity=size, time_limit=1.5, deterministic=True, n_jobs=threads)
        clf.fit(rows.drop(columns="approved"), rows["approved"])
        found.add((str(clf.rule_set_), clf.result_.objective, clf.result_.lower_bound, clf.settings_["max_complexity"]))
    assert len(found) == 1, found
