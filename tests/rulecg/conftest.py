"""Models that several tests look at; each is fitted once."""

import pytest

from rulecg import RuleSetClassifier, datasets
from rulecg.model.model_file import to_model


@pytest.fixture(scope="session")
def lending():
    return datasets.lending(n_rows=600)


@pytest.fixture(scope="session")
def fitted(lending):
    """A small rule set on the lending data; good is enough, proofs are tested elsewhere."""
    classifier = RuleSetClassifier(max_complexity=10, time_limit=3.0)
    return classifier.fit(lending.data, lending.target, sensitive_features=lending.sensitive)


@pytest.fixture(scope="session")
def model(fitted, lending):
    return to_model(
        fitted,
        data=lending.data,
        target="approved",
        sensitive=lending.sensitive.columns,
        label_names={False: "no", True: "yes"},
    )


@pytest.fixture(scope="session")
def fitted_cnf(lending):
    return RuleSetClassifier(max_complexity=8, time_limit=2.0, logic="cnf").fit(lending.data, lending.target)


@pytest.fixture(scope="session")
def fitted_classes(lending):
    """Three classes: one rule set for each."""
    return RuleSetClassifier(max_complexity=6, time_limit=3.0).fit(
        lending.data.drop(columns="home"), lending.data["home"].rename("home")
    )
