"""The section on what to expect on new rows."""

from __future__ import annotations

from ..model.expected import Estimate, Expected
from .page.markup import Section, counted, number, paragraph, percent, section, table


def expected_section(expected: Expected) -> Section:
    """Show what to expect on new rows, beside always saying the same.

    Parameters
    ----------
    expected
        What the fit found out.

    Returns
    -------
    Section
        The section ``expected``.
    """
    how = (
        f"Estimated when the rules were learned, on {counted(expected.n_rows, 'row')}: each was predicted by rules "
        "learned from other rows, and the choice among rules is allowed for. It holds for new rows of the same kind."
    )
    rows = [_line("accuracy", expected.accuracy)]
    rows.append([f"always saying {expected.majority}", percent(expected.majority_accuracy), "–"])
    rows += [_line(name, figure) for name, figure in expected.figures.items()]
    parts = [paragraph(how)]
    parts += [paragraph(text, class_="warning") for text in expected.warnings]
    parts.append(table(["", "expected", "95 % interval"], rows, "On new rows", numbers_from=1))
    if expected.gaps:
        gaps = [[name, number(round(gap, 3))] for name, gap in expected.gaps.items()]
        parts.append(table(["", "gap"], gaps, "Largest differences between groups, on new rows", numbers_from=1))
    return section("expected", "What to expect on new rows", *parts)


def _line(name: str, figure: Estimate) -> list[str]:
    return [name, percent(figure.value), f"{percent(figure.low)} to {percent(figure.high)}"]
