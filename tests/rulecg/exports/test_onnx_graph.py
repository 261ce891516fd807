"""The ONNX model says in onnxruntime, row by row, what the model says."""

import numpy as np
import pytest

from rulecg.exports import to_onnx
from rulecg.exports.applied import Applied
from rulecg_core import Condition, ConfigurationError, RuleSet, Scale

from .conftest import drawn_model

pytest.importorskip("onnx")
runtime = pytest.importorskip("onnxruntime")

SCALES = {"day": Scale("date"), "seen": Scale("datetime"), "wait": Scale("duration")}


def inputs_of(table, wanted):
    """Strings for text, doubles for the rest, as the page on deployment says."""
    found = {}
    for given in wanted:
        column = table[given.name]
        if given.type == "tensor(string)":
            found[given.name] = column.astype(object).where(column.notna(), "").to_numpy(dtype=object)
        elif given.name in SCALES:
            found[given.name] = SCALES[given.name].numbers(column, given.name)
        else:
            found[given.name] = column.to_numpy(dtype=np.float64, na_value=np.nan)
    return found


def test_onnxruntime_decides_as_the_model_does(drawn):
    """Labels, probabilities and the rule that fired, missing values and several classes included."""
    model, table, expected = drawn
    if not model.columns:
        with pytest.raises(ConfigurationError, match="looks at no column"):
            to_onnx(model)
        return
    session = runtime.InferenceSession(to_onnx(model).SerializeToString(), providers=["CPUExecutionProvider"])
    label, probabilities, rule = session.run(None, inputs_of(table, session.get_inputs()))
    assert label.tolist() == expected["decision"].tolist()
    np.testing.assert_allclose(probabilities, model.predict_proba(table), rtol=1e-12)
    sets = Applied.of(model).sets
    texts = [one.text for own in sets for one in sorted(own.rules, key=lambda one: one.number)]
    assert [None if number < 0 else texts[number - 1] for number in rule] == expected["rule"].tolist()


def test_whole_numbers_beyond_doubles_are_refused():
    """ONNX would compare them as doubles, and neighbours would be one."""
    from attrs import evolve

    model = drawn_model("empty")
    rules = RuleSet.of([[Condition("x", "<=", 2**60)]], outcome="yes")
    scores = evolve(model.scores[0], support=np.array([3.0]), right=np.array([2.0]))
    with pytest.raises(ConfigurationError, match="beyond 2"):
        to_onnx(evolve(model, rule_sets=(rules,), scores=(scores,)))


def test_without_onnx_a_sentence_says_what_to_install(monkeypatch):
    """The package is an extra."""
    import sys

    monkeypatch.setitem(sys.modules, "onnx", None)
    with pytest.raises(ConfigurationError, match=r"rulecg\[onnx\]"):
        to_onnx(drawn_model("dnf"))
