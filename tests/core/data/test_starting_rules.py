"""Starts: single conditions and saved pools."""

import json

import numpy as np
import pytest

from rulecg_core import Condition, ConfigurationError, Problem, Rule
from rulecg_core.data.starting_rules import load_pool, save_pool, single_conditions

CONDITIONS = [Condition("age", "<=", 30.5), Condition("age", ">", 30.5), Condition("sex", "==", "f")]


def problem(conditions=CONDITIONS, **options):
    rng = np.random.default_rng(0)
    X = rng.random((20, len(conditions))) < 0.5
    return Problem.from_arrays(X, rng.random(20) < 0.5, conditions=conditions, **options)


def test_single_conditions_are_one_rule_per_feature():
    """Every feature is a rule of its own."""
    assert single_conditions(problem()) == (Rule([0]), Rule([1]), Rule([2]))


def test_a_saved_pool_comes_back(tmp_path):
    """Rules written to a file and read for the same problem are the same rules."""
    rules = (Rule([0, 2]), Rule([1]))
    save_pool(tmp_path / "pool.json", problem(), rules)
    assert load_pool(tmp_path / "pool.json", problem()) == rules


def test_a_pool_is_read_by_meaning_not_by_number(tmp_path):
    """Another order of features is no obstacle; rules that cannot be expressed or are too long are left out."""
    save_pool(tmp_path / "pool.json", problem(), [Rule([0, 2]), Rule([1]), Rule([2])])
    other = problem([CONDITIONS[2], CONDITIONS[0]])
    assert load_pool(tmp_path / "pool.json", other) == (Rule([0, 1]), Rule([0]))
    assert load_pool(tmp_path / "pool.json", problem(max_conditions=1)) == (Rule([1]), Rule([2]))


@pytest.mark.parametrize("change", [{"version": 2}, {"format": "x"}, {"rules": [[9]]}, {"conditions": 3}])
def test_foreign_pools_are_refused(tmp_path, change):
    """A file that is not a pool of this version is an error that names the file."""
    path = tmp_path / "pool.json"
    save_pool(path, problem(), [Rule([0])])
    path.write_text(json.dumps(json.loads(path.read_text()) | change))
    with pytest.raises(ConfigurationError, match=r"pool\.json"):
        load_pool(path, problem())
    with pytest.raises(ConfigurationError, match=r"missing\.json"):
        load_pool(tmp_path / "missing.json", problem())


def test_a_pool_for_the_other_form_is_refused(tmp_path):
    """DNF rules mean nothing in a CNF problem."""
    save_pool(tmp_path / "pool.json", problem(), [Rule([0])])
    with pytest.raises(ConfigurationError, match="'cnf'"):
        load_pool(tmp_path / "pool.json", problem(logic="cnf"))
