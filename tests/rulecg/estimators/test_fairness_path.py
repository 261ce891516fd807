"""The frontier of accuracy, fairness and size."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

from rulecg.estimators.fairness_path import fairness_path, plot_fairness_path
from rulecg_core import ConfigurationError, UnknownNameError
from rulecg_fairness import gaps


@pytest.fixture(scope="module")
def people() -> dict[str, Any]:
    rng = np.random.default_rng(0)
    n = 300
    sex = rng.choice(["f", "m"], n)
    skill = rng.normal(size=n) + 0.5 * (sex == "m")
    X = pd.DataFrame({"skill": skill.round(1), "years": rng.integers(0, 10, n), "sex": sex})
    return {"X": X, "y": skill + rng.normal(scale=0.7, size=n) > 0.3, "sensitive_features": X["sex"]}


@pytest.fixture(scope="module")
def path(people: dict[str, Any]) -> pd.DataFrame:
    return fairness_path(**people, eps_grid=[0.05, 1.0], complexities=[3, 8], time_limit=6, pricers=["beam"])


def test_every_point_keeps_its_bounds(path: pd.DataFrame, people: dict[str, Any]) -> None:
    """The gap, counted anew with the metrics, is the one in the table and at most eps; so are size and accuracy."""
    assert len(path) == 4
    for point in path.itertuples():
        y_pred = point.rule_set.predict(people["X"])
        table = gaps(people["y"], y_pred, sensitive_features=people["sensitive_features"])
        assert table.loc["equalized_odds_difference", "gap"] == pytest.approx(point.gap)
        assert point.gap <= point.eps + 1e-9
        assert point.rule_set.complexity == point.complexity <= point.max_complexity
        assert point.accuracy == pytest.approx((y_pred == people["y"]).mean())


def test_looser_bounds_are_never_worse(path: pd.DataFrame) -> None:
    """What a tight bound allows, a looser one allows too: accuracy never falls with eps or complexity."""
    grid = path.pivot(index="max_complexity", columns="eps", values="accuracy").sort_index().sort_index(axis=1)
    assert (np.diff(grid, axis=0) >= 0).all()
    assert (np.diff(grid, axis=1) >= 0).all()


def test_bounds_and_statuses_are_those_of_the_runs(path: pd.DataFrame) -> None:
    """No objective lies below its bound, and statuses are the usual words."""
    assert (path["lower_bound"].isna() | (path["lower_bound"] <= path["objective"] + 1e-9)).all()
    assert set(path["status"]) <= {"optimal", "lp-optimal", "bounded", "heuristic"}


def test_a_floor_that_cannot_be_reached_is_told(people: dict[str, Any]) -> None:
    """Where no rule set keeps the bound, the line says infeasible and has no rule set."""
    table = fairness_path(
        **people, constraint="group-recall-floor", eps_grid=[1.0], complexities=[0], time_limit=4, pricers=["beam"]
    )
    assert table["status"].tolist() == ["infeasible"]
    assert table["rule_set"].tolist() == [None]


def test_plots_one_line_for_each_complexity(path: pd.DataFrame) -> None:
    """The plot shows accuracy against the true gap."""
    pytest.importorskip("matplotlib").use("Agg")
    ax = plot_fairness_path(path)
    assert [line.get_label() for line in ax.get_lines()] == ["complexity ≤ 3", "complexity ≤ 8"]
    assert ax.get_xlabel() == "true gap between groups"


@pytest.mark.parametrize(
    ("changes", "error", "message"),
    [
        ({"constraint": "equalized-odds:0.1"}, ConfigurationError, "bounds are given by eps_grid"),
        ({"constraint": "equalised-odds"}, UnknownNameError, "Did you mean 'equalized-odds'"),
        ({"eps_grid": []}, ConfigurationError, "at least one value"),
        ({"forbid_features": ["gender"]}, UnknownNameError, "Unknown column 'gender'"),
        ({"y": np.arange(300) % 3}, ConfigurationError, "two classes"),
    ],
)
def test_refuses_what_makes_no_path(
    people: dict[str, Any], changes: dict[str, Any], error: type[Exception], message: str
) -> None:
    """Bounds in two places, unknown names, empty grids and labels of several classes are refused."""
    with pytest.raises(error, match=message):
        fairness_path(**{**people, **changes})
