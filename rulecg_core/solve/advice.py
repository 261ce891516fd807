"""What a person should know about an answer, besides its certificate."""

from __future__ import annotations

from collections.abc import Sequence

from ..data.goal import Goal
from ..data.rules import Rule


def advice(goal: Goal, rules: Sequence[Rule]) -> tuple[str, ...]:
    """Whether the rules keep the bounds only by telling nobody apart."""
    if not any(row.form.missed is not None or row.form.cover is not None for row in goal.rows):
        return ()
    predicted, actual = goal.problem.predict(rules), goal.problem.labels
    if predicted.any() != predicted.all() or actual.any() == actual.all():
        return ()
    return (
        f"the rule set that was chosen selects {'everybody' if predicted.all() else 'nobody'}: it keeps every bound, "
        "but only by treating all alike. Loosen a bound, raise the complexity, allow more time or offer other columns.",
    )
