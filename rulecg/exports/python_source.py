"""Rules as the source of a Python function that needs nothing but Python."""

from __future__ import annotations

import json

from rulecg_core import Condition, RuleSet
from rulecg_core.data.rule_text import clause_text

from ..model.model import Model
from .applied import Applied, Test
from .decisions import Decisions, When

_HEAD = '''"""Written by rulecg. Give predict() a row as a dict of columns; None and NaN are missing values."""


def predict(row):
'''


_HELPERS = {
    "moment": '''

def _moment(value):
    text = value.isoformat() if hasattr(value, "isoformat") else value.replace(" ", "T")
    return text + "T00:00:00" if len(text) == 10 else text
''',
    "duration": '''

def _duration(value):
    return value.total_seconds() if hasattr(value, "total_seconds") else value
''',
}
"""Dates as ISO text and durations as seconds, which have the order of what they stand for."""
_DECIDE = '''

def decide(row):
    """The decision for a row, its probability, the rule that fired and, for a rejection, what is lacking, in order."""
    fired = [next((r for r in s["rules"] if _fires(s, r, row)), None) for s in MODEL["sets"]]
    scores = [s["otherwise"] if r is None else r["score"] for s, r in zip(MODEL["sets"], fired)]
    if len(scores) == 1:
        place, probability = (1, scores[0]) if scores[0] > 0.5 else (0, 1 - scores[0])
        rule, reasons = fired[0], [] if place else _reasons(MODEL["sets"][0], row)
    else:
        claimed, reasons = max(scores) > 0.5, []
        scores = scores if claimed else MODEL["unclaimed"]
        place = max(MODEL["heaviest_first"], key=lambda at: scores[at])
        rule = fired[place] if claimed and MODEL["sets"][place]["fires"] == "all" else None
        raised = scores[place] * (1 + MODEL["nudge"])
        probability = raised / (sum(scores) - scores[place] + raised)
    text = None if rule is None else rule["text"]
    return {"decision": MODEL["labels"][place], "probability": probability, "rule": text, "reasons": reasons}


def _fires(rules, rule, row):
    holds = [_holds(test, row) for test in rule["tests"]]
    return all(holds) if rules["fires"] == "all" else not any(holds)


def _reasons(rules, row):
    in_order = sorted(rules["rules"], key=lambda rule: rule["number"])
    if rules["fires"] == "none":
        return [rule["text"][len("not ("):-1] for rule in in_order if _fires(rules, rule, row)]
    lacking = [[n for n in r["needs"] if not all(_holds(t, row) for t in n["tests"])] for r in in_order]
    nearest = min(lacking, key=lambda needs: (any(n["fixed"] for n in needs), len(needs)), default=[])
    return [need["text"] for need in nearest]


def _holds(test, row):
    column, operator, *more = test
    found = row[column]
    found = found.item() if hasattr(found, "item") else found
    found = None if found is None or found != found or found in MODEL["missing"] else found
    if operator in ("missing", "present"):
        return (found is None) == (operator == "missing")
    if found is None:
        return False
    if operator in ("true", "false"):
        return found == (operator == "true")
    value, kind = (*more, "")[:2]
    found = _moment(found) if kind == "moment" else _duration(found) if kind == "duration" else found
    if operator in ("<=", ">"):
        return (found <= value) == (operator == "<=")
    return found in value if operator == "in" else (found == value) == (operator == "==")
'''


def to_python(model: Model | RuleSet) -> str:
    """Write the source of a module that predicts by itself; names and values stand in it as literals and nothing else.

    ``predict(row)`` gives the label; ``decide(row)``, where probabilities are known and errors cost the same, a dict of
    ``decision``, ``probability``, ``rule`` and ``reasons``, as :func:`rulecg.analysis.reasons.reasoned` does.

    Parameters
    ----------
    model
        A model, or one rule set, for which 1 is the outcome and 0 the rest.

    Returns
    -------
    str
        Python source that imports nothing.

    Examples
    --------
    >>> space = {}
    >>> exec(to_python(RuleSet.of([[Condition("age", ">", 45)]])), space)
    >>> space["predict"]({"age": 50}), space["predict"]({"age": None})
    (1, 0)
    """
    decisions = Decisions.of(model)
    names = {column: f"v{number}" for number, column in enumerate(decisions.columns)}
    lines = [f"    {name} = row[{column!a}]" for column, name in names.items()]
    if names:
        every = ", ".join(names.values()) + ("," if len(names) == 1 else "")
        # numpy's numbers as Python's, which are compared exactly.
        lines.append(f"    {every} = (v.item() if hasattr(v, 'item') else v for v in ({every}))")
        missing = () if isinstance(model, RuleSet) else model.na_values
        # NaN is the only value that differs from itself.
        lines.append(f"    {every} = (None if v is None or v != v or v in {missing!a} else v for v in ({every}))")
    for when in decisions.whens:
        lines += _when(when, names)
    lines.append(f"    return {decisions.otherwise!a}")
    kinds = {Test.of(c).kind for when in decisions.whens for clause in when.clauses for c in clause}
    is_alone = isinstance(model, RuleSet) or model.has_stale_scores or (model.is_binary and model.has_unequal_costs)
    helpers = "".join(text for kind, text in _HELPERS.items() if kind in kinds or not is_alone)
    source = _HEAD + "\n".join(lines) + "\n" + helpers
    if isinstance(model, RuleSet) or is_alone:
        return source
    # As JSON and back, so that nothing but literals can stand in the source.
    plain = json.loads(json.dumps(Applied.of(model).to_dict(), allow_nan=False))
    return f"{source}{_DECIDE}\n\nMODEL = {plain!a}\n"


def _when(when: When, names: dict[str, str]) -> list[str]:
    inner, outer = (" and ", "or") if when.logic == "dnf" else (" or ", "and")
    neutral = when.logic == "dnf"
    if not when.clauses:
        return [] if neutral else [f"    return {when.label!a}"]
    lines = []
    for number, clause in enumerate(when.clauses):
        formula = inner.join(_condition(c, names) for c in clause) or str(neutral)
        start = "        " if number == 0 else f"        {outer} "
        # A comment holds text from the data: written in ASCII, so that it cannot end the line.
        lines.append(f"{start}({formula})  # {ascii(clause_text(clause, when.logic))[1:-1]}")
    return ["    if (", *lines, "    ):", f"        return {when.label!a}"]


def _condition(condition: Condition, names: dict[str, str]) -> str:
    name, test = names[condition.column], Test.of(condition)
    match test.operator:
        case "missing":
            return f"{name} is None"
        case "present":
            return f"{name} is not None"
        case "true":
            return f"({name} is not None and {name} == True)"
        case "false":
            return f"({name} is not None and {name} == False)"
        case operator:
            compared = f"_{test.kind}({name})" if test.kind in _HELPERS else name
            return f"({name} is not None and {compared} {operator} {test.value!a})"
