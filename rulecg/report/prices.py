"""The section on what the bounds cost."""

from __future__ import annotations

from .evidence import Evidence
from .page.markup import Section, counted, details, number, paragraph, section, table

MOST_BOUNDS = 100
FREE = 1e-7
"""A bound with a smaller dual costs nothing."""


def price_section(evidence: Evidence) -> Section | None:
    """Say what the bounds cost: the duals of the last relaxation.

    Parameters
    ----------
    evidence
        What the report is about.

    Returns
    -------
    Section or None
        The section ``price``; None when there were no bounds or nothing is known about them.
    """
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
        parts.append(details(f"{counted(len(free), 'bound')} without a cost", shown))
    return section("price", "The price of the constraints", *parts)
