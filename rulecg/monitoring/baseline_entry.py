"""The counts of training rows as a model file holds them."""

from __future__ import annotations

from rulecg_core import ConfigurationError

from ..model.document import BaselineEntry, GroupEntry, ModelDocument
from .baseline import Baseline


def baseline_entry(baseline: Baseline) -> BaselineEntry:
    """Give what a model file holds of a baseline."""
    return BaselineEntry(
        rows=baseline.n_rows,
        conditions=list(baseline.conditions),
        fired=[list(own) for own in baseline.fired],
        right=[list(own) for own in baseline.right],
        predicted_rightly=baseline.n_right,
        sensitive=list(baseline.sensitive),
        groups=[GroupEntry(list(labels), counts) for labels, counts in baseline.groups],
    )


def baseline_of(entry: BaselineEntry, document: ModelDocument) -> Baseline:
    """Read a baseline; counts that do not fit the rules and conditions of the document are refused.

    Parameters
    ----------
    entry : BaselineEntry
        What the file holds.
    document : ModelDocument
        The rest of the file.

    Returns
    -------
    Baseline
        The counts.

    Raises
    ------
    ConfigurationError
        When they are not as many as rules, conditions and sensitive columns, or some are impossible.
    """
    sizes = [len(rule_set.rules) for rule_set in document.rule_sets]
    fits = (
        len(entry.conditions) == len(document.binarization)
        and [len(own) for own in entry.fired] == sizes == [len(own) for own in entry.right]
        and all(len(group.labels) == len(entry.sensitive) for group in entry.groups)
    )
    counts = [*entry.conditions, entry.predicted_rightly, *(count for own in entry.fired for count in own)]
    if not fits or any(count > entry.rows for count in counts) or any(map(_exceeds, entry.right, entry.fired)):
        raise ConfigurationError("'baseline' does not fit the rules and conditions of the file.")
    return Baseline(
        n_rows=entry.rows,
        conditions=tuple(entry.conditions),
        fired=tuple(map(tuple, entry.fired)),
        right=tuple(map(tuple, entry.right)),
        n_right=entry.predicted_rightly,
        sensitive=tuple(entry.sensitive),
        groups=tuple((tuple(group.labels), group.counts) for group in entry.groups),
    )


def _exceeds(right: list[int], fired: list[int]) -> bool:
    return any(more > all_of_them for more, all_of_them in zip(right, fired, strict=True))
