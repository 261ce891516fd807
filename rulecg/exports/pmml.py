"""A model as a PMML RuleSetModel: rules from the surest to the least sure, the first that fires decides."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from typing import Any

from rulecg_core import Condition, ConfigurationError, Mark
from rulecg_core.data.conditions import EXACT_BELOW
from rulecg_core.data.rule_text import clause_text

from ..model.model import Model
from .applied import Applied, Test
from .decisions import Decisions

NAMESPACE = "http://www.dmg.org/PMML-4_4"
_NOT_IN_XML = {chr(code) for code in range(32)} - {"\t", "\n", "\r"}
_OPERATORS = {"<=": "lessOrEqual", ">": "greaterThan", "==": "equal", "!=": "notEqual"}
_STATES = {"missing": "isMissing", "present": "isNotMissing"}


def to_pmml(model: Model) -> str:
    """Write a model as PMML 4.4 that decides as ``predict`` does, with the rule's confidence and its number.

    Columns of text are strings, truth values booleans, everything else doubles: dates as days since 1970, moments and
    durations as seconds. Outputs are ``decision``, ``confidence`` (how sure the rule that fired is; with two classes
    the probability) and ``rule``, the identifier of the rule that fired.

    Parameters
    ----------
    model : Model
        The model.

    Returns
    -------
    str
        An XML document.

    Raises
    ------
    ConfigurationError
        When the rules compare whole numbers beyond 2^53, or a name cannot stand in XML.

    Examples
    --------
    >>> import pandas as pd
    >>> from rulecg import RuleSetClassifier
    >>> table = pd.DataFrame({"income": [20, 30, 60, 80] * 10})
    >>> model = RuleSetClassifier(max_complexity=2).fit(table, table["income"] > 50).model_
    >>> '<SimplePredicate field="income" operator="greaterThan" value="30.0" />' in to_pmml(model)
    True
    """
    from .. import __version__

    applied = Applied.of(model)
    root = ET.Element("PMML", {"xmlns": NAMESPACE, "version": "4.4"})
    header = ET.SubElement(root, "Header", {"description": "Rules learned by rulecg"})
    ET.SubElement(header, "Application", {"name": "rulecg", "version": __version__})
    target = _safe(applied.target if applied.target not in applied.columns else f"{applied.target} (decision)")
    fields = {column: _type_of(column, model) for column in applied.columns}
    dictionary = ET.SubElement(root, "DataDictionary", {"numberOfFields": str(len(fields) + 1)})
    for name, kind in fields.items():
        optype = "continuous" if kind == "double" else "categorical"
        entry = ET.SubElement(dictionary, "DataField", {"name": _safe(name), "optype": optype, "dataType": kind})
        for text in applied.missing if kind == "string" else ():
            ET.SubElement(entry, "Value", {"value": _safe(text), "property": "missing"})
    outcome = ET.SubElement(dictionary, "DataField", {"name": target, "optype": "categorical", "dataType": "string"})
    for label in applied.labels:
        ET.SubElement(outcome, "Value", {"value": _safe(str(label))})
    rules = ET.SubElement(
        root, "RuleSetModel", {"modelName": "rulecg", "functionName": "classification", "algorithmName": "rulecg"}
    )
    schema = ET.SubElement(rules, "MiningSchema")
    for name in fields:
        ET.SubElement(schema, "MiningField", {"name": _safe(name), "invalidValueTreatment": "asIs"})
    ET.SubElement(schema, "MiningField", {"name": target, "usageType": "target"})
    _add_output(rules)
    _add_rules(rules, model, applied)
    ET.indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ET.tostring(root, encoding="unicode") + "\n"


def _add_output(rules: ET.Element) -> None:
    output = ET.SubElement(rules, "Output")
    for name, feature, optype, kind in (
        ("decision", "predictedValue", "categorical", "string"),
        ("confidence", "confidence", "continuous", "double"),
        ("rule", "entityId", "categorical", "string"),
    ):
        ET.SubElement(output, "OutputField", {"name": name, "feature": feature, "optype": optype, "dataType": kind})


def _add_rules(rules: ET.Element, model: Model, applied: Applied) -> None:
    if model.is_binary:
        (own,) = applied.sets
        accepts = own.logic == "dnf"
        sure = own.otherwise if not accepts else 1 - own.otherwise
        found = _rule_set(rules, applied.labels[0 if accepts else 1], sure)
        for rule in own.rules:
            entry = _rule(found, rule.number, applied.labels[accepts], rule.score if accepts else 1 - rule.score)
            _join(entry, [rule.conditions], "and") if accepts else _none_of(entry, rule.conditions)
        return
    decisions = Decisions.of(model)
    found = _rule_set(rules, decisions.otherwise, max(applied.unclaimed))
    for number, when in enumerate(decisions.whens, 1):
        own = applied.sets[applied.labels.index(when.label)]
        texts = {rule.text: rule.score for rule in own.rules}
        is_dnf = when.logic == "dnf"
        sure = texts[clause_text(when.clauses[0], "dnf")] if is_dnf else own.otherwise
        entry = _rule(found, number, when.label, sure)
        _join(entry, when.clauses, "and" if is_dnf else "or")


def _rule_set(rules: ET.Element, default: Any, confidence: float) -> ET.Element:
    found = ET.SubElement(
        rules, "RuleSet", {"defaultScore": _safe(str(default)), "defaultConfidence": repr(confidence)}
    )
    ET.SubElement(found, "RuleSelectionMethod", {"criterion": "firstHit"})
    return found


def _rule(found: ET.Element, number: int, label: Any, sure: float) -> ET.Element:
    about = {"id": str(number), "score": _safe(str(label)), "confidence": repr(float(sure)), "weight": "1"}
    return ET.SubElement(found, "SimpleRule", about)


def _join(parent: ET.Element, clauses: Any, inner: str) -> None:
    """All conditions of one clause, or for "or" one condition of each clause."""
    if len(clauses) > 1:
        parent = ET.SubElement(parent, "CompoundPredicate", {"booleanOperator": "and"})
    if not clauses:
        ET.SubElement(parent, "True")
    for clause in clauses:
        if not clause:
            ET.SubElement(parent, "True" if inner == "and" else "False")
            continue
        place = parent
        if len(clause) > 1:
            place = ET.SubElement(parent, "CompoundPredicate", {"booleanOperator": inner})
        for condition in clause:
            _predicate(place, Test.of(condition), condition)


def _none_of(parent: ET.Element, conditions: tuple[Condition, ...]) -> None:
    """No condition holds: each has the opposite, or its column is missing (where PMML would say "unknown")."""
    if not conditions:
        ET.SubElement(parent, "True")
    if len(conditions) > 1:
        parent = ET.SubElement(parent, "CompoundPredicate", {"booleanOperator": "and"})
    for condition in conditions:
        test = Test.of(condition)
        if test.operator in _STATES:
            _predicate(parent, Test.of(condition.complement()), condition)
            continue
        either = ET.SubElement(parent, "CompoundPredicate", {"booleanOperator": "or"})
        ET.SubElement(either, "SimplePredicate", {"field": _safe(test.column), "operator": "isMissing"})
        if test.operator == "in":
            _set(either, test.column, test.value, "isNotIn")
        else:
            _predicate(either, Test.of(condition.complement()), condition.complement())


def _predicate(parent: ET.Element, test: Test, condition: Condition) -> None:
    name = _safe(test.column)
    if test.operator in _STATES:
        ET.SubElement(parent, "SimplePredicate", {"field": name, "operator": _STATES[test.operator]})
    elif test.operator in ("true", "false"):
        ET.SubElement(parent, "SimplePredicate", {"field": name, "operator": "equal", "value": test.operator})
    elif test.operator == "in":
        _set(parent, test.column, test.value, "isIn")
    else:
        value = _written(condition)
        ET.SubElement(
            parent, "SimplePredicate", {"field": name, "operator": _OPERATORS[test.operator], "value": value}
        )


def _set(parent: ET.Element, column: str, levels: tuple[str, ...], operator: str) -> None:
    entry = ET.SubElement(parent, "SimpleSetPredicate", {"field": _safe(column), "booleanOperator": operator})
    array = ET.SubElement(entry, "Array", {"type": "string", "n": str(len(levels))})
    quoted = (_safe(level).replace("\\", "\\\\").replace('"', '\\"') for level in levels)
    array.text = " ".join(f'"{text}"' for text in quoted)


def _written(condition: Condition) -> str:
    value = condition.value
    if isinstance(value, str):
        return _safe(value)
    if not isinstance(value, Mark) and abs(value) >= EXACT_BELOW:  # type: ignore[arg-type, operator]
        raise ConfigurationError(
            f"Column {condition.column!r} is compared with {value}: PMML compares numbers as doubles, which cannot "
            "tell whole numbers beyond 2^53 apart."
        )
    return repr(float(value))  # type: ignore[arg-type]


def _type_of(column: str, model: Model) -> str:
    known = [*model.conditions, *(c for rule_set in model.rule_sets for c in rule_set.conditions)]
    own = [condition for condition in known if condition.column == column]
    if any(condition.operator in ("true", "false") for condition in own):
        return "boolean"
    is_text = any(isinstance(c.value, str) or Test.of(c).operator == "in" for c in own)
    return "string" if is_text else "double"


def _safe(text: str) -> str:
    """Refuse what XML cannot hold."""
    if _NOT_IN_XML & set(text) or any(0xD800 <= ord(character) <= 0xDFFF for character in text):
        raise ConfigurationError(f"XML cannot hold the characters in {text!r:.80}: rename the column or category.")
    return text
