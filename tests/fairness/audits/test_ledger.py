"""The rule × group ledger and the audit of proxy and true values."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from rulecg_core import Condition, ConfigurationError, Problem, Rule, RuleSet
from rulecg_fairness import Complexity, EqualizedOdds, MinimaxError, gaps, group_table, proxy_and_true, rule_ledger
from rulecg_fairness.audits.ledger import NO_RULES

RATES = ("selection_rate", "true_positive_rate", "false_positive_rate", "accuracy")


def random_data(seed: int) -> tuple[dict[str, np.ndarray], np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    table = {name: rng.random(60) < 0.5 for name in "pqr"}
    return table, rng.random(60) < 0.5, rng.choice(["a", "b", "c"], 60), rng.random(60) + 0.5


def rule_set(logic: str) -> RuleSet:
    return RuleSet.of([[Condition("p"), Condition("q")], [Condition("r")], [Condition("q")]], logic=logic)  # type: ignore


@pytest.mark.parametrize("logic", ["dnf", "cnf"])
@pytest.mark.parametrize("seed", range(5))
def test_parts_add_up(logic: str, seed: int) -> None:
    """Over all rules the parts of a group's rate add up to the rate, and the parts of a gap to the gap."""
    table, y, groups, weights = random_data(seed)
    rules = rule_set(logic)
    ledger = rule_ledger(rules, table, y, sensitive_features=groups, sample_weight=weights)
    y_pred = rules.predict(table)
    expected = group_table(y, y_pred, sensitive_features=groups, sample_weight=weights)
    totals = ledger.by_group.groupby(level="group").sum()
    for name in RATES:
        np.testing.assert_allclose(totals[name], expected[name], atol=1e-12)
    observed = gaps(y, y_pred, sensitive_features=groups, sample_weight=weights)["gap"]
    sums = ledger.gaps.sum()
    assert sums["selection_rate"] == pytest.approx(observed["demographic_parity_difference"])
    assert sums["true_positive_rate"] == pytest.approx(observed["equal_opportunity_difference"])
    assert sums["false_positive_rate"] == pytest.approx(observed["false_positive_rate_difference"])
    assert sums["accuracy"] == pytest.approx(observed["accuracy_difference"])


def test_counts_by_hand() -> None:
    """Covered, covered by no other rule, true and false positives are counted per rule and group."""
    table, y, groups, _ = random_data(7)
    ledger = rule_ledger(rule_set("dnf"), table, y, sensitive_features=groups).by_group
    covers = {"p and q": table["p"] & table["q"], "r": table["r"], "q": table["q"]}
    for rule, group in [(rule, group) for rule in covers for group in "abc"]:
        rows = covers[rule] & (groups == group)
        others = np.any([cover for name, cover in covers.items() if name != rule], axis=0)
        expected = [rows.sum(), (rows & ~others).sum(), (rows & y).sum(), (rows & ~y).sum()]
        counts = ledger.loc[(rule, group), ["covered", "unique", "true_positives", "false_positives"]]
        assert counts.tolist() == expected


def test_a_clause_rejects() -> None:
    """In CNF the ledger counts the rows that a clause rejects, rightly and wrongly."""
    table, y, groups, _ = random_data(8)
    ledger = rule_ledger(rule_set("cnf"), table, y, sensitive_features=groups).by_group
    rows = ~table["p"] & ~table["q"] & (groups == "a")
    entry = ledger.loc[("p or q", "a")]
    assert entry[["rejected", "true_negatives", "false_negatives"]].tolist() == [
        rows.sum(),
        (rows & ~y).sum(),
        (rows & y).sum(),
    ]
    assert ledger.loc[(NO_RULES, "a"), "selection_rate"] == 1.0


def test_credit_is_the_shapley_value() -> None:
    """A rule's part of the selection rate is its average contribution over all orders of adding the rules."""
    table, y, groups, _ = random_data(9)
    rules = rule_set("dnf")
    covers = rules.covers(table)[groups == "a"]

    def selected(chosen: tuple[int, ...]) -> float:
        return float(covers[:, list(chosen)].any(axis=1).mean())

    ledger = rule_ledger(rules, table, y, sensitive_features=groups).by_group
    share = {0: 1 / 3, 1: 1 / 6, 2: 1 / 3}
    for rule, name in enumerate(["p and q", "r", "q"]):
        others = [other for other in range(3) if other != rule]
        value = sum(
            share[size] * (selected((*chosen, rule)) - selected(chosen))
            for size in range(3)
            for chosen in combinations(others, size)
        )
        assert ledger.loc[(name, "a"), "selection_rate"] == pytest.approx(value)


def test_an_empty_rule_set_has_a_ledger() -> None:
    """Without rules only the starting part remains: nobody is selected, accuracy is the share of negatives."""
    table, y, groups, _ = random_data(1)
    empty = RuleSet((), (), "dnf", ("p", "q", "r"))
    ledger = rule_ledger(empty, table, y, sensitive_features=groups)
    assert list(ledger.gaps.index) == [NO_RULES]
    assert ledger.by_group.loc[(NO_RULES, "a"), "accuracy"] == pytest.approx((~y[groups == "a"]).mean())


def test_refuses_labels_of_another_length() -> None:
    """Labels must belong to the table."""
    table, y, groups, _ = random_data(1)
    with pytest.raises(ConfigurationError, match="y_true has 59 rows but X has 60"):
        rule_ledger(rule_set("dnf"), table, y[1:], sensitive_features=groups)


def test_audit_shows_proxy_and_truth() -> None:
    """Overlapping rules make the proxy count a false positive twice: it says violated where the truth holds."""
    X = [[1, 1], [1, 0], [0, 0], [0, 0], [1, 0], [0, 1], [0, 0], [0, 0]]
    y = [0, 1, 0, 1, 0, 1, 0, 1]
    problem = Problem.from_arrays(X, y, sensitive_groups={"g": ["a"] * 4 + ["b"] * 4})
    constraints = [EqualizedOdds(0.25), Complexity(3), MinimaxError()]
    table = proxy_and_true(constraints, problem, [Rule((0,)), Rule((1,))])
    row = table.loc["false positive rate: a − b"]
    assert (row["proxy"], row["true"], row["proxy_holds"], row["holds"]) == (0.5, 0.0, False, True)
    size = table.loc["complexity"]
    assert (size["proxy"], size["true"], size["holds"]) == (4.0, 4.0, False)
    assert len(table) == 5
