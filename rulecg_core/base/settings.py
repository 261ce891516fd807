"""Checks and conversions of the settings that constraints share."""

from __future__ import annotations

import math
from collections.abc import Iterable
from numbers import Real
from typing import Any

from .errors import ConfigurationError


def share(instance: object, attribute: Any, value: Any) -> None:
    """A validator: a number from 0 to 1."""
    if isinstance(value, bool) or not isinstance(value, Real) or not 0 <= float(value) <= 1:
        raise ConfigurationError(
            f"{type(instance).__name__}: {attribute.name} must be a number from 0 to 1 (a share, not a percentage), "
            f"not {value!r}."
        )


def optional_share(instance: object, attribute: Any, value: Any) -> None:
    """A validator: a number from 0 to 1, or None."""
    if value is not None:
        share(instance, attribute, value)


def amount(instance: object, attribute: Any, value: Any) -> None:
    """A validator: a finite number of at least 0."""
    if isinstance(value, bool) or not isinstance(value, Real) or not math.isfinite(value) or value < 0:
        raise ConfigurationError(
            f"{type(instance).__name__}: {attribute.name} must be a number of at least 0, not {value!r}."
        )


def optional_amount(instance: object, attribute: Any, value: Any) -> None:
    """A validator: a finite number of at least 0, or None."""
    if value is not None:
        amount(instance, attribute, value)


def names(value: str | Iterable[Any] | None) -> tuple[str, ...] | None:
    """A converter: several names, or one, or text such as "race|sex"; None for all."""
    if value is None:
        return None
    if isinstance(value, str):
        return tuple(part.strip() for part in value.split("|"))
    return tuple(str(part) for part in (value if isinstance(value, Iterable) else [value]))
