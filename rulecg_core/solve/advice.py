"""What a person should know about an answer, besides its certificate."""

from __future__ import annotations

from collections.abc import Sequence

from ..api.master import Master
from ..data.rules import Rule


def advice(master: Master, rules: Sequence[Rule]) -> tuple[str, ...]:
    """Whether the rules keep the bounds only by telling nobody apart."""
    if not any(row.form.missed is not None or row.form.cover is not None for row in master.rows):
        return ()
    predicted, actual = master.problem.predict(rules), master.problem.labels
    if predicted.any() != predicted.all() or actual.any() == actual.all():
        return ()
    return (
        f"the rule set that was chosen selects {'everybody' if predicted.all() else 'nobody'}: it keeps every bound, "
        "but only by treating all alike. Loosen a bound, raise the complexity, allow more time or offer other columns.",
    )
