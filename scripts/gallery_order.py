"""In which order the gallery shows the examples: as one would read them."""

from __future__ import annotations

from sphinx_gallery.sorting import ExplicitOrder

ORDER = (
    *("first_rule_set.py", "rules_on_a_plane.py", "how_large.py", "what_is_proven.py"),
    *("fair_lending.py", "fairness_front.py", "costs_of_errors.py", "several_classes.py"),
    *("writing_a_constraint.py", "comparing_solvers.py", "*"),
)


class ReadingOrder(ExplicitOrder):  # type: ignore[misc]
    """The order above, whatever folder the examples are in."""

    def __init__(self, folder: str) -> None:
        super().__init__(ORDER)
