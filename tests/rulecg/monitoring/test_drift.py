"""A check finds what changed since training, stays quiet when nothing did, and says so by exit code and page."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import fisher_exact
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.proportion import proportions_ztest

import rulecg
from rulecg.commands.cli import main
from rulecg.monitoring.drift import _two_sided, check, holm
from rulecg.monitoring.page import build_page
from rulecg_core import ConfigurationError


def drawn(n_rows, seed, shift=0.0):
    """People, of whom those with an income are approved; a shift lowers incomes, and approves fewer of one group."""
    rng = np.random.default_rng(seed)
    income = np.round(rng.normal(50 - 30 * shift, 15, n_rows))
    table = pd.DataFrame(
        {
            "income": income,
            "age": rng.integers(18, 80, n_rows),
            "job": rng.choice(["cook", "nurse", "<b>clerk</b>"], n_rows),
            "sex": rng.choice(["f", "m"], n_rows),
        }
    )
    truth = (income > 55) ^ (rng.random(n_rows) < 0.05)
    truth &= ~((table["sex"] == "f") & (rng.random(n_rows) < shift)).to_numpy()
    return table.assign(approved=truth)


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    """A model from a file, so that what it knows of training went through the file."""
    rows = drawn(600, seed=0)
    inputs = rows.drop(columns="approved")
    classifier = rulecg.RuleSetClassifier(max_complexity=4, time_limit=10, forbid=["sex"])
    classifier.fit(inputs, rows["approved"], sensitive_features=rows[["sex"]])
    path = tmp_path_factory.mktemp("check") / "model.json"
    rulecg.save_model(classifier, path, data=inputs, target="approved", sensitive=["sex"])
    return rulecg.load_model(path), path


def test_training_counts_go_through_the_file(model):
    """Conditions, rules and groups are counted on the training rows, and the file gives them back."""
    found, _ = model
    rows = drawn(600, seed=0)
    baseline = found.baseline
    for condition, count in zip(found.conditions, baseline.conditions, strict=True):
        assert count == condition.holds(rows[condition.column]).sum()
    assert baseline.n_right == (found.predict(rows) == rows["approved"]).sum()
    truth, predicted, columns = baseline.training_rows()
    counted = pd.crosstab([columns["sex"], truth], predicted).to_numpy().tolist()
    assert counted == pd.crosstab([rows["sex"], rows["approved"]], found.predict(rows)).to_numpy().tolist()


def test_rows_like_those_of_training_raise_no_alarm(model):
    """The training rows themselves, and new ones drawn alike."""
    found, _ = model
    for seed in range(4):
        assert check(found, drawn(600, seed)).alarms == []


def test_changed_rows_are_told_by_what_changed(model):
    """Conditions on the column that moved, and rules; columns that did not move stay quiet."""
    found, _ = model
    told = check(found, drawn(600, seed=7, shift=0.6))
    assert {shift.column for shift in told.conditions if shift.is_alarm} == {"income"}
    assert any(shift.is_alarm for shift in told.firing)
    assert any(line.startswith("rule income") for line in told.alarms)
    assert any(line.startswith("condition income") for line in told.alarms)


def test_rules_that_are_right_less_often_are_told(model):
    """A third of the labels turned round: accuracy and the precision of rules fall, and nothing is said of shares."""
    found, _ = model
    rows = drawn(600, seed=5)
    told = check(found, rows.assign(approved=rows["approved"] ^ (rows.index % 3 == 0)))
    assert told.accuracy.is_alarm
    assert all(shift.is_alarm for shift in told.precision)
    assert not any(shift.is_alarm for shift in (*told.conditions, *told.firing))
    assert told.alarms[0].startswith("accuracy: ")


def test_labels_and_groups_may_be_absent(model):
    """Without outcomes nothing is said about being right, and without an unused column the rest is still checked."""
    found, _ = model
    told = check(found, drawn(200, seed=1).drop(columns=["approved", "age", "sex"]))
    assert told.accuracy is None
    assert told.precision == ()
    assert told.absent == ("age",)
    assert told.notes[0].startswith("No sensitive columns")
    half = drawn(200, seed=1)
    half["approved"] = half["approved"].astype(object).mask(half.index % 2 == 0)
    assert check(found, half).n_labelled == 100


def test_a_gap_that_widens_is_an_alarm(model):
    """Errors that fall on one group alone widen the gap in accuracy beyond what training had."""
    found, _ = model
    rows = drawn(600, seed=3)
    wrong = (rows["sex"] == "f") & (rows.index % 3 == 0)
    told = check(found, rows.assign(approved=rows["approved"] ^ wrong))
    (gap,) = (gap for gap in told.gaps if gap.metric == "accuracy difference")
    assert gap.is_alarm
    assert gap.low > gap.then
    assert any("accuracy difference between groups of sex" in line for line in told.alarms)


def test_chances_are_those_of_statsmodels():
    """The normal test for many rows, Fisher's for few; Holm's correction."""
    assert _two_sided((300, 1000), (360, 1000)) == pytest.approx(proportions_ztest([300, 360], [1000, 1000])[1])
    assert _two_sided((3, 40), (9, 40)) == pytest.approx(fisher_exact([[3, 37], [9, 31]])[1])
    assert _two_sided((0, 40), (0, 10)) == 1.0
    chances = np.random.default_rng(0).random(20) ** 3
    assert holm(chances.tolist()) == pytest.approx(multipletests(chances, method="holm")[1].tolist())


def test_false_alarms_are_as_rare_as_promised(model):
    """Over rows drawn alike, without a margin, the share of checks with any alarm about shares stays near alpha."""
    found, _ = model
    seen = 0
    for seed in range(40):
        told = check(found, drawn(300, seed=100 + seed).drop(columns=["approved"]), margin=0.0)
        seen += any(shift.is_alarm for shift in (*told.conditions, *told.firing))
    assert seen <= 6


def test_several_classes_are_checked_too():
    """Every class's rules are set beside training; gaps are for two classes."""
    rows = drawn(300, seed=0)
    labels = np.where(rows["income"] > 60, "high", np.where(rows["income"] > 40, "middle", "low"))
    inputs = rows[["income", "age"]]
    found = rulecg.RuleSetClassifier(max_complexity=4, time_limit=6).fit(inputs, labels).model_
    told = check(found, inputs.assign(level=labels), target="level")
    assert not told.is_alarm
    assert {shift.what.split(":")[0] for shift in told.firing} == {"high", "low", "middle"}


def test_the_command_line_has_an_exit_code_and_a_page(model, tmp_path, capsys):
    """0 when nothing changed, 1 when something did, 2 when the model cannot tell."""
    _, path = model
    drawn(300, seed=2).to_csv(tmp_path / "same.csv", index=False)
    drawn(300, seed=2, shift=0.8).to_csv(tmp_path / "moved.csv", index=False)
    page = tmp_path / "check.html"
    assert main(["check", str(path), str(tmp_path / "same.csv")]) == 0
    assert "Nothing has changed in 300 rows" in capsys.readouterr().out
    assert main(["check", str(path), str(tmp_path / "moved.csv"), "--out", str(page), "--alpha", "0.01"]) == 1
    assert "condition income" in capsys.readouterr().out
    assert "changed since training" in page.read_text()


def test_the_page_escapes_what_data_says(model):
    """Categories are text, whatever they look like."""
    found, _ = model
    page = build_page(check(found, drawn(300, seed=4, shift=0.9)))
    assert "<b>clerk" not in page
    assert "&lt;b&gt;clerk" in page


def test_a_model_that_does_not_know_its_training_rows_is_refused(model):
    """An edited one, for example; and shares must be shares."""
    from attrs import evolve

    found, _ = model
    with pytest.raises(ConfigurationError, match="learn it again"):
        check(evolve(found, baseline=None), drawn(10, 0))
    with pytest.raises(ConfigurationError, match="between 0 and 1"):
        check(found, drawn(10, 0), alpha=2)


def test_counts_that_cannot_be_are_refused(model):
    """A file whose counts do not fit its rules is no model file."""
    from attrs import evolve

    found, path = model
    too_many = tuple((10**6,) * len(own) for own in found.baseline.right)
    for wrong in ({"conditions": (1,)}, {"n_rows": 1}, {"right": too_many}):
        with pytest.raises(ConfigurationError, match="baseline"):
            rulecg.save_model(evolve(found, baseline=evolve(found.baseline, **wrong)), path.with_name("wrong.json"))
