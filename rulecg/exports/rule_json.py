"""Rules as JSON, for programs that read ``RuleSet.from_json`` or the plain structure itself."""

from __future__ import annotations

from rulecg_core import RuleSet

from ..model.model import Model


def to_json(model: Model | RuleSet) -> str:
    """The one rule set of a model with two classes, as :meth:`RuleSet.from_json` reads it back."""
    rule_set = model if isinstance(model, RuleSet) else model.rule_set
    return rule_set.to_json()
