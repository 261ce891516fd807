"""The page of a check: what has changed since training, in the manner of the report."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

from ..report.page.markup import (
    Markup,
    Section,
    counted,
    details,
    element,
    number,
    paragraph,
    percent,
    render,
    section,
    table,
    with_interval,
)
from .drift import Check, Shift

MOST_QUIET = 200
"""So many conditions without an alarm are listed."""


def build_page(check: Check, title: str | None = None) -> str:
    """Write a self-contained HTML page about a check.

    Parameters
    ----------
    check : Check
        What was found.
    title : str or None
        The heading.

    Returns
    -------
    str
        The page, which loads nothing and runs nothing.

    Examples
    --------
    >>> import pandas as pd
    >>> from rulecg import RuleSetClassifier
    >>> from rulecg.monitoring.drift import check
    >>> rows = pd.DataFrame({"income": [20, 30, 60, 80] * 25})
    >>> model = RuleSetClassifier(max_complexity=2).fit(rows, rows["income"] > 50).model_
    >>> build_page(check(model, rows)).splitlines()[0]
    '<!DOCTYPE html>'
    """
    alarms = check.alarms
    model = check.model
    outcome = model.rule_sets[0].outcome if model.is_binary else model.target or "classes"
    sections = [_summary(check, alarms), _rules(check), _gaps(check), _conditions(check), _method(check)]
    page = render(
        "page.html",
        title=title or f"After deployment: rules for “{outcome}”",
        warnings=[f"{counted(len(alarms), 'thing')} changed since training: see below."] if alarms else [],
        cards=_cards(check, alarms),
        sections=sections,
    )
    return str(page)


def _cards(check: Check, alarms: Sequence[str]) -> list[tuple[str, str]]:
    cards = [(str(len(alarms)), "alarm" if len(alarms) == 1 else "alarms"), (number(check.n_rows), "new rows")]
    if check.accuracy is not None:
        cards.append((percent(check.accuracy.share_now), f"accuracy on {counted(check.n_labelled, 'row')}"))
        cards.append((percent(check.accuracy.share_then), "training accuracy"))
    return cards


def _summary(check: Check, alarms: Sequence[str]) -> Section:
    children: list[Markup] = []
    if alarms:
        children.append(element("ul", *(element("li", alarm) for alarm in alarms)))
    else:
        children.append(paragraph("Nothing has changed beyond chance and beyond the margin."))
    if check.absent:
        children.append(
            paragraph(
                f"Columns that training had and these rows do not: {', '.join(check.absent)}. No rule looks at them.",
                class_="note",
            )
        )
    return section("rules", "What changed", *children)


def _line(shift: Shift) -> list[Any]:
    return [
        shift.what,
        percent(shift.share_then),
        with_interval(shift.share_now, shift.interval),
        f"{100 * (shift.share_now - shift.share_then):+.1f}",
        _chance(shift.adjusted),
        element("b", "changed") if shift.is_alarm else "",
    ]


def _chance(adjusted: float) -> str:
    return "< 0.001" if adjusted < 0.001 else f"{adjusted:.3f}"


def _shifts(first: str, shifts: Iterable[Shift], caption: str) -> Markup:
    head = [first, "in training", "now (95 % interval)", "points", "corrected p", ""]
    return table(head, [_line(shift) for shift in shifts], caption)


def _rules(check: Check) -> Section:
    parts: list[Markup] = [_shifts("rule", check.firing, "How many rows each rule decides")]
    if check.precision:
        parts.append(_shifts("rule", check.precision, "How often each rule is right, of the rows that it decides"))
        parts.append(
            paragraph(
                "Rules were chosen on the training rows, so that somewhat lower figures on new rows are no surprise: a "
                "fall counts when it is beyond chance and beyond the margin.",
                class_="note",
            )
        )
    else:
        told = "No row that a rule decides has a recorded outcome: whether rules are right is not known."
        parts.append(paragraph(told, class_="note"))
    return section("firing", "Rules", *parts)


def _gaps(check: Check) -> Section:
    rows = [
        [
            f"{gap.column}: {gap.metric}",
            "–" if math.isnan(gap.then) else f"{gap.then:.3f}",
            f"{gap.now:.3f} ({gap.low:.3f}–{gap.high:.3f})",
            element("b", "wider") if gap.is_alarm else "",
        ]
        for gap in check.gaps
    ]
    parts: list[Markup] = []
    if rows:
        caption = "Gaps between groups; each interval holds for all pairs of groups together"
        parts.append(table(["gap", "in training", "now (95 % interval)", ""], rows, caption))
    parts += [paragraph(note, class_="note") for note in check.notes]
    return section("groups", "Groups", *parts)


def _conditions(check: Check) -> Section:
    alarmed = [shift for shift in check.conditions if shift.is_alarm]
    quiet = sorted((s for s in check.conditions if not s.is_alarm), key=lambda s: (not s.is_used, s.adjusted))
    parts: list[Markup] = []
    for used, what in ((True, "that rules use"), (False, "that no rule uses")):
        own = sorted((s for s in alarmed if s.is_used == used), key=lambda s: -abs(s.share_now - s.share_then))
        if own:
            parts.append(_shifts("condition", own, f"Changed conditions {what}: share of rows in which they hold"))
    if not alarmed:
        parts.append(paragraph("No condition has changed."))
    if quiet:
        listed = _shifts("condition", quiet[:MOST_QUIET], "Conditions without an alarm, those that rules use first")
        parts.append(details(f"{counted(len(quiet), 'condition')} without an alarm", listed))
    return section("conditions", "Conditions", *parts)


def _method(check: Check) -> Section:
    n_asked = len(check.conditions) + len(check.firing) + len(check.precision) + (check.accuracy is not None)
    baseline = check.model.baseline
    assert baseline is not None
    return section(
        "method",
        "How this was judged",
        paragraph(
            f"{counted(baseline.n_rows, 'training row')} and {counted(check.n_rows, 'new row')} were compared in "
            f"{counted(n_asked, 'share')}: the normal test for two shares, Fisher's exact test where rows are few. "
            f"Were nothing changed, the chance of any alarm among them would be at most {percent(check.alpha, 0)}: "
            "p-values are corrected by Holm's method, which holds whatever the questions have to do with each other. "
            f"Changes below {100 * check.margin:g} percentage points are no alarm, however sure. A condition and its "
            "opposite are one question. A gap is an alarm when it is wider than in training by that margin and its "
            "whole interval lies above the gap in training; gaps are not part of the correction."
        ),
    )
