"""One fit, four solvers, one answer."""

import os
from pathlib import Path

import pytest

from rulecg import RuleSetClassifier
from rulecg.datasets import load

BACKENDS = ("highs", "cbc", "gurobi", "scip")

# Data, bound C, conditions per rule. Every fit ends with its proof, long before its time limit.
FITS = [
    ("tic-tac-toe", 10, 3),
    ("tic-tac-toe", 20, 5),
    ("breast-cancer", 10, 2),
    ("breast-cancer", 20, 2),
]
if Path(os.environ.get("RULECG_DATA", "")).joinpath("compas.csv.gz").is_file():
    FITS += [("compas", 10, 5), ("compas", 20, 5)]


@pytest.mark.parametrize(("name", "complexity", "conditions"), FITS)
def test_every_backend_finds_the_same_relaxation_and_the_same_rule_set(name, complexity, conditions):
    """The LP over all rules has one value (to 1e-6), and the best rule set one objective."""
    data = load(name)
    fits = {}
    for backend in BACKENDS:
        model = RuleSetClassifier(
            max_complexity=complexity,
            max_conditions=conditions,
            backend=backend,
            binarizer="deciles",
            time_limit=60.0,
            random_state=0,
        ).fit(data.data, data.target)
        (fits[backend],) = model.result_.runs.values()
    relaxations = [fit.relaxation for fit in fits.values()]
    objectives = {backend: fit.objective for backend, fit in fits.items()}
    assert {str(fit.status) for fit in fits.values()} == {"optimal"}
    assert max(relaxations) - min(relaxations) <= 1e-6 * max(1.0, abs(relaxations[0]))
    assert len(set(objectives.values())) == 1, objectives
    assert all(fit.lower_bound <= min(objectives.values()) + 1e-6 for fit in fits.values())
