"""Checks and conversions for the settings of plugins: validators and converters of attrs fields that speak plainly.

``attrs`` has validators of its own, but a value they refuse is a traceback for whoever typed it. These raise a
``ConfigurationError`` that names the class, the setting and the value, which the command line prints as one sentence.

>>> from attrs import field, frozen
>>> @frozen
... class Mine:
...     eps: float = field(validator=share)
>>> Mine(5)
Traceback (most recent call last):
rulecg_core.base.errors.ConfigurationError: Mine: eps must be a number from 0 to 1 (a share, not a percentage), not 5.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from numbers import Real
from typing import Any

import numpy as np

from .errors import ConfigurationError


def share(instance: object, attribute: Any, value: Any) -> None:
    """A validator: a number from 0 to 1."""
    if isinstance(value, bool) or not isinstance(value, Real) or not 0 <= float(value) <= 1:
        raise ConfigurationError(
            f"{type(instance).__name__}: {attribute.name} must be a number from 0 to 1 (a share, not a percentage), "
            f"not {_shown(value)}."
        )


def chance(instance: object, attribute: Any, value: Any) -> None:
    """A validator: a number above 0 and below 1."""
    if isinstance(value, bool) or not isinstance(value, Real) or not 0 < float(value) < 1:
        raise ConfigurationError(
            f"{type(instance).__name__}: {attribute.name} must be a number above 0 and below 1, such as 0.9, not "
            f"{_shown(value)}."
        )


def amount(instance: object, attribute: Any, value: Any) -> None:
    """A validator: a finite number of at least 0."""
    if isinstance(value, bool) or not isinstance(value, Real) or not math.isfinite(value) or value < 0:
        raise ConfigurationError(
            f"{type(instance).__name__}: {attribute.name} must be a number of at least 0, not {_shown(value)}."
        )


def one_of(*choices: str) -> Callable[[object, Any, Any], None]:
    """Make a validator: one of some words."""

    def validate(instance: object, attribute: Any, value: Any) -> None:
        if value not in choices:
            raise ConfigurationError(
                f"{type(instance).__name__}: {attribute.name} must be one of {', '.join(choices)}, not {_shown(value)}."
            )

    return validate


def text(instance: object, attribute: Any, value: Any) -> None:
    """A validator: text that is not empty."""
    if not isinstance(value, str) or not value.strip():
        raise ConfigurationError(f"{type(instance).__name__}: {attribute.name} must be some text, not {_shown(value)}.")


def optional(validate: Callable[[object, Any, Any], None]) -> Callable[[object, Any, Any], None]:
    """Make a validator that lets None pass, too."""

    def validate_unless_none(instance: object, attribute: Any, value: Any) -> None:
        if value is not None:
            validate(instance, attribute, value)

    return validate_unless_none


def names(value: str | Iterable[Any] | None) -> tuple[str, ...] | None:
    """A converter: several names, or one, or text such as "race|sex"; None for all."""
    if value is None:
        return None
    if isinstance(value, str):
        return tuple(part.strip() for part in value.split("|"))
    return tuple(str(part) for part in (value if isinstance(value, Iterable) else [value]))


def _shown(value: Any) -> str:
    """The value as somebody would write it: 5.0, not np.float64(5.0)."""
    return repr(value.item() if isinstance(value, np.generic) else value)
