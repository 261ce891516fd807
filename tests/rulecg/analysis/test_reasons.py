"""Decision, probability, rule and reasons tell the story that predict, predict_proba and explain tell."""

import numpy as np
import pytest

from rulecg.analysis.reasons import reasoned
from tests.rulecg.exports.conftest import drawn_model, drawn_table


@pytest.mark.parametrize("case", ["dnf", "cnf", "sensitive", "three-dnf", "three-cnf"])
def test_decisions_and_probabilities_are_the_model_s(case):
    """The decision is predict's, its probability the largest that predict_proba gives."""
    model, table = drawn_model(case), drawn_table(80, seed=3)
    told = reasoned(model, table)
    assert told["decision"].tolist() == model.predict(table).tolist()
    np.testing.assert_array_equal(told["probability"], model.predict_proba(table).max(axis=1))


@pytest.mark.parametrize("case", ["dnf", "sensitive"])
def test_reasons_are_the_first_way_of_explain(case):
    """Where there is a way to acceptance, its changes are the reasons; accepted rows have none."""
    model, table = drawn_model(case), drawn_table(80, seed=3)
    told = reasoned(model, table)
    compared = 0
    for reasons, rule, explained in zip(told["reasons"], told["rule"], model.explain(table), strict=True):
        if explained.accepted:
            assert reasons == []
            assert rule in explained.rules
        elif explained.ways:
            assert reasons == [change.needed for change in explained.ways[0].changes]
            compared += 1
    assert compared > 20


def test_reasons_of_clauses_are_those_that_fail():
    """In the order of importance, as explain lists them."""
    model, table = drawn_model("cnf"), drawn_table(80, seed=3)
    for reasons, explained in zip(reasoned(model, table)["reasons"], model.explain(table), strict=True):
        assert reasons == ([] if explained.accepted else list(explained.rules))
