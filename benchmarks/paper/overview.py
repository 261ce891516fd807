"""The data overview, and the certificate of transfusion."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from rulecg import Binarizer

from . import ours
from .cells import Cell, Key
from .data import FAIR, LARGE, SMALL, Fold, dataset
from .experiment import Experiment, Request
from .pages import Page
from .published import figure


def count(key: Key, settings: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Rows, columns and decile conditions of one data set."""
    data = dataset(key["data"])
    sensitive = "" if data.sensitive is None else ", ".join(data.sensitive.columns)
    n_conditions = len(Binarizer().fit(data.data).conditions_)
    share = float(np.mean(data.target))
    return [
        {"samples": len(data.data), "columns": data.data.shape[1], "conditions": n_conditions, "positives": share}
        | {"sensitive": sensitive}
    ]


class Overview(Experiment):
    """Samples and binarized features of every data set."""

    name = "data"
    title = "Data sets"
    printed = "Tables 'Overview of data sets' and 'Overview of fairness data sets' (appendix)"
    store = "data"
    sets = tuple(dict.fromkeys((*SMALL, *LARGE, *FAIR)))
    measure = staticmethod(count)

    def cells(self, request: Request) -> list[Cell]:
        return [Cell({"data": name}, {}) for name in self.wanted_sets(request)]

    def report(self, lines: pd.DataFrame, page: Page, request: Request) -> None:
        measured = lines.set_index("data").to_dict("index") if len(lines) else {}
        rows = []
        for name in request.sets or self.sets:
            table = "data" if figure("data", name, "paper", "samples") else "data-fair"
            printed = [figure(table, name, "paper", what) for what in ("samples", "binarized features")]
            own = measured.get(name, {})
            rows.append(
                {
                    "data": name,
                    "samples": own.get("samples", "–"),
                    "paper": "–" if printed[0] is None else int(printed[0].mean),
                    "columns": own.get("columns", "–"),
                    "conditions": own.get("conditions", "–"),
                    "paper's binarized features": "–" if printed[1] is None else int(printed[1].mean),
                    "positives": f"{own['positives']:.3f}" if own else "–",
                    "sensitive": own.get("sensitive") or "–",
                }
            )
        note = (
            "Conditions are counted with their opposites; the paper's count is mostly one more. Conditions that hold "
            "for every row or for none are left out here."
        )
        table = pd.DataFrame(rows)
        page.with_notes([note], self.absent_sets(request)).write(table, {"": table})


def prove(key: Key, settings: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The best rule set on all rows, and what is proven about it."""
    fold = Fold.of(key["data"], 0, 2)
    return [ours.certificate(fold, key["C"], seconds=settings["seconds"], threads=settings["threads"])]


class Certificate(Experiment):
    """The optimality gap on transfusion at C = 15."""

    name = "certificate"
    title = "What is proven about transfusion at C = 15"
    printed = "in the text of section Classification: a gap of at most 0.7 %"
    store = "certificate"
    sets = ("transfusion",)
    measure = staticmethod(prove)

    def cells(self, request: Request) -> list[Cell]:
        seconds = max(60.0, request.protocol.path_seconds)
        settings = {"seconds": seconds, "threads": request.protocol.threads}
        return [Cell({"data": name, "C": 15}, settings) for name in self.wanted_sets(request)]

    def report(self, lines: pd.DataFrame, page: Page, request: Request) -> None:
        printed = [figure("certificate", name, "CG", "gap in percent at 15") for name in lines["data"]]
        table = lines.drop(columns="rules", errors="ignore").assign(
            **{
                "gap in percent": 100 * lines["gap"],
                "paper's": [None if each is None else each.mean for each in printed],
            }
        )
        texts = [f"The rule set for {line['data']}:\n\n```\n{line['rules']}\n```" for _, line in lines.iterrows()]
        page.with_notes(texts).write(table, {"": table.drop(columns="gap")})
