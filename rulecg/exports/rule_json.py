"""Rules as JSON: for ``RuleSet.from_json``, and for programs in other languages that apply a whole model."""

from __future__ import annotations

import json

from rulecg_core import RuleSet

from ..model.model import Model
from .applied import Applied

APPLIED_FORMAT = "rulecg/applied"


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


def to_applied_json(model: Model) -> str:
    """Write a model so that a few lines of any language can apply it: decision, probability, rule and reasons.

    Parameters
    ----------
    model
        A model of any number of classes.

    Returns
    -------
    str
        A JSON document; ``docs/guide/deployment.md`` shows how JavaScript applies it.

    Raises
    ------
    ConfigurationError
        When the model's probabilities are not known.

    Examples
    --------
    >>> import pandas as pd
    >>> from rulecg import RuleSetClassifier
    >>> table = pd.DataFrame({"income": [20, 30, 60, 80] * 10})
    >>> model = RuleSetClassifier(max_complexity=2).fit(table, table["income"] > 50).model_
    >>> json.loads(to_applied_json(model))["sets"][0]["rules"][0]["tests"]
    [['income', '>', 30.0]]
    """
    document = {"format": APPLIED_FORMAT, "version": 1, **Applied.of(model).to_dict()}
    return json.dumps(document, indent=1, allow_nan=False) + "\n"
