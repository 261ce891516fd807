"""The estimator inside scikit-learn's own machinery: searches, pipelines, routed groups, copies."""

import pickle

import joblib
import numpy as np
import pytest
import sklearn
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, cross_val_predict, cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

from rulecg import RuleSetClassifier

QUICK = {"max_complexity": 6, "time_limit": 1.0}


def test_grid_search_finds_a_complexity(lending):
    """Settings are searched as with any other classifier."""
    search = GridSearchCV(RuleSetClassifier(time_limit=1.0), {"max_complexity": [2, 8]}, cv=2)
    search.fit(lending.data, lending.target)
    assert search.best_params_["max_complexity"] in (2, 8)
    assert search.best_estimator_.predict(lending.data).dtype == bool


def test_pipelines_fit_and_predict(lending):
    """After a step that keeps the columns, the rules still name them."""
    without = FunctionTransformer(lambda table: table.drop(columns="purpose"))
    pipeline = make_pipeline(without, RuleSetClassifier(**QUICK))
    pipeline.fit(lending.data, lending.target)
    assert "purpose" not in str(pipeline[-1].rule_set_)
    assert pipeline.score(lending.data, lending.target) > 0.6


def test_cross_validation_hands_the_groups_to_every_fold(lending):
    """With metadata routing sensitive_features is split like the rows, so the bound holds in every fold."""
    with sklearn.config_context(enable_metadata_routing=True):
        classifier = RuleSetClassifier(constraints=["equality-of-opportunity:0.1"], **QUICK).set_fit_request(
            sensitive_features=True
        )
        results = cross_validate(
            classifier, lending.data, lending.target, cv=2, params={"sensitive_features": lending.sensitive["sex"]},
            return_estimator=True, return_indices=True, error_score="raise",
        )  # fmt: skip
    for estimator, rows in zip(results["estimator"], results["indices"]["train"], strict=True):
        positives = lending.target.iloc[rows].to_numpy()
        predicted = estimator.predict(lending.data.iloc[rows])[positives]
        women = (lending.sensitive["sex"].iloc[rows] == "female").to_numpy()[positives]
        assert abs(predicted[women].mean() - predicted[~women].mean()) <= 0.1 + 1e-9


def test_cross_validated_probabilities_have_one_column_per_class(lending):
    """predict_proba works through cross_val_predict."""
    found = cross_val_predict(RuleSetClassifier(**QUICK), lending.data, lending.target, cv=2, method="predict_proba")
    assert found.shape == (len(lending.target), 2)
    assert np.allclose(found.sum(axis=1), 1)


def test_clones_have_the_settings_and_nothing_learned(fitted):
    """As scikit-learn asks of every estimator."""
    copy = clone(fitted)
    assert copy.get_params() == fitted.get_params()
    assert not hasattr(copy, "rule_set_")
    assert str(copy) == repr(copy)


@pytest.mark.parametrize("how", ["pickle", "joblib"])
def test_copies_through_files_predict_the_same(how, fitted, lending, tmp_path):
    """Pickle and joblib both bring back the fitted classifier."""
    if how == "pickle":
        copy = pickle.loads(pickle.dumps(fitted))
    else:
        joblib.dump(fitted, tmp_path / "model")
        copy = joblib.load(tmp_path / "model")
    assert str(copy) == str(fitted)
    assert np.array_equal(copy.predict_proba(lending.data), fitted.predict_proba(lending.data))


def test_notebooks_show_the_rules_beside_the_settings(fitted):
    """The rules, the certificate and scikit-learn's own diagram, for both ways in which notebooks ask."""
    bundle = fitted._repr_mimebundle_()
    assert bundle["text/plain"] == str(fitted)
    for page in (bundle["text/html"], fitted._repr_html_()):
        assert 'class="rulecg-rules"' in page
        assert "sk-container" in page
    assert "rulecg-rules" not in RuleSetClassifier()._repr_html_()
