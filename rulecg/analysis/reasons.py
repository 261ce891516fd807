"""Decision, probability, the rule that fired and, for rejections, the principal reasons: what exports return, too."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Any

import numpy as np
import pandas as pd
from attrs import frozen

from rulecg_core import Condition
from rulecg_core.base.arrays import BoolArray
from rulecg_core.data.phrases import conjunction
from rulecg_core.data.rule_text import clause_text, phrase_text

from ..model.model import Model
from .recourse import candidates

BEYOND_REACH = 1000
"""Rules that ask for what nobody can change count as further away than any others."""


@frozen
class Need:
    """What a rule asks of one column."""

    column: str
    text: str
    conditions: tuple[Condition, ...]
    is_fixed: bool
    """Whether nobody can be asked to change it: the column is sensitive, or its value would have to be missing."""


def needs_of(clause: Iterable[Condition], immutable: Collection[str]) -> tuple[Need, ...]:
    """Take a DNF rule apart, column by column.

    Parameters
    ----------
    clause : iterable of Condition
        The rule.
    immutable : collection of str
        Columns that cannot change.

    Returns
    -------
    tuple of Need
        In the order in which the rule names its columns.

    Examples
    --------
    >>> found = needs_of([Condition("age", ">", 23), Condition("age", "<=", 45)], ["age"])
    >>> [(need.text, need.is_fixed) for need in found]
    [('23 < age <= 45', True)]
    """
    by_column: dict[str, list[Condition]] = {}
    for condition in clause:
        by_column.setdefault(condition.column, []).append(condition)
    needs = []
    for column, own in by_column.items():
        phrases = conjunction(own)
        text = "never" if isinstance(phrases, bool) else " and ".join(map(phrase_text, phrases))
        reachable = any(all(bool(c.holds([value])[0]) for c in own) for value in candidates(own))
        needs.append(Need(column, text, tuple(own), column in immutable or not reachable))
    return tuple(needs)


def reasoned(model: Model, X: Any) -> pd.DataFrame:
    """Say for every row what is decided, how sure that is, by which rule, and why it was rejected.

    Parameters
    ----------
    model : Model
        The model.
    X : table, dict of columns or 2-D array
        As for ``predict``.

    Returns
    -------
    DataFrame
        ``decision``; ``probability`` of that decision; ``rule``, the surest of those that fired, None where none did;
        ``reasons``, for a rejected row of a model with two classes, a list of what it lacks: for DNF what the nearest
        rule asks of the columns that fail it, for CNF the clauses that fail, in order of importance. The nearest rule
        is the one with the fewest such columns; those that fail on a sensitive column, or would need a value to be
        missing, come last; more important ones come first on ties.

    Examples
    --------
    >>> from rulecg import RuleSetClassifier
    >>> table = pd.DataFrame({"income": [20, 30, 60, 80] * 10})
    >>> model = RuleSetClassifier(max_complexity=2).fit(table, table["income"] > 50).model_
    >>> print(reasoned(model, table.head(1)).to_dict("records"))
    [{'decision': False, 'probability': 0.9545454545454546, 'rule': None, 'reasons': ['income > 30']}]
    """
    table = model.checked(X)
    fired = model.firings(table)
    codes = model.decisions(fired)
    rows = np.arange(len(codes))
    rules: list[str | None] = [None] * len(codes)
    for number, (rule_set, own) in enumerate(zip(model.rule_sets, fired, strict=True)):
        texts = [clause_text(clause, rule_set.logic) for clause in rule_set.clauses()]
        if rule_set.logic == "cnf":
            texts = [f"not ({text})" for text in texts]
        decided = own.any(axis=1) & (model.is_binary | ((codes == number) & (rule_set.logic == "dnf")))
        if not decided.any():
            continue
        sure = model.scores[number].probability(np.eye(len(rule_set), dtype=bool))
        surest = np.where(own, sure, -1.0).argmax(axis=1)
        for row in np.flatnonzero(decided):
            rules[row] = texts[surest[row]]
    reasons: list[list[str]] = [[] for _ in rows]
    if model.is_binary:
        rejected = np.flatnonzero(codes == 0)
        for row, found in zip(rejected.tolist(), _reasons(model, table, fired[0], rejected), strict=True):
            reasons[row] = found
    return pd.DataFrame(
        {
            "decision": model.labels_at(codes),
            "probability": model.probabilities(fired)[rows, codes],
            "rule": pd.Series(rules, dtype=object),
            "reasons": pd.Series(reasons, dtype=object),
        }
    )


def _reasons(model: Model, table: Any, fired: BoolArray, rejected: Any) -> list[list[str]]:
    rule_set = model.rule_set
    if rule_set.logic == "cnf":
        texts = rule_set.texts()
        return [[texts[place] for place in np.flatnonzero(fired[row])] for row in rejected]
    if not len(rule_set):
        return [[] for _ in rejected]
    needs_of_rules = [needs_of(clause, model.sensitive_columns) for clause in rule_set.clauses()]
    failing_of: list[BoolArray] = []
    distance = np.zeros((len(rejected), len(rule_set)))
    for place, needs in enumerate(needs_of_rules):
        failing = np.zeros((len(needs), len(rejected)), dtype=bool)
        for at, need in enumerate(needs):
            column = rule_set.column_of(table, need.column)
            holds = np.logical_and.reduce([condition.holds(column) for condition in need.conditions])
            failing[at] = ~holds[rejected]
            distance[:, place] = np.maximum(distance[:, place], BEYOND_REACH * (failing[at] & need.is_fixed))
        distance[:, place] += failing.sum(axis=0)
        failing_of.append(failing)
    return [
        [need.text for need, fails in zip(needs_of_rules[rule], failing_of[rule][:, at], strict=True) if fails]
        for at, rule in enumerate(distance.argmin(axis=1).tolist())
    ]
