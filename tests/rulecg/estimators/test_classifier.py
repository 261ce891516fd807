"""The estimator: what it learns, what it says about it, and that it keeps scikit-learn's conventions."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn import config_context
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.utils.estimator_checks import parametrize_with_checks

from rulecg import Binarizer, RuleSetClassifier, datasets
from rulecg.model.multiclass import decide
from rulecg.model.result import FitResult
from rulecg_core import ConfigurationError, RuleSet

TIME = 3.0
"""Seconds for a fit. No test below depends on how much is proven in this time, unless it says so."""


SMALL = {"max_complexity": 6, "max_conditions": 2}
"""Settings under which every fit on scikit-learn's random data ends by itself, however slow the machine."""


def beyond_a_fixed_size(estimator: Any) -> dict[str, str]:
    """What scikit-learn asks that a fixed size is not about."""
    return {
        "check_class_weight_classifiers": "asks 25 new rows of noise to be called the heavy class; of a fixed size the "
        "rule set is the best on the training rows, where a few small, pure rules cost nothing"
    }


@parametrize_with_checks(
    [RuleSetClassifier(**SMALL), RuleSetClassifier(logic="cnf", **SMALL), RuleSetClassifier(binarizer="auto", **SMALL)],
    expected_failed_checks=beyond_a_fixed_size,
)
def test_scikit_learn_conventions(estimator: Any, check: Any) -> None:
    """Every check that scikit-learn has for classifiers passes, for DNF, for CNF and with the best thresholds, but for
    one that is about what to expect on new rows."""
    check(estimator)


@pytest.fixture(scope="module")
def tic_tac_toe() -> datasets.Dataset:
    return datasets.load("tic-tac-toe")


@pytest.fixture(scope="module")
def lending() -> datasets.Dataset:
    return datasets.lending(n_rows=300, seed=1)


def fitted(dataset: datasets.Dataset, *, sensitive_features: Any = None, **options: Any) -> RuleSetClassifier:
    settings = {"time_limit": TIME, "max_complexity": 10, **options}
    return RuleSetClassifier(**settings).fit(dataset.data, dataset.target, sensitive_features=sensitive_features)


def test_tic_tac_toe_is_learned_exactly(tic_tac_toe: datasets.Dataset) -> None:
    """At C = 32 the rules are the eight three-in-a-row lines, without a training error, proven optimal."""
    classifier = fitted(tic_tac_toe, max_complexity=32)
    clauses = {frozenset(map(str, clause)) for clause in classifier.rule_set_.clauses()}
    assert len(clauses) == 8
    assert all(len(clause) == 3 and all(text.endswith("== x") for text in clause) for clause in clauses)
    assert classifier.score(tic_tac_toe.data, tic_tac_toe.target) == 1.0
    assert (classifier.result_.objective, classifier.result_.lower_bound, classifier.result_.gap) == (0, 0, 0)
    assert classifier.result_.status == "optimal"


def test_tic_tac_toe_at_a_tight_bound(tic_tac_toe: datasets.Dataset) -> None:
    """At C = 10 the Hamming loss is 212, the optimum; what is claimed about lower losses is never more than that."""
    result = fitted(tic_tac_toe, max_complexity=10, time_limit=6.0).result_
    assert result.objective == 212
    assert result.lower_bound is None or result.lower_bound <= 212
    assert (result.lower_bound == 212) == (result.status == "optimal")


def test_result_is_made_of_plain_values(lending: datasets.Dataset) -> None:
    """The certificate holds numbers, a word for the status and tables, and reads as a sentence."""
    classifier = fitted(lending)
    result = classifier.result_
    assert isinstance(result, FitResult)
    assert type(result.status) is str
    assert result.status in ("optimal", "lp-optimal", "bounded", "heuristic")
    assert result.lower_bound is None or result.lower_bound <= result.objective
    assert result.errors == (classifier.predict(lending.data) != lending.target).sum()
    assert {"iteration", "relaxation", "lower_bound", "pool_size", "seconds"} <= set(result.history.columns)
    assert len(result.history) >= 1
    assert result.history["pool_size"].is_monotonic_increasing
    assert result.pool_size >= result.history["pool_size"].iloc[-1]
    assert result.constraints.set_index("row").loc["complexity", "value"] <= 10
    assert str(round(result.objective)) in str(result)


def test_complexity_and_length_limits_hold(lending: datasets.Dataset) -> None:
    """The rule set keeps within max_complexity and max_conditions, in either form."""
    for logic in ("dnf", "cnf"):
        rule_set = fitted(lending, max_complexity=7, max_conditions=2, logic=logic).rule_set_
        assert rule_set.logic == logic
        assert rule_set.complexity <= 7
        assert all(len(rule) <= 2 for rule in rule_set.rules)


def test_rules_table_counts_the_training_rows(lending: datasets.Dataset) -> None:
    """Support, hits, false alarms, precision and recall of each rule are those counted from the table."""
    classifier = fitted(lending)
    assert isinstance(classifier.rule_set_, RuleSet)
    covered = classifier.rule_set_.covers(lending.data)
    target = lending.target.to_numpy()
    for position, row in classifier.rules_.iterrows():
        fired = covered[:, position]
        assert row["support"] == fired.sum()
        assert row["true_positives"] == (fired & target).sum()
        assert row["false_positives"] == (fired & ~target).sum()
        assert row["precision"] == pytest.approx(target[fired].mean())
        assert row["recall"] == pytest.approx(fired[target].mean())
        assert row["rule"] in str(classifier.rule_set_)


def test_cnf_rules_table_speaks_of_the_rejected_class(lending: datasets.Dataset) -> None:
    """A CNF clause decides the rows that break it, and for the other class."""
    classifier = fitted(lending, logic="cnf")
    assert isinstance(classifier.rule_set_, RuleSet)
    broken = ~classifier.rule_set_.covers(lending.data)
    assert set(classifier.rules_["class"]) == {False}
    assert classifier.rules_["support"].tolist() == broken.sum(axis=0).tolist()
    assert classifier.rules_["true_positives"].tolist() == ((~lending.target).to_numpy(int) @ broken).tolist()


@pytest.mark.parametrize("logic", ["dnf", "cnf"])
def test_probability_is_the_best_firing_rule_s_smoothed_precision(lending: datasets.Dataset, logic: str) -> None:
    """predict_proba follows its documentation and never contradicts predict."""
    classifier = fitted(lending, logic=logic)
    assert isinstance(classifier.rule_set_, RuleSet)
    covered = classifier.rule_set_.covers(lending.data)
    fired = covered if logic == "dnf" else ~covered
    decided = lending.target.to_numpy() == (logic == "dnf")
    precisions = [(decided[rule].sum() + 1) / (rule.sum() + 2) for rule in fired.T]
    probabilities = classifier.predict_proba(lending.data)
    of_decided = probabilities[:, 1 if logic == "dnf" else 0]
    for row in range(len(fired)):
        if fired[row].any():
            expected = max(p for p, hit in zip(precisions, fired[row], strict=True) if hit)
            assert of_decided[row] == pytest.approx(max(expected, 0.5))
    assert probabilities.sum(axis=1) == pytest.approx(1)
    assert np.array_equal(classifier.classes_[probabilities.argmax(axis=1)], classifier.predict(lending.data))


def three_classes(seed: int = 0, n_rows: int = 150) -> tuple[pd.DataFrame, pd.Series[str]]:
    rng = np.random.default_rng(seed)
    data = pd.DataFrame({"size": rng.normal(size=n_rows), "colour": rng.choice(["red", "blue", "green"], n_rows)})
    target = np.where(data["size"] > 0.5, "large", np.where(data["colour"] == "red", "red one", "other"))
    target[rng.random(n_rows) < 0.05] = "other"
    return data, pd.Series(target, name="kind")


def test_several_classes_one_rule_set_each() -> None:
    """Each class gets its rule set; predictions are sound, probabilities agree with them, and it prints."""
    data, target = three_classes()
    classifier = RuleSetClassifier(8, time_limit=TIME).fit(data, target)
    assert classifier.score(data, target) > 0.9
    assert list(classifier.rule_set_.classes) == ["large", "other", "red one"]
    assert classifier.rule_set_["large"] is classifier.rule_set_.rule_sets[0]
    assert set(classifier.rules_["class"]) <= {"large", "other", "red one"}
    assert set(classifier.result_.history["class"]) == {"large", "other", "red one"}
    assert classifier.result_.objective == sum(run.objective for run in classifier.result_.runs.values())
    assert "kind is large if" in str(classifier.rule_set_)
    assert "otherwise" in str(classifier.rule_set_)
    probabilities = classifier.predict_proba(data)
    assert probabilities.sum(axis=1) == pytest.approx(1)
    assert np.array_equal(classifier.classes_[probabilities.argmax(axis=1)], classifier.predict(data))


def test_several_classes_claim_no_more_than_is_known() -> None:
    """Errors are those of all rule sets together, the status says that each class was proven by itself, and the
    certificate is one line that ends with what is not proven."""
    data, target = three_classes()
    classifier = RuleSetClassifier(3, time_limit=TIME).fit(data, target)
    result = classifier.result_
    assert result.errors == (classifier.predict(data) != target).sum()
    assert result.errors < sum(run.errors for run in result.runs.values())
    assert (result.status, result.gap) == ("per-class", None)
    assert "\n" not in result.certificate()
    assert "nothing is proven about them together." in result.certificate()


@pytest.mark.parametrize(
    "constraint", ["demographic-parity:0.05", "equalized-odds:0.1", "equality-of-opportunity:0.1",
                   "group-recall-floor:0.2", "demographic-parity:ratio=0.8"]
)  # fmt: skip
def test_bounds_on_groups_are_refused_with_several_classes(constraint: str) -> None:
    """They would hold for each class against the rest, not for what is predicted; other constraints are welcome."""
    data, target = three_classes()
    groups = np.where(np.arange(len(data)) % 2, "a", "b")
    with pytest.raises(ConfigurationError, match=r"bound on groups, and y has 3 classes.*y == 'red one'"):
        RuleSetClassifier(6, constraints=[constraint]).fit(data, target, sensitive_features=groups)
    fitted = RuleSetClassifier(6, constraints=["complexity:4"], time_limit=TIME)
    fitted.fit(data, target, sensitive_features=groups)
    assert all(rule_set.complexity <= 4 for rule_set in fitted.rule_set_)


def test_who_wins_among_several_classes() -> None:
    """The surest claim wins; the heavier class wins ties; unclaimed rows go to the likeliest class there."""
    claims = np.array([[True, True, False], [True, False, True], [False, False, False]])
    scores = np.array([[0.7, 0.9, 0.3], [0.8, 0.2, 0.8], [0.1, 0.1, 0.1]])
    probabilities = decide(claims, scores, np.array([1.0, 5.0, 9.0]), np.array([0.2, 0.5, 0.3]))
    assert probabilities.argmax(axis=1).tolist() == [1, 2, 1]
    assert probabilities.sum(axis=1) == pytest.approx(1)


def test_weights_are_repeated_rows(lending: datasets.Dataset) -> None:
    """Whole-number weights, repeated rows and any order of rows give the same rule set and probabilities."""
    rng = np.random.default_rng(0)
    weights = rng.integers(0, 4, len(lending.data))
    rows = rng.permutation(np.repeat(np.arange(len(lending.data)), weights))
    # No clock: where the time runs out would depend on the machine.
    unlimited = RuleSetClassifier(8, time_limit=None, pricers=["beam"])
    weighted = clone(unlimited).fit(lending.data, lending.target, sample_weight=weights)
    repeated = clone(unlimited).fit(lending.data.iloc[rows], lending.target.iloc[rows])
    assert weighted.rule_set_ == repeated.rule_set_
    assert weighted.result_.objective == repeated.result_.objective
    assert np.allclose(weighted.predict_proba(lending.data), repeated.predict_proba(lending.data))


def test_forbidden_columns_are_in_no_rule(lending: datasets.Dataset) -> None:
    """forbid keeps columns out of the rules, even ones that could not be compared."""
    data = lending.data.assign(opened=pd.Timestamp("2020-01-01"))
    classifier = RuleSetClassifier(10, time_limit=TIME, forbid=["income", "sex", "opened"])
    classifier.fit(data, lending.target)
    assert isinstance(classifier.rule_set_, RuleSet)
    assert not {condition.column for condition in classifier.rule_set_.conditions} & {"income", "sex", "opened"}
    assert classifier.predict(data).shape == (300,)


def test_fairness_constraint_narrows_the_gap() -> None:
    """With an equality-of-opportunity bound the true gap on the training rows is within it, and it was not before."""
    rng = np.random.default_rng(0)
    group, target = rng.choice(["a", "b"], 400), rng.random(400) < 0.5
    helpful = np.where(target & (group == "a"), 1, (rng.random(400) < 0.1).astype(int))
    noisy = np.where(rng.random(400) < 0.25, ~target, target).astype(int)
    data = pd.DataFrame({"helpful": helpful, "noisy": noisy, "more": rng.integers(0, 9, 400)})

    def gap(classifier: RuleSetClassifier) -> float:
        predicted = classifier.predict(data)
        return abs(predicted[target & (group == "a")].mean() - predicted[target & (group == "b")].mean())

    free = RuleSetClassifier(6, time_limit=TIME).fit(data, target)
    fair = RuleSetClassifier(6, time_limit=TIME, constraints=["equality-of-opportunity:0.05"])
    fair.fit(data, target, sensitive_features=group)
    assert gap(free) > 0.05
    assert gap(fair) <= 0.05 + 1e-9
    assert fair.result_.objective >= free.result_.objective


def test_parts_can_be_named_or_given(lending: datasets.Dataset) -> None:
    """Backends, pricers and binarizers by name with options or as objects, alone or in a list."""
    by_name = fitted(lending, backend="highs", pricers="beam", binarizer=Binarizer(4))
    assert "beam" in set(by_name.result_.history["stage"])
    assert len(by_name.binarizer_.conditions_) < len(Binarizer().fit(lending.data).conditions_)
    again = fitted(lending, pricers=["beam", "random-beam"], constraints="complexity:6")
    assert again.rule_set_.complexity <= 6


def test_arrays_and_tables_lead_to_the_same_rules() -> None:
    """An array, a list and a DataFrame of the same numbers give the same predictions; labels keep their type."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 3)).astype(np.float32)
    y = np.where(X[:, 0] > 0.2, "yes", "no")
    predictions = [
        RuleSetClassifier(4, time_limit=TIME).fit(table, y).predict(table)
        for table in (X, X.tolist(), pd.DataFrame(X, columns=["a", "b", "c"]))
    ]
    assert predictions[0].tolist() == predictions[1].tolist() == predictions[2].tolist()
    assert set(predictions[0]) == {"yes", "no"}


@pytest.mark.parametrize(
    ("y", "text"),
    [
        (pd.Series([True, False] * 10, name="approved"), "approved if"),
        (pd.Series([1, 0] * 10, name="default"), "default if"),
        (pd.Series(["yes", "no"] * 10, name="loan"), "loan is yes if"),
        (["yes", "no"] * 10, "yes if"),
        ([1, 0] * 10, "positive if"),
        ([7, 3] * 10, "class 7 if"),
        (pd.Series(pd.array([True, False] * 10, dtype="boolean"), name="ok"), "ok if"),
        (pd.Series(["b", "a"] * 10, dtype="category"), "b if"),
    ],
)
def test_rule_set_names_what_it_predicts(y: Any, text: str) -> None:
    """The printed rules begin with the label's name in words, whatever the labels are."""
    X = pd.DataFrame({"c": [1, 0] * 10, "d": range(20)})
    classifier = RuleSetClassifier(4, time_limit=TIME).fit(X, y)
    assert str(classifier.rule_set_).startswith(text)
    assert classifier.predict(X).tolist() == list(y)


def test_predict_reads_only_the_columns_in_rules(lending: datasets.Dataset) -> None:
    """rule_set_ alone predicts from a table that has only the columns it uses."""
    classifier = fitted(lending)
    assert isinstance(classifier.rule_set_, RuleSet)
    used = [*dict.fromkeys(condition.column for condition in classifier.rule_set_.conditions)]
    assert np.array_equal(classifier.rule_set_.predict(lending.data[used]), classifier.predict(lending.data))


def test_unseen_and_missing_values_at_predict_time(lending: datasets.Dataset) -> None:
    """New categories and gaps are predicted without an error."""
    strange = lending.data.head(3).assign(job=["astronaut", None, "employed"], income=[np.nan, np.inf, 50.0])
    assert fitted(lending).predict(strange).dtype == bool


def test_pickle_clone_and_repr(lending: datasets.Dataset) -> None:
    """A pickled classifier predicts the same; a clone is unfitted; the repr is scikit-learn's."""
    classifier = fitted(lending)
    restored = pickle.loads(pickle.dumps(classifier))
    assert np.array_equal(restored.predict_proba(lending.data), classifier.predict_proba(lending.data))
    assert restored.rule_set_ == classifier.rule_set_
    assert not hasattr(clone(classifier), "rule_set_")
    assert repr(classifier) == f"RuleSetClassifier(max_complexity=10, time_limit={TIME})"


def test_routes_weights_and_sensitive_features(lending: datasets.Dataset) -> None:
    """cross_validate, GridSearchCV and pipelines pass sample_weight and sensitive_features on to fit."""
    constrained = RuleSetClassifier(6, time_limit=TIME, constraints=["equality-of-opportunity:0.2"])
    with config_context(enable_metadata_routing=True):
        routed = constrained.set_fit_request(sample_weight=True, sensitive_features=True)
        routed.set_score_request(sample_weight=True)
        pipeline = make_pipeline(FunctionTransformer(), routed)
        metadata = {"sample_weight": np.ones(300), "sensitive_features": lending.data["sex"]}
        scores = cross_validate(pipeline, lending.data, lending.target, params=metadata, cv=2, error_score="raise")
        search = GridSearchCV(routed, {"max_complexity": [4, 8]}, cv=2, error_score="raise")
        search.fit(lending.data, lending.target, **metadata)
    assert scores["test_score"].min() > 0.7
    assert search.best_estimator_.result_.constraints["row"].str.contains("false").any()


def test_a_fixed_seed_by_default(lending: datasets.Dataset) -> None:
    """Pricers that use chance give the same rules twice without a random_state, and take one."""
    unlimited = RuleSetClassifier(4, max_conditions=2, time_limit=None, pricers=["random-beam"])
    first, again = (clone(unlimited).fit(lending.data, lending.target) for _ in range(2))
    assert first.rule_set_ == again.rule_set_
    assert first.result_.pool_size == again.result_.pool_size
    seeded = clone(unlimited).set_params(random_state=np.random.RandomState(3)).fit(lending.data, lending.target)
    assert seeded.result_.pool_size != first.result_.pool_size


@pytest.mark.parametrize("verbose", [1, 2])
def test_verbose_reports_progress(lending: datasets.Dataset, verbose: int, capsys: pytest.CaptureFixture[str]) -> None:
    """Outside a terminal progress is plain lines; silence is the default."""
    fitted(lending, verbose=verbose)
    lines = capsys.readouterr().out.splitlines()
    assert "distinct rows" in lines[0]
    assert "done: objective" in lines[-1]
    assert any("reduced cost" in line for line in lines) == (verbose == 2)
    fitted(lending)
    assert capsys.readouterr().out == ""


def test_interrupt_keeps_the_best_so_far(lending: datasets.Dataset, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ctrl-C during pricing ends the fit with a usable rule set."""
    from rulecg_pricing.beams.beam import BeamSearch

    fitted(lending, pricers=["beam"])
    original, calls = BeamSearch.price, []

    def interrupted(self: Any, *arguments: Any) -> Any:
        calls.append(1)
        if len(calls) > 2:
            raise KeyboardInterrupt
        return original(self, *arguments)

    monkeypatch.setattr(BeamSearch, "price", interrupted)
    classifier = fitted(lending, pricers=["beam"])
    assert classifier.result_.stop == "interrupted"
    assert classifier.score(lending.data, lending.target) > 0.6


def test_pricers_compile_before_the_clock_starts(
    tic_tac_toe: datasets.Dataset, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A pricer prepares itself on a toy problem once in a process, and then sees the data only."""
    from rulecg_pricing.beams.beam import BeamSearch

    original, sizes = BeamSearch.price, []

    def watched(self: Any, problem: Any, *arguments: Any) -> Any:
        sizes.append(problem.n_samples)
        return original(self, problem, *arguments)

    monkeypatch.setattr(BeamSearch, "price", watched)
    monkeypatch.setattr("rulecg_pricing.common.toy._PREPARED", set())
    fitted(tic_tac_toe, max_complexity=32, pricers=["beam"])
    assert sizes[0] < 958
    assert set(sizes[1:]) == {958}


def test_n_jobs_are_threads(tic_tac_toe: datasets.Dataset) -> None:
    """More threads find a rule set that is as good."""
    assert fitted(tic_tac_toe, max_complexity=32, n_jobs=2).result_.objective == 0
