"""Models and rows for exports: every kind of column and condition, missing values, two and three classes."""

import numpy as np
import pandas as pd
import pytest

from rulecg import Binarizer
from rulecg.model.model import Model
from rulecg.model.scored_rule_sets import LabelledRows, class_weights, score
from rulecg.model.scores import firing
from rulecg_core import Rule, RuleSet

CASES = ["dnf", "cnf", "three-dnf", "three-cnf", "sensitive", "empty"]


def drawn_table(n_rows, seed):
    """Numbers, words, levels, truth values, dates, moments and durations, each with gaps."""
    rng = np.random.default_rng(seed)
    table = pd.DataFrame(
        {
            "income": rng.integers(0, 100, n_rows) + rng.choice([0.0, 0.25], n_rows),
            "job": rng.choice(["cook", "it's", 'the "boss"', "?"], n_rows).astype(object),
            "grade": pd.Categorical(rng.choice(["A", "B", "C"], n_rows), categories=["A", "B", "C"], ordered=True),
            "member": pd.array(rng.random(n_rows) < 0.5, dtype="boolean"),
            "day": pd.Timestamp("2023-06-01") + pd.to_timedelta(rng.integers(0, 300, n_rows), unit="D"),
            "seen": pd.Timestamp("2024-01-01") + pd.to_timedelta(rng.integers(0, 10**6, n_rows) * 60, unit="s"),
            "wait": pd.to_timedelta(rng.integers(0, 10**6, n_rows), unit="s"),
        }
    )
    return table.mask(rng.random(table.shape) < 0.15)


def drawn_model(case, seed=2):
    """A model of random rules, with scores counted on random labels."""
    rng = np.random.default_rng(seed)
    table = drawn_table(300, seed).replace({"job": {"?": None}})
    conditions = tuple(Binarizer(n_quantiles=4).fit(table).conditions_)
    logic = "cnf" if "cnf" in case else "dnf"
    n_classes = 3 if case.startswith("three") else 2
    codes = rng.integers(0, n_classes, len(table))
    # Long clauses and rules of a few conditions: some rows are accepted, and some are not.
    sizes = (4, 8) if logic == "cnf" else (2, 5)
    rule_sets = []
    for position in [1] if n_classes == 2 else range(n_classes):
        rules = [] if case == "empty" else [
            Rule(rng.choice(len(conditions), size=rng.integers(*sizes), replace=False).tolist()) for _ in range(4)
        ]
        used = sorted({feature for rule in rules for feature in rule})
        rule_sets.append(
            RuleSet(
                rules=tuple(Rule(used.index(feature) for feature in rule) for rule in rules),
                conditions=tuple(conditions[feature] for feature in used),
                logic=logic,
                columns=tuple(table.columns),
                outcome="approved" if n_classes == 2 else f"class {position}",
            )
        )
    labels = ("no", "yes") if n_classes == 2 else (1, 2, 3)
    rows = LabelledRows(table, np.array(labels, dtype=object), codes, np.ones(len(table)))
    scores, otherwise = score(rule_sets, [firing(one, table) for one in rule_sets], rows)
    return Model(
        rule_sets=tuple(rule_sets),
        classes=labels,
        scores=scores,
        class_weights=class_weights(rows),
        otherwise=otherwise,
        sensitive=("grade", "member") if case == "sensitive" else (),
        conditions=conditions,
        settings={"na_values": ["?"]},
    )


@pytest.fixture(scope="module", params=CASES)
def drawn(request):
    """A model, new rows, and what the model says about them."""
    from rulecg.analysis.reasons import reasoned

    model = drawn_model(request.param)
    table = drawn_table(120, seed=9)
    expected = reasoned(model, table)
    assert expected["decision"].tolist() == model.predict(table).tolist()
    return model, table, expected


def rows_of(table):
    """Python values, None where missing."""
    columns = [[None if pd.isna(value) else value for value in table[name].astype(object)] for name in table]
    return [dict(zip(table.columns, row, strict=True)) for row in zip(*columns, strict=True)]


def same(found, expected):
    """Decisions, rules and reasons equal; probabilities up to rounding."""
    assert [row[0] for row in found] == expected["decision"].tolist()
    np.testing.assert_allclose([row[1] for row in found], expected["probability"], rtol=1e-12)
    assert [row[2] for row in found] == expected["rule"].tolist()
    assert [row[3] for row in found] == expected["reasons"].tolist()
