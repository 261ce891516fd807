"""Putting the report together."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from attrs import evolve, frozen

from rulecg_core import load_registry

from ..inputs.sensitive_columns import column_of
from ..model.model import Model
from .accuracy import accuracy_section
from .audits import GROUPS, audit_sections
from .card import card_section, stability_section
from .certificate import certificate_section, path_section
from .changes import changes_section
from .evidence import Evidence
from .expected import expected_section
from .metadata import Metadata, metadata_section
from .page.markup import Section, counted, percent, render
from .prices import price_section
from .rules import reasons_section, rules_section

if TYPE_CHECKING:
    import pandas as pd

_STATUS = {
    "optimal": "Proven best possible",
    "lp-optimal": "Relaxation solved",
    "bounded": "Bound known",
    "claimed": "Claimed, not proven",
    "heuristic": "Nothing proven",
    "per-class": "Each class by itself",
}


@frozen(eq=False)
class Supplements:
    """What a report may show beside the model and the table."""

    path: pd.DataFrame | None = None
    """A table of :func:`rulecg.complexity_path`: accuracy against size."""
    stability: pd.DataFrame | None = None
    """A table of :func:`rulecg.rule_stability`."""
    alternatives: pd.DataFrame | None = None
    """A table of :func:`rulecg.alternative_rules`."""
    training: pd.DataFrame | None = None
    """The rows that the model was learned from, to be set beside the others."""
    metadata: Metadata | None = None
    """What those who answer for the model say about it."""


def build_report(
    model: Model,
    table: pd.DataFrame,
    *,
    target: str | None = None,
    sensitive: Sequence[str] | None = None,
    title: str | None = None,
    supplements: Supplements | None = None,
) -> str:
    """Write a self-contained HTML page about a model on a table.

    Parameters
    ----------
    model
        The model.
    table
        The rows to report on, best such that the model has not seen.
    target
        The column with the recorded outcome; the one learned from unless given.
    sensitive
        The columns that define groups; those learned with unless given.
    title
        The heading of the page.
    supplements
        What else to show.

    Returns
    -------
    str
        The page, which loads nothing and runs nothing.

    Raises
    ------
    ConfigurationError
        When a column is not there, or not what the rules need.

    Examples
    --------
    >>> from rulecg import RuleSetClassifier, build_report, datasets
    >>> from rulecg.model.model_file import to_model
    >>> data, target, _ = datasets.load("tic-tac-toe")
    >>> model = to_model(RuleSetClassifier(max_complexity=32).fit(data, target), target="wins")
    >>> build_report(model, data.assign(wins=target)).splitlines()[0]
    '<!DOCTYPE html>'
    """
    extra = supplements or Supplements()
    evidence = Evidence.of(model, table, target, sensitive, extra.training)
    heading = title or f"Rules for “{model.rule_sets[0].outcome if model.is_binary else model.target or 'classes'}”"
    page = render(
        "page.html",
        title=heading,
        warnings=_warnings(evidence),
        cards=_cards(evidence),
        sections=_sections(evidence, extra),
    )
    return str(page)


def _sections(evidence: Evidence, extra: Supplements) -> list[Section]:
    audits = audit_sections(evidence, load_registry())
    chosen = evidence.model.settings.get("max_complexity")
    limit = float(chosen) if isinstance(chosen, (int, float)) else None
    wanted = [
        None if extra.metadata is None else metadata_section(extra.metadata),
        None if evidence.model.expected is None else expected_section(evidence.model.expected),
        rules_section(evidence),
        changes_section(evidence.model),
        reasons_section(evidence),
        accuracy_section(evidence),
        certificate_section(evidence),
        None if extra.path is None else path_section(extra.path, limit),
        audits.pop(GROUPS),
        price_section(evidence),
        None if extra.stability is None else stability_section(extra.stability, extra.alternatives),
    ]
    sections = {found.identity: found for found in wanted if found is not None}
    for found in audits.values():
        # An audit may join a section of ours or bring its own.
        there = sections.get(found.identity)
        sections[found.identity] = found if there is None else evolve(there, children=there.children + found.children)
    return [*sections.values(), card_section(evidence)]


def _warnings(evidence: Evidence) -> list[str]:
    """What readers must know before anything else."""
    groups = evidence.sensitive.columns if evidence.sensitive is not None else ()
    names = [*evidence.model.sensitive_columns, *(column_of(name, evidence.table.columns) for name in groups)]
    used = [name for name in dict.fromkeys(map(str, names)) if name in evidence.model.columns]
    if not used:
        return []
    return [
        f"The rules decide by {'a sensitive column' if len(used) == 1 else 'sensitive columns'}: {', '.join(used)}."
    ]


def _cards(evidence: Evidence) -> list[tuple[str, str]]:
    """The numbers that people ask for first, what to expect on new rows before all others."""
    model = evidence.model
    expected = model.expected
    first = [] if expected is None else [
        (percent(expected.accuracy.value), "accuracy expected on new rows"),
        (percent(expected.majority_accuracy), f"for always saying {expected.majority}"),
    ]
    n_rules = sum(len(rule_set) for rule_set in model.rule_sets)
    cards = [*first, (str(n_rules), "rules" if n_rules != 1 else "rule")]
    cards.append((str(sum(rule_set.complexity for rule_set in model.rule_sets)), "rules and conditions together"))
    if evidence.truth is not None:
        total = int(evidence.labelled.sum())
        if total:
            which = "training accuracy" if evidence.is_training_data else "accuracy"
            cards.append((percent(evidence.n_right / total), f"{which} on {counted(total, 'row')}"))
    if model.certificate is not None:
        gap = "" if model.certificate.gap is None else f", gap {percent(model.certificate.gap)}"
        cards.append((_STATUS.get(model.certificate.status, model.certificate.status), f"certificate{gap}"))
    return cards
