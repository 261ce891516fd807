"""A model as an ONNX graph: one input per column; outputs are label, probabilities and the rule that fired."""

from __future__ import annotations

from functools import reduce
from typing import Any

import numpy as np
from attrs import define, field

from rulecg_core import Condition, ConfigurationError, Mark
from rulecg_core.data.conditions import EXACT_BELOW

from ..model.model import Model
from ..model.multiclass import NUDGE
from .applied import Applied, AppliedRule, AppliedSet, Test

OPSET, ML_OPSET, IR_VERSION = 17, 3, 8
NO_RULE = -1
MISSING_CODE, OTHER_CODE = 0, -1


def to_onnx(model: Model) -> Any:
    """Build an ONNX model that decides as ``predict`` does.

    Every column is an input of its own name and of shape rows: text as strings, where the empty text is missing;
    everything else as doubles, where NaN is missing: truth values as 1 and 0, dates as days since 1970, moments and
    durations as seconds. Outputs are ``label``, ``probabilities`` (rows × classes) and ``rule``, the number of the
    surest rule that fired, counted from 1 over all classes in the order of ``rule_table()``, and -1 where none did.

    Parameters
    ----------
    model : Model
        The model.

    Returns
    -------
    onnx.ModelProto
        Checked by onnx; texts of the rules are in its metadata.

    Raises
    ------
    ConfigurationError
        When onnx is not installed, or the rules compare whole numbers beyond 2^53.

    Examples
    --------
    >>> import pandas as pd
    >>> from rulecg import RuleSetClassifier
    >>> table = pd.DataFrame({"income": [20, 30, 60, 80] * 10})
    >>> model = RuleSetClassifier(max_complexity=2).fit(table, table["income"] > 50).model_
    >>> [output.name for output in to_onnx(model).graph.output]
    ['label', 'probabilities', 'rule']
    """
    try:
        import onnx
    except ImportError:
        raise ConfigurationError('Writing ONNX needs the package onnx: pip install "rulecg[onnx]".') from None
    applied = Applied.of(model)
    texts = _text_columns(model)
    graph = _Graph(onnx, {name: _codes_of(name, texts, applied) for name in applied.columns})
    before = 0
    scores, fired = [], []
    for own in applied.sets:
        score, rule = graph.score(own, before)
        before += len(own.rules)
        scores.append(score)
        fired.append(rule)
    if len(scores) == 1:
        graph.decide_between_two(scores[0], fired[0])
    else:
        graph.decide_among(scores, fired, applied)
    graph.label(applied.labels)
    made = graph.model([rule.text for own in applied.sets for rule in sorted(own.rules, key=lambda one: one.number)])
    onnx.checker.check_model(made, full_check=True)
    return made


def _text_columns(model: Model) -> set[str]:
    known = [*model.conditions, *(c for rule_set in model.rule_sets for c in rule_set.conditions)]
    return {c.column for c in known if isinstance(c.value, str) or Test.of(c).operator == "in"}


def _codes_of(name: str, texts: set[str], applied: Applied) -> dict[str, int] | None:
    """The codes of a text column's values; None for a column of numbers."""
    if name not in texts:
        return None
    codes = dict.fromkeys(("", *applied.missing), MISSING_CODE)
    for own in applied.sets:
        for rule in own.rules:
            for test in rule.tests:
                if test.column == name and test.operator in ("==", "!=", "in"):
                    for value in test.value if test.operator == "in" else (test.value,):
                        codes.setdefault(str(value), len(codes) + 1)
    return codes


@define(eq=False)
class _Graph:
    """Nodes, constants and inputs of a graph that is being built; values are known by their names."""

    onnx: Any
    codes: dict[str, dict[str, int] | None]
    nodes: list[Any] = field(factory=list)
    constants: list[Any] = field(factory=list)
    inputs: dict[str, Any] = field(factory=dict)
    known: dict[Any, str] = field(factory=dict)

    def node(self, operation: str, *names: str, output: str | None = None, **attributes: Any) -> str:
        made = output or f"rulecg {len(self.nodes)}"
        self.nodes.append(self.onnx.helper.make_node(operation, list(names), [made], **attributes))
        return made

    def constant(self, value: Any, dtype: Any) -> str:
        name = f"rulecg constant {len(self.constants)}"
        array = np.array(value, dtype=dtype)
        self.constants.append(self.onnx.numpy_helper.from_array(array, name))
        return name

    def column(self, name: str) -> str:
        """The column as doubles, or as codes of its texts."""
        if name not in self.inputs:
            types, codes = self.onnx.TensorProto, self.codes[name]
            kind = types.DOUBLE if codes is None else types.STRING
            self.inputs[name] = self.onnx.helper.make_tensor_value_info(name, kind, ["rows"])
            self.known[name] = name if codes is None else self.node(
                "LabelEncoder", name, domain="ai.onnx.ml",
                keys_strings=list(codes), values_int64s=list(codes.values()), default_int64=OTHER_CODE,
            )  # fmt: skip
        return self.known[name]

    def holds(self, condition: Condition) -> str:
        if condition not in self.known:
            self.known[condition] = self._holds(condition)
        return self.known[condition]

    def _holds(self, condition: Condition) -> str:
        test, value, codes = Test.of(condition), condition.value, self.codes[condition.column]
        column = self.column(condition.column)
        if codes is None:
            missing = self.node("IsNaN", column)
            equals = self._number
        else:
            missing = self.node("Equal", column, self.constant(MISSING_CODE, np.int64))
            equals = self._text(codes)
        if test.operator == "missing":
            return missing
        present = self.node("Not", missing)
        if test.operator == "present":
            return present
        if test.operator in ("<=", ">"):
            if not isinstance(value, Mark) and abs(value) >= EXACT_BELOW:  # type: ignore[arg-type, operator]
                raise ConfigurationError(
                    f"Column {condition.column!r} is compared with {value}: ONNX compares numbers as doubles, which "
                    "cannot tell whole numbers beyond 2^53 apart."
                )
            operation = "LessOrEqual" if test.operator == "<=" else "Greater"
            return self.node(operation, column, self.constant(float(value), np.float64))  # type: ignore[arg-type]
        if test.operator in ("true", "false"):
            return equals(column, float(test.operator == "true"))
        if test.operator == "in":
            found = [equals(column, level) for level in test.value]
            return reduce(lambda one, other: self.node("Or", one, other), found) if found else self.nobody(column)
        same = equals(column, value)
        return same if test.operator == "==" else self.node("And", present, self.node("Not", same))

    def _number(self, column: str, value: Any) -> str:
        return self.node("Equal", column, self.constant(float(value), np.float64))

    def _text(self, codes: dict[str, int]) -> Any:
        return lambda column, value: self.node("Equal", column, self.constant(codes[str(value)], np.int64))

    def nobody(self, column: str) -> str:
        present = self.node("Not", self.node("IsNaN", column)) if self.codes[column] is None else column
        return self.node("And", present, self.node("Not", present))

    def everybody(self) -> str:
        """True for every row: any input says how many there are."""
        column = self.column(next(iter(self.codes)))
        return self.node("Equal", column, column) if self.codes[next(iter(self.codes))] is not None else self.node(
            "Or", self.node("IsNaN", column), self.node("Not", self.node("IsNaN", column))
        )

    def fires(self, own: AppliedSet, rule: AppliedRule) -> str:
        joint = "And" if own.logic == "dnf" else "Or"
        holds = [self.holds(condition) for condition in rule.conditions] or [
            self.everybody() if own.logic == "dnf" else self.node("Not", self.everybody())
        ]
        joined = reduce(lambda one, other: self.node(joint, one, other), holds)
        return joined if own.logic == "dnf" else self.node("Not", joined)

    def score(self, own: AppliedSet, before: int) -> tuple[str, str]:
        """The score of a class and the number of the rule that gave it; the surest rule is asked last and wins."""
        if not self.codes:
            raise ConfigurationError("The model looks at no column, so ONNX would not know how many rows there are.")
        always = self.everybody()
        score = self.node("Where", always, *(self.constant(own.otherwise, np.float64),) * 2)
        number = self.node("Where", always, *(self.constant(NO_RULE, np.int64),) * 2)
        for rule in reversed(own.rules):
            fires = self.fires(own, rule)
            score = self.node("Where", fires, self.constant(rule.score, np.float64), score)
            number = self.node("Where", fires, self.constant(before + rule.number, np.int64), number)
        return score, number

    def decide_between_two(self, score: str, fired: str) -> None:
        one = self.constant(1.0, np.float64)
        self._side_by_side([self.node("Sub", one, score), score], "probabilities")
        accepted = self.node("Greater", score, self.constant(0.5, np.float64))
        self.node("Cast", accepted, output="rulecg decision", to=self.onnx.TensorProto.INT64)
        self.node("Identity", fired, output="rule")

    def decide_among(self, scores: list[str], fired: list[str], applied: Applied) -> None:
        axis = self.constant([1], np.int64)
        matrix = self._side_by_side(scores)
        best = self.node("ReduceMax", matrix, axes=[1], keepdims=1)
        claimed = self.node("Greater", best, self.constant(0.5, np.float64))
        matrix = self.node("Where", claimed, matrix, self.constant([applied.unclaimed], np.float64))
        by_weight = self.constant(applied.by_weight, np.int64)
        place = self.node("ArgMax", self.node("Gather", matrix, by_weight, axis=1), axis=1, keepdims=0)
        winner = self.node("Gather", by_weight, place, output="rulecg decision")
        column = self.node("Unsqueeze", winner, axis)
        is_winner = self.node("Equal", column, self.constant([range(len(scores))], np.int64))
        factor = [self.constant(number, np.float64) for number in (1 + NUDGE, 1.0)]
        raised = self.node("Mul", matrix, self.node("Where", is_winner, *factor))
        self.node("Div", raised, self.node("ReduceSum", raised, axis, keepdims=1), output="probabilities")
        told = self.node("Where", self.node("And", is_winner, claimed), self._side_by_side(fired),
                         self.constant(NO_RULE, np.int64))  # fmt: skip
        if applied.sets[0].logic == "cnf":
            told = self.node("Min", told, self.constant(NO_RULE, np.int64))
        self.node("ReduceMax", told, output="rule", axes=[1], keepdims=0)

    def _side_by_side(self, columns: list[str], output: str | None = None) -> str:
        axis = self.constant([1], np.int64)
        return self.node("Concat", *(self.node("Unsqueeze", one, axis) for one in columns), axis=1, output=output)

    def label(self, labels: tuple[Any, ...]) -> None:
        is_whole = all(isinstance(label, int) and not isinstance(label, bool) for label in labels)
        told = self.constant(labels, np.int64) if is_whole else self.constant(list(map(str, labels)), object)
        self.node("Gather", told, "rulecg decision", output="label", axis=0)
        self.known["label type"] = "INT64" if is_whole else "STRING"
        self.known["classes"] = str(len(labels))

    def model(self, texts: list[str]) -> Any:
        helper, types = self.onnx.helper, self.onnx.TensorProto
        outputs = [
            helper.make_tensor_value_info("label", getattr(types, self.known["label type"]), ["rows"]),
            helper.make_tensor_value_info("probabilities", types.DOUBLE, ["rows", int(self.known["classes"])]),
            helper.make_tensor_value_info("rule", types.INT64, ["rows"]),
        ]
        graph = helper.make_graph(self.nodes, "rulecg", list(self.inputs.values()), outputs, self.constants)
        sets = [helper.make_opsetid("", OPSET), helper.make_opsetid("ai.onnx.ml", ML_OPSET)]
        made = helper.make_model(graph, opset_imports=sets, producer_name="rulecg", ir_version=IR_VERSION)
        helper.set_model_props(made, {f"rule {number}": text for number, text in enumerate(texts, 1)})
        return made
