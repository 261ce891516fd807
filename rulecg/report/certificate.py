"""Sections on what was proven about the rules, and on how accuracy grows with size."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .evidence import Evidence
from .page.charts import Line, line_chart
from .page.markup import Markup, Section, details, facts, number, paragraph, percent, section, table

_EXPLAINED = {
    "optimal": "Within the limits on size and the constraints, no other rule set made of these conditions has a "
    "better objective on the training rows. This is a proof, not an estimate.",
    "lp-optimal": "The search over all possible rules is complete for the relaxed problem, where fractions of "
    "rules are allowed. What is left open is at most the gap.",
    "bounded": "The search over all possible rules did not finish. What is left open is at most the gap.",
    "claimed": "A plugin says that no rule set is better, but rulecg has not confirmed it: this is not a proof.",
    "heuristic": "Good rules were searched for, but there is no proof of how much better others could be.",
    "per-class": "What is proven is about each class's rule set against the rest. Nothing is proven about how well "
    "they do together.",
}
_COVERED_ROWS = {"hamming": "once for each rule that covers it.", "01": "once, however many rules cover it."}


def certificate_section(evidence: Evidence) -> Section:
    """Say what was proven, in plain words, and how the run got there.

    Parameters
    ----------
    evidence
        What the report is about.

    Returns
    -------
    Section
        The section ``certificate``.
    """
    certificate = evidence.model.certificate
    if certificate is None:
        notes = evidence.model.notes or ("The model file holds no certificate.",)
        return section("certificate", "How good can rules get?", *(paragraph(note, class_="warning") for note in notes))
    loss = str(evidence.model.settings.get("loss", "hamming")).partition(":")[0]
    parts: list[Any] = [
        *(paragraph(line, class_="lead") for line in certificate.text.splitlines()),
        paragraph(_EXPLAINED.get(certificate.status, "")),
        paragraph(
            "The objective counts, on the training rows, every missed positive row once and every wrongly covered row "
            + _COVERED_ROWS.get(loss, f"as the loss {loss!r} says.")
            + _costs(evidence.model.settings),
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
                (
                    "wrong training rows" + ("" if evidence.model.is_binary else ", each class against the rest"),
                    number(certificate.errors),
                ),
                ("stopped because", certificate.stop),
                ("rules generated", number(certificate.pool_size)),
                ("seconds", f"{certificate.seconds:.1f}"),
            ]
        )
    )
    return section("certificate", "How good can rules get?", *parts)


def convergence_chart(evidence: Evidence) -> Markup | None:
    """Draw relaxation, proven bound and best objective over time.

    Parameters
    ----------
    evidence
        What the report is about.

    Returns
    -------
    Markup or None
        The chart; None unless one rule set was learned and its history is known.
    """
    certificate = evidence.model.certificate
    if certificate is None or not certificate.history or not evidence.model.is_binary:
        return None
    history = certificate.history

    def series(name: str) -> tuple[tuple[float, float], ...]:
        rounds = (r for r in history if r.get(name) is not None and r.get("seconds") is not None)
        return tuple((float(r["seconds"]), float(r[name])) for r in rounds)

    relaxation = series("relaxation")
    if not relaxation:
        return None
    end = max(certificate.seconds, relaxation[-1][0])
    best = (*series("incumbent"), (end, certificate.objective))
    bounds = series("lower_bound")
    if certificate.lower_bound is not None:
        bounds = (*bounds, (end, certificate.lower_bound))
    lines = [Line("best rule set", "best", best, steps=True), Line("relaxation", "relaxation", relaxation)]
    if bounds:
        lines.append(Line("proven bound", "bound", bounds, steps=True))
    summary = (
        f"Over {end:.1f} seconds the relaxation fell from {number(relaxation[0][1])} to "
        f"{number(relaxation[-1][1])}; the best rule set ended at {number(certificate.objective)}."
    )
    return line_chart([line for line in lines if line.points], "seconds", "objective", summary)


def path_section(path: Any, chosen: float | None) -> Section:
    """Show how accuracy grows with the complexity allowed.

    Parameters
    ----------
    path
        The table that ``rulecg path`` writes.
    chosen
        The complexity that the model was learned with, if known.

    Returns
    -------
    Section
        The section ``path``.
    """
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
    return section("path", "Accuracy and size", chart, details("The numbers", table(head, rows, "")))


def _costs(settings: Mapping[str, Any]) -> str:
    """What an error counts, where not all count the same."""
    given = [name for name in ("costs", "class_weight", "teacher") if settings.get(name) is not None]
    if not given:
        return ""
    listed = ", ".join(f"{name.replace('_', ' ')}: {settings[name]}" for name in given)
    return f" What each of them costs follows from the settings ({listed})."
