"""What others build on classifiers works with this one: calibration, ensembles, thresholds, inspection, files."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import joblib
import numpy as np
import pytest
from sklearn.calibration import CalibratedClassifierCV
from sklearn.ensemble import BaggingClassifier, StackingClassifier, VotingClassifier
from sklearn.inspection import partial_dependence, permutation_importance
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import TunedThresholdClassifierCV
from sklearn.multiclass import OneVsRestClassifier

from rulecg import Binarizer, RuleSetClassifier, RuleSetClassifierCV, datasets

QUICK = RuleSetClassifier(max_complexity=4, max_conditions=2, time_limit=1.0, binarizer=Binarizer(4))
WRAPPERS = {
    "calibration": CalibratedClassifierCV(QUICK, cv=2),
    "voting": VotingClassifier([("rules", QUICK), ("more", RuleSetClassifier(6, time_limit=1.0))], voting="soft"),
    "stacking": StackingClassifier([("rules", QUICK)], LogisticRegression(), cv=2),
    "bagging": BaggingClassifier(QUICK, n_estimators=2, random_state=0),
    "one versus rest": OneVsRestClassifier(QUICK),
}


@pytest.mark.parametrize("which", WRAPPERS)
def test_scikit_learn_builds_on_it(which: str, lending: datasets.Dataset) -> None:
    """Fitted inside, it predicts better than the more frequent class does."""
    # Not all of them pass tables on with their names, so numbers alone.
    data = lending.data.select_dtypes("number").to_numpy()
    wrapped = WRAPPERS[which].fit(data, lending.target.to_numpy())
    frequent = max(lending.target.mean(), 1 - lending.target.mean())
    assert wrapped.score(data, lending.target.to_numpy()) > frequent


def test_thresholds_can_be_tuned(fitted: RuleSetClassifier, lending: datasets.Dataset) -> None:
    """The threshold that is best on the training rows is no worse there than one half."""
    tuned = TunedThresholdClassifierCV(fitted, cv="prefit", refit=False, scoring="accuracy")
    tuned.fit(lending.data, lending.target)
    assert tuned.score(lending.data, lending.target) >= fitted.score(lending.data, lending.target)


def test_inspection_sees_which_columns_matter(fitted: RuleSetClassifier, lending: datasets.Dataset) -> None:
    """Permuting a column that no rule uses changes nothing; a used one has an effect and a partial dependence."""
    used = fitted.model_.columns
    found = permutation_importance(fitted, lending.data, lending.target, n_repeats=2, random_state=0)
    matters = dict(zip(lending.data.columns, found.importances_mean, strict=True))
    assert all(matters[name] == 0 for name in matters if name not in used)
    assert max(matters[name] for name in used) > 0.01
    number = next(name for name in used if lending.data[name].dtype.kind == "f")
    curve = partial_dependence(fitted, lending.data, [number], grid_resolution=5)["average"][0]
    assert np.ptp(curve) > 0


def test_fairlearn_reduces_with_it(lending: datasets.Dataset) -> None:
    """A reduction that weighs rows anew finds a classifier for its constraint."""
    reductions = pytest.importorskip("fairlearn.reductions")
    data = lending.data.select_dtypes("number")
    mitigator = reductions.ExponentiatedGradient(QUICK, reductions.DemographicParity(), max_iter=2)
    mitigator.fit(data, lending.target.astype(int), sensitive_features=lending.sensitive["sex"])
    assert set(mitigator.predict(data, random_state=0)) <= {0, 1}


def through_skops(estimator: Any) -> Any:
    skops = pytest.importorskip("skops.io")
    data = skops.dumps(estimator)
    return skops.loads(data, trusted=skops.get_untrusted_types(data=data))


def through_joblib(estimator: Any, path: Any) -> Any:
    joblib.dump(estimator, path)
    return joblib.load(path)


@pytest.mark.parametrize("which", ["fitted", "fitted_cnf", "fitted_classes"])
@pytest.mark.parametrize("how", ["pickle", "joblib", "skops", "copy"])
def test_copies_predict_and_tell_the_same(
    how: str, which: str, request: pytest.FixtureRequest, lending: datasets.Dataset, tmp_path: Any
) -> None:
    """Every way to store an estimator brings back rules, probabilities, certificate and the table of rules."""
    estimator = request.getfixturevalue(which)
    ways = {
        "pickle": lambda: pickle.loads(pickle.dumps(estimator)),
        "joblib": lambda: through_joblib(estimator, tmp_path / "estimator"),
        "skops": lambda: through_skops(estimator),
        "copy": lambda: copy.deepcopy(estimator),
    }
    copied = ways[how]()
    data = lending.data[list(estimator.feature_names_in_)]
    assert np.array_equal(copied.predict_proba(data), estimator.predict_proba(data))
    assert copied.predict(data).tolist() == estimator.predict(data).tolist()
    assert str(copied) == str(estimator)
    assert copied.rules_.equals(estimator.rules_)
    assert copied.result_.history.equals(estimator.result_.history)


def test_a_search_can_be_stored_too(lending: datasets.Dataset) -> None:
    """The estimator that chooses its complexity comes back from a pickle."""
    search = RuleSetClassifierCV([2, 4], QUICK, cv=2, time_limit=1.0).fit(lending.data, lending.target)
    again = pickle.loads(pickle.dumps(search))
    assert again.explain(lending.data[:3]) == search.explain(lending.data[:3])
    assert again.rules_.equals(search.rules_)
