"""Scores: what a rule set is worth, and what breaking a row costs."""

import numpy as np
import pytest

from rulecg_search.scoring import Scorer

from .cases import master_of_case


def test_a_row_on_samples_broken_at_a_price_moves_from_the_violation_into_the_objective():
    """The size bound stays a bound; what a rate exceeds costs the price, by the size of the bound."""
    goal = master_of_case("rates", 3).goal
    strict = Scorer(goal.objective, goal.rows[:2])
    soft = strict.softened(100.0, np.random.default_rng(0))
    assert strict.can_soften
    assert not Scorer(goal.objective, goal.rows[:1]).can_soften
    values = np.array([[50.0, 50.0], [9.0, 8.0], [0.2, 0.5]])
    assert [row.hi for row in strict.rows] == [8.0, 0.25]
    objective, violation = strict(values)
    assert objective.tolist() == [50.0, 50.0]
    assert violation.tolist() == pytest.approx([1 / 8, 1.0])
    objective, violation = soft(values)
    assert objective.tolist() == pytest.approx([50.0, 50.0 + soft.price])
    assert violation.tolist() == pytest.approx([1 / 8, 0.0])
