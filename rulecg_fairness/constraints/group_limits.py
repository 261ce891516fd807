"""How many groups can be compared, and what to tell somebody whose column makes too many."""

from __future__ import annotations

from collections.abc import Sequence

from rulecg_core import ConfigurationError, Groups

MOST_GROUPS = 200
"""More groups than this are not even looked at: the column is then hardly one of groups."""
MOST_COMPARED = 50
"""More groups than this are not bounded together: each pair is two rows of the master, and solving stalls."""
MANY_GROUPS = 20
"""From here on the number of rows is worth a note: it grows with the square of the number of groups."""


def refuse_too_many(
    who: str, groups: Groups, columns: Sequence[str], n_groups: int, n_rows: int, most: int = MOST_GROUPS
) -> None:
    """Refuse columns that make more groups than can be compared.

    Parameters
    ----------
    who
        The constraint, as the message names it.
    groups
        The sensitive columns.
    columns
        Those that make the groups.
    n_groups
        How many groups they make.
    n_rows
        How many rows the data has.
    most
        How many groups are allowed.

    Raises
    ------
    ConfigurationError
        When there are more; the message names the column with the most labels and says what to do about it.
    """
    if n_groups <= most:
        return
    labels = {column: groups.labels[groups.columns.index(column)] for column in columns}
    column = max(labels, key=lambda name: len(labels[name]))
    found = " × ".join(columns) if len(columns) > 1 else f"the sensitive feature {column!r}"
    reason, advice = _look_of(column, labels[column], n_rows)
    raise ConfigurationError(
        f"{who} cannot compare the {n_groups} groups of {found}; {most} are the most that can be bounded. {column!r} "
        f"has {len(labels[column])} different values in {n_rows} rows{reason}. {advice}"
    )


def _look_of(column: str, labels: Sequence[str], n_rows: int) -> tuple[str, str]:
    """What the column seems to be, and what to do about it."""
    if _are_numbers(labels):
        return ": it looks continuous", (
            f"Cut it into a few ranges before learning, for example with pandas.cut(table[{column!r}], 4)."
        )
    if len(labels) > n_rows / 2:
        return ": it looks like an identifier", "Choose another sensitive feature."
    return "", (
        "Join labels into coarser groups, name the groups to bound with groups=, or leave small ones out with "
        "min_group_size=."
    )


def _are_numbers(labels: Sequence[str]) -> bool:
    try:
        return all(float(label) is not None for label in labels)
    except ValueError:
        return False
