"""Sections made of audits: tables of evidence that plugins register, each saying where it belongs and what it needs.

An audit is registered with ``register(name, function, section=…, title=…, order=…, needs=…)`` and called as
``function(y_true, y_pred, **what_it_needs)``. Nothing here knows one by name.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from attrs import frozen

from rulecg_core import ConfigurationError, Registry, RulecgError
from rulecg_core.plugins.registry import Entry

from .audit_table import audit_markup
from .evidence import Evidence
from .page.markup import Markup, Section, element, paragraph, section

if TYPE_CHECKING:
    from rulecg_core.base.arrays import BoolArray

GROUPS = "fairness"
"""The section on groups, which is in every report."""
_TITLES = {GROUPS: "Groups"}
_UNPLACED = 1000
"""Audits that do not say where come last."""


class Absent(ConfigurationError):
    """What an audit needs is not there; the message says why, for readers of the report."""


@frozen(eq=False)
class Rows:
    """What audits are asked about: the rows with a recorded outcome, and the sensitive columns to look at."""

    evidence: Evidence
    registry: Registry
    known: BoolArray
    names: tuple[str, ...]

    def groups(self) -> dict[str, Any]:
        """Give the sensitive columns."""
        if self.evidence.sensitive is None:
            raise Absent("no sensitive columns are known")
        return {"sensitive_features": self.evidence.sensitive.loc[self.known, list(self.names)]}

    def rules(self) -> dict[str, Any]:
        """Give the rules, and the table that they are applied to."""
        return {"rule_set": self.evidence.model.rule_set, "table": self.evidence.table[self.known]}

    def constraints(self) -> dict[str, Any]:
        """Give the bounds that the rules were learned with."""
        wanted = self.evidence.model.settings.get("constraints") or []
        if not wanted:
            raise Absent("The rules were learned without bounds on groups.")
        try:
            return {"constraints": [self.registry.constraint(str(text)) for text in wanted]}
        except RulecgError as error:
            raise Absent(f"The bounds cannot be checked here: {error}") from None

    def new_rows(self) -> dict[str, Any]:
        """Make sure that the rules have not seen these rows."""
        if self.evidence.is_training_data:
            wanted = self.evidence.model.settings.get("constraints") or []
            raise Absent(
                "Only rows that the rules have not seen can tell: make this report with rows that were kept aside."
                + (f" Bounds: {', '.join(map(str, wanted))}." if wanted else "")
            )
        return {}

    def training_groups(self) -> dict[str, Any]:
        """Give what is known of groups in training: their columns, or else the names of the rows that were bounded."""
        training, certificate = self.evidence.training, self.evidence.model.certificate
        if training is not None and training.sensitive is not None:
            return {"training_features": training.sensitive[list(self.names)]}
        if certificate is None or self.names != self.evidence.model.sensitive:
            return {}
        return {"bounded_rows": tuple(str(line["row"]) for line in certificate.constraints)}


NEEDS: dict[str, Callable[[Rows], dict[str, Any]]] = {
    "groups": Rows.groups,
    "rules": Rows.rules,
    "constraints": Rows.constraints,
    "new-rows": Rows.new_rows,
    "training-groups": Rows.training_groups,
}
"""What an audit may need, by the word it says so with, and what it then is given."""


def audit_sections(evidence: Evidence, registry: Registry) -> dict[str, Section]:
    """Make the sections that audits belong to, the one on groups always among them.

    Parameters
    ----------
    evidence
        What the report is about.
    registry
        What plugins offer.

    Returns
    -------
    dict
        Sections by the word with which audits name them.
    """
    placed: dict[str, list[Entry]] = {GROUPS: []}
    for entry in sorted(_placed(registry), key=lambda entry: (entry.placement.get("order", _UNPLACED), entry.name)):
        placed.setdefault(str(entry.placement["section"]), []).append(entry)
    return {name: _section(name, entries, evidence, registry) for name, entries in placed.items()}


def _placed(registry: Registry) -> list[Entry]:
    return [entry for entry in registry if entry.kind == "audit" and entry.placement.get("section")]


def _section(name: str, entries: Sequence[Entry], evidence: Evidence, registry: Registry) -> Section:
    title = _TITLES.get(name, name.replace("-", " ").capitalize())
    identity = "groups" if name == GROUPS else "".join(c if c.isalnum() else "-" for c in name)
    reason = _nothing_to_show(name, entries, evidence)
    if reason is not None:
        return section(identity, title, paragraph(reason, class_="note"))
    known = evidence.labelled
    names = tuple(map(str, evidence.sensitive.columns)) if evidence.sensitive is not None else ()
    rows = Rows(evidence, registry, known, names)
    by_column = [entry for entry in entries if entry.placement.get("by_column")]
    parts: list[Any] = []
    for chosen in [*((column,) for column in names), *([names] if len(names) > 1 else [])] if by_column else []:
        parts.append(element("h3", " and ".join(chosen)))
        for entry in by_column:
            parts += _shown(entry, Rows(evidence, registry, known, chosen))
    for entry in entries:
        if entry not in by_column:
            parts += [element("h3", entry.placement.get("title") or entry.name), *_shown(entry, rows)]
    return section(identity, title, *parts)


def _nothing_to_show(name: str, entries: Sequence[Entry], evidence: Evidence) -> str | None:
    if name == GROUPS and evidence.sensitive is None:
        return "No sensitive columns are known: name them with --sensitive to compare groups."
    if evidence.truth is None or not evidence.model.is_binary:
        reason = "the table has no recorded outcome" if evidence.truth is None else "there are more than two classes"
        return f"Groups are not compared: {reason}." if name == GROUPS else f"Nothing can be shown: {reason}."
    return None if entries else "Groups are not compared: no installed plugin offers a table about them."


def _shown(entry: Entry, rows: Rows) -> list[Markup]:
    """What the audit has to say; one line when it cannot say anything about these rows."""
    evidence = rows.evidence
    try:
        needed: dict[str, Any] = {}
        for need in entry.placement.get("needs", ()):
            if need not in NEEDS:
                raise ConfigurationError(f"it needs {need!r}, but reports can give {', '.join(NEEDS)} only.")
            needed |= NEEDS[need](rows)
        found = entry.factory(evidence.y_true[rows.known], evidence.y_pred[rows.known], **needed)
        if entry.placement.get("by_column"):
            # Beside others under one heading a table needs a name of its own.
            found.attrs.setdefault("caption", entry.placement.get("title") or entry.name)
        return audit_markup(found, evidence.model.rule_set)
    except Absent as error:
        return [paragraph(str(error), class_="note")]
    except Exception as error:  # a stranger's code: anything may come, and the rest of the page must be there
        what = str(error) if isinstance(error, RulecgError) else f"{type(error).__name__}: {error}"
        whose = "" if entry.distribution == "rulecg" else f" of {entry.distribution}"
        return [paragraph(f"The table {entry.name!r}{whose} is not shown: {what}", class_="note")]
