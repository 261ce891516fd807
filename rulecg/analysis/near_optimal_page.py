"""The page of near-optimal rule sets: a picture and a list that one can filter by column, size and fairness."""

from __future__ import annotations

import base64
import hashlib
import json
import math
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from ..report.page.markup import Markup, counted, percent, render

if TYPE_CHECKING:
    from .near_optimal import NearOptimalSets

MOST_SHOWN = 3_000
"""So many rule sets, the ones with the least objective, are on the page."""


def build_page(found: NearOptimalSets, title: str | None = None) -> str:
    """Write a self-contained HTML page about near-optimal rule sets.

    Parameters
    ----------
    found : NearOptimalSets
        What :func:`rulecg.near_optimal` found.
    title : str or None
        The heading.

    Returns
    -------
    str
        The page; it loads nothing, and runs only the script that filters.

    Examples
    --------
    >>> import pandas as pd
    >>> from rulecg import RuleSetClassifier, near_optimal
    >>> rows = pd.DataFrame({"income": [20, 30, 60, 80] * 25})
    >>> classifier = RuleSetClassifier(max_complexity=2).fit(rows, rows["income"] > 50)
    >>> build_page(near_optimal(classifier, rows, rows["income"] > 50)).splitlines()[0]
    '<!DOCTYPE html>'
    """
    table = found.table(MOST_SHOWN)
    gaps = [name for name in found.facts.gaps if name in table]
    columns: dict[str, None] = {}
    sets: list[dict[str, Any]] = []
    for at, line in enumerate(table.to_dict("records")):
        own = found.facts.columns(found.rules(at))
        columns.update(dict.fromkeys(own))
        texts = float(line["texts"])
        sets.append(
            {
                "objective": line["objective"],
                "errors": line["errors"],
                "values": [line["complexity"], *(round(line[name], 6) for name in gaps)],
                "columns": own,
                "texts": None if math.isnan(texts) else int(texts),
                "text": line["rule_set"],
            }
        )
    script = files("rulecg.report").joinpath("templates/near_optimal.js").read_text(encoding="utf-8")
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    data = {"sets": sets, "columns": list(columns), "measures": ["complexity", *gaps]}
    shown = f"Shown are {counted(len(sets), 'rule set')}"
    shown += f" of {len(found):,}, those with the least objective." if len(sets) < len(found) else "."
    return str(
        render(
            "near_optimal.html",
            title=title or f"Rule sets about as good: “{found.goal.problem.outcome}”",
            cards=_cards(found),
            statement=found.statement(),
            facts=_facts(found),
            ranges=[(str(n), percent(a), percent(b)) for n, a, b in found.gap_ranges().itertuples(index=False)],
            shown=shown,
            script=Markup(script),
            script_hash=digest,
            # Within a script element only this character could end it.
            data=Markup(json.dumps(data).replace("<", "\\u003c")),
        )
    )


def _cards(found: NearOptimalSets) -> list[tuple[str, str]]:
    cards = [(f"{len(found):,}", "families of rule sets" if found.complete else "families found, at least")]
    measured = found.disagreement()
    if not math.isnan(measured["ambiguity"]):
        cards.append((percent(measured["ambiguity"]), "of rows get another answer from some of them"))
        cards.append((percent(measured["discrepancy"]), "of rows at most differ between one of them and the best"))
    return cards


def _facts(found: NearOptimalSets) -> list[str]:
    always = found.always()
    if not len(found):
        return []
    columns = ", ".join(always["columns"]) or "none"
    conditions = "; ".join(always["conditions"]) or "none"
    whose = "every one of them" if found.complete else "every one that was found"
    return [f"Columns in {whose}: {columns}.", f"Conditions in {whose}, in whatever text: {conditions}."]
