"""The default, which chooses how complex rules may be, keeps scikit-learn's conventions."""

from __future__ import annotations

from typing import Any

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from rulecg import RuleSetClassifier


@parametrize_with_checks([RuleSetClassifier()])
def test_scikit_learn_conventions_with_defaults(estimator: Any, check: Any) -> None:
    """Every check that scikit-learn has for classifiers passes without a single setting."""
    if getattr(check, "keywords", {}).get("readonly_memmap"):
        pytest.skip("where a table lies in memory is checked at a fixed size, in a tenth of the time")
    check(estimator)
