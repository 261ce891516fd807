"""Rules as JSON, for programs that read ``RuleSet.from_json`` or the plain structure itself."""

from __future__ import annotations

from rulecg_core import RuleSet

from ..model.model import Model


def to_json(model: Model | RuleSet) -> str:
    """Write the one rule set of a model with two classes as :meth:`RuleSet.from_json` reads it back.

    Parameters
    ----------
    model
        A model of two classes, or a rule set.

    Returns
    -------
    str
        A JSON document.

    Raises
    ------
    ConfigurationError
        When the model has several classes.

    Examples
    --------
    >>> from rulecg_core import Condition
    >>> rules = RuleSet.of([[Condition("age", ">", 45)]])
    >>> RuleSet.from_json(to_json(rules)) == rules
    True
    """
    rule_set = model if isinstance(model, RuleSet) else model.rule_set
    return rule_set.to_json()
