"""How much rules depend on chance: resampled fits and rules that could stand in for others."""

import numpy as np
import pandas as pd
import pytest

from rulecg import RuleSetClassifier, alternative_rules, rule_stability
from rulecg.model.model_file import to_model
from rulecg.report import Supplements, build_report
from rulecg_core import ConfigurationError, RuleSet


@pytest.fixture(scope="module")
def clear():
    """A rule that no resample can miss, beside noise."""
    rng = np.random.default_rng(0)
    table = pd.DataFrame({"x": rng.integers(0, 10, 300), "noise": rng.random(300)})
    target = pd.Series(table["x"] > 4, name="high")
    return table, target, RuleSetClassifier(max_complexity=4, time_limit=2.0).fit(table, target)


def test_a_rule_that_is_really_there_is_found_again(clear):
    """In every resample, with the very same rows; from a classifier and from a model alike."""
    table, target, classifier = clear
    for source in (classifier, to_model(classifier, data=table)):
        found = rule_stability(source, table, target, n_resamples=3, time_limit=1.0)
        assert found["found_again"].tolist() == [1.0]
        assert found["same_rows"].tolist() == [1.0]


def test_rules_made_from_noise_are_not(clear):
    """Labels by chance give rules that do not come back."""
    table, _, _ = clear
    noise = np.random.default_rng(5).random(len(table)) < 0.5
    classifier = RuleSetClassifier(max_complexity=9, time_limit=1.0).fit(table, noise)
    found = rule_stability(classifier, table, noise, n_resamples=4, time_limit=0.5)
    assert found["found_again"].mean() < 0.9
    assert found["same_rows"].between(0, 1).all()


def test_alternatives_do_what_they_say(fitted, lending):
    """Replacing the rule really gives these errors, within the tolerance and sorted."""
    found = alternative_rules(fitted, lending.data, lending.target, tolerance=0.05, most=20)
    now = int((fitted.predict(lending.data) != lending.target).sum())
    assert len(found) > 0
    assert found["errors"].is_monotonic_increasing
    assert (found["more_errors"] <= 0.05 * len(lending.target)).all()
    assert (found["errors"] - found["more_errors"] == now).all()
    assert not set(found["instead"]) & set(fitted.rule_set_.texts())
    pool = next(iter(fitted.result_.runs.values())).pool
    conditions = fitted.binarizer_.conditions_
    own = list(zip(fitted.rule_set_.clauses(), fitted.rule_set_.texts(), strict=True))
    for line in found.head(5).itertuples():
        kept = [clause for clause, text in own if text != line.rule]
        clauses = ([conditions[f] for f in rule] for rule in pool)
        instead = next(c for c in clauses if RuleSet.of([c]).texts() == [line.instead])
        changed = RuleSet.of([*kept, instead])
        assert changed.complexity <= fitted.max_complexity
        assert int((changed.predict(lending.data) != lending.target).sum()) == line.errors


def test_the_report_shows_both(clear):
    """A section of its own."""
    table, target, classifier = clear
    stability = rule_stability(classifier, table, target, n_resamples=1, time_limit=1.0)
    others = pd.DataFrame([("a", "b", 3.0, 1.0)], columns=["rule", "instead", "errors", "more_errors"])
    page = build_report(
        to_model(classifier), table, supplements=Supplements(stability=stability, alternatives=others)
    )
    assert "Would other data have given other rules?" in page
    assert "Other rule sets about as good" in page


def test_no_resamples_are_refused(clear):
    """Nothing can be said from nothing."""
    table, target, classifier = clear
    with pytest.raises(ConfigurationError, match="at least 1"):
        rule_stability(classifier, table, target, n_resamples=0)
