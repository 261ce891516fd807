"""Small charts as inline SVG: they need no library and no network, follow light and dark, and can be read aloud."""

from __future__ import annotations

import math
from collections.abc import Sequence

from attrs import frozen

from .markup import Markup, element, number, percent

WIDTH, HEIGHT = 640, 260
LEFT, RIGHT, TOP, BOTTOM = 64, 16, 16, 40


@frozen
class Line:
    """A named series; ``steps`` draws it as a staircase."""

    name: str
    style: str
    points: tuple[tuple[float, float], ...]
    steps: bool = False
    dots: bool = False


@frozen
class Scale:
    """From values to places on the page."""

    low: float
    high: float
    start: float
    end: float

    def __call__(self, value: float) -> float:
        span = self.high - self.low
        return self.start + (self.end - self.start) * ((value - self.low) / span if span else 0.5)


def ticks(low: float, high: float, count: int = 5) -> list[float]:
    """Choose round numbers that lie within a range.

    Parameters
    ----------
    low, high
        The range.
    count
        About how many steps.

    Returns
    -------
    list of float
        Multiples of 1, 2 or 5 times a power of ten.

    Examples
    --------
    >>> ticks(0, 10)
    [0.0, 2.0, 4.0, 6.0, 8.0, 10.0]
    """
    if not high > low:
        return [low]
    raw = (high - low) / count
    unit = 10.0 ** math.floor(math.log10(raw))
    step = next(unit * factor for factor in (1, 2, 5, 10) if unit * factor >= raw * (1 - 1e-9))
    first = math.ceil(low / step - 1e-9)
    return [place * step for place in range(first, math.floor(high / step + 1e-9) + 1)]


def line_chart(
    lines: Sequence[Line],
    x_name: str,
    y_name: str,
    summary: str,
    marked: tuple[float, float] | None = None,
    marked_name: str = "",
) -> Markup:
    """Draw lines over a common x axis, with a legend below.

    Parameters
    ----------
    lines
        What to draw.
    x_name, y_name
        What the axes show.
    summary
        The chart in words, for those who do not see it.
    marked
        A point to mark, if any.
    marked_name
        What it is.

    Returns
    -------
    Markup
        A figure.
    """
    points = [point for line in lines for point in line.points] + ([marked] if marked else [])
    xs, ys = [x for x, _ in points], [y for _, y in points]
    low, high = min(ys), max(ys)
    pad = 0.05 * (high - low) or max(abs(high) * 0.05, 0.5)
    x_scale = Scale(min(xs), max(xs) if max(xs) > min(xs) else min(xs) + 1, LEFT, WIDTH - RIGHT)
    y_scale = Scale(low - pad, high + pad, HEIGHT - BOTTOM, TOP)
    parts = _axes(x_scale, y_scale, x_name, y_name)
    for line in lines:
        parts.append(element("path", class_=f"line {line.style}", d=_path(line, x_scale, y_scale)))
        if line.dots or len(line.points) == 1:
            parts += [
                element("circle", class_=f"dot {line.style}", cx=_at(x_scale(x)), cy=_at(y_scale(y)), r="3.5")
                for x, y in line.points
            ]
    legend = [(line.style, line.name) for line in lines]
    if marked:
        x, y = marked
        parts.append(element("circle", class_="marked", cx=_at(x_scale(x)), cy=_at(y_scale(y)), r="7"))
        legend.append(("marked", marked_name))
    return _figure(parts, HEIGHT, summary, legend)


def interval_chart(rows: Sequence[tuple[str, float, float, float]], summary: str) -> Markup:
    """Draw one line per group: a share as a dot, its interval as a bar, on an axis from 0 to 100 %.

    Parameters
    ----------
    rows
        Name, share and both ends of its interval of every group.
    summary
        The chart in words.

    Returns
    -------
    Markup
        A figure.
    """
    shown = [row for row in rows if not math.isnan(row[1])]
    left, line_height, bottom = 190, 24, 24
    height = TOP + line_height * len(shown) + bottom
    scale = Scale(0, 1, left, WIDTH - RIGHT)
    parts: list[Markup] = []
    for tick in (0, 0.25, 0.5, 0.75, 1):
        x = _at(scale(tick))
        parts.append(element("line", class_="grid", x1=x, x2=x, y1=TOP, y2=height - bottom))
        parts.append(element("text", f"{tick:.0%}", class_="tick", x=x, y=height - bottom + 16, text_anchor="middle"))
    for place, (name, share, low, high) in enumerate(shown):
        y = TOP + line_height * (place + 0.5)
        short = name if len(name) <= 24 else name[:23] + "…"
        parts.append(element("text", short, class_="label", x=left - 10, y=y + 4, text_anchor="end"))
        parts.append(element("line", class_="interval", x1=_at(scale(low)), x2=_at(scale(high)), y1=y, y2=y))
        dot = element(
            "circle",
            element("title", f"{name}: {percent(share)}"),
            class_="dot best",
            cx=_at(scale(share)),
            cy=y,
            r="5",
        )
        parts.append(dot)
    return _figure(parts, height, summary, [])


def _axes(x_scale: Scale, y_scale: Scale, x_name: str, y_name: str) -> list[Markup]:
    parts = []
    for tick in ticks(y_scale.low, y_scale.high):
        y = _at(y_scale(tick))
        parts.append(element("line", class_="grid", x1=LEFT, x2=WIDTH - RIGHT, y1=y, y2=y))
        parts.append(element("text", number(tick), class_="tick", x=LEFT - 8, y=float(y) + 4, text_anchor="end"))
    for tick in ticks(x_scale.low, x_scale.high, 6):
        x = _at(x_scale(tick))
        parts.append(element("text", number(tick), class_="tick", x=x, y=HEIGHT - BOTTOM + 16, text_anchor="middle"))
    middle = (LEFT + WIDTH - RIGHT) / 2
    parts.append(element("text", x_name, class_="label", x=middle, y=HEIGHT - 6, text_anchor="middle"))
    turned = f"rotate(-90 14 {(TOP + HEIGHT - BOTTOM) / 2})"
    parts.append(
        element(
            "text", y_name, class_="label", x=14, y=(TOP + HEIGHT - BOTTOM) / 2, text_anchor="middle", transform=turned
        )
    )
    return parts


def _path(line: Line, x_scale: Scale, y_scale: Scale) -> Markup:
    words: list[str] = []
    previous = ""
    for place, (x, y) in enumerate(line.points):
        across, down = _at(x_scale(x)), _at(y_scale(y))
        if place == 0:
            words.append(f"M{across} {down}")
        elif line.steps:
            words.append(f"L{across} {previous}L{across} {down}")
        else:
            words.append(f"L{across} {down}")
        previous = down
    return Markup("".join(words))


def _at(value: float) -> str:
    return f"{value:.1f}"


def _figure(parts: Sequence[Markup], height: float, summary: str, legend: Sequence[tuple[str, str]]) -> Markup:
    svg = element("svg", *parts, viewBox=f"0 0 {WIDTH} {height:.0f}", role="img", aria_label=summary)
    keys = [
        element("span", element("span", class_=f"key {style}", aria_hidden="true"), name, class_="legend")
        for style, name in legend
    ]
    caption = element("figcaption", *keys, element("span", summary, class_="summary"))
    return element("figure", svg, caption)
