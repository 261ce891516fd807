"""The rule without conditions in everything that reads, writes and explains rules."""

import sqlite3

import numpy as np
import pandas as pd
import pytest

from rulecg import RuleSetClassifier, load_model, save_model
from rulecg.exports.python_source import to_python
from rulecg.exports.sql import to_sql


@pytest.mark.parametrize("logic", ["dnf", "cnf"])
def test_always_is_a_rule_like_any_other(logic, tmp_path):
    """At complexity 1 the majority's constant answer is proven optimal, printed, exported, explained and kept."""
    X = pd.DataFrame({"a": np.arange(20) % 2 == 0, "b": np.arange(20)})
    truth = np.arange(20) % 7 > 0
    # DNF cannot say "always" without the rule, CNF not "never".
    y = truth if logic == "dnf" else ~truth
    said = logic == "dnf"
    found = RuleSetClassifier(max_complexity=1, logic=logic, time_limit=20).fit(X, y)
    assert (found.predict(X) == said).all()
    assert found.result_.status == "optimal"
    assert found.result_.errors == found.result_.objective == (y != said).sum()
    assert found.rule_set_.complexity == 1
    assert str(found.rule_set_) == f"{'always' if said else 'never'} positive"
    save_model(found, tmp_path / "model.json")
    model = load_model(tmp_path / "model.json")
    assert (model.predict(X) == said).all()
    assert len(model.explain(X)) == len(X)
    namespace = {}
    exec(to_python(model), namespace)
    assert bool(namespace["predict"]({"a": True, "b": 1})) is said
    with sqlite3.connect(":memory:") as database:
        X.astype(int).to_sql("t", database)
        answers = database.execute(to_sql(model, "t")).fetchall()
    assert {bool(answer[-1]) for answer in answers} == {said}
