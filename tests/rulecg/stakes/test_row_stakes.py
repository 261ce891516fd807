"""Costs, class weights and a teacher's probabilities become stakes of rows, and rule sets follow them."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from rulecg import RuleSetClassifier, load_model, save_model
from rulecg.estimators.complexity_path import complexity_path
from rulecg.estimators.cross_validation import RuleSetClassifierCV
from rulecg.estimators.fairness_path import fairness_path
from rulecg.stakes.row_stakes import checked_class_weights, checked_costs, row_stakes
from rulecg_core import ConfigurationError

CODES = np.array([0, 1, 2, 1])
Q = np.array([[0.5, 0.25, 0.25], [0.0, 1.0, 0.0], [0.0, 0.5, 0.5], [1.0, 0.0, 0.0]])


class TestRowStakes:
    """Missing costs what the row is expected to cost if of the class, covering if of another."""

    @pytest.mark.parametrize(
        ("settings", "miss", "cover", "meaning"),
        [
            ({"costs": (5.0, 1.0)}, [0, 1, 0, 1], [5, 0, 5, 0], "weighted cost"),
            ({"class_weights": np.array([1.0, 3.0, 2.0])}, [0, 3, 0, 3], [1, 0, 2, 0], "weighted cost"),
            ({"probabilities": Q, "label_weight": 0.0}, [0.25, 1, 0.5, 0], [0.75, 0, 0.5, 1],
             "errors expected by the teacher"),
            ({"probabilities": Q, "label_weight": 0.5}, [0.125, 1, 0.25, 0.5], [0.875, 0, 0.75, 0.5],
             "errors expected by the teacher"),
            ({"probabilities": Q, "label_weight": 0.0, "costs": (2.0, 1.0)}, [0.25, 1, 0.5, 0], [1.5, 0, 1, 2],
             "weighted cost expected by the teacher"),
        ],
        ids=str,
    )  # fmt: skip
    def test_costs_are_expected_ones(self, settings, miss, cover, meaning):
        """By costs, class weights and softened labels, for one class of three."""
        found = row_stakes(CODES, np.ones(4), 1, **settings)
        assert np.allclose(found.miss, miss)
        assert np.allclose(found.cover, cover)
        assert found.meaning == meaning

    @pytest.mark.parametrize("settings", [{}, {"probabilities": Q, "label_weight": 1.0}])
    def test_nothing_asked_is_nothing_changed(self, settings):
        """Without costs, class weights and a teacher that counts there are no stakes of their own."""
        assert row_stakes(CODES, np.ones(4), 1, **settings) is None

    @pytest.mark.parametrize(
        "call",
        [
            lambda: checked_costs({"false positive": 1}),
            lambda: checked_costs({"fp": 0}),
            lambda: checked_costs(5),
            lambda: checked_class_weights("even", np.array([0, 1]), CODES[:2], np.ones(2)),
            lambda: checked_class_weights({2: 1}, np.array([0, 1]), CODES[:2], np.ones(2)),
            lambda: checked_class_weights({1: -1}, np.array([0, 1]), CODES[:2], np.ones(2)),
            lambda: row_stakes(CODES, np.ones(4), 1, probabilities=Q, label_weight=2),
            lambda: row_stakes(CODES, np.ones(4), 1, probabilities=Q[:2], label_weight=0.5),
        ],
    )
    def test_what_cannot_be_meant_is_refused(self, call):
        """The error says what may stand there."""
        with pytest.raises(ConfigurationError, match=r"\."):
            call()


def rare(n: int = 300) -> tuple[pd.DataFrame, np.ndarray]:
    """One row in thirteen is positive, and no more than three in ten are anywhere."""
    number = np.arange(n)
    table = pd.DataFrame({"a": number % 4 == 0, "b": number // 4 % 2 == 0})
    return table, (table["a"].to_numpy() & (number // 8 % 10 < 3)).astype(int)


class TestEstimator:
    """The settings reach rules, certificates, probabilities and files."""

    def learn(self, **settings):
        X, y = rare()
        return RuleSetClassifier(max_complexity=4, time_limit=20, **settings).fit(X, y), X, y

    @pytest.mark.parametrize(
        "settings", [{"costs": {"fn": 10}}, {"class_weight": "balanced"}, {"class_weight": {1: 9}}], ids=str
    )
    def test_rare_events_are_found_and_probabilities_stay_shares(self, settings, tmp_path):
        """Plain accuracy says never; with dearer misses a rule is found, and its probability is the share it has."""
        plain, X, y = self.learn()
        assert not plain.predict(X).any()
        found, _, _ = self.learn(**settings)
        said = found.predict(X)
        assert y[said == 1].sum() > 0.6 * y.sum()
        p = found.predict_proba(X)[:, 1]
        assert p[said == 1].mean() == pytest.approx(y[said == 1].mean(), abs=0.1)
        assert p[said == 1].max() < 0.5
        assert "weighted cost" in found.result_.certificate()
        assert found.result_.errors == (said != y).sum()
        save_model(found, tmp_path / "model.json")
        assert np.array_equal(load_model(tmp_path / "model.json").predict_proba(X)[:, 1], p)

    def test_a_given_teacher_is_followed(self):
        """With the teacher alone, the rules predict what it says, and the certificate names the objective."""
        X, y = rare()
        found, _, _ = self.learn(teacher=np.where(X["b"], 0.9, 0.1), label_weight=0.0)
        assert np.array_equal(found.predict(X), X["b"].astype(int))
        assert "errors expected by the teacher" in found.result_.certificate()
        assert found.result_.objective == pytest.approx(0.1 * len(y), rel=0.01)
        assert found.result_.status == "optimal"

    def test_a_forest_softens_labels(self):
        """A forest's fit is the same whatever the order of rows."""
        X, y = rare()
        settings = {"max_complexity": 4, "time_limit": 20, "teacher": "forest", "costs": {"fn": 4}}
        one = RuleSetClassifier(**settings).fit(X, y)
        order = np.random.default_rng(1).permutation(len(y))
        other = RuleSetClassifier(**settings).fit(X.iloc[order], y[order])
        assert str(one.rule_set_) == str(other.rule_set_)
        assert one.result_.objective == other.result_.objective
        assert "expected by the teacher" in one.result_.certificate()

    def test_several_classes(self):
        """Class weights hold for each class: the weighty one is claimed where it is a minority."""
        X, y = rare()
        labels = np.where(y == 1, "ill", np.where(X["b"], "left", "right"))
        plain = RuleSetClassifier(max_complexity=4, time_limit=20).fit(X, labels)
        weighty = RuleSetClassifier(max_complexity=4, time_limit=20, class_weight={"ill": 20}).fit(X, labels)
        assert str(plain.model_.rule_sets[0]).startswith("never")
        assert not str(weighty.model_.rule_sets[0]).startswith("never")

    def test_rows_without_weight_take_no_part(self):
        """A given teacher speaks of all rows, also of those that sample weights leave out."""
        X, y = rare()
        weights = (np.arange(len(y)) % 3 > 0).astype(float)
        teacher = np.where(X["b"], 0.9, 0.1)
        found = RuleSetClassifier(max_complexity=4, time_limit=20, teacher=teacher, label_weight=0.0)
        found.fit(X, y, sample_weight=weights)
        assert np.array_equal(found.predict(X), X["b"].astype(int))


class TestPaths:
    """Paths and cross-validation let a teacher learn once, and cut given probabilities as they cut rows."""

    def test_paths_follow_the_teacher(self, monkeypatch):
        """Every point of a path minimises the expected errors, with one forest for all of them."""
        X, y = rare(200)
        calls = []
        from rulecg.stakes import teachers

        own = teachers._out_of_bag
        monkeypatch.setattr(teachers, "_out_of_bag", lambda *a: calls.append(1) or own(*a))
        template = RuleSetClassifier(teacher="forest", costs={"fn": 4})
        path = complexity_path(X, y, [2, 4], estimator=template, time_limit=10)
        assert len(calls) == 1
        assert "weighted cost expected by the teacher" in path[4].result_.certificate()
        assert path[4].model_.settings["teacher"] == "forest"

    def test_cross_validation_cuts_probabilities(self):
        """Given probabilities go with their rows into the folds."""
        X, y = rare(200)
        template = RuleSetClassifier(teacher=np.where(X["b"], 0.9, 0.1), label_weight=0.0)
        search = RuleSetClassifierCV([2], estimator=template, cv=2, time_limit=5).fit(X, y)
        assert np.array_equal(search.predict(X), X["b"].astype(int))

    def test_fairness_paths_have_costs(self):
        """Where missing is dear, every point of the path covers more."""
        X, y = rare(200)
        groups = np.arange(200) // 8 % 2
        template = RuleSetClassifier(costs={"fn": 10})
        path = fairness_path(X, y, groups, eps_grid=[0.5], complexities=[2], estimator=template, time_limit=5)
        assert path["rule_set"][0].predict(X).any()
