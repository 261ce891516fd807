"""The section on what was changed by hand, or from an earlier model, and what each step did."""

from __future__ import annotations

from ..model.model import Model
from .page.markup import Section, number, paragraph, section, table


def changes_section(model: Model) -> Section | None:
    """Write the section; None where nothing was changed.

    Parameters
    ----------
    model
        The model.

    Returns
    -------
    Section or None
        One line per step.
    """
    if not model.edits:
        return None
    lines = [
        (
            edit.command,
            number(edit.errors),
            number(edit.objective),
            "" if edit.best is None else number(edit.best),
            "" if edit.bound is None else number(edit.bound),
            " · ".join(edit.rules),
        )
        for edit in model.edits
    ]
    return section(
        "changes",
        "What was changed",
        paragraph(
            "Each step with the rule set as it was after it: its errors and objective on the training rows, and beside "
            "them the best objective known for what was then kept and banned, and a bound below which none can be."
        ),
        table(["step", "errors", "objective", "best known", "bound", "rules"], lines, "Steps, the first one first."),
    )
