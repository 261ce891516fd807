"""Sections on where the rules come from: data and settings, and whether other data had given other rules."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .evidence import Evidence
from .page.markup import Section, counted, details, element, facts, number, paragraph, percent, section, table

if TYPE_CHECKING:
    import pandas as pd

MOST_COLUMNS = 300


def stability_section(stability: pd.DataFrame, alternatives: pd.DataFrame | None) -> Section:
    """Say how stable the rules are when they are learned again.

    Parameters
    ----------
    stability
        A table of :func:`rulecg.rule_stability`.
    alternatives
        A table of :func:`rulecg.alternative_rules`, if there is one.

    Returns
    -------
    Section
        The section ``stability``.
    """
    rows = [
        [line["rule"], percent(line["found_again"], 0), percent(line["same_rows"], 0)]
        for line in stability.to_dict("records")
    ]
    parts = [
        paragraph(
            "Rule sets can change a lot when the data change a little. The rules were learned again from resampled "
            "rows. A rule that comes back often, or whose rows do, is one to rely on."
        ),
        table(["rule", "same rule again", "overlap with the nearest rule"], rows, "Over all resamples"),
    ]
    if alternatives is not None and len(alternatives):
        swaps = [
            [line["rule"], line["instead"], number(line["errors"]), f"{line['more_errors']:+g}"]
            for line in alternatives.to_dict("records")
        ]
        head = ["instead of", "one could have", "wrong rows", "difference"]
        parts += [
            element("h3", "Other rule sets about as good"),
            table(head, swaps, "One rule replaced; the rest as above", numbers_from=2),
        ]
    return section("stability", "Would other data have given other rules?", *parts)


def card_section(evidence: Evidence) -> Section:
    """Make the model card: what the rules were made from and how, and what this page cannot say.

    Parameters
    ----------
    evidence
        What the report is about.

    Returns
    -------
    Section
        The section ``card``.
    """
    model = evidence.model
    used = set(model.columns)
    kinds = dict(model.fingerprint.columns) if model.fingerprint is not None else {}
    columns = [
        [
            name,
            kinds.get(name, "–"),
            percent(float(evidence.table[name].isna().mean())) if name in evidence.table else "not in this table",
            "yes" if name in used else "no",
            "yes" if name in model.sensitive_columns else "no",
        ]
        for name in (kinds or dict.fromkeys(model.rule_sets[0].columns))
    ]
    parts: list[Any] = [
        facts(
            [
                ("rows in this report", number(len(evidence.table))),
                ("rows learned from", "–" if model.fingerprint is None else number(model.fingerprint.n_rows)),
                ("outcome", model.target or "–"),
                ("classes", ", ".join(map(str, model.classes))),
                ("sensitive columns", ", ".join(model.sensitive) or "none"),
                ("conditions to choose from", number(len(model.conditions))),
                ("data fingerprint", "–" if model.fingerprint is None else model.fingerprint.sha256[:16] + "…"),
            ]
        ),
        details(
            "Columns",
            table(["column", "type", "missing here", "in the rules", "sensitive"], columns[:MOST_COLUMNS], "", 5),
            *(
                [paragraph(f"{counted(len(columns) - MOST_COLUMNS, 'further column')}.")]
                if len(columns) > MOST_COLUMNS
                else []
            ),
        ),
        details("Settings", facts((name.replace("_", " "), _setting(value)) for name, value in model.settings.items())),
        element("h3", "What this page cannot say"),
        element(
            "ul",
            element("li", "Rules describe the recorded outcomes. If these were decided unfairly, so may the rules."),
            element("li", "That a rule predicts well does not mean that its conditions cause the outcome."),
            element("li", "Intervals tell the uncertainty from the number of rows, not from rows of another kind."),
        ),
    ]
    return section("card", "Data and settings", *parts)


def _setting(value: Any) -> str:
    if isinstance(value, list):
        return ", ".join(map(str, value)) or "none"
    return "–" if value is None else str(value)
