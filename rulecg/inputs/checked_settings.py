"""Settings of the wrong kind, refused before anything is done with them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from numbers import Real
from typing import Any

import numpy as np

from rulecg_core import ConfigurationError, Constraint, Pricer, RuleSet

_NUMBERS = {
    "max_complexity": "a number such as 30, or 'auto'",
    "max_conditions": "a whole number such as 5",
    "time_limit": "a number of seconds such as 60, or None",
    "pricing_time_limit": "a number of seconds such as 30, or None",
    "n_jobs": "a whole number such as 2, -1 for all processors, or None",
    "verbose": "0, 1 or 2",
    "max_rules": "a whole number such as 3, or None",
    "max_columns": "a whole number such as 4, or None",
    "min_rule_support": "a number of rows such as 20, or None",
    "min_rule_precision": "a share such as 0.8, or None",
}
_LISTS = {
    "constraints": "a list such as ['equalized-odds:0.05']",
    "pricers": "a list of names such as ['beam', 'exact-search'], or 'auto'",
    "forbid": "a list of columns",
    "require": "a list of conditions such as ['age > 18']",
    "na_values": "a list of texts such as ['?']",
    "sensitive": "the name of a column or a list of names, or None",
    "keep": "a list of rules such as ['age > 30 and income > 5']",
}
_NAMES = {
    "logic": "'auto', 'dnf' or 'cnf'",
    "select": "'optimal' or 'fewest-errors'",
    "deterministic": "True or False",
    "loss": "a name such as 'hamming'",
    "backend": "a name such as 'highs', or None",
    "random_state": "a whole number, a RandomState or None",
}
_MAY_BE_NONE = (
    "time_limit", "pricing_time_limit", "n_jobs", "backend", "random_state", "max_rules", "max_columns",
    "min_rule_support", "min_rule_precision", "require", "sensitive", "keep",
)  # fmt: skip
_MAY_BE_AUTO = ("max_complexity",)
_WHOLE = ("max_conditions", "n_jobs", "verbose")


def check_settings(settings: Mapping[str, Any]) -> None:
    """Refuse settings of the wrong kind, such as a text where a number belongs.

    Parameters
    ----------
    settings : mapping
        An estimator's parameters by name; those without a rule here are passed over.

    Raises
    ------
    ConfigurationError
        For the first that cannot be meant; the message says what may stand there.

    Examples
    --------
    >>> check_settings({"time_limit": "long"})
    Traceback (most recent call last):
    ...
    rulecg_core.base.errors.ConfigurationError: time_limit must be a number of seconds such as 60, or None, not 'long'.
    """
    for name, value in settings.items():
        wanted = _NUMBERS.get(name) or _LISTS.get(name) or _NAMES.get(name)
        if wanted is None or (value is None and name in _MAY_BE_NONE):
            continue
        if name in _MAY_BE_AUTO and isinstance(value, str) and value == "auto":
            continue
        if name in _NUMBERS:
            fits = isinstance(value, Real) and (name not in _WHOLE or math.isfinite(value))
        elif name in _LISTS:
            fits = isinstance(value, (Iterable, Constraint, Pricer, RuleSet)) and not _holds_numbers(value)
        elif name == "select":
            fits = isinstance(value, str) and value in ("optimal", "fewest-errors")
        elif name == "deterministic":
            fits = isinstance(value, (bool, np.bool_))
        elif name == "logic":
            fits = isinstance(value, str)
        else:
            fits = not isinstance(value, np.floating if name == "random_state" else np.generic)
        if not fits:
            raise ConfigurationError(f"{name} must be {wanted}, not {_shown(value)}.")


def _holds_numbers(value: Any) -> bool:
    return isinstance(value, np.ndarray) and value.dtype.kind in "biufc"


def _shown(value: Any) -> str:
    """The value as a person would write it, cut where it gets long."""
    return repr(value.item() if isinstance(value, np.generic) else value)[:60]
