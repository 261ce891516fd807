"""The section on how often the rules are right, here and on the rows that they were learned from."""

from __future__ import annotations

from typing import Any

from attrs import frozen

from ..analysis.intervals import wilson
from .evidence import Evidence
from .page.markup import Markup, Section, counted, number, paragraph, percent, section, table


@frozen
class Share:
    """A share of rows, and what it is a share of."""

    name: str
    meaning: str
    count: int
    total: int

    @property
    def value(self) -> str:
        """The share as a percentage."""
        return percent(self.count / self.total if self.total else None)

    @property
    def interval(self) -> str:
        """Its Wilson interval."""
        found = wilson(self.count, self.total)
        return "–" if found is None else f"{percent(found[0])} to {percent(found[1])}"


def accuracy_section(evidence: Evidence) -> Section:
    """Show accuracy, the confusion table and the shares made from it, with 95 % intervals.

    Parameters
    ----------
    evidence
        What the report is about; its training rows, when they are at hand, are set beside.

    Returns
    -------
    Section
        The section ``accuracy``.
    """
    if evidence.truth is None:
        text = (
            "The table has no column with the recorded outcome, so nothing can be said about accuracy here. Name one "
            "with --target."
        )
        return section("accuracy", "Accuracy", _which_rows(evidence), paragraph(text, class_="note"))
    parts: list[Any] = [_which_rows(evidence)]
    missing = int((~evidence.labelled).sum())
    if missing:
        verb = "is" if missing == 1 else "are"
        parts.append(paragraph(f"{counted(missing, 'row')} without a recorded outcome {verb} left out.", class_="note"))
    counts, unknown = _confusion(evidence)
    classes = evidence.model.classes
    rows = [[f"recorded: {t}", *(number(counts[t, p]) for p in classes)] for t in classes]
    parts.append(table(["", *(f"predicted: {p}" for p in classes)], rows, "Rows by recorded and predicted outcome"))
    if unknown:
        verb = "has" if unknown == 1 else "have"
        text = f"{counted(unknown, 'row')} {verb} an outcome that the model does not know."
        parts.append(paragraph(text, class_="warning"))
    parts.append(_shares_table(evidence))
    return section("accuracy", "Accuracy", *parts)


def _confusion(evidence: Evidence) -> tuple[dict[tuple[Any, Any], int], int]:
    """Rows by recorded and predicted class, and how many have a class that the model does not know."""
    assert evidence.truth is not None
    known = evidence.labelled
    counts = {(t, p): 0 for t in evidence.model.classes for p in evidence.model.classes}
    unknown = 0
    for pair in zip(evidence.truth[known].tolist(), evidence.predicted[known].tolist(), strict=True):
        if pair in counts:
            counts[pair] += 1
        else:
            unknown += 1
    return counts, unknown


def _shares(evidence: Evidence) -> list[Share]:
    counts, unknown = _confusion(evidence)
    classes = evidence.model.classes
    total = sum(counts.values()) + unknown
    recorded = {label: sum(counts[label, p] for p in classes) for label in classes}
    most = max(classes, key=lambda label: recorded[label])
    shares = [
        Share("accuracy", "rows predicted as recorded", evidence.n_right, total),
        Share(f"always saying {most}", "for comparison: the same for every row", recorded[most], total),
    ]
    if not evidence.model.is_binary:
        return shares
    negative, positive = classes
    hit, wrong = counts[positive, positive], counts[negative, positive]
    missed, rest = counts[positive, negative], counts[negative, negative]
    return [
        *shares,
        Share("precision", f"of the rows predicted {positive}, recorded so", hit, hit + wrong),
        Share("recall", f"of the rows recorded {positive}, predicted so", hit, hit + missed),
        Share("false positive rate", f"of the rows recorded {negative}, predicted {positive}", wrong, wrong + rest),
    ]


def _shares_table(evidence: Evidence) -> Markup:
    shares = _shares(evidence)
    head = ["", "meaning", "share", "95 % interval"]
    rows = [[share.name, share.meaning, share.value, share.interval] for share in shares]
    caption = "Shares with Wilson intervals"
    training = evidence.training
    if training is None or training.truth is None:
        return table(head, rows, caption, numbers_from=2)
    # "Always saying …" may name another class there: it is compared by its place.
    beside = _shares(training)
    for row, share in zip(rows, beside, strict=True):
        row += [share.value, share.interval]
    head += ["training rows", "95 % interval"]
    caption += f"; {counted(len(training.table), 'training row')} beside {counted(len(evidence.table), 'row')} here"
    return table(head, rows, caption, numbers_from=2)


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
