"""Checks for the options of pricers, with messages that say what would be right."""

from __future__ import annotations

from typing import Any

from rulecg_core import ConfigurationError


def whole_number(instance: object, attribute: Any, value: object) -> None:
    """A validator: a whole number of at least 1."""
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise ConfigurationError(f"{attribute.name} must be a whole number of at least 1, not {value!r}.")
