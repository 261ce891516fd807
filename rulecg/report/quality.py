"""Sections on the rules themselves, how often they are right, and what was proven about them."""

from __future__ import annotations

from typing import Any

import numpy as np

from rulecg_core.data.rule_text import HTML, clause_text

from ..analysis.intervals import wilson
from ..model.scores import firing
from .charts import Line, line_chart
from .evidence import Evidence
from .markup import (
    Markup,
    Section,
    details,
    element,
    escape,
    facts,
    join,
    number,
    paragraph,
    percent,
    section,
    table,
    with_interval,
)

_STATUS = {
    "optimal": "Proven best possible",
    "lp-optimal": "Relaxation solved",
    "bounded": "Bound known",
    "heuristic": "Nothing proven",
    "per-class": "Each class by itself",
}


def summary_cards(evidence: Evidence) -> Markup:
    """The four numbers that people ask for first."""
    model = evidence.model
    n_rules = sum(len(rule_set) for rule_set in model.rule_sets)
    cards = [(str(n_rules), "rules" if n_rules != 1 else "rule")]
    cards.append((str(sum(rule_set.complexity for rule_set in model.rule_sets)), "rules and conditions together"))
    if evidence.truth is not None:
        right, total = _right(evidence)
        if total:
            cards.append((percent(right / total), f"accuracy on {number(total)} rows"))
    if model.certificate is not None:
        gap = "" if model.certificate.gap is None else f", gap {percent(model.certificate.gap)}"
        cards.append((_STATUS.get(model.certificate.status, model.certificate.status), f"certificate{gap}"))
    return element(
        "div",
        *(element("div", element("b", big), element("span", small), class_="card") for big, small in cards),
        class_="cards",
    )


def _labelled(evidence: Evidence) -> Any:
    assert evidence.truth is not None
    return np.array([label is not None for label in evidence.truth], dtype=bool)


def _right(evidence: Evidence) -> tuple[int, int]:
    assert evidence.truth is not None
    known = _labelled(evidence)
    agrees = [p == t for p, t in zip(evidence.predicted[known].tolist(), evidence.truth[known].tolist(), strict=True)]
    return sum(agrees), len(agrees)


def rules_section(evidence: Evidence) -> Section:
    """Every rule with how many rows it decides and how often rightly, most important first."""
    parts: list[Markup] = []
    model = evidence.model
    for number_of_set, rule_set in enumerate(model.rule_sets):
        label = model.classes[1] if model.is_binary else model.classes[number_of_set]
        dnf = rule_set.logic == "dnf"
        fired = firing(rule_set, evidence.table)
        alone = fired & (fired.sum(axis=1) == 1)[:, None]
        head = join([element("b", rule_set.outcome), " if any of these hold:" if dnf else " if all of these hold:"])
        if not len(rule_set):
            parts.append(
                paragraph(
                    "No rule: ",
                    element("b", rule_set.outcome),
                    " is never predicted." if dnf else " is always predicted.",
                )
            )
            continue
        items = []
        for position, clause in enumerate(rule_set.clauses()):
            text = Markup(clause_text(clause, rule_set.logic, HTML))
            rows = fired[:, position]
            words = [
                f"{'Decides' if dnf else 'Rejects'} {number(int(rows.sum()))} rows",
                f"{number(int(alone[:, position].sum()))} of them alone",
            ]
            if evidence.truth is not None:
                known = rows & _labelled(evidence)
                right = sum((t == label) == dnf for t in evidence.truth[known].tolist())
                total = int(known.sum())
                share = right / total if total else None
                words.append(f"right in {with_interval(share, wilson(right, total))}")
            items.append(element("li", text, element("div", ", ".join(words) + ".", class_="rule-facts")))
        parts += [paragraph(head), element("ol", *items, class_="rules")]
    if not model.is_binary:
        parts.append(
            paragraph("Where several apply, the rule that was right most often in training decides.", class_="note")
        )
    return section("rules", "The rules", *parts)


def accuracy_section(evidence: Evidence) -> Section:
    """Accuracy, the confusion table and the shares made from it, with 95 % intervals."""
    if evidence.truth is None:
        return section(
            "accuracy",
            "Accuracy",
            paragraph(
                "The table has no column with the recorded outcome, so nothing can be said about accuracy here. "
                "Name one with --target.",
                class_="note",
            ),
        )
    parts: list[Any] = [_which_rows(evidence)]
    right, total = _right(evidence)
    missing = len(evidence.truth) - total
    if missing:
        parts.append(paragraph(f"{missing} rows without a recorded outcome are left out.", class_="note"))
    classes = evidence.model.classes
    known = _labelled(evidence)
    truth, predicted = evidence.truth[known].tolist(), evidence.predicted[known].tolist()
    counts = {(t, p): 0 for t in classes for p in classes}
    unknown = 0
    for pair in zip(truth, predicted, strict=True):
        if pair in counts:
            counts[pair] += 1
        else:
            unknown += 1
    rows = [[f"recorded: {t}", *(number(counts[t, p]) for p in classes)] for t in classes]
    parts.append(table(["", *(f"predicted: {p}" for p in classes)], rows, "Rows by recorded and predicted outcome"))
    if unknown:
        parts.append(paragraph(f"{unknown} rows have an outcome that the model does not know.", class_="warning"))
    most = max(classes, key=truth.count)
    shares = [
        ("accuracy", "rows predicted as recorded", right, total),
        (
            "always saying " + str(most),
            "for comparison: the same for every row",
            truth.count(most),
            total,
        ),
    ]
    if evidence.model.is_binary:
        negative, positive = classes
        hit, wrong = counts[positive, positive], counts[negative, positive]
        shares += [
            ("precision", f"of the rows predicted {positive}, recorded so", hit, hit + wrong),
            ("recall", f"of the rows recorded {positive}, predicted so", hit, hit + counts[positive, negative]),
            (
                "false positive rate",
                f"of the rows recorded {negative}, predicted {positive}",
                wrong,
                wrong + counts[negative, negative],
            ),
        ]
    parts.append(
        table(
            ["", "meaning", "share", "95 % interval"],
            [
                [name, meaning, percent(count / n if n else None), _interval(count, n)]
                for name, meaning, count, n in shares
            ],
            "Shares with Wilson intervals",
            numbers_from=2,
        )
    )
    return section("accuracy", "Accuracy", *parts)


def _interval(count: int, total: int) -> str:
    found = wilson(count, total)
    return "–" if found is None else f"{percent(found[0])} to {percent(found[1])}"


def _which_rows(evidence: Evidence) -> Markup:
    if evidence.is_training_data is None:
        return paragraph("It is not known whether the rules were learned from these rows.", class_="note")
    assert evidence.overlap is not None
    if evidence.is_training_data:
        which = "These are the" if evidence.overlap.share == 1 else f"Of these rows {evidence.overlap} are"
        return paragraph(
            f"{which} rows that the rules were learned from. On new rows the rules will be right somewhat less "
            "often: make this report again with rows that were kept aside.",
            class_="warning",
        )
    chance = f" ({evidence.overlap} are equal to such rows by chance)" if evidence.overlap.share else ""
    return paragraph(f"These are not the rows that the rules were learned from{chance}.", class_="note")


_COVERED_ROWS = {"hamming": "once for each rule that covers it.", "01": "once, however many rules cover it."}


def certificate_section(evidence: Evidence) -> Section:
    """What was proven, in plain words, and how the run got there."""
    certificate = evidence.model.certificate
    if certificate is None:
        notes = evidence.model.notes or ("The model file holds no certificate.",)
        return section("certificate", "How good can rules get?", *(paragraph(note, class_="warning") for note in notes))
    explained = {
        "optimal": "Within the limits on size and the constraints, no other rule set made of these conditions has a "
        "better objective on the training rows. This is a proof, not an estimate.",
        "lp-optimal": "The search over all possible rules is complete for the relaxed problem, where fractions of "
        "rules are allowed. What is left open is at most the gap.",
        "bounded": "The search over all possible rules did not finish. What is left open is at most the gap.",
        "heuristic": "Good rules were searched for, but there is no proof of how much better others could be.",
        "per-class": "What is proven is about each class's rule set against the rest. Nothing is proven about how well "
        "they do together.",
    }
    loss = str(evidence.model.settings.get("loss", "hamming")).partition(":")[0]
    parts: list[Any] = [
        paragraph(certificate.text, class_="lead"),
        paragraph(explained.get(certificate.status, "")),
        paragraph(
            "The objective counts, on the training rows, every missed positive row once and every wrongly covered row "
            + _COVERED_ROWS.get(loss, f"as the loss {loss!r} says."),
            class_="note",
        ),
    ]
    if certificate.stop == "interrupted":
        parts.append(paragraph("The run was stopped early by hand; this is its best rule set.", class_="warning"))
    chart = convergence_chart(evidence)
    if chart is not None:
        parts.append(chart)
    parts.append(
        facts(
            [
                ("best objective", number(certificate.objective)),
                ("proven lower bound", number(certificate.lower_bound)),
                ("gap", percent(certificate.gap)),
                ("wrong training rows", number(certificate.errors)),
                ("stopped because", certificate.stop),
                ("rules generated", number(certificate.pool_size)),
                ("seconds", f"{certificate.seconds:.1f}"),
            ]
        )
    )
    return section("certificate", "How good can rules get?", *parts)


def convergence_chart(evidence: Evidence) -> Markup | None:
    """Relaxation, proven bound and best objective over time; for one learned rule set."""
    certificate = evidence.model.certificate
    if certificate is None or not certificate.history or not evidence.model.is_binary:
        return None
    history = certificate.history

    def series(name: str) -> tuple[tuple[float, float], ...]:
        return tuple((float(r["seconds"]), float(r[name])) for r in history if r.get(name) is not None)

    end = max(certificate.seconds, float(history[-1]["seconds"]))
    best = (*series("incumbent"), (end, certificate.objective))
    bounds = series("lower_bound")
    if certificate.lower_bound is not None:
        bounds = (*bounds, (end, certificate.lower_bound))
    lines = [Line("best rule set", "best", best, steps=True), Line("relaxation", "relaxation", series("relaxation"))]
    if bounds:
        lines.append(Line("proven bound", "bound", bounds, steps=True))
    summary = (
        f"Over {end:.1f} seconds the relaxation fell from {number(history[0]['relaxation'])} to "
        f"{number(history[-1]['relaxation'])}; the best rule set ended at {number(certificate.objective)}."
    )
    return line_chart([line for line in lines if line.points], "seconds", "objective", summary)


def path_section(path: Any, chosen: float | None) -> Section:
    """How accuracy grows with the complexity allowed; ``path`` is the table that ``rulecg path`` writes."""
    held_out = "cv_accuracy" in path and path["cv_accuracy"].notna().any()
    lines = [
        Line(
            "training rows",
            "relaxation" if held_out else "best",
            tuple(zip(path["max_complexity"], path["accuracy"], strict=True)),
            dots=True,
        )
    ]
    if held_out:
        points = tuple(zip(path["max_complexity"], path["cv_accuracy"], strict=True))
        lines.append(Line("held-out rows", "best", points, dots=True))
    marked = next((point for point in lines[-1].points if chosen is not None and point[0] == chosen), None)
    summary = (
        f"From complexity {number(float(path['max_complexity'].min()))} to "
        f"{number(float(path['max_complexity'].max()))} the accuracy on training rows goes from "
        f"{percent(float(path['accuracy'].iloc[0]))} to {percent(float(path['accuracy'].iloc[-1]))}."
    )
    names = ("rules and conditions allowed", "accuracy", summary)
    chart = line_chart(lines, *names, marked=marked, marked_name="this model's limit")
    head = [
        name
        for name in ("max_complexity", "complexity", "n_rules", "objective", "lower_bound", "accuracy", "cv_accuracy")
        if name in path
    ]
    rows = [[number(value) for value in row] for row in path[head].astype(float).itertuples(index=False, name=None)]
    return section(
        "path", "Accuracy and size", chart, details("The numbers", table([escape(h) for h in head], rows, ""))
    )
