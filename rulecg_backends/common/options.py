"""Checks for the options of a backend, with messages that say what would be right."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from rulecg_core import ConfigurationError


def _backend_of(instance: object) -> str:
    return getattr(type(instance), "name", type(instance).__name__)


def whole_number(instance: object, attribute: Any, value: object) -> None:
    """A validator: a whole number of at least 1."""
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise ConfigurationError(
            f"The option {attribute.name!r} of backend {_backend_of(instance)!r} must be a whole number of at least 1, "
            f"not {value!r}."
        )


def between(low: float, high: float) -> Callable[[object, Any, object], None]:
    """A validator: a number within the range."""

    def check(instance: object, attribute: Any, value: object) -> None:
        if (
            isinstance(value, bool)
            or not isinstance(value, (int, float))
            or not (math.isfinite(value) and low <= value <= high)
        ):
            raise ConfigurationError(
                f"The option {attribute.name!r} of backend {_backend_of(instance)!r} must be a number from {low:g} to "
                f"{high:g}, not {value!r}."
            )

    return check


def one_of(*words: object) -> Callable[[object, Any, object], None]:
    """A validator: one of the words."""

    def check(instance: object, attribute: Any, value: object) -> None:
        if value not in words:
            raise ConfigurationError(
                f"The option {attribute.name!r} of backend {_backend_of(instance)!r} must be one of "
                f"{', '.join(map(repr, words))}, not {value!r}."
            )

    return check


def yes_or_no(instance: object, attribute: Any, value: object) -> None:
    """A validator: true or false."""
    if not isinstance(value, bool):
        raise ConfigurationError(
            f"The option {attribute.name!r} of backend {_backend_of(instance)!r} must be true or false, not {value!r}."
        )
