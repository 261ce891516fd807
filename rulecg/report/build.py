"""Putting the report together."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from rulecg_core import load_registry

from ..model.model import Model
from .evidence import Evidence
from .fairness import fairness_sections
from .markup import Markup, Section, details, element, facts, join, number, paragraph, percent, section, table
from .quality import accuracy_section, certificate_section, path_section, rules_section, summary_cards

if TYPE_CHECKING:
    import pandas as pd

MOST_COLUMNS = 300
# Nothing may be loaded or run, even if something in the page were mistaken for markup.
POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"


def build_report(
    model: Model,
    table: pd.DataFrame,
    *,
    target: str | None = None,
    sensitive: Sequence[str] | None = None,
    title: str | None = None,
    path: pd.DataFrame | None = None,
    stability: pd.DataFrame | None = None,
    alternatives: pd.DataFrame | None = None,
) -> str:
    """A self-contained HTML page about the model on this table.

    ``target`` and ``sensitive`` default to what the model was learned with; ``path`` is a table of
    :func:`rulecg.complexity_path`, ``stability`` one of :func:`rulecg.rule_stability`, ``alternatives`` one of
    :func:`rulecg.alternative_rules`.
    """
    evidence = Evidence.of(model, table, target, sensitive)
    heading = title or f"Rules for “{model.rule_sets[0].outcome if model.is_binary else model.target or 'classes'}”"
    sections = [rules_section(evidence), accuracy_section(evidence), certificate_section(evidence)]
    if path is not None:
        chosen = model.settings.get("max_complexity")
        sections.append(path_section(path, float(chosen) if isinstance(chosen, (int, float)) else None))
    sections += fairness_sections(evidence, load_registry())
    if stability is not None:
        sections.append(_stability_section(stability, alternatives))
    sections.append(_card_section(evidence))
    links = [element("li", part.link()) for part in sections]
    body = join(
        [
            element("a", "Skip to the rules", href="#rules", class_="skip"),
            element(
                "header",
                element("h1", heading),
                summary_cards(evidence),
                element("nav", element("ul", *links), aria_label="Contents"),
            ),
            element("main", *(part.markup() for part in sections)),
            element("footer", "Made by rulecg. Everything in this page is in this one file."),
        ]
    )
    return _page(heading, body)


def _page(title: str, body: Markup) -> str:
    style = files("rulecg.report").joinpath("style.css").read_text(encoding="utf-8")
    head = join(
        [
            Markup('<meta charset="utf-8">'),
            Markup(f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">'),
            Markup('<meta name="viewport" content="width=device-width, initial-scale=1">'),
            Markup('<meta name="color-scheme" content="light dark">'),
            element("title", title),
            Markup(f"<style>{style}</style>"),
        ],
        "\n",
    )
    return f'<!DOCTYPE html>\n<html lang="en">\n<head>\n{head}\n</head>\n<body>\n{body}\n</body>\n</html>\n'


def _stability_section(stability: pd.DataFrame, alternatives: pd.DataFrame | None) -> Section:
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


def _card_section(evidence: Evidence) -> Section:
    """The model card: what the rules were made from and for, and what this page cannot say."""
    model = evidence.model
    used = set(model.columns)
    kinds = dict(model.fingerprint.columns) if model.fingerprint is not None else {}
    columns = [
        [
            name,
            kinds.get(name, "–"),
            percent(float(evidence.table[name].isna().mean())) if name in evidence.table else "not in this table",
            "yes" if name in used else "no",
            "yes" if name in model.sensitive else "no",
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
            *([paragraph(f"{len(columns) - MOST_COLUMNS} further columns.")] if len(columns) > MOST_COLUMNS else []),
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
