"""Paths of growing complexity over one pool of rules, and the choice among them on held-out rows."""

import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.model_selection import train_test_split

from rulecg import RuleSetClassifier, RuleSetClassifierCV, complexity_path
from rulecg.commands import cli
from rulecg_core import ConfigurationError


@pytest.fixture(scope="module")
def path(lending):
    return complexity_path(lending.data, lending.target, [12, 3, 6], time_limit=4.0)


def test_looser_limits_are_never_worse(path):
    """Sorted by limit; objective falls, limits are kept, each rule set is there to use."""
    assert path.table["max_complexity"].tolist() == [3, 6, 12]
    assert path.table["objective"].is_monotonic_decreasing
    assert (path.table["complexity"] <= path.table["max_complexity"]).all()
    assert (path.table["lower_bound"].dropna() <= path.table["objective"][path.table["lower_bound"].notna()]).all()


def test_every_point_holds_a_fitted_classifier(path, lending):
    """Its accuracy is the one in the table."""
    for limit, accuracy in zip(path.table["max_complexity"], path.table["accuracy"], strict=True):
        assert path[limit].score(lending.data, lending.target) == accuracy


def test_later_points_begin_with_the_rules_found_before(path):
    """One pool: what the first point generated is in the last point's pool."""
    first, last = path[3.0], path[12.0]
    pool = {rule for run in last.result_.runs.values() for rule in run.pool}
    chosen = {rule for run in first.result_.runs.values() for rule in run.rules}
    assert chosen <= pool


@pytest.mark.parametrize("complexities", [[], [-1], [float("nan")]])
def test_impossible_limits_are_refused(complexities, lending):
    """At least one limit, none below zero."""
    with pytest.raises(ConfigurationError, match="complexities"):
        complexity_path(lending.data, lending.target, complexities)


def test_the_choice_is_the_best_on_held_out_rows(lending):
    """The chosen limit has the best mean score; 'simplest' never takes a looser one."""
    X_train, X_test, y_train, y_test = train_test_split(lending.data, lending.target, random_state=0, test_size=0.3)
    search = RuleSetClassifierCV([3, 8], estimator=RuleSetClassifier(max_conditions=3), cv=2, time_limit=1.5)
    search.fit(X_train, y_train)
    scores = search.cv_results_.set_index("max_complexity")["cv_accuracy"]
    assert search.best_complexity_ == scores.idxmax()
    assert search.predict(X_test).tolist() == search.best_estimator_.predict(X_test).tolist()
    assert search.predict_proba(X_test).shape == (len(X_test), 2)
    assert search.score(X_test, y_test) > 0.6
    assert str(search).startswith("approved if")
    assert search.best_estimator_.max_conditions == 3
    clone(search)


def test_scores_are_called_what_they_are(lending):
    """An area under the curve is neither stored as an accuracy nor drawn on its axis."""
    pytest.importorskip("matplotlib").use("Agg")
    data = lending.data.select_dtypes("number")
    search = RuleSetClassifierCV([2, 4], cv=2, scoring="roc_auc", time_limit=1.0).fit(data, lending.target)
    assert "cv_accuracy" not in search.cv_results_
    scores = search.cv_results_.set_index("max_complexity")["cv_roc_auc"]
    assert search.best_complexity_ == scores.idxmax()
    axes = search.plot()
    held_out = next(other for other in axes.figure.axes if other is not axes)
    assert (axes.get_ylabel(), held_out.get_ylabel()) == ("accuracy", "roc_auc")
    assert [text.get_text() for text in axes.get_legend().get_texts()] == [
        "training rows", "chosen", "held-out rows (roc_auc)",
    ]  # fmt: skip


def test_another_kind_of_estimator_is_refused_by_name(lending):
    """A path needs the settings of a RuleSetClassifier."""
    with pytest.raises(ConfigurationError, match="not RuleSetClassifierCV"):
        complexity_path(lending.data, lending.target, [3], estimator=RuleSetClassifierCV())


def test_an_unknown_way_to_choose_is_refused(lending):
    """Only the two documented ones."""
    with pytest.raises(ConfigurationError, match="'best' or 'simplest'"):
        RuleSetClassifierCV(choice="fastest").fit(lending.data, lending.target)


def test_the_plot_marks_the_chosen_point(path):
    """Pareto plot with a legend entry for the choice."""
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    axes = path.plot(chosen=6.0)
    labels = [text.get_text() for text in axes.get_legend().get_texts()]
    assert labels == ["training rows", "chosen"]
    marked = axes.collections[-1].get_offsets()
    assert marked.tolist() == [[6.0, path.table.set_index("max_complexity")["accuracy"][6.0]]]


def test_the_command_writes_table_and_plot(lending, tmp_path, capsys):
    """``rulecg path`` for scripts and for the report."""
    pytest.importorskip("matplotlib")
    lending.data.assign(approved=lending.target).to_csv(tmp_path / "loans.csv", index=False)
    out, plot = tmp_path / "path.csv", tmp_path / "path.svg"
    words = ["path", str(tmp_path / "loans.csv"), "--target", "approved", "--complexities", "3,6", "--time-limit", "2"]
    assert cli.main([*words, "--out", str(out), "--plot", str(plot), "--quiet"]) == 0
    assert pd.read_csv(out)["max_complexity"].tolist() == [3, 6]
    assert plot.read_text().count("<svg") == 1
