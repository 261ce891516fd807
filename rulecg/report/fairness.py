"""Sections on groups: rates and gaps, which rule does what to whom, and what each bound costs.

The tables come from audits that plugins register; a section whose audit is not installed says so in one line.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from rulecg_core import Registry, RulecgError, RuleSet, UnknownNameError
from rulecg_core.data.rule_text import HTML, clause_text

from .charts import interval_chart
from .evidence import Evidence
from .markup import Markup, Section, details, element, number, paragraph, percent, section, table, with_interval

if TYPE_CHECKING:
    import pandas as pd

MOST_GROUPS = 24
"""Tables show at most this many groups, the largest."""
MOST_BOUNDS = 100
FREE = 1e-7
_RATES = (
    ("selection_rate", "predicted positive", "Share predicted positive, by group"),
    ("true_positive_rate", "true positive rate", "Share of recorded positives predicted positive, by group"),
    ("false_positive_rate", "false positive rate", "Share of recorded negatives predicted positive, by group"),
    ("accuracy", "accuracy", "Share predicted as recorded, by group"),
)


def fairness_sections(evidence: Evidence, registry: Registry) -> list[Section]:
    """Everything about groups, as far as the model, the table and the installed plugins allow."""
    sections = [_groups_section(evidence, registry)]
    prices = _price_section(evidence)
    return [*sections, prices] if prices is not None else sections


def _groups_section(evidence: Evidence, registry: Registry) -> Section:
    title = "Groups"
    if evidence.sensitive is None:
        return section(
            "groups",
            title,
            paragraph("No sensitive columns are known: name them with --sensitive to compare groups.", class_="note"),
        )
    if evidence.truth is None or not evidence.model.is_binary:
        reason = "the table has no recorded outcome" if evidence.truth is None else "there are more than two classes"
        return section("groups", title, paragraph(f"Groups are not compared: {reason}.", class_="note"))
    known = np.array([label is not None for label in evidence.truth], dtype=bool)
    y_true, y_pred, sensitive = evidence.y_true[known], evidence.y_pred[known], evidence.sensitive[known]
    columns: list[list[str]] = [[name] for name in sensitive.columns]
    if len(columns) > 1:
        columns.append([str(name) for name in sensitive.columns])
    parts: list[Any] = []
    for names in columns:
        chosen = sensitive[names]
        parts.append(element("h3", " and ".join(names)))
        parts += _audited(
            registry,
            "group-table",
            lambda audit, chosen=chosen: _rates(  # type: ignore[misc]
                audit(y_true, y_pred, sensitive_features=chosen)
            ),
        )
        parts += _audited(
            registry,
            "gaps",
            lambda audit, chosen=chosen: _gaps(  # type: ignore[misc]
                audit(y_true, y_pred, sensitive_features=chosen)
            ),
        )
    parts.append(element("h3", "Do the bounds hold for new rows?"))
    parts += _verdict(evidence, registry, y_true, y_pred, sensitive)
    parts.append(element("h3", "Which rule does what to whom"))
    parts += _audited(
        registry,
        "ledger",
        lambda audit: _ledger(
            audit(y_true, sensitive_features=sensitive, rule_set=evidence.model.rule_set, table=evidence.table[known]),
            evidence.model.rule_set,
        ),
    )
    return section("groups", title, *parts)


def _audited(registry: Registry, name: str, make: Callable[[Any], list[Markup]]) -> list[Markup]:
    """What the audit has to say; one line when it is not installed or cannot say anything about these rows."""
    try:
        return make(registry.audit(name))
    except UnknownNameError:
        return [paragraph(f"The table {name!r} is not shown: no installed plugin offers it.", class_="note")]
    except RulecgError as error:
        return [paragraph(f"The table {name!r} is not shown: {error}", class_="note")]


def _rates(found: pd.DataFrame) -> list[Markup]:
    shown = found.nlargest(MOST_GROUPS, "n")
    rows = [
        [
            str(group),
            number(int(line["n"])),
            number(int(line["positives"])),
            *(with_interval(line[rate], (line[f"{rate}_low"], line[f"{rate}_high"])) for rate, _, _ in _RATES),
        ]
        for group, line in shown.iterrows()
    ]
    parts = [table(["group", "rows", "positives", *(name for _, name, _ in _RATES)], rows, "Rates with 95 % intervals")]
    if len(shown) < len(found):
        parts.append(paragraph(f"{len(found) - len(shown)} smaller groups are not shown.", class_="note"))
    without = found.attrs.get("rows_without_group", 0)
    if without:
        parts.append(paragraph(f"{without} rows belong to no group because a value is missing.", class_="note"))
    charts = []
    for rate, _, caption in _RATES[:3]:
        lines = [
            (str(group), float(line[rate]), float(line[f"{rate}_low"]), float(line[f"{rate}_high"]))
            for group, line in shown.iterrows()
        ]
        if any(share == share for _, share, _, _ in lines):
            charts.append(interval_chart(lines, caption))
    return [*parts, *charts[:1], *([details("The other rates as charts", *charts[1:])] if charts[1:] else [])]


def _gaps(found: pd.DataFrame) -> list[Markup]:
    rows = [
        [
            str(metric).replace("_", " "),
            number(round(float(line["gap"]), 4)),
            f"{number(round(float(line['low']), 4))} to {number(round(float(line['high']), 4))}",
            f"{line['highest']} / {line['lowest']}",
        ]
        for metric, line in found.iterrows()
    ]
    return [
        table(["gap", "value", "95 % interval", "highest / lowest"], rows, "Gaps between groups, bootstrap intervals")
    ]


def _verdict(evidence: Evidence, registry: Registry, y_true: Any, y_pred: Any, sensitive: Any) -> list[Markup]:
    wanted = evidence.model.settings.get("constraints") or []
    if not wanted:
        return [paragraph("The rules were learned without bounds on groups.", class_="note")]
    if evidence.is_training_data:
        return [
            paragraph(
                "Only rows that the rules have not seen can tell: make this report with rows that were kept "
                f"aside. Bounds: {', '.join(map(str, wanted))}.",
                class_="note",
            )
        ]
    try:
        constraints = [registry.constraint(str(text)) for text in wanted]
    except RulecgError as error:
        return [paragraph(f"The bounds cannot be checked here: {error}", class_="note")]

    def show(audit: Any) -> list[Markup]:
        found = audit(y_true, y_pred, sensitive_features=sensitive, constraints=constraints)
        rows = [
            [
                str(row),
                number(float(line["value"])),
                f"{number(float(line['low']))} to {number(float(line['high']))}",
                number(float(line["at_most"])),
                str(line["verdict"]),
            ]
            for row, line in found.iterrows()
        ]
        notes = [paragraph(note, class_="note") for note in found.attrs.get("notes", ())]
        return [table(["bound", "value", "95 % bounds", "at most", "verdict"], rows, "Bounds on new rows"), *notes]

    return _audited(registry, "verdict", show)


def _ledger(found: pd.DataFrame, rule_set: RuleSet) -> list[Markup]:
    groups = list(dict.fromkeys(found.index.get_level_values("group")))[:MOST_GROUPS]
    covered, right, wrong = found.columns[0], found.columns[2], found.columns[3]
    rules = [rule for rule in dict.fromkeys(found.index.get_level_values("rule")) if rule != "(no rules)"]
    texts = dict(zip(rules, rules, strict=True))
    if len(rules) == len(rule_set):
        readable = (Markup(clause_text(clause, rule_set.logic, HTML)) for clause in rule_set.clauses())
        texts = dict(zip(rules, readable, strict=True))

    def lines(cell: Callable[[Any], str]) -> list[list[Any]]:
        return [[texts[rule], *(cell(found.loc[(rule, group)]) for group in groups)] for rule in rules]

    head = ["rule", *map(str, groups)]
    words = f"{covered} rows ({right} / {wrong})".replace("_", " ")
    counts = lines(lambda c: f"{number(float(c[covered]))} ({number(float(c[right]))} / {number(float(c[wrong]))})")
    shares = lines(lambda c: percent(float(c["selection_rate"])))
    credit = table(head, shares, "Rows covered by several rules are credited in equal parts")
    return [
        table(head, counts, f"For each rule and group: {words}"),
        details("Each rule's part in the share predicted positive", credit),
    ]


def _price_section(evidence: Evidence) -> Section | None:
    """What the bounds cost: the duals of the last relaxation."""
    certificate = evidence.model.certificate
    if certificate is None or not certificate.constraints:
        return None
    priced, free = [], []
    for line in sorted(certificate.constraints, key=lambda line: -abs(line["dual"] or 0.0)):
        dual = abs(line["dual"] or 0.0)
        cells = [line["row"], number(line["value"]), number(line["true_value"])]
        if dual < FREE:
            free.append(cells)
        elif line["row"] == "complexity":
            priced.append([*cells, f"{dual:.3g} per rule or condition"])
        else:
            priced.append([*cells, f"{dual * 0.01:.3g} per 0.01"])
    head = ["bound", "as the master counts", "true value"]
    parts = [
        paragraph(
            "How much of the loss would be saved if a bound were loosened a little, according to the last relaxation."
        )
    ]
    if priced:
        parts.append(table([*head, "loss saved"], priced[:MOST_BOUNDS], "Training rows; the costliest bound first"))
    if free:
        shown = table(head, free[:MOST_BOUNDS], "Training rows; these bounds hold by themselves")
        parts.append(details(f"{len(free)} bounds that cost nothing", shown))
    return section("price", "The price of the constraints", *parts)
