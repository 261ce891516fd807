"""Rules with equal covers are told apart from others, also when hashes collide."""

import numpy as np
import pytest

from rulecg_core import Rule
from rulecg_core.testing.brute_force import all_rules
from rulecg_core.testing.random_problems import random_pricing_problem
from rulecg_pricing.exact import covers as _covers
from rulecg_pricing.exact.rule_arrays import distinct


@pytest.mark.parametrize("collide", [False, True])
@pytest.mark.parametrize("seed", range(5))
def test_one_rule_of_least_value_stays_for_each_cover(seed, collide, monkeypatch):
    """Every cover keeps exactly one rule, one of the least value; all hashes being equal changes nothing."""
    problem = random_pricing_problem(seed)
    rules = all_rules(problem)
    features = np.full((len(rules), problem.max_conditions), -1)
    for line, rule in zip(features, rules, strict=True):
        line[: len(rule)] = rule.features
    values = np.random.default_rng(seed).integers(0, 4, len(rules)).astype(float)
    if collide:
        monkeypatch.setattr(_covers, "hash_covers", lambda columns, rules, hashes: hashes.fill(0))
    kept = distinct(problem, features, values)
    least: dict[bytes, float] = {}
    for rule, value in zip(rules, values, strict=True):
        cover = rule.covers(problem.X).tobytes()
        least[cover] = min(value, least.get(cover, np.inf))
    found = {Rule(line[line >= 0]).covers(problem.X).tobytes(): values[at] for at, line in enumerate(features)
             if at in set(kept.tolist())}  # fmt: skip
    assert len(found) == len(kept)
    assert found == least
