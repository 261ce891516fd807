"""Pages of results: Markdown beside CSV, with the command that made them and the limits it had."""

from __future__ import annotations

import math
import platform
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from attrs import asdict, evolve, frozen

from .protocol import Protocol


@frozen(eq=False)
class Page:
    """Where a table goes, and how it was made."""

    folder: Path
    name: str
    title: str
    command: str
    protocol: Protocol
    notes: Sequence[str] = ()

    def with_notes(self, *notes: Sequence[str]) -> Page:
        """The same page with further paragraphs at its end."""
        return evolve(self, notes=(*self.notes, *(note for group in notes for note in group)))

    def path(self, suffix: str) -> Path:
        """A file of this page."""
        self.folder.mkdir(parents=True, exist_ok=True)
        return self.folder / f"{self.name}{suffix}"

    def write(
        self,
        summary: pd.DataFrame,
        shown: Mapping[str, pd.DataFrame],
        *,
        cells: pd.DataFrame | None = None,
        pictures: Sequence[str] = (),
    ) -> Path:
        """Write the summary (and the cells) as CSV, and what is shown as Markdown with all that a reader must know."""
        summary.to_csv(self.path(".csv"), index=False, float_format="%.6g")
        if cells is not None:
            cells.to_csv(self.path("-cells.csv"), index=False, float_format="%.6g")
        load = f" {_load(cells)}" if cells is not None and "load" in cells else ""
        limits = ", ".join(f"{name.replace('_', ' ')} {value}" for name, value in asdict(self.protocol).items())
        parts = [
            f"# {self.title}",
            f"Made by `{self.command}` with Python {platform.python_version()} on {platform.machine()}. The paper's "
            f"protocol: `python -m benchmarks.paper {self.name} --full`. Limits of this run: {limits}.{load}",
            *(f"![{self.title}]({picture})" for picture in pictures),
        ]
        for heading, table in shown.items():
            parts += [f"## {heading}" if heading else "", markdown(table)]
        path = self.path(".md")
        path.write_text("\n\n".join(part for part in [*parts, *self.notes] if part) + "\n", encoding="utf-8")
        return path


def _load(cells: pd.DataFrame) -> str:
    """How busy the machine was."""
    load = cells["load"].dropna()
    return (
        f"While it was measured, {load.min():g} to {load.max():g} processes of the machine wanted to run at a time, "
        f"{load.median():g} in the median."
        if len(load)
        else ""
    )


def markdown(table: pd.DataFrame) -> str:
    """The table in Markdown; dashes where there is nothing."""
    if table.empty:
        return "Nothing was measured."
    head = " | ".join(map(str, table.columns))
    rule = " | ".join("--:" if pd.api.types.is_numeric_dtype(table[name]) else "---" for name in table.columns)
    rows = (" | ".join(map(_shown, row)) for row in table.itertuples(index=False))
    return "\n".join(f"| {line} |" for line in (head, rule, *rows))


def _shown(value: Any) -> str:
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return "–"
    return f"{value:.4g}" if isinstance(value, (float, np.floating)) else str(value).replace("|", "\\|")


def reasons(lines: pd.DataFrame, by: Sequence[str]) -> list[str]:
    """One sentence for every learner and data set that came to nothing, with why."""
    if "reason" not in lines:
        return []
    missing = lines[lines["reason"].notna()]
    told = {
        f"{' on '.join(map(str, key))}: {part['reason'].iloc[0]} ({len(part)} of the cells)."
        for key, part in missing.groupby(list(by))
    }
    return ["Not measured:\n\n" + "\n".join(f"* {line}" for line in sorted(told))] if told else []
