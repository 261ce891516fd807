"""HTML in which text cannot become markup: jinja2 and markupsafe escape everything that is not markup already."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from functools import cache
from typing import Any

import jinja2
import markupsafe
from attrs import frozen
from markupsafe import Markup as Markup  # what every section is made of

from rulecg_core.data.rule_text import visible

LONGEST = 2000
"""Longer texts are cut: nothing that a person would read is."""


def escape(value: Any) -> Markup:
    """Turn any value into HTML: markup stays, everything else becomes text, with invisible characters spelled out.

    Parameters
    ----------
    value
        Markup or anything that can be printed.

    Returns
    -------
    Markup
        HTML.

    Examples
    --------
    >>> print(escape("a < b"))
    a &lt; b
    """
    return markupsafe.escape(_readable(value))


def _readable(value: Any) -> Any:
    return value if hasattr(value, "__html__") else visible(str(value), LONGEST)


@cache
def _templates() -> jinja2.Environment:
    return jinja2.Environment(
        loader=jinja2.PackageLoader("rulecg.report"),
        autoescape=True,
        finalize=_readable,
        undefined=jinja2.StrictUndefined,
    )


def render(template: str, **values: Any) -> Markup:
    """Fill in one of the templates beside this module; values are escaped.

    Parameters
    ----------
    template
        The template's name, such as ``page.html``.
    **values
        What it speaks of.

    Returns
    -------
    Markup
        HTML.
    """
    return Markup(_templates().get_template(template).render(**values))


def join(parts: Iterable[Any], separator: str = "") -> Markup:
    """Put parts one after the other; what is not markup is escaped."""
    return Markup(separator).join(escape(part) for part in parts)


def element(tag: str, *children: Any, **attributes: Any) -> Markup:
    """Make an element; children and attributes are escaped, attributes of None left out.

    Parameters
    ----------
    tag
        The element's name.
    *children
        What is in it.
    **attributes
        A name that Python keeps for itself ends with an underscore, and underscores stand for dashes.

    Returns
    -------
    Markup
        HTML.

    Examples
    --------
    >>> print(element("p", "a < b", class_="note"))
    <p class="note">a &lt; b</p>
    """
    named = join(
        Markup(' {}="{}"').format(name.rstrip("_").replace("_", "-"), escape(value))
        for name, value in attributes.items()
        if value is not None
    )
    return Markup("<{0}{1}>{2}</{0}>").format(Markup(tag), named, join(children))


def paragraph(*children: Any, **attributes: Any) -> Markup:
    """Make a paragraph, as :func:`element` does."""
    return element("p", *children, **attributes)


def table(head: Sequence[Any], rows: Iterable[Sequence[Any]], caption: str, numbers_from: int = 1) -> Markup:
    """Make a table that can be scrolled by keyboard.

    Parameters
    ----------
    head
        The names of the columns.
    rows
        The cells, row by row; the first of each names the row.
    caption
        What the table shows.
    numbers_from
        The first column that is aligned as numbers are.

    Returns
    -------
    Markup
        HTML.
    """
    return render("table.html", head=head, rows=list(rows), caption=caption, numbers_from=numbers_from)


def facts(pairs: Iterable[tuple[Any, Any]]) -> Markup:
    """Make a list of names and values."""
    return element("dl", *(join([element("dt", name), element("dd", value)]) for name, value in pairs))


def details(summary: Any, *children: Any) -> Markup:
    """Make a part that opens when its summary is clicked."""
    return element("details", element("summary", summary), *children)


@frozen
class Section:
    """A part of the page with a heading of its own."""

    identity: str
    title: str
    children: tuple[Any, ...]


def section(identity: str, title: str, *children: Any) -> Section:
    """Make a section of the page."""
    return Section(identity, title, children)


def percent(share: float | None, digits: int = 1) -> str:
    """Write a share as a percentage; a dash where there is none.

    Parameters
    ----------
    share
        From 0 to 1, or None.
    digits
        After the point.

    Returns
    -------
    str
        The percentage.

    Examples
    --------
    >>> percent(0.884), percent(None)
    ('88.4%', '–')
    """
    return "–" if share is None or math.isnan(share) else f"{share:.{digits}%}"


def with_interval(share: float | None, interval: tuple[float, float] | None) -> str:
    """Write a share with its interval.

    Parameters
    ----------
    share
        From 0 to 1, or None.
    interval
        Both ends, or None.

    Returns
    -------
    str
        The percentages.

    Examples
    --------
    >>> with_interval(0.884, (0.869, 0.897))
    '88.4% (86.9–89.7)'
    """
    if share is None or math.isnan(share) or interval is None or math.isnan(interval[0]):
        return percent(share)
    return f"{percent(share)} ({100 * interval[0]:.1f}–{100 * interval[1]:.1f})"


def number(value: Any) -> str:
    """Write a number with as many digits as people want to read.

    Parameters
    ----------
    value
        A number; anything else is written as it is.

    Returns
    -------
    str
        The number.

    Examples
    --------
    >>> number(18126), number(0.123456), number(float("inf"))
    ('18,126', '0.1235', '∞')
    """
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return "–"
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return str(value)
    if math.isinf(value):
        return "∞" if value > 0 else "-∞"
    if abs(value - round(value)) < 1e-9:
        return f"{round(value):,}" if abs(value) >= 10_000 else str(round(value))
    return f"{value:.4g}"


def counted(count: int, what: str, many: str | None = None) -> str:
    """Write a count with its noun.

    Parameters
    ----------
    count
        How many.
    what
        The noun for one.
    many
        The noun for several, where it is not the same with an s.

    Returns
    -------
    str
        Both.

    Examples
    --------
    >>> counted(1, "row"), counted(12000, "row")
    ('1 row', '12,000 rows')
    """
    return f"{number(count)} {what if count == 1 else many or what + 's'}"
