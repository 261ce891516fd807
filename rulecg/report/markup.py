"""HTML made so that text cannot become markup: everything is escaped unless it is markup already."""

from __future__ import annotations

import html
import math
from collections.abc import Iterable, Sequence
from typing import Any

from attrs import frozen

from rulecg_core.data.rule_text import visible

LONGEST = 2000
"""Longer texts are cut: nothing that a person would read is."""


class Markup(str):
    """Text that is HTML already."""

    __slots__ = ()


def escape(value: Any) -> Markup:
    """Any value as HTML: markup stays, everything else becomes text, with invisible characters spelled out."""
    if isinstance(value, Markup):
        return value
    return Markup(html.escape(visible(str(value), LONGEST)))


def join(parts: Iterable[Any], separator: str = "") -> Markup:
    return Markup(separator.join(escape(part) for part in parts))


def element(tag: str, *children: Any, **attributes: Any) -> Markup:
    """``element("p", "a < b", class_="note")``: children and attributes are escaped, attributes of None left out."""
    named = "".join(
        f' {name.rstrip("_").replace("_", "-")}="{escape(value)}"'
        for name, value in attributes.items()
        if value is not None
    )
    return Markup(f"<{tag}{named}>{join(children)}</{tag}>")


def paragraph(*children: Any, **attributes: Any) -> Markup:
    return element("p", *children, **attributes)


def table(head: Sequence[Any], rows: Iterable[Sequence[Any]], caption: str, numbers_from: int = 1) -> Markup:
    """A table that can be scrolled by keyboard; columns from ``numbers_from`` on are aligned as numbers."""
    header = element(
        "tr", *(element("th", c, scope="col", class_=_cell_class(place, numbers_from)) for place, c in enumerate(head))
    )
    body = [
        element(
            "tr",
            *(
                element("th", cell, scope="row")
                if place == 0
                else element("td", cell, class_=_cell_class(place, numbers_from))
                for place, cell in enumerate(row)
            ),
        )
        for row in rows
    ]
    whole = element("table", element("caption", caption), element("thead", header), element("tbody", *body))
    return element("div", whole, class_="scroll", tabindex="0", role="region", aria_label=caption)


def _cell_class(place: int, numbers_from: int) -> str | None:
    return "number" if place >= numbers_from else None


def facts(pairs: Iterable[tuple[Any, Any]]) -> Markup:
    """A list of names and values."""
    return element("dl", *(join([element("dt", name), element("dd", value)]) for name, value in pairs))


def details(summary: Any, *children: Any) -> Markup:
    return element("details", element("summary", summary), *children)


@frozen
class Section:
    """A part of the page with a heading of its own."""

    identity: str
    title: str
    children: tuple[Any, ...]

    def markup(self) -> Markup:
        heading = element("h2", self.title, id=f"{self.identity}-title")
        return element("section", heading, *self.children, id=self.identity, aria_labelledby=f"{self.identity}-title")

    def link(self) -> Markup:
        return element("a", self.title, href=f"#{self.identity}")


def section(identity: str, title: str, *children: Any) -> Section:
    return Section(identity, title, children)


def percent(share: float | None, digits: int = 1) -> str:
    return "–" if share is None or math.isnan(share) else f"{share:.{digits}%}"


def with_interval(share: float | None, interval: tuple[float, float] | None) -> str:
    """``88.4% (86.9–89.7)``."""
    if share is None or math.isnan(share) or interval is None or math.isnan(interval[0]):
        return percent(share)
    return f"{percent(share)} ({100 * interval[0]:.1f}–{100 * interval[1]:.1f})"


def number(value: Any) -> str:
    """A number with as many digits as people want to read."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return "–"
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return str(value)
    if abs(value - round(value)) < 1e-9:
        return f"{round(value):,}".replace(",", "\u202f") if abs(value) >= 10_000 else str(round(value))
    return f"{value:.4g}"
