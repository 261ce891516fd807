"""What was changed by hand, step by step, as a model keeps it."""

from __future__ import annotations

from attrs import frozen


@frozen
class Edit:
    """One step: what was said, and what the rule set was then."""

    command: str
    rules: tuple[str, ...]
    errors: float
    objective: float
    best: float | None = None
    """The objective of the best completion known then."""
    bound: float | None = None
