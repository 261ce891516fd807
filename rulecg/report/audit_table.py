"""Any audit's table as HTML: what the columns are called says how they are shown.

* ``rate``, ``rate_low`` and ``rate_high`` are a share with its interval, and are drawn as a chart, too;
* ``n`` is a number of rows, and of more rows than fit the largest are shown; ``share…`` is a percentage;
* ``low`` and ``high`` are an interval of the number before them;
* ``at_least`` and ``at_most`` are limits on it;
* a table whose rows have two names, such as rule and group, becomes one column for each second name.

``table.attrs`` may hold a ``headline`` and ``notes``, which are shown around the table; its ``caption``; ``columns``,
the headings of the columns to show, by name; and ``cells``: what stands in a table whose rows have two names, by
caption, such as ``"{covered} ({share_selection_rate})"`` with a share as a percentage.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import pandas as pd

from rulecg_core.data.rule_text import HTML, clause_text

from .page.charts import interval_chart
from .page.markup import Markup, counted, details, number, paragraph, percent, table, with_interval

if TYPE_CHECKING:
    from rulecg_core import RuleSet

MOST_ROWS = 100
MOST_GROUPS = 24
"""Tables by group show at most this many, the largest."""

Column = tuple[str, Callable[[Any], str]]
"""A heading, and what a row of the audit's table says under it."""


def audit_markup(found: pd.DataFrame, rule_set: RuleSet) -> list[Markup]:
    """Show the table that an audit returned.

    Parameters
    ----------
    found
        What the audit returned.
    rule_set
        The rules that are reported on; rows named by them show them as they stand elsewhere in the page.

    Returns
    -------
    list of Markup
        Headline, table, charts and notes.
    """
    parts: list[Markup] = []
    if found.attrs.get("headline"):
        parts.append(paragraph(found.attrs["headline"], class_="lead"))
    texts = _rule_texts(rule_set)
    if found.index.nlevels == 2:
        parts += _crossed(found, texts)
    elif len(found):
        parts += _listed(found, texts)
    return [*parts, *(paragraph(note, class_="note") for note in found.attrs.get("notes", ()))]


def _rule_texts(rule_set: RuleSet) -> dict[str, Markup]:
    """The rules as the page shows them, by what audits may call them: for people, or condition by condition."""
    word = " and " if rule_set.logic == "dnf" else " or "
    texts = {}
    for clause in rule_set.clauses():
        shown = Markup(clause_text(clause, rule_set.logic, HTML))
        texts[clause_text(clause, rule_set.logic)] = shown
        texts[word.join(map(str, clause)) or "always"] = shown
    return texts


def _listed(found: pd.DataFrame, texts: Mapping[str, Markup]) -> list[Markup]:
    most = MOST_GROUPS if "n" in found else MOST_ROWS
    shown = found.nlargest(most, "n") if "n" in found else found.head(most)
    columns = _columns(found, found.attrs.get("columns"))
    rows = [
        [texts.get(str(name), str(name)), *(cell(line) for _, cell in columns)]
        for name, line in zip(shown.index, shown.to_dict("records"), strict=True)
    ]
    head = [str(found.index.name or ""), *(heading for heading, _ in columns)]
    parts = [table(head, rows, str(found.attrs.get("caption", "")))]
    if len(shown) < len(found):
        what = "smaller group" if "n" in found else "further row"
        left = len(found) - len(shown)
        parts.append(paragraph(f"{counted(left, what)} {'is' if left == 1 else 'are'} not shown.", class_="note"))
    headings = found.attrs.get("columns") or {}
    charts = [
        _chart(shown, name, str(headings.get(name, name.replace("_", " "))))
        for name in _shares(found)
        if shown[name].notna().any()
    ]
    return [*parts, *charts[:1], *([details("The other rates as charts", *charts[1:])] if charts[1:] else [])]


def _shares(found: pd.DataFrame) -> list[str]:
    return [name for name in map(str, found.columns) if {f"{name}_low", f"{name}_high"} <= set(found.columns)]


def _chart(shown: pd.DataFrame, name: str, heading: str) -> Markup:
    lines = [
        (str(group), float(share), float(low), float(high))
        for group, share, low, high in zip(
            shown.index, shown[name], shown[f"{name}_low"], shown[f"{name}_high"], strict=True
        )
    ]
    return interval_chart(lines, f"{heading.capitalize()}, by {shown.index.name or 'row'}")


def _columns(found: pd.DataFrame, headings: Mapping[str, str] | None) -> list[Column]:
    """The columns to show, each with its cells: intervals and limits become one column each."""
    shares = _shares(found)
    parts = {f"{name}{end}" for name in shares for end in ("_low", "_high")}
    columns: list[Column] = []
    for name in map(str, found.columns if headings is None else headings):
        if name in parts or name in ("high", "at_most") or name not in found:
            continue
        heading = (headings or {}).get(name, "rows" if name == "n" else name.replace("_", " "))
        if name in shares:
            columns.append((heading, _share_cell(name)))
        elif name == "low" and "high" in found:
            columns.append((heading if heading != "low" else "95 % interval", _interval_cell))
        elif name == "at_least" and "at_most" in found:
            columns.append((heading if heading != "at least" else "limit", _limit_cell))
        else:
            columns.append((heading, _plain_cell(name)))
    return columns


def _share_cell(name: str) -> Callable[[Any], str]:
    return lambda line: with_interval(line[name], (line[f"{name}_low"], line[f"{name}_high"]))


def _interval_cell(line: Any) -> str:
    return f"{_rounded(line['low'])} to {_rounded(line['high'])}"


def _limit_cell(line: Any) -> str:
    low, high = float(line["at_least"]), float(line["at_most"])
    if math.isfinite(low) and math.isfinite(high):
        return f"{number(low)} to {number(high)}"
    return f"at least {number(low)}" if math.isfinite(low) else f"at most {number(high)}"


def _plain_cell(name: str) -> Callable[[Any], str]:
    if name.startswith("share"):
        return lambda line: percent(line[name])
    return lambda line: _rounded(line[name])


def _rounded(value: Any) -> str:
    value = value.item() if hasattr(value, "item") else value
    return number(round(value, 4) if isinstance(value, float) and math.isfinite(value) else value)


def _crossed(found: pd.DataFrame, texts: Mapping[str, Markup]) -> list[Markup]:
    """One table for each kind of cell, the first one open: rows by their first name, columns by their second."""
    across = list(dict.fromkeys(found.index.get_level_values(1)))[:MOST_GROUPS]
    down = list(dict.fromkeys(found.index.get_level_values(0)))[:MOST_ROWS]
    head = [str(found.index.names[0] or ""), *map(str, across)]
    each = {str(name).replace("_", " "): f"{{{name}}}" for name in found.columns}
    cells: Mapping[str, str] = found.attrs.get("cells") or each
    tables = []
    for caption, pattern in cells.items():
        rows = []
        for name in down:
            written = [pattern.format_map(_Cells(found.loc[(name, group)])) for group in across]
            # What is there before any rule is shown where it is not nothing.
            if str(name) in texts or any(cell.strip("0. %()/") for cell in written):
                rows.append([texts.get(str(name), str(name)), *written])
        summary, _, rest = caption.partition("; ")
        tables.append((summary, table(head, rows, rest.capitalize() or summary)))
    first, others = tables[:1], tables[1:]
    return [*(shown for _, shown in first), *(details(summary, shown) for summary, shown in others)]


class _Cells(dict[str, str]):
    """Cells of one row by the column's name; ``share_name`` as a percentage."""

    def __init__(self, line: Any) -> None:
        super().__init__()
        self.line = line

    def __missing__(self, name: str) -> str:
        if name.startswith("share_"):
            return percent(float(self.line[name.removeprefix("share_")]))
        return _rounded(self.line[name])
