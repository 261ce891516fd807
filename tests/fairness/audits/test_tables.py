"""Audits by name: the tables of evidence that reports ask the registry for."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

from rulecg_core import Condition, ConfigurationError, RuleSet, load_registry
from rulecg_core.masters.size_bounds import Complexity
from rulecg_fairness import EqualizedOdds, group_table, held_out_verdict, rule_ledger

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
    verdicts = registry.audit("verdict")(**three, constraints=evidence["constraints"])
    pd.testing.assert_frame_equal(verdicts, held_out_verdict(EqualizedOdds(0.1), **three).table())
    own = rule_ledger(RULES, evidence["table"], evidence["y_true"], sensitive_features=evidence["sensitive_features"])
    rules = {"rule_set": RULES, "table": evidence["table"]}
    pd.testing.assert_frame_equal(registry.audit("ledger")(**three, **rules), own.by_group)
    pd.testing.assert_frame_equal(registry.audit("gap-parts")(**three, **rules), own.gaps)


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
