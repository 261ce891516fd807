"""Learning a model again from a table with the settings it was learned with, and what differs."""

from __future__ import annotations

import pandas as pd
from attrs import frozen

from rulecg_core import ConfigurationError

from ..model.model import Model
from ..model.origin.fingerprint import Fingerprint
from ..model.origin.row_sketch import RowSketch
from ..model.origin.versions import made_with


@frozen
class Rerun:
    """What came of learning again."""

    rules: str
    """The rules that were learned now."""
    expected: str
    """The rules of the model."""
    is_same: bool
    """Whether both are the same rules, in whatever order."""
    versions: tuple[str, ...]
    """Releases that differ, as "numpy 2.1 (then 2.0)"."""
    data: str = ""
    """What is different about the rows, in words; empty where they are the same, in whatever order, or where the model
    does not know its rows."""


def rerun(model: Model, table: pd.DataFrame) -> Rerun:
    """Learn a model again and compare.

    Parameters
    ----------
    model
        A model from a file.
    table
        The rows it was learned from, with the target and the sensitive columns.

    Returns
    -------
    Rerun
        Both rule sets, whether they are the same, and what was different.

    Raises
    ------
    ConfigurationError
        When the model does not say what it was learned from, or the table lacks a column.
    """
    from ..estimators.classifier import RuleSetClassifier
    from .stability import relearner

    if model.target is None:
        raise ConfigurationError("The model does not say which column it was learned from: it cannot be learned again.")
    inputs = list(model.rule_sets[0].columns)
    lacking = [name for name in (model.target, *model.sensitive, *inputs) if name not in table.columns]
    if lacking:
        raise ConfigurationError(f"The table lacks {', '.join(map(repr, lacking))}, which the model was learned from.")
    known = RuleSetClassifier().get_params()
    learner = relearner(model)
    if isinstance(model.settings.get("binarizer"), str):
        learner = RuleSetClassifier(**{name: value for name, value in model.settings.items() if name in known})
    sensitive = table[list(model.sensitive)] if model.sensitive else None
    learner.set_params(verbose=0).fit(table[inputs], table[model.target], sensitive_features=sensitive)
    then, now = [_texts(each) for each in (model, learner.model_)]
    before = dict(entry.rpartition(" ")[::2] for entry in model.settings.get("made_with") or [])
    here = dict(entry.rpartition(" ")[::2] for entry in made_with())
    versions = tuple(f"{name} {here.get(name, 'none')} (then {old})" for name, old in before.items()
                     if here.get(name) != old)  # fmt: skip
    return Rerun(
        rules=str(learner.model_.readable),
        expected=str(model.readable),
        is_same=then == now,
        versions=versions,
        data=_changed_rows(model, table),
    )


def _changed_rows(model: Model, table: pd.DataFrame) -> str:
    """How the inputs differ from those that the model was learned from."""
    then = model.fingerprint
    if then is None:
        return ""
    names = [name for name, _ in then.columns]
    if lacking := [name for name in names if name not in table.columns]:
        return f"the columns {', '.join(map(repr, lacking))} are not there"
    inputs = table[names]
    if len(table) != then.n_rows:
        counts = f"{len(table)} rows (then {then.n_rows})"
        overlap = then.overlap(inputs)
        return counts if overlap is None else f"{counts}, of which {overlap} were there"
    now = Fingerprint.of(inputs, row_sketch=False)
    if now.sha256 == then.sha256:
        return ""
    if then.sketch is None:
        return "other values, or the same rows in another order"
    # A sketch with the model's own key is the same for the same rows in any order.
    kinds = tuple(kind for _, kind in then.columns)
    sketch = RowSketch.of(inputs, kinds, then.sketch.key)
    if sketch == then.sketch:
        return ""
    return f"other values: {then.overlap(inputs)} of the rows were there"


def _texts(model: Model) -> list[list[tuple[str, ...]]]:
    """For each rule set, its rules by the texts of their conditions, sorted."""
    return [
        sorted(tuple(sorted(map(str, clause))) for clause in rule_set.clauses()) for rule_set in model.rule_sets
    ]
