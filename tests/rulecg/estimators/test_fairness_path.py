"""The frontier of accuracy, fairness and size."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from attrs import evolve

from rulecg import Binarizer, RuleSetClassifier
from rulecg.estimators.fairness_path import fairness_path, plot_fairness_path
from rulecg.estimators.recipe import Recipe
from rulecg_core import ConfigurationError, Problem, Result, Status, UnknownNameError
from rulecg_fairness import gaps

BEAM = RuleSetClassifier(pricers=["beam"])


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
    return fairness_path(**people, eps_grid=[0.05, 1.0], complexities=[3, 8], time_limit=6, estimator=BEAM)


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


def test_each_phase_has_its_own_grid(people: dict[str, Any]) -> None:
    """Rules are generated under the first grid alone; every point of the second chooses among them."""
    path = fairness_path(
        **people, eps_grid=[0.0, 0.1, 1.0], complexities=[4, 8], first_eps_grid=[1.0], first_complexities=[8],
        estimator=RuleSetClassifier(pricers=["beam"], start="forest", pricing_time_limit=1.0), time_limit=6,
    )  # fmt: skip
    assert list(path["max_complexity"]) == [4, 4, 4, 8, 8, 8]
    assert (path["gap"] <= path["eps"] + 1e-9).all()
    assert (path["complexity"] <= path["max_complexity"]).all()
    # Only the point where rules were generated may say more than that a search found it.
    assert set(path.loc[:4, "status"]) == {"heuristic"}
    with pytest.raises(ConfigurationError, match="first_eps_grid and first_complexities"):
        fairness_path(**people, first_eps_grid=[])


def test_bounds_and_statuses_are_those_of_the_runs(path: pd.DataFrame) -> None:
    """No objective lies below its bound, and statuses are the usual words."""
    assert (path["lower_bound"].isna() | (path["lower_bound"] <= path["objective"] + 1e-9)).all()
    assert set(path["status"]) <= {"optimal", "lp-optimal", "bounded", "heuristic"}


def test_no_point_forgets_what_another_one_found(
    people: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Runs at looser bounds that end with no rules at all cost nothing: objectives never rise with the bounds."""
    learn, known = Recipe.learn, []

    def learns_once(self: Recipe, problem: Problem, *arguments: Any) -> Result:
        if not known:
            known.append(learn(self, problem, *arguments))
            return known[0]
        worst = float(problem.weights.sum())
        return evolve(
            known[0], rules=(), best_rules=(), rule_set=problem.rule_set(()), objective=worst, errors=worst,
            lower_bound=None, status=Status.HEURISTIC,
        )  # fmt: skip

    monkeypatch.setattr(Recipe, "learn", learns_once)
    table = fairness_path(**people, eps_grid=[1.0], complexities=[4, 8, 12], time_limit=3, estimator=BEAM)
    assert table["objective"].tolist() == [known[0].objective] * 3
    assert table["accuracy"].tolist() == [1 - known[0].errors / 300] * 3
    assert table["status"].tolist()[1:] == ["heuristic", "heuristic"]


def test_the_second_phase_chooses_and_does_not_generate(
    people: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Pricers work in the first phase; in the second no stage but that of known rules is priced."""
    stages: list[tuple[str, ...]] = []
    learn = Recipe.learn

    def watched(self: Recipe, *arguments: Any) -> Any:
        stages.append(tuple(part.name for part in self.pricers))
        return learn(self, *arguments)

    monkeypatch.setattr(Recipe, "learn", watched)
    fairness_path(**people, eps_grid=[0.05, 1.0], complexities=[6], time_limit=4, estimator=BEAM)
    assert stages == [("beam",), ("beam",), ("rules so far",), ("rules so far",)]


def test_the_caller_s_binarizer_stays_as_it_is(people: dict[str, Any]) -> None:
    """A path fits a copy of the estimator's parts."""
    estimator = RuleSetClassifier(binarizer=Binarizer(4), pricers=["beam"])
    fairness_path(**people, eps_grid=[1.0], complexities=[3], time_limit=2, estimator=estimator)
    assert not hasattr(estimator.binarizer, "conditions_")


def test_weights_are_repeated_rows(people: dict[str, Any]) -> None:
    """Whole-number weights give the accuracy and the gap of repeated rows."""
    weights = np.random.default_rng(1).integers(1, 3, len(people["y"]))
    rows = np.repeat(np.arange(len(weights)), weights)
    grid: dict[str, Any] = {"eps_grid": [0.1], "complexities": [5], "time_limit": None, "estimator": BEAM}
    weighted = fairness_path(**people, **grid, sample_weight=weights)
    repeated = fairness_path(
        people["X"].iloc[rows], people["y"][rows], people["sensitive_features"].iloc[rows], **grid
    )
    assert weighted["accuracy"].tolist() == pytest.approx(repeated["accuracy"].tolist())
    assert weighted["gap"].tolist() == pytest.approx(repeated["gap"].tolist())


def test_new_rows_are_scored_too(people: dict[str, Any]) -> None:
    """Accuracy and gap on rows that were kept aside are those counted from the predictions."""
    old, new = slice(0, 200), slice(200, None)
    X, y, sex = people["X"], people["y"], people["sensitive_features"]
    (point,) = fairness_path(
        X[old], y[old], sex[old], "demographic-parity", [0.1], [6], time_limit=3, estimator=BEAM,
        new_rows=(X[new], y[new], sex[new]),
    ).itertuples()  # fmt: skip
    predicted = point.rule_set.predict(X[new])
    women = (sex[new] == "f").to_numpy()
    assert point.new_accuracy == pytest.approx((predicted == y[new]).mean())
    assert point.new_gap == pytest.approx(abs(predicted[women].mean() - predicted[~women].mean()))


def test_a_floor_that_cannot_be_reached_is_told(people: dict[str, Any]) -> None:
    """Where no rule set keeps the bound, the line says infeasible and has no rule set."""
    table = fairness_path(
        **people, constraint="group-recall-floor", eps_grid=[1.0], complexities=[0], time_limit=4, estimator=BEAM
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
        ({"estimator": RuleSetClassifier(forbid=["gender"])}, UnknownNameError, "Unknown column 'gender'"),
        ({"y": np.arange(300) % 3}, ConfigurationError, "two classes"),
        ({"new_rows": (1, 2)}, ConfigurationError, "a tuple of X, y and sensitive_features"),
    ],
)
def test_refuses_what_makes_no_path(
    people: dict[str, Any], changes: dict[str, Any], error: type[Exception], message: str
) -> None:
    """Bounds in two places, unknown names, empty grids and labels of several classes are refused."""
    with pytest.raises(error, match=message):
        fairness_path(**{**people, **changes})
