"""Probability, rule and reasons as SQL expressions, from the recipe that all exports follow."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from rulecg_core import Condition

from ..analysis.reasons import BEYOND_REACH
from ..model.multiclass import NUDGE
from .applied import Applied, AppliedRule, AppliedSet

Write = Callable[[Condition], str]
Literal = Callable[[Any], str]


def reasoned_columns(applied: Applied, write: Write, literal: Literal) -> dict[str, str]:
    """Write what a query adds besides the decision.

    Parameters
    ----------
    applied : Applied
        The model.
    write : function
        Writes a condition as SQL that is true where it holds.
    literal : function
        Writes a value.

    Returns
    -------
    dict
        Expressions for ``probability``, ``rule`` and ``reasons``.
    """
    if len(applied.sets) > 1:
        return {
            "probability": _class_probability(applied, write, literal),
            "rule": _class_rule(applied, write, literal),
            "reasons": "CAST(NULL AS VARCHAR(1))",
        }
    (own,) = applied.sets
    score = _score(own, write, literal)
    texts = [f"WHEN {_fires(own, rule, write)} THEN {literal(rule.text)}" for rule in own.rules]
    return {
        "probability": f"CASE WHEN {score} > 0.5 THEN {score} ELSE 1 - {score} END",
        "rule": _case(texts, "NULL"),
        "reasons": _case([f"WHEN {score} > 0.5 THEN NULL"], _reasons(own, write, literal)),
    }


def _case(whens: Sequence[str], otherwise: str) -> str:
    return f"CASE {' '.join(whens)} ELSE {otherwise} END" if whens else f"({otherwise})"


def _fires(own: AppliedSet, rule: AppliedRule, write: Write) -> str:
    """True where a rule decides: all of its conditions hold, or none of a clause's does."""
    if own.logic == "dnf":
        return " AND ".join(write(condition) for condition in rule.conditions) or "1 = 1"
    holds = " OR ".join(write(condition) for condition in rule.conditions) or "1 = 0"
    # NOT of NULL would be NULL.
    return f"CASE WHEN {holds} THEN 0 ELSE 1 END = 1"


def _score(own: AppliedSet, write: Write, literal: Literal) -> str:
    whens = [f"WHEN {_fires(own, rule, write)} THEN {_double(rule.score, literal)}" for rule in own.rules]
    return _case(whens, _double(own.otherwise, literal))


def _double(value: float, literal: Literal) -> str:
    return f"CAST({literal(value)} AS DOUBLE PRECISION)"


def _reasons(own: AppliedSet, write: Write, literal: Literal) -> str:
    """What is lacking, as one text: of clauses those that fail, of rules what the nearest asks for."""
    in_order = sorted(own.rules, key=lambda rule: rule.number)
    if not in_order:
        return "NULL"
    if own.logic == "cnf":
        inner = [rule.text.removeprefix("not (")[:-1] for rule in in_order]
        parts = [
            f"CASE WHEN {_fires(own, rule, write)} THEN {literal('; ' + text)} ELSE '' END"
            for rule, text in zip(in_order, inner, strict=True)
        ]
        return _without_first(parts)
    distances, texts = [], []
    for rule in in_order:
        holds = [" AND ".join(write(condition) for condition in need.conditions) for need in rule.needs]
        lacks = [f"CASE WHEN {one} THEN 0 ELSE 1 END" for one in holds]
        fixed = [one for one, need in zip(holds, rule.needs, strict=True) if need.is_fixed]
        far = [f"CASE WHEN {' AND '.join(f'({one})' for one in fixed)} THEN 0 ELSE {BEYOND_REACH} END"] if fixed else []
        distances.append("(" + " + ".join([*lacks, *far] or ["0"]) + ")")
        parts = [
            f"CASE WHEN {one} THEN '' ELSE {literal('; ' + need.text)} END"
            for one, need in zip(holds, rule.needs, strict=True)
        ]
        texts.append(_without_first(parts or ["''"]))
    # The first rule that is at most as far away as all after it is the nearest: those before it were not.
    whens = [
        f"WHEN {' AND '.join(f'{distances[place]} <= {other}' for other in distances[place + 1 :])} THEN {texts[place]}"
        for place in range(len(in_order) - 1)
    ]
    return _case(whens, texts[-1])


def _without_first(parts: Sequence[str]) -> str:
    """Texts in a row, without the separator before the first."""
    return f"SUBSTR({' || '.join(parts)}, 3)"


def _class_probability(applied: Applied, write: Write, literal: Literal) -> str:
    """The surest class's share of all scores."""
    scores = [_score(own, write, literal) for own in applied.sets]
    claimed = " OR ".join(f"{score} > 0.5" for score in scores)
    best = _case(
        [f"WHEN {' AND '.join(f'{one} >= {other}' for other in scores[at + 1 :])} THEN {one}"
         for at, one in enumerate(scores[:-1])],
        scores[-1],
    )  # fmt: skip
    total, nudge = " + ".join(scores), literal(NUDGE)
    top = max(applied.unclaimed)
    unclaimed = top * (1 + NUDGE) / (sum(applied.unclaimed) + top * NUDGE)
    sure = f"({best}) * (1 + {nudge}) / ({total} + ({best}) * {nudge})"
    return f"CASE WHEN {claimed} THEN {sure} ELSE {_double(unclaimed, literal)} END"


def _class_rule(applied: Applied, write: Write, literal: Literal) -> str:
    """The surest rule of the class that wins; classes that are told by clauses have none."""
    place = {position: at for at, position in enumerate(applied.by_weight)}
    entries = []
    for own in applied.sets:
        if own.logic == "dnf":
            entries += [(-rule.score, place[own.position], at, own, rule) for at, rule in enumerate(own.rules)]
    entries.sort(key=lambda entry: entry[:3])
    return _case([f"WHEN {_fires(own, rule, write)} THEN {literal(rule.text)}" for *_, own, rule in entries], "NULL")
