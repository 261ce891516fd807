"""Audits by name: the tables of evidence that reports ask the registry for."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

from rulecg_core import Condition, ConfigurationError, RuleSet, load_registry
from rulecg_core.masters.size_bounds import Complexity
from rulecg_fairness import EqualizedOdds, gaps, group_table, held_out_verdict, rule_ledger

RULES = RuleSet.of([[Condition("age", "<=", 30)], [Condition("age", "<=", 40), Condition("debt")]], logic="dnf")


@pytest.fixture(scope="module")
def evidence() -> dict[str, Any]:
    """Every argument that an audit may ask for, about 400 people."""
    rng = np.random.default_rng(0)
    table = pd.DataFrame({"age": rng.integers(18, 60, 400), "debt": rng.random(400) < 0.5})
    return {
        "y_true": (table["age"] + 10 * rng.random(400) < 40).to_numpy(),
        "y_pred": RULES.predict(table),
        "sensitive_features": np.where(rng.random(400) < 0.4, "old town", "new town"),
        "rule_set": RULES,
        "table": table,
        "constraints": [Complexity(5), EqualizedOdds(0.1)],
    }


NEEDS = {
    "group-table": (),
    "gaps": (),
    "verdict": ("constraints",),
    "ledger": ("rule_set", "table"),
    "gap-parts": ("rule_set", "table"),
}


@pytest.mark.parametrize("name", NEEDS)
def test_every_audit_gives_a_table(evidence: dict[str, Any], name: str) -> None:
    """An audit called by name, with labels, predictions, groups and what it needs besides, returns a pandas table."""
    wanted = ("y_true", "y_pred", "sensitive_features", *NEEDS[name])
    table = load_registry().audit(name)(**{key: evidence[key] for key in wanted})
    assert isinstance(table, pd.DataFrame)
    assert len(table)


def test_all_registered_audits_are_under_test() -> None:
    """An audit that is registered but not called here would be untested: add what it needs."""
    ours = {entry.name for entry in load_registry() if entry.kind == "audit" and entry.distribution == "rulecg"}
    assert set(NEEDS) <= ours


def test_audits_say_what_the_functions_say(evidence: dict[str, Any]) -> None:
    """By name or by import, the numbers are the same."""
    registry = load_registry()
    three = {key: evidence[key] for key in ("y_true", "y_pred", "sensitive_features")}
    pd.testing.assert_frame_equal(registry.audit("group-table")(**three), group_table(**three))
    in_words = registry.audit("gaps")(**three)
    assert in_words.index[0] == "demographic parity difference"
    pd.testing.assert_frame_equal(in_words.reset_index(drop=True), gaps(**three).reset_index(drop=True))
    own = rule_ledger(RULES, evidence["table"], evidence["y_true"], sensitive_features=evidence["sensitive_features"])
    rules = {"rule_set": RULES, "table": evidence["table"]}
    pd.testing.assert_frame_equal(registry.audit("ledger")(**three, **rules), own.by_group)
    pd.testing.assert_frame_equal(registry.audit("gap-parts")(**three, **rules), own.gaps)


def test_verdicts_are_one_line_for_each_pair(evidence: dict[str, Any]) -> None:
    """Bounds on a − b and on b − a are one line with both limits; the answers are those of the verdict itself."""
    three = {key: evidence[key] for key in ("y_true", "y_pred", "sensitive_features")}
    table = load_registry().audit("verdict")(**three, constraints=["equalized-odds:0.1", Complexity(5)])
    rows = {row.name: row for row in held_out_verdict(EqualizedOdds(0.1), **three).rows}
    assert len(table) == len(rows) / 2 == 2
    for name, line in table.iterrows():
        row = rows[str(name)]
        assert (line["at_least"], line["at_most"]) == (-0.1, 0.1)
        assert (line["value"], line["low"], line["high"]) == (row.value, row.low, row.high)
        one, other = name.partition(": ")[2].split(" − ")
        mirrored = rows[f"{name.partition(': ')[0]}: {other} − {one}"]
        assert {row.verdict, mirrored.verdict} >= {line["verdict"]}


@pytest.mark.parametrize(
    ("constraints", "n", "headline"),
    [
        (["equalized-odds:0.5"], 2000, "All bounds hold on new rows, with 95 % confidence."),
        (["equalized-odds:0.1"], 2000, "Violated on new rows, with 95 % confidence: 1 of 2 bounds."),
        (["equalized-odds:0.1"], 10, "Not enough data to say that all bounds hold on new rows: 2 of 2 bounds are"),
        (["demographic-parity:ratio=0.8"], 2000, "Violated on new rows, with 95 % confidence: 1 of 2 bounds."),
        (["group-recall-floor:0.1"], 2000, "All bounds hold on new rows, with 95 % confidence."),
    ],
)
def test_verdicts_have_a_headline(constraints: list[str], n: int, headline: str) -> None:
    """One sentence says what holds for all bounds, also for those that have a limit on one side only."""
    rng = np.random.default_rng(0)
    groups, truth = np.repeat(["a", "b"], 2 * n), np.tile(np.repeat([True, False], n), 2)
    chance = np.where(truth, np.where(groups == "a", 0.8, 0.5), 0.2)
    table = load_registry().audit("verdict")(
        truth, rng.random(4 * n) < chance, sensitive_features=groups, constraints=constraints
    )
    assert table.attrs["headline"].startswith(headline)
    assert np.isfinite(table[["value", "low", "high"]]).all(axis=None)
    assert np.isfinite(table[["at_least", "at_most"]]).any(axis=1).all()


def test_verdicts_notice_what_was_bounded_and_is_not_here(evidence: dict[str, Any]) -> None:
    """Groups of the training rows, or names of rows from the certificate, that are absent are named in the headline."""
    three = {key: evidence[key] for key in ("y_true", "y_pred", "sensitive_features")}
    audit = load_registry().audit("verdict")
    training = np.array(["old town", "new town", "harbour"])
    table = audit(**three, constraints=["equalized-odds:1"], training_features=training)
    assert "harbour cannot be judged" in table.attrs["headline"]
    assert any("group 'harbour' has no positives here" in note for note in table.attrs["notes"])
    names = ["complexity", *(row.name for row in held_out_verdict(EqualizedOdds(1), **three).rows)]
    constraints = ["equalized-odds:1", "accuracy-parity:1"]
    more = [*names, "accuracy: old town − new town", "accuracy: old town − harbour"]
    assert "hold" in audit(**three, constraints=constraints[:1], bounded_rows=names).attrs["headline"]
    table = audit(**three, constraints=constraints, bounded_rows=more)
    assert table.attrs["headline"].endswith("accuracy: old town − harbour cannot be judged.")
    assert len(table) == 3


CONVENTIONS = ("headline", "caption", "columns", "cells", "notes", "rows_without_group")


@pytest.mark.parametrize("logic", ["dnf", "cnf"])
@pytest.mark.parametrize("name", NEEDS)
def test_tables_tell_how_to_show_them(evidence: dict[str, Any], name: str, logic: str) -> None:
    """A reader that knows no column by name finds headings for columns that are there, and cells that can be filled."""
    rules = RuleSet.of(RULES.clauses(), logic=logic)
    changed = {**evidence, "rule_set": rules, "y_pred": rules.predict(evidence["table"])}
    wanted = ("y_true", "y_pred", "sensitive_features", *NEEDS[name])
    table = load_registry().audit(name)(**{key: changed[key] for key in wanted})
    assert set(table.attrs) <= set(CONVENTIONS)
    assert all(isinstance(note, str) for note in table.attrs.get("notes", ()))
    if table.index.nlevels == 2:
        cells = dict.fromkeys(table.columns, 1) | {f"share_{column}": "1 %" for column in table.columns}
        assert all(pattern.format(**cells) for pattern in table.attrs["cells"].values())
    else:
        assert set(table.attrs["columns"]) - {"weight"} <= set(table.columns)


def test_audits_say_where_they_belong() -> None:
    """Every audit of ours has a section, a title, a place of its own there and what it needs besides labels."""
    ours = [entry for entry in load_registry() if entry.kind == "audit" and entry.name in NEEDS]
    assert {entry.placement["section"] for entry in ours} == {"fairness"}
    assert len({entry.placement["order"] for entry in ours}) == len(ours) == len({e.placement["title"] for e in ours})
    assert all("groups" in entry.placement["needs"] for entry in ours)


def test_a_ledger_of_other_predictions_is_refused(evidence: dict[str, Any]) -> None:
    """The ledger explains the rule set's own predictions; those of another model are an error."""
    wanted = {key: evidence[key] for key in ("y_true", "sensitive_features", "rule_set", "table")}
    with pytest.raises(ConfigurationError, match="not what the rule set predicts"):
        load_registry().audit("ledger")(y_pred=~evidence["y_pred"], **wanted)


def test_verdicts_without_any_bound_on_predictions(evidence: dict[str, Any]) -> None:
    """When no constraint is about predictions the table is empty, with the usual columns."""
    three = {key: evidence[key] for key in ("y_true", "y_pred", "sensitive_features")}
    table = load_registry().audit("verdict")(**three, constraints=[Complexity(5)])
    assert list(table.columns) == ["at_least", "at_most", "value", "low", "high", "verdict"]
    assert table.empty
