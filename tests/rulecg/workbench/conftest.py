"""A small table, and a workbench on it."""

import numpy as np
import pandas as pd
import pytest

from rulecg import RuleSetClassifier
from rulecg.workbench.bench import Workbench


@pytest.fixture(scope="session")
def rows():
    rng = np.random.default_rng(7)
    table = pd.DataFrame(rng.random((80, 5)) < 0.5, columns=list("abcde"))
    y = ((table["a"] & table["b"]) | (table["c"] & table["d"])) ^ (rng.random(80) < 0.15)
    return table, y.to_numpy()


@pytest.fixture(scope="session")
def classifier(rows):
    return RuleSetClassifier(6, max_conditions=2, binarizer="deciles", time_limit=20).fit(*rows)


@pytest.fixture
def bench(rows, classifier):
    with Workbench(*rows, model=classifier, folds=0) as made:
        yield made
