"""Rules as the source of a Python function that needs nothing but Python."""

from __future__ import annotations

from rulecg_core import Condition, RuleSet
from rulecg_core.data.rule_text import clause_text

from ..model.model import Model
from .decisions import Decisions, When

_HEAD = '''"""Written by rulecg. Give predict() a row as a dict of columns; None and NaN are missing values."""


def predict(row):
'''


def to_python(model: Model | RuleSet) -> str:
    """Write the source of a function ``predict(row)``; names and values stand in it as literals and nothing else.

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
        # NaN is the only value that differs from itself.
        lines.append(f"    {every} = (None if v is None or v != v else v for v in ({every}))")
    for when in decisions.whens:
        lines += _when(when, names)
    lines.append(f"    return {decisions.otherwise!a}")
    return _HEAD + "\n".join(lines) + "\n"


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
    name = names[condition.column]
    match condition.operator:
        case "missing":
            return f"{name} is None"
        case "present":
            return f"{name} is not None"
        case "true":
            return f"({name} is not None and {name} == True)"
        case "false":
            return f"({name} is not None and {name} == False)"
        case operator:
            return f"({name} is not None and {name} {operator} {condition.value!a})"
