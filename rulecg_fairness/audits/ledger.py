"""Which rule does what to whom: a ledger of rules and groups, and each rule's part in every gap."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from attrs import frozen

from rulecg_core import ConfigurationError, FloatArray, RuleSet

from ..metrics.outcomes import RATES, Outcomes, as_labels, rate

if TYPE_CHECKING:
    import pandas as pd

NO_RULES = "(no rules)"
"""The part of a rate that is there before any rule."""


@frozen(eq=False)
class Ledger:
    """``by_group``: rule × group, counts and parts of rates. ``gaps``: rule × rate, parts of the gap between the groups
    with the highest and the lowest rate. Parts add up: over the rules to the group's rate, and to the gap."""

    by_group: pd.DataFrame
    gaps: pd.DataFrame


def rule_ledger(
    rule_set: RuleSet,
    X: Any,
    y_true: Any,
    *,
    sensitive_features: Any,
    sample_weight: Any = None,
    pos_label: Any = None,
) -> Ledger:
    """For each rule and group: covered rows, rows covered by no other rule, true and false positives, parts of rates.

    A row that several rules cover is credited to them in equal parts, which is the Shapley value of "covered by any".
    In CNF a clause acts by rejecting rows, so the ledger counts rejected rows, true and false negatives.
    """
    import pandas as pd

    holds = rule_set.covers(X)
    dnf = rule_set.logic == "dnf"
    acts = holds if dnf else ~holds
    truth = as_labels(y_true, "y_true", pos_label)
    if len(truth) != len(acts):
        raise ConfigurationError(f"y_true has {len(truth)} rows but X has {len(acts)}.")
    y_pred = acts.any(axis=1) == dnf
    outcomes = Outcomes.of(truth, y_pred, sensitive_features=sensitive_features, sample_weight=sample_weight)
    acts = acts[outcomes.labelled]
    hits = acts.sum(axis=1)
    members = np.arange(len(outcomes.names))[:, None] == outcomes.group_of
    positive, negative = members * outcomes.weights * outcomes.y_true, members * outcomes.weights * ~outcomes.y_true
    alone = acts & (hits == 1)[:, None]
    credit = acts / np.maximum(hits, 1)[:, None]
    rules = [_text(rule_set, number) for number in range(len(rule_set))]
    names = ("covered", "unique", "true_positives", "false_positives")
    if not dnf:
        names = ("rejected", "unique", "false_negatives", "true_negatives")
    counts = {
        names[0]: (positive + negative) @ acts,
        names[1]: (positive + negative) @ alone,
        names[2]: positive @ acts,
        names[3]: negative @ acts,
    }
    parts = _parts(positive @ credit, negative @ credit, positive.sum(axis=1), negative.sum(axis=1), dnf)
    columns = {name: np.column_stack([np.zeros(len(members)), values]).T.ravel() for name, values in counts.items()}
    columns |= {name: values.T.ravel() for name, values in parts.items()}
    index = pd.MultiIndex.from_product([[NO_RULES, *rules], outcomes.names], names=["rule", "group"])
    shares = {}
    for name, values in parts.items():
        rates = rate(outcomes.counts(), name)
        if np.isnan(rates).all():
            shares[name] = np.full(values.shape[1], np.nan)
        else:
            shares[name] = values[int(np.nanargmax(rates))] - values[int(np.nanargmin(rates))]
    gap_table = pd.DataFrame(shares, index=pd.Index([NO_RULES, *rules], name="rule"))
    return Ledger(pd.DataFrame(columns, index=index), gap_table)


def _parts(
    positive: FloatArray, negative: FloatArray, positives: FloatArray, negatives: FloatArray, dnf: bool
) -> dict[str, FloatArray]:
    """Groups × (no rules, then the rules): parts of each rate, from credited positives and negatives."""
    totals = positives + negatives
    sign = 1.0 if dnf else -1.0
    # Without rules a DNF selects nobody and a CNF everybody.
    start = np.zeros_like(totals) if dnf else np.ones_like(totals)
    with np.errstate(divide="ignore", invalid="ignore"):
        right = (negatives if dnf else positives) / totals
        rates = {
            "selection_rate": (start, sign * (positive + negative) / totals[:, None]),
            "true_positive_rate": (start, sign * positive / positives[:, None]),
            "false_positive_rate": (start, sign * negative / negatives[:, None]),
            "accuracy": (right, sign * (positive - negative) / totals[:, None]),
        }
    return {name: np.column_stack(rates[name]) for name in RATES}


def _text(rule_set: RuleSet, number: int) -> str:
    word = " and " if rule_set.logic == "dnf" else " or "
    return word.join(map(str, rule_set.clauses()[number])) or "always"
