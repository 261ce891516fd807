"""Which rule does what to whom: a ledger of rules and groups, and each rule's part in every gap."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from attrs import frozen

from rulecg_core import BoolArray, ConfigurationError, FloatArray, RuleSet

from ..metrics.gaps import Gap
from ..metrics.outcomes import RATE_WORDS, RATES, Outcomes, as_labels

if TYPE_CHECKING:
    import pandas as pd

NO_RULES = "(no rules)"
"""The part of a rate that is there before any rule."""


@frozen(eq=False)
class Ledger:
    """What each rule does to each group.

    Parts add up: over the rules to the group's rate, and to the gap.

    Parameters
    ----------
    by_group
        Rule × group: counts and parts of rates.
    gaps
        Rule × rate: parts of the gap between the groups with the highest and the lowest rate.
    """

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
    """Count for each rule and group what the rule does.

    A row that several rules cover is credited to them in equal parts, which is the Shapley value of "covered by any".
    In CNF a clause acts by rejecting rows, so the ledger counts rejected rows, true and false negatives.

    Parameters
    ----------
    rule_set
        The rules.
    X
        The table that they are applied to.
    y_true
        Recorded labels, one per row.
    sensitive_features
        One or several columns; several make the groups of their combinations.
    sample_weight
        What each row counts.
    pos_label
        The label that counts as positive, unless labels are 0 and 1 or booleans.

    Returns
    -------
    Ledger
        Covered rows, rows covered by no other rule, true and false positives and parts of rates, by rule and group.

    Raises
    ------
    ConfigurationError
        When columns do not fit together, or no row has a group.
    """
    holds = rule_set.covers(X)
    acts = holds if rule_set.logic == "dnf" else ~holds
    truth = as_labels(y_true, "y_true", pos_label)
    if len(truth) != len(acts):
        raise ConfigurationError(f"y_true has {len(truth)} rows but X has {len(acts)}.")
    y_pred = acts.any(axis=1) == (rule_set.logic == "dnf")
    outcomes = Outcomes.of(truth, y_pred, sensitive_features=sensitive_features, sample_weight=sample_weight)
    return _ledger(rule_set, acts[outcomes.labelled], outcomes)


def _ledger(rule_set: RuleSet, acts: BoolArray, outcomes: Outcomes) -> Ledger:
    """The ledger of rules that act on rows (rows × rules), all of which have a group."""
    import pandas as pd

    dnf = rule_set.logic == "dnf"
    hits = acts.sum(axis=1)
    members = np.arange(len(outcomes.names))[:, None] == outcomes.group_of
    positive, negative = members * outcomes.weights * outcomes.y_true, members * outcomes.weights * ~outcomes.y_true
    alone = acts & (hits == 1)[:, None]
    credit = acts / np.maximum(hits, 1)[:, None]
    rules = [NO_RULES, *(_text(rule_set, number) for number in range(len(rule_set)))]
    acted, right, wrong = ("covered", "true_positives", "false_positives")
    if not dnf:
        acted, right, wrong = ("rejected", "true_negatives", "false_negatives")
    counts = {
        acted: (positive + negative) @ acts,
        "unique": (positive + negative) @ alone,
        right if dnf else wrong: positive @ acts,
        wrong if dnf else right: negative @ acts,
    }
    parts = _parts(positive @ credit, negative @ credit, positive.sum(axis=1), negative.sum(axis=1), dnf)
    columns = {name: np.column_stack([np.zeros(len(members)), values]).T.ravel() for name, values in counts.items()}
    columns |= {name: values.T.ravel() for name, values in parts.items()}
    index = pd.MultiIndex.from_product([rules, outcomes.names], names=["rule", "group"])
    by_group = pd.DataFrame(columns, index=index)
    by_group.attrs["cells"] = {
        f"Rows {acted}, rightly and wrongly": f"{{{acted}}} ({{{right}}} / {{{wrong}}})",
        f"Rows {acted} by this rule alone": "{unique}",
        "Each rule's part in the share predicted positive; rows of several rules in equal parts": (
            "{share_selection_rate}"
        ),
    }
    gaps = pd.DataFrame(_parts_of_gaps(parts, outcomes), index=pd.Index(rules, name="rule"))
    gaps.attrs["columns"] = dict(RATE_WORDS)
    gaps.attrs["caption"] = "What each rule adds to the difference between the highest and the lowest group"
    return Ledger(by_group, gaps)


def _parts_of_gaps(parts: dict[str, FloatArray], outcomes: Outcomes) -> dict[str, FloatArray]:
    """For each rate, every rule's part of its gap."""
    shares = {}
    for name, values in parts.items():
        between = Gap((name,)).between(outcomes.counts())
        unknown = np.full(values.shape[1], np.nan)
        shares[name] = unknown if between is None else values[between[1]] - values[between[2]]
    return shares


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
