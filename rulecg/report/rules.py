"""The section on the rules themselves, and the reasons they give for rejecting."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from rulecg_core import RuleSet
from rulecg_core.data.rule_text import HTML, clause_text

from ..analysis.intervals import wilson
from ..model.scores import firing
from .evidence import Evidence
from .page.markup import (
    Markup,
    Section,
    counted,
    element,
    join,
    number,
    paragraph,
    percent,
    section,
    table,
    with_interval,
)

if TYPE_CHECKING:
    from ..analysis.explain import Explanation

MOST_REASONS = 4
"""A person who is rejected is told at most this many principal reasons."""
MOST_EXPLAINED = 5000
"""Reasons are counted over at most this many rejected rows."""


def rules_section(evidence: Evidence) -> Section:
    """Show every rule with how many rows it decides and how often rightly, most important first.

    Parameters
    ----------
    evidence
        What the report is about.

    Returns
    -------
    Section
        The section ``rules``.
    """
    parts: list[Markup] = []
    model = evidence.model
    for position, rule_set in enumerate(model.rule_sets):
        dnf = rule_set.logic == "dnf"
        outcome = element("b", rule_set.outcome)
        if len(rule_set):
            head = join([outcome, " if any of these hold:" if dnf else " if all of these hold:"])
            label = model.classes[1] if model.is_binary else model.classes[position]
            items = _rule_items(evidence, rule_set, label)
            parts += [paragraph(head), element("ol", *items, class_="rules")]
        else:
            parts.append(paragraph("No rule: ", outcome, f" is {'never' if dnf else 'always'} predicted."))
    if not model.is_binary:
        parts.append(
            paragraph("Where several apply, the rule that was right most often in training decides.", class_="note")
        )
    return section("rules", "The rules", *parts)


def _rule_items(evidence: Evidence, rule_set: RuleSet, label: Any) -> list[Markup]:
    dnf = rule_set.logic == "dnf"
    fired = firing(rule_set, evidence.table)
    alone = fired & (fired.sum(axis=1) == 1)[:, None]
    items = []
    for position, clause in enumerate(rule_set.clauses()):
        text = Markup(clause_text(clause, rule_set.logic, HTML))
        rows = fired[:, position]
        words = [
            f"{'Decides' if dnf else 'Rejects'} {counted(int(rows.sum()), 'row')}",
            f"{number(int(alone[:, position].sum()))} of them alone",
        ]
        if evidence.truth is not None:
            known = rows & evidence.labelled
            right = sum((t == label) == dnf for t in evidence.truth[known].tolist())
            total = int(known.sum())
            share = right / total if total else None
            words.append(f"right in {with_interval(share, wilson(right, total))}")
        items.append(element("li", text, element("div", ", ".join(words) + ".", class_="rule-facts")))
    return items


def reasons_section(evidence: Evidence) -> Section | None:
    """Rank the principal reasons for which rows are rejected: what would have to be otherwise.

    Parameters
    ----------
    evidence
        What the report is about.

    Returns
    -------
    Section or None
        The section ``reasons``; None with several classes or when nothing is rejected.
    """
    if not evidence.model.is_binary or not len(evidence.model.rule_set):
        return None
    rejected = evidence.table[~evidence.y_pred]
    if not len(rejected):
        return None
    shown = rejected.head(MOST_EXPLAINED)
    explanations = evidence.model.explain(shown, max_reasons=MOST_REASONS)
    reasons = [principal_reasons(explanation) for explanation in explanations]
    anywhere = Counter(reason for ranked in reasons for reason in ranked)
    first = Counter(ranked[0] for ranked in reasons if ranked)
    rows = [
        [str(rank), reason, number(count), percent(count / len(shown)), number(first[reason])]
        for rank, (reason, count) in enumerate(anywhere.most_common(50), 1)
    ]
    parts = [
        paragraph(
            "For every rejected row: the fewest changes that would have led to acceptance. The parts of these changes "
            f"are its principal reasons, at most {MOST_REASONS}, those that most ways have in common first. "
            "rulecg explain lists them for each row."
        ),
        table(["rank", "what would have to hold", "rows", "of the rejected", "named first"], rows, "Reasons", 2),
    ]
    stuck = sum(not ranked for ranked in reasons)
    if stuck:
        fixed = ", ".join(evidence.model.sensitive_columns) or "any column"
        parts.append(
            paragraph(f"{counted(stuck, 'row')} could not be accepted without changing {fixed}.", class_="warning")
        )
    if len(shown) < len(rejected):
        parts.append(paragraph(f"Counted over the first {counted(len(shown), 'rejected row')}.", class_="note"))
    return section("reasons", f"Why “{evidence.model.classes[0]}”?", *parts)


def principal_reasons(explanation: Explanation) -> list[str]:
    """Rank what stands between one row and acceptance.

    Parameters
    ----------
    explanation
        Why the row was rejected, with the smallest ways to acceptance.

    Returns
    -------
    list of str
        What would have to hold: first what most ways have in common.
    """
    counts = Counter(change.needed for way in explanation.ways for change in way.changes)
    return [reason for reason, _ in counts.most_common(MOST_REASONS)]
