"""Settings of the wrong kind are refused in a sentence, before any data is looked at."""

import numpy as np
import pandas as pd
import pytest

from rulecg import RuleSetClassifier
from rulecg_core import ConfigurationError


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("time_limit", "long"),
        ("time_limit", [60]),
        ("max_conditions", None),
        ("max_conditions", float("inf")),
        ("n_jobs", "all"),
        ("n_jobs", pd.NA),
        ("verbose", "yes"),
        ("constraints", None),
        ("constraints", 0.05),
        ("pricers", 3),
        ("forbid", True),
        ("logic", np.float64(3)),
        ("logic", pd.NA),
        ("random_state", np.float64(3)),
    ],
)
def test_the_message_names_the_setting_and_what_may_stand_there(name, value):
    """Neither a TypeError from deep inside nor numpy's way to write numbers."""
    classifier = RuleSetClassifier(**{"time_limit": 5, name: value})
    with pytest.raises(ConfigurationError, match=f"^{name} must be .*, not ") as caught:
        classifier.fit([[0], [1]], [0, 1])
    assert "np.float64" not in str(caught.value)


@pytest.mark.parametrize(
    ("name", "value"), [("time_limit", None), ("n_jobs", None), ("max_conditions", np.int8(3)), ("verbose", False)]
)
def test_what_means_the_same_is_taken(name, value):
    """None where it is allowed, numpy's numbers and truth values."""
    assert RuleSetClassifier(**{"time_limit": 5, name: value}).fit([[0], [1]], [0, 1]).predict([[1]]).tolist() == [1]
