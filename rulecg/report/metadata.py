"""What no table can tell: what a model is for, whose it is, where its data came from, and who watches over it."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, datetime
from pathlib import Path
from typing import Any

from attrs import field, frozen

from rulecg_core import ConfigurationError, UnknownNameError

from ..inputs.toml_files import read_toml
from .page.markup import Markup, Section, element, facts, paragraph, section, table

QUESTIONS = {
    "system": "system",
    "purpose": "intended purpose",
    "provider": "provider",
    "contact": "contact",
    "version": "version",
    "provenance": "where the data come from",
    "limitations": "known limitations",
    "oversight": "human oversight",
}
"""What a metadata file may say in a sentence, and how the report calls it (EU AI Act, Annex IV)."""
_CHANGE = ("date", "version", "text")


@frozen
class Metadata:
    """Statements about a model by those who answer for it."""

    answers: Mapping[str, str] = field(factory=dict)
    """By the name of the question in ``QUESTIONS``."""
    dates: Mapping[str, str] = field(factory=dict)
    """Such as ``learned`` and ``review due``."""
    changes: tuple[Mapping[str, str], ...] = ()
    """The change log: date, version and text of each."""


def read_metadata(path: Path | str) -> Metadata:
    """Read statements about a model from a TOML file.

    Parameters
    ----------
    path
        A file with any of the names in ``QUESTIONS``, a table ``[dates]``, and ``[[changes]]`` with date, version and
        text.

    Returns
    -------
    Metadata
        What it says.

    Raises
    ------
    ConfigurationError
        When the file cannot be read or says something else; the message names it.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = pathlib.Path(folder, "about.toml")
    ...     _ = file.write_text('purpose = "Decide who is called back."\\n[dates]\\nlearned = 2024-05-01\\n')
    ...     read_metadata(file).dates
    {'learned': '2024-05-01'}
    """
    document = read_toml(path)
    for name in document:
        if name not in (*QUESTIONS, "dates", "changes"):
            raise ConfigurationError(f"{path}: {UnknownNameError('entry', name, [*QUESTIONS, 'dates', 'changes'])}")
    dates = document.get("dates", {})
    changes = document.get("changes", [])
    if not isinstance(dates, dict) or not isinstance(changes, list) or not all(isinstance(c, dict) for c in changes):
        raise ConfigurationError(f"{path}: 'dates' must be a table, [dates], and 'changes' tables, [[changes]].")
    for change in changes:
        for name in change:
            if name not in _CHANGE:
                raise ConfigurationError(f"{path}: {UnknownNameError('entry of a change', name, _CHANGE)}")
    return Metadata(
        answers={name: _text(document[name], name, path) for name in QUESTIONS if name in document},
        dates={name: _text(value, name, path) for name, value in dates.items()},
        changes=tuple({name: _text(change.get(name, "–"), name, path) for name in _CHANGE} for change in changes),
    )


def _text(value: Any, name: str, path: Path | str) -> str:
    if isinstance(value, bool) or not isinstance(value, (str, int, float, date, datetime)):
        raise ConfigurationError(f"{name!r} in {path} must be text or a date.")
    return str(value)


def metadata_section(metadata: Metadata) -> Section:
    """Show the statements; what is not stated is said, too.

    Parameters
    ----------
    metadata
        What the metadata file says.

    Returns
    -------
    Section
        The section ``about``.
    """
    missing = [words for name, words in QUESTIONS.items() if name not in metadata.answers]
    said = [(words, metadata.answers[name]) for name, words in QUESTIONS.items() if name in metadata.answers]
    parts: list[Markup] = [facts([*said, *((name.replace("_", " "), when) for name, when in metadata.dates.items())])]
    if missing:
        parts.append(paragraph(f"Not stated: {', '.join(missing)}.", class_="note"))
    if metadata.changes:
        rows = [[change[name] for name in _CHANGE] for change in metadata.changes]
        parts += [element("h3", "Changes"), table(list(_CHANGE), rows, "Change log", numbers_from=3)]
    return section("about", "About this model", *parts)
