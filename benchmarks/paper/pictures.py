"""Figures as SVG, drawn from the same lines as the tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from .summaries import front_of

_STYLES = "osD^vP*Xhd"


def _axes(n: int, columns: int = 4) -> tuple[Any, list[Any]]:
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    columns = min(columns, max(n, 1))
    rows = -(-max(n, 1) // columns)
    figure, axes = plt.subplots(rows, columns, figsize=(3.6 * columns, 3.0 * rows), squeeze=False)
    flat = list(axes.flat)
    for ax in flat[n:]:
        ax.set_visible(False)
    return figure, flat


def _save(figure: Any, path: Path) -> str:
    import matplotlib.pyplot as plt

    # The same lines give the same file, whenever it is drawn.
    plt.rcParams["svg.hashsalt"] = "rulecg"
    figure.tight_layout()
    figure.savefig(path, metadata={"Date": None})
    plt.close(figure)
    return path.name


def fronts(
    points: Mapping[str, pd.DataFrame], path: Path, *, cost: str, value: str, labels: tuple[str, str]
) -> str:
    """One panel per title: every learner's points with error bars where known, the best ones joined by a line."""
    figure, axes = _axes(len(points))
    for ax, (title, table) in zip(axes, points.items(), strict=False):
        for (learner, own), style in zip(table.groupby("learner", sort=False), _STYLES, strict=False):
            best = front_of(own, cost, value)
            (drawn,) = ax.plot(best[cost], best[value], linewidth=1)
            ax.errorbar(
                own[cost], own[value], xerr=own.get(f"{cost} error"), yerr=own.get(f"{value} error"), fmt=style,
                markersize=3, linewidth=0.6, color=drawn.get_color(), label=str(learner),
            )  # fmt: skip
        ax.set_title(title, fontsize=9)
        ax.set_xlabel(labels[0], fontsize=8)
        ax.set_ylabel(labels[1], fontsize=8)
        ax.tick_params(labelsize=7)
        ax.legend(fontsize=6)
    return _save(figure, path)


def violins(lines: pd.DataFrame, path: Path) -> str:
    """Training and test accuracy over random splits, Hamming loss beside 0-1 loss, one panel per data set."""
    names = list(dict.fromkeys(lines["data"]))
    figure, axes = _axes(len(names))
    for ax, name in zip(axes, names, strict=False):
        shown = lines[lines["data"] == name]
        places, values = [], []
        for place, (part, learner) in enumerate([(p, k) for p in ("train", "test") for k in ("Hamming", "0-1")]):
            own = shown.loc[shown["learner"] == learner, part].dropna()
            if len(own):
                places.append(place)
                values.append(100 * own.to_numpy())
        if values:
            ax.violinplot(values, positions=places, showmeans=True)
            for place, dots in zip(places, values, strict=True):
                ax.scatter([place] * len(dots), dots, s=4, color="black", zorder=3)
        ax.set_xticks(range(4), ["train\nHamming", "train\n0-1", "test\nHamming", "test\n0-1"], fontsize=7)
        ax.set_title(name, fontsize=9)
        ax.set_ylabel("accuracy in percent", fontsize=8)
    return _save(figure, path)


def curves(
    panels: Mapping[str, pd.DataFrame], path: Path, *, x: str, lines: Mapping[str, str], labels: tuple[str, str],
    diagonal: bool = False,
) -> str:  # fmt: skip
    """One panel per title: named columns of a table (already means) against one of its columns."""
    figure, axes = _axes(len(panels), columns=3)
    for ax, (title, table) in zip(axes, panels.items(), strict=False):
        for column, label in lines.items():
            if column in table:
                ax.plot(table[x], table[column], marker="o", markersize=3, linewidth=1, label=label)
        if diagonal:
            ends = [float(table[x].min()), float(table[x].max())]
            ax.plot(ends, ends, color="grey", linewidth=0.8)
        ax.set_title(title, fontsize=9)
        ax.set_xlabel(labels[0], fontsize=8)
        ax.set_ylabel(labels[1], fontsize=8)
        ax.legend(fontsize=6)
    return _save(figure, path)


def mean_points(lines: pd.DataFrame, by: Sequence[str], columns: Sequence[str]) -> pd.DataFrame:
    """Means over folds with their standard errors (as ``<column> error``)."""
    grouped = lines.groupby(list(by), sort=False, dropna=False)[list(columns)]
    errors = grouped.sem().fillna(0.0).add_suffix(" error")
    return pd.concat([grouped.mean(), errors], axis=1).reset_index()
