"""The model that estimators hold and files store: what it takes, and what it says when it is given something else."""

from __future__ import annotations

import re
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import rulecg
from rulecg import RuleSetClassifier, RuleSetClassifierCV
from rulecg.model.model import Model, model_of
from rulecg.model.model_file import to_model
from rulecg_core import ConfigurationError, RulecgWarning


def test_the_estimator_s_model_is_what_predicts(fitted: RuleSetClassifier, lending: Any) -> None:
    """Predictions, probabilities and rules of estimator and model are one and the same."""
    assert isinstance(fitted.model_, Model)
    assert fitted.rule_set_ is fitted.model_.rule_set
    assert fitted.predict(lending.data).tolist() == fitted.model_.predict(lending.data).tolist()
    assert np.array_equal(fitted.predict_proba(lending.data), fitted.model_.predict_proba(lending.data))
    assert fitted.model_.certificate is not None
    assert fitted.model_.certificate.text == fitted.result_.certificate()
    assert fitted.rules_.equals(fitted.model_.rule_table())


def test_no_module_reaches_into_another_one_s_private_parts() -> None:
    """Outside a class only its public names are used (``_repr_html_`` is a protocol of notebooks)."""
    root = Path(rulecg.__file__).parent
    pattern = re.compile(r"(?<!self)(?<!cls)(?<!super\(\))\._(?!_|repr_|replace|asdict)[a-z]\w*")
    found = [
        f"{path.relative_to(root)}: {line.strip()}"
        for room in ("model", "estimators", "analysis", "binarize")
        for path in sorted((root / room).rglob("*.py"))
        for line in path.read_text(encoding="utf-8").splitlines()
        if pattern.search(line) and "import" not in line
    ]
    assert found == []


@pytest.mark.parametrize("estimator", [RuleSetClassifier(), RuleSetClassifierCV()])
def test_estimators_that_are_not_fitted_are_named(estimator: Any, tmp_path: Any, lending: Any) -> None:
    """Saving, describing and judging what was not learned says that fit comes first."""
    for act in (
        lambda: rulecg.save_model(estimator, tmp_path / "m.json"),
        lambda: to_model(estimator),
        lambda: rulecg.rule_stability(estimator, lending.data, lending.target),
        lambda: rulecg.alternative_rules(estimator, lending.data, lending.target),
    ):
        with pytest.raises(ConfigurationError, match="is not fitted yet: call fit"):
            act()


@pytest.mark.parametrize("source", ["model.json", None, 7])
def test_what_is_no_model_is_told_what_would_be(source: Any) -> None:
    """A path, for example, has to be loaded."""
    with pytest.raises(ConfigurationError, match=r"use rulecg.load_model\(path\)"):
        model_of(source)


def test_alternatives_need_the_rules_that_were_generated(model: Model, lending: Any) -> None:
    """A model from a file has no pool of rules, and that is what is said."""
    with pytest.raises(ConfigurationError, match="a fitted RuleSetClassifier"):
        rulecg.alternative_rules(model, lending.data, lending.target)  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def smokers() -> tuple[pd.DataFrame, RuleSetClassifier]:
    rng = np.random.default_rng(0)
    table = pd.DataFrame({"smoker": rng.random(300) < 0.5, "age": rng.integers(20, 80, 300)})
    table["fit"] = rng.random(300) < 0.5
    return table, RuleSetClassifier(4, time_limit=2).fit(table, table["smoker"] & (table["age"] > 40))


SPELLINGS = {
    "words": {True: "True", False: "False"},
    "lower case": {True: "true", False: "false"},
    "letters": {True: "T", False: "F"},
    "yes and no": {True: "yes", False: "NO "},
    "digits": {True: 1, False: 0},
    "digits as text": {True: "1", False: "0"},
}


@pytest.mark.parametrize("spelling", SPELLINGS)
def test_truth_values_mean_the_same_however_they_are_spelt(spelling: str, smokers: Any) -> None:
    """Predictions do not depend on how a file writes true and false, nor on what else stands in the column."""
    table, classifier = smokers
    expected = classifier.predict(table).tolist()
    spelt = table.assign(smoker=table["smoker"].map(SPELLINGS[spelling]).astype(object))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert classifier.predict(spelt).tolist() == expected
        assert classifier.model_.predict(spelt.to_dict("list")).tolist() == expected
        assert classifier.rule_set_.predict(spelt).tolist() == expected
    spelt.loc[[3, 7], "smoker"] = "unknown"
    with pytest.warns(RulecgWarning, match=r"'smoker' holds 2 values that are neither true nor false.*'unknown'"):
        found = classifier.predict(spelt)
    missing = table.astype({"smoker": object})
    missing.loc[[3, 7], "smoker"] = None
    assert found.tolist() == classifier.predict(missing).tolist()
    assert np.delete(found, [3, 7]).tolist() == np.delete(expected, [3, 7]).tolist()


def test_a_column_without_any_truth_value_is_refused(smokers: Any) -> None:
    """All rows missing would be an answer to another question."""
    table, classifier = smokers
    with pytest.raises(ConfigurationError, match=r"held true and false when the rules were learned.*'often'"):
        classifier.predict(table.assign(smoker="often"))


def test_a_dict_with_columns_of_different_lengths_is_refused(smokers: Any) -> None:
    """Every column needs a value for every row."""
    _, classifier = smokers
    with pytest.raises(ConfigurationError, match="one value per row"):
        classifier.model_.predict({"smoker": [True], "age": [1, 2], "fit": [True]})
