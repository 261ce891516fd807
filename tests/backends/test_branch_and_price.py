"""The example that generates rules inside SCIP's own search tree finds true optima."""

import importlib.util
from pathlib import Path

import pytest

EXAMPLE = Path(__file__).parents[2] / "examples" / "branch_and_price_scip.py"


@pytest.fixture(scope="module")
def example():
    spec = importlib.util.spec_from_file_location("branch_and_price_scip", EXAMPLE)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("seed", [0, 2, 7, 11])
def test_branch_and_price_finds_the_optimum_over_all_rules(example, seed):
    """These instances have a gap, so SCIP branches, and rules are generated at several nodes."""
    problem = example.CoverProblem.random(seed)
    answer = example.branch_and_price(problem)
    optimum, relaxation = example.full_program(problem)
    assert answer.objective == pytest.approx(optimum, abs=1e-6)
    assert relaxation < optimum - 1e-6
    assert answer.nodes > 1
    assert answer.generated < answer.possible
