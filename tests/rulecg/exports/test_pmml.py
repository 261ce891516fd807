"""The PMML rule set decides as the model does: in an evaluator written from the standard, and in PMML4S on Java."""

import shutil
import xml.etree.ElementTree as ET

import numpy as np
import pandas as pd
import pytest
from attrs import evolve

from rulecg.exports import to_pmml
from rulecg_core import Condition, ConfigurationError, RuleSet

from .conftest import drawn_model
from .test_onnx_graph import SCALES

SPACE = "{http://www.dmg.org/PMML-4_4}"


def evaluated(predicate, row):
    """PMML's three values: True, False, or None for unknown."""
    kind = predicate.tag.removeprefix(SPACE)
    if kind in ("True", "False"):
        return kind == "True"
    if kind == "CompoundPredicate":
        values = [evaluated(one, row) for one in predicate]
        decisive = predicate.get("booleanOperator") == "or"
        if decisive in values:
            return decisive
        return None if None in values else not decisive
    value = row[predicate.get("field")]
    if kind == "SimpleSetPredicate":
        texts = [text.strip('"').replace('\\"', '"') for text in predicate[0].text.split(" ")]
        return None if value is None else (value in texts) == (predicate.get("booleanOperator") == "isIn")
    operator = predicate.get("operator")
    if operator in ("isMissing", "isNotMissing"):
        return (value is None) == (operator == "isMissing")
    if value is None:
        return None
    wanted = predicate.get("value")
    wanted = wanted if isinstance(value, str) else wanted == "true" if isinstance(value, bool) else float(wanted)
    return {
        "equal": lambda: value == wanted,
        "notEqual": lambda: value != wanted,
        "lessOrEqual": lambda: value <= wanted,
        "greaterThan": lambda: value > wanted,
    }[operator]()


def first_hit(document, rows):
    """Label, confidence and rule of the first rule whose predicate is true; unknown is not true."""
    root = ET.fromstring(document)
    rules = root.find(f".//{SPACE}RuleSet")
    assert rules.find(f"{SPACE}RuleSelectionMethod").get("criterion") == "firstHit"
    found = []
    for row in rows:
        hit = next((r for r in rules.iter(f"{SPACE}SimpleRule") if evaluated(r[0], row) is True), None)
        if hit is None:
            found.append((rules.get("defaultScore"), float(rules.get("defaultConfidence"))))
        else:
            found.append((hit.get("score"), float(hit.get("confidence"))))
    return found


def pmml_rows(table, columns):
    """Strings, booleans and doubles; None where missing, which "?" stands for, too."""
    ready = table.copy()
    for name, scale in SCALES.items():
        ready[name] = scale.numbers(table[name], name)
    ready["job"] = ready["job"].where(ready["job"] != "?", None)
    values = {name: [None if pd.isna(v) else v for v in ready[name].astype(object)] for name in columns}
    return [dict(zip(values, row, strict=True)) for row in zip(*values.values(), strict=True)] or [{}] * len(table)


def test_the_standard_s_semantics_give_the_model_s_decisions(drawn):
    """First hit with unknown for missing values; with two classes the confidence is the probability."""
    model, table, expected = drawn
    found = first_hit(to_pmml(model), pmml_rows(table, model.columns))
    assert [label for label, _ in found] == expected["decision"].astype(str).tolist()
    if model.is_binary:
        np.testing.assert_allclose([sure for _, sure in found], expected["probability"], rtol=1e-12)


@pytest.mark.parametrize("case", ["dnf", "cnf", "three-dnf", "three-cnf"])
def test_java_decides_as_the_model_does(case, drawn_rows):
    """PMML4S, an evaluator that others wrote."""
    if shutil.which("java") is None:
        pytest.skip("no Java is installed, which PMML4S runs on")
    pypmml = pytest.importorskip("pypmml")
    model, table = drawn_model(case), drawn_rows
    evaluator = pypmml.Model.fromString(to_pmml(model))
    found = [evaluator.predict(row)["decision"] for row in pmml_rows(table, model.columns)]
    assert list(map(str, found)) == [str(label) for label in model.predict(table)]


@pytest.fixture(scope="module")
def drawn_rows():
    """Few rows: every one is a call from Python to Java."""
    from .conftest import drawn_table

    yield drawn_table(60, seed=5)
    if shutil.which("java") is not None:
        pypmml = pytest.importorskip("pypmml")
        pypmml.Model.close()


def test_what_xml_cannot_hold_is_refused():
    """Control characters, and whole numbers that doubles cannot tell apart."""
    model = drawn_model("empty")
    scores = (evolve(model.scores[0], support=np.array([3.0]), right=np.array([2.0])),)
    for condition, words in ((Condition("a\x01"), "XML cannot hold"), (Condition("x", ">", 2**60), "beyond 2")):
        rules = RuleSet.of([[condition]], outcome="yes")
        with pytest.raises(ConfigurationError, match=words):
            to_pmml(evolve(model, rule_sets=(rules,), scores=scores))
