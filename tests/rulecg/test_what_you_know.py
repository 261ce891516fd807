"""What people know and wish, line by line: each wish through the estimator and through the command line."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import rulecg
from rulecg import RuleSetClassifier, RuleSetClassifierCV
from rulecg.commands import cli
from rulecg.estimators.fairness_path import fairness_path
from rulecg_core import Condition, ConfigurationError

SECONDS = 1
QUICK: dict[str, Any] = {"max_complexity": 7, "time_limit": SECONDS}


@pytest.fixture(scope="module")
def loans() -> pd.DataFrame:
    """A table with a number, a truth value, an ordered category, and "?" for what is not known."""
    rng = np.random.default_rng(3)
    n = 160
    income, age = rng.integers(10, 90, n), rng.integers(18, 80, n)
    debt, smoker = rng.integers(0, 40, n), rng.random(n) < 0.4
    good = (income > 45) & (debt <= 25) | (age > 60) & ~smoker
    return pd.DataFrame(
        {
            "income": income,
            "age": age,
            "debt": debt,
            "smoker": smoker,
            "job": rng.choice(["nurse", "cook", "none"], n),
            "sex": rng.choice(["female", "male"], n),
            "paid": np.where(good ^ (rng.random(n) < 0.08), "yes", "no"),
        }
    )


@pytest.fixture(scope="module")
def file(loans: pd.DataFrame, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("loans") / "loans.csv"
    loans.to_csv(path, index=False)
    return path


def learned(loans: pd.DataFrame, **settings: Any) -> RuleSetClassifier:
    return RuleSetClassifier(**{**QUICK, **settings}).fit(loans.drop(columns="paid"), loans["paid"])


def proven(loans: pd.DataFrame, **settings: Any) -> RuleSetClassifier:
    """A smaller rule set, learned until it is proven best."""
    classifier = learned(loans, **{"max_complexity": 4, "max_conditions": 2, "time_limit": None, **settings})
    assert classifier.result_.status == "optimal"
    return classifier


def typed(file: Path, *words: str) -> rulecg.model.model.Model:
    """The model file that the command line writes."""
    out = file.parent / "model.json"
    common = ["--target", "paid", "--positive", "yes", "--max-complexity", "7", "--time-limit", str(SECONDS), "--quiet"]
    assert cli.main(["fit", str(file), *common, *words, "--out", str(out)]) == 0
    return rulecg.load_model(out)


def both(loans: pd.DataFrame, file: Path, words: list[str], **settings: Any) -> list[Any]:
    """The rule sets of estimator and command line."""
    return [learned(loans, **settings).rule_set_, typed(file, *words).rule_set]


def texts(rule_set: Any) -> set[str]:
    return {str(condition) for condition in rule_set.conditions}


# Single conditions ----------------------------------------------------------------------------------------------------


def test_forbid_a_condition(loans, file):
    """A forbidden condition is in no rule; others on its column may be."""
    unwanted = sorted(texts(learned(loans).rule_set_))[0]
    for rule_set in both(loans, file, ["--forbid", unwanted], forbid=[unwanted]):
        assert unwanted not in texts(rule_set)


def test_forbid_a_column(loans, file):
    """A forbidden column is in no rule."""
    for rule_set in both(loans, file, ["--forbid", "income"], forbid=["income"]):
        assert "income" not in {condition.column for condition in rule_set.conditions}


def test_monotone_direction(loans, file):
    """Predictions only fall with income where that is said, against what the rows say; the same in CNF."""
    words, settings = ["--monotone", "income=decreasing,age=increasing"], {"income": "decreasing", "age": "increasing"}
    for rule_set in both(loans, file, words, monotone=settings):
        assert not {condition.operator for condition in rule_set.conditions if condition.column == "income"} - {"<="}
    cnf = learned(loans, monotone={"income": "decreasing"}, logic="cnf")
    lower = loans.drop(columns="paid").assign(income=0)
    before, after = cnf.predict(loans.drop(columns="paid")), cnf.predict(lower)
    assert not np.any((before == "yes") & (after == "no"))


def test_monotone_in_refined_thresholds(loans):
    """Thresholds that are refined while learning keep the direction."""
    classifier = learned(loans, monotone={"income": "increasing"}, binarizer=rulecg.Binarizer(refine=True))
    of_income = [each for each in classifier.binarizer_.conditions_ if each.column == "income"]
    assert {each.operator for each in of_income} == {">"}


def test_required_condition(loans, file):
    """Every rule has the required condition, though no threshold is there; it does not count as complexity."""
    for rule_set in both(loans, file, ["--require", "age > 33"], require=["age > 33"]):
        assert all(Condition("age", ">", 33) in clause for clause in rule_set.clauses())
        assert rule_set.complexity - len(rule_set) <= 7


def test_condition_costs(loans, file):
    """A dear column is in fewer rules; with complexity 7 a condition that costs 7 fits in none."""
    for rule_set in both(loans, file, ["--condition-costs", "income=7"], condition_costs={"income": 7}):
        assert "income" not in {condition.column for condition in rule_set.conditions}


# Size ----------------------------------------------------------------------------------------------------------------


def test_at_most_k_rules(loans, file):
    """No more rules than allowed, proven best of all such."""
    for rule_set in both(loans, file, ["--max-rules", "1"], max_rules=1):
        assert len(rule_set) == 1
    assert len(proven(loans, max_rules=1).rule_set_) == 1


def test_at_most_k_distinct_columns(loans, file):
    """All rules together use no more columns than allowed."""
    for most in (1, 2):
        for rule_set in both(loans, file, ["--max-columns", str(most)], max_columns=most):
            assert len({condition.column for condition in rule_set.conditions}) <= most


def test_no_rule_on_fewer_than_m_rows(loans, file):
    """Every rule covers as many rows as asked for, and the proof is there."""
    for rule_set in both(loans, file, ["--min-rule-support", "30"], min_rule_support=30):
        assert rule_set.covers(loans).sum(axis=0).min(initial=30) >= 30
    assert proven(loans, min_rule_support=30).rule_set_.covers(loans).sum(axis=0).min() >= 30


def test_precision_of_each_rule(loans, file):
    """Each rule is right as often as asked for."""
    for rule_set in both(loans, file, ["--min-rule-precision", "0.9"], min_rule_precision=0.9):
        covers, is_paid = rule_set.covers(loans), (loans["paid"] == "yes").to_numpy()
        assert all(is_paid[column].mean() >= 0.9 for column in covers.T)


# Errors --------------------------------------------------------------------------------------------------------------


def counted(predicted: Any, loans: pd.DataFrame) -> dict[str, float]:
    said, truth = np.asarray(predicted) == "yes", (loans["paid"] == "yes").to_numpy()
    return {
        "fpr": said[~truth].mean(),
        "recall": said[truth].mean(),
        "precision": truth[said].mean() if said.any() else 1.0,
        "alerts": said.sum(),
    }


@pytest.mark.parametrize("logic", ["dnf", "cnf"])
@pytest.mark.parametrize(
    ("constraint", "holds"),
    [
        ("fpr-ceiling:0.05", lambda count: count["fpr"] <= 0.05),
        ("recall-floor:0.9", lambda count: count["recall"] >= 0.9),
        ("precision-floor:0.95", lambda count: count["precision"] >= 0.95),
        ("capacity:40", lambda count: count["alerts"] <= 40),
    ],
)
def test_bounds_on_rates_and_alerts(loans, file, capsys, logic, constraint, holds):
    """Each bound holds in true counts on the training rows, and the command line says how near it is."""
    classifier = learned(loans, constraints=[constraint], logic=logic)
    assert holds(counted(classifier.predict(loans.drop(columns="paid")), loans))
    model = typed(file, "--constraint", constraint, "--logic", logic)
    assert holds(counted(model.predict(loans), loans))
    assert f"  {constraint}: " in capsys.readouterr().out


def test_asymmetric_costs(loans, file):
    """Where false positives are dear, there are fewer of them."""
    plain = counted(learned(loans).predict(loans.drop(columns="paid")), loans)
    for rule_set in both(loans, file, ["--costs", "fp=9,fn=1"], costs={"fp": 9, "fn": 1}):
        said = np.where(rule_set.predict(loans), "yes", "no")
        assert counted(said, loans)["fpr"] < plain["fpr"]


def test_class_weights(loans, file):
    """Where errors on one class count more, more of its rows are found."""
    plain = counted(learned(loans).predict(loans.drop(columns="paid")), loans)
    for rule_set in both(loans, file, ["--class-weight", "yes=5,no=1"], class_weight={"yes": 5, "no": 1}):
        assert counted(np.where(rule_set.predict(loans), "yes", "no"), loans)["recall"] > plain["recall"]


# Conditions ----------------------------------------------------------------------------------------------------------


def test_own_cut_points(loans, file):
    """A cut point of one's own is among the conditions."""
    model = typed(file, "--cut-points", "age=21,61")
    classifier = learned(loans, cut_points={"age": [21, 61]})
    for conditions in (model.conditions, classifier.binarizer_.conditions_):
        assert {Condition("age", ">", 21), Condition("age", ">", 61)} <= set(conditions)


def test_round_thresholds(loans, file):
    """Thresholds have as few digits as split the rows alike: of whole numbers they are whole."""
    for conditions in (typed(file).conditions, learned(loans).binarizer_.conditions_):
        cuts = [each.value for each in conditions if each.operator == "<="]
        assert cuts
        assert all(float(cut).is_integer() for cut in cuts)


def test_ordered_categories(loans, file):
    """An ordered category is cut as numbers are, and may have a direction; a file holds it with its order."""
    order = pd.CategoricalDtype(["none", "cook", "nurse"], ordered=True)
    table = loans.assign(job=loans["job"].astype(order))
    classifier = learned(table, monotone={"job": "increasing"})
    of_job = [each for each in classifier.binarizer_.conditions_ if each.column == "job"]
    assert {each.operator for each in of_job} == {">"}
    table.to_parquet(file.parent / "ordered.parquet")
    model = typed(file.parent / "ordered.parquet", "--monotone", "job=increasing")
    assert {each.operator for each in model.conditions if each.column == "job"} == {">"}


def test_question_marks_as_missing(loans, file):
    """What stands for a missing value is one, when learning and ever after."""
    table = loans.assign(debt=loans["debt"].astype(object).where(loans["debt"] % 7 != 0, "?"))
    classifier = learned(table, na_values=["?"])
    assert Condition("debt", "missing") in classifier.binarizer_.conditions_
    table.to_csv(file.parent / "marks.csv", index=False)
    model = typed(file.parent / "marks.csv", "--na-values", "?")
    assert Condition("debt", "missing") in model.conditions
    assert (model.predict(table) == classifier.predict(table.drop(columns="paid"))).all()


# Rules by hand -------------------------------------------------------------------------------------------------------


def test_keep_a_rule_and_learn_the_rest(loans, file):
    """The kept rule is there as it was given, and what is proven is about rule sets with it."""
    rule = "job == cook and income > 70"
    kept = frozenset({Condition("job", "==", "cook"), Condition("income", ">", 70)})
    for rule_set in both(loans, file, ["--keep", rule], keep=[rule]):
        assert kept in set(map(frozenset, rule_set.clauses()))
        assert rule_set.complexity <= 7
    assert len(proven(loans, keep=[rule], max_complexity=6).rule_set_) > 1


def test_keep_what_an_earlier_fit_learned(loans):
    """The rules of one rule set can be kept in another with room for more, in CNF too."""
    for logic in ("dnf", "cnf"):
        first = learned(loans, max_complexity=4, logic=logic)
        more = learned(loans, max_complexity=10, logic=logic, keep=first.rule_set_)
        assert set(map(frozenset, first.rule_set_.clauses())) <= set(map(frozenset, more.rule_set_.clauses()))
        assert len(more.rule_set_) >= len(first.rule_set_)


# Tables --------------------------------------------------------------------------------------------------------------


def test_polars_and_arrow_tables(loans, file):
    """Names are those of the table, also for what is forbidden; the command line reads Parquet."""
    polars, arrow = pytest.importorskip("polars"), pytest.importorskip("pyarrow")
    names = set(loans.columns) - {"debt", "paid"}
    for table in (polars.from_pandas(loans), arrow.Table.from_pandas(loans)):
        inputs = table.drop("paid") if hasattr(table, "lazy") else table.drop_columns("paid")
        classifier = RuleSetClassifier(**QUICK, forbid=["debt"]).fit(inputs, table["paid"])
        assert {condition.column for condition in classifier.rule_set_.conditions} <= names
    loans.to_parquet(file.parent / "loans.parquet")
    model = typed(file.parent / "loans.parquet", "--forbid", "debt")
    assert {condition.column for condition in model.rule_set.conditions} <= names


# Classes and groups --------------------------------------------------------------------------------------------------


def test_which_class_the_rules_describe(loans, file, capsys):
    """Rules can describe either class; classes_, probabilities and predictions stay in order."""
    classifier = learned(loans, positive="no")
    X = loans.drop(columns="paid")
    assert str(classifier.rule_set_).startswith("paid is no if")
    assert classifier.classes_.tolist() == ["no", "yes"]
    predicted, chances = classifier.predict(X), classifier.predict_proba(X)
    assert (predicted == "no").sum() == classifier.rule_set_.predict(X).sum()
    assert (classifier.classes_[np.argmax(chances, axis=1)] == predicted).all()
    assert classifier.score(X, loans["paid"]) > 0.8
    assert learned(loans, positive="yes").rule_set_.outcome == learned(loans).rule_set_.outcome == "paid is yes"
    out = file.parent / "no.json"
    words = ["--target", "paid", "--positive", "no", "--max-complexity", "7", "--time-limit", str(SECONDS), "--quiet"]
    assert cli.main(["fit", str(file), *words, "--out", str(out)]) == 0
    assert str(rulecg.load_model(out)).startswith("paid is no if")


def test_sensitive_columns_by_name(loans, file):
    """A column of the table defines groups without being taken out of it."""
    parity = ["demographic-parity:0.05"]
    classifier = learned(loans, sensitive="sex", constraints=parity)
    said = classifier.predict(loans.drop(columns="paid")) == "yes"
    rates = [said[(loans["sex"] == sex).to_numpy()].mean() for sex in ("female", "male")]
    assert abs(rates[0] - rates[1]) <= 0.05 + 1e-9
    assert classifier.model_.sensitive == ("sex",)
    model = typed(file, "--sensitive", "sex", "--constraint", parity[0])
    assert model.sensitive == ("sex",)


def test_numeric_groups(loans, file, tmp_path):
    """A number cut in two makes groups, for bounds and in the report."""
    parity = "demographic-parity:0.05"
    classifier = learned(loans, sensitive=["age > 40"], constraints=[parity])
    model = typed(file, "--sensitive", "age > 40", "--constraint", parity)
    old = (loans["age"] > 40).to_numpy()
    for said in (classifier.predict(loans.drop(columns="paid")) == "yes", model.predict(loans) == "yes"):
        assert abs(said[old].mean() - said[~old].mean()) <= 0.05 + 1e-9
    page = tmp_path / "report.html"
    assert cli.main(["report", str(file.parent / "model.json"), str(file), "--out", str(page)]) == 0
    assert "age &lt;= 40" in page.read_text(encoding="utf-8")


# Everywhere alike ----------------------------------------------------------------------------------------------------


def test_settings_stand_in_the_file_and_in_the_report(loans, file, tmp_path):
    """What was asked for is in the model file, comes back with it, and stands in the report's settings."""
    words = ["--monotone", "income=increasing", "--require", "age > 20", "--max-rules", "3", "--min-rule-support", "20"]
    model = typed(file, *words, "--condition-costs", "debt=2", "--forbid", "smoker")
    assert model.settings["monotone"] == "{'income': 'increasing'}"
    assert model.settings["require"] == ["age > 20"]
    assert (model.settings["max_rules"], model.settings["min_rule_support"]) == (3, 20)
    page = tmp_path / "report.html"
    assert cli.main(["report", str(file.parent / "model.json"), str(file), "--resamples", "2", "--out", str(page)]) == 0
    shown = page.read_text(encoding="utf-8")
    assert "min rule support" in shown
    assert "increasing" in shown


def test_settings_come_from_a_toml_file(loans, file, tmp_path):
    """The options stand in a configuration file as on the command line."""
    config = tmp_path / "known.toml"
    config.write_text('max-rules = 1\nmin-rule-support = 50\nrequire = ["age > 20"]\nmonotone = "income=increasing"\n')
    model = typed(file, "--config", str(config))
    assert len(model.rule_set) == 1
    assert Condition("age", ">", 20) in model.rule_set.conditions


def test_paths_and_cross_validation_obey(loans):
    """What is known holds on every point of a path, and for the rule set that cross-validation chooses."""
    X, y = loans.drop(columns="paid"), loans["paid"]
    template = RuleSetClassifier(time_limit=1, monotone={"income": "increasing"}, max_rules=2, min_rule_support=30)
    search = RuleSetClassifierCV([4, 8], estimator=template, cv=2, time_limit=2).fit(X, y)
    path = fairness_path(X, y, loans["sex"], eps_grid=[0.1], complexities=[6], estimator=template, time_limit=2)
    for rule_set in (search.rule_set_, path["rule_set"][0]):
        assert len(rule_set) <= 2
        assert not {str(each) for each in rule_set.conditions if each.column == "income" and each.operator == "<="}
        assert rule_set.covers(X).sum(axis=0).min(initial=30) >= 30


def test_a_chosen_complexity_obeys(loans):
    """Where the bound on complexity is chosen, folds and the last fit know the same."""
    known = {"require": ["age > 20"], "monotone": {"income": "increasing"}, "min_rule_support": 10}
    classifier = learned(loans, max_complexity="auto", keep=["age > 20 and income > 45"], **known)
    clauses = classifier.rule_set_.clauses()
    assert {Condition("age", ">", 20), Condition("income", ">", 45)} in [set(clause) for clause in clauses]
    assert all(Condition("age", ">", 20) in clause for clause in clauses)
    assert not {each for each in classifier.rule_set_.conditions if each.column == "income" and each.operator == "<="}


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ({"monotone": {"job": "increasing"}}, "have no order"),
        ({"monotone": {"income": "up"}}, "'increasing' or 'decreasing'"),
        ({"require": ["age >= 30"]}, "written with > or <="),
        ({"require": ["wage > 30"]}, "wage"),
        ({"require": ["age > 30"], "forbid": ["age"]}, "forbidden"),
        ({"keep": ["income <= 20"], "monotone": {"income": "increasing"}}, "direction"),
        ({"keep": ["job == pilot"]}, "no row has 'pilot'"),
        ({"condition_costs": {"age": -1}}, "at least 0"),
        ({"max_rules": "many"}, "a whole number such as 3"),
        ({"positive": "maybe"}, "maybe"),
        ({"sensitive": "race"}, "race"),
        ({"sensitive": "job > 3"}, "holds none"),
        ({"min_rule_precision": 90}, "from 0 to 1"),
    ],
)
def test_wrong_wishes_are_refused_in_a_sentence(loans, settings, says):
    """What cannot be meant is refused before anything is learned, with what would do."""
    with pytest.raises(ConfigurationError, match=says):
        learned(loans, **settings)


def test_bounds_on_predictions_are_for_two_classes(loans):
    """With several classes bounds on what is predicted, kept rules and a positive class are refused."""
    X, y = loans.drop(columns=["paid", "job"]), loans["job"]
    for settings in ({"constraints": ["recall-floor:0.5"]}, {"keep": ["age > 30"]}, {"positive": "cook"}):
        with pytest.raises(ConfigurationError, match="two classes"):
            RuleSetClassifier(**QUICK, **settings).fit(X, y)
    assert max(map(len, RuleSetClassifier(**QUICK, max_rules=1).fit(X, y).rule_set_)) <= 1
