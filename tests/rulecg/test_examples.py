"""The examples run from start to end and show what they promise."""

import runpy
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[2] / "examples"
SHOWN = {
    "first_rule_set.py": "predicts the same",
    "fair_lending.py": "equalized odds within 0.1",
    "writing_a_constraint.py": "at most 20%",
    "comparing_solvers.py": "highs    objective 0, optimal",
    "rules_on_a_plane.py": "at most 8: ",
    "what_is_proven.py": "lower_bound",
    "fairness_front.py": "new_gap",
    "how_large.py": "approved if",
    "costs_of_errors.py": "a miss costs",
    "several_classes.py": "of the rows are right",
}


@pytest.mark.parametrize("name", SHOWN)
def test_examples_run(name, capsys):
    """As a person would run them."""
    runpy.run_path(str(EXAMPLES / name), run_name="__main__")
    assert SHOWN[name] in capsys.readouterr().out
