"""What is estimated for new rows."""

import numpy as np
import pandas as pd
import pytest
from attrs import evolve

from rulecg.choosing.estimate import expected_of
from rulecg.choosing.fold_rules import Option, Task
from rulecg.choosing.held_out import Candidate, Judge, least_complex_of_the_best
from rulecg.estimators.recipe import compose
from rulecg.model.scored_rule_sets import LabelledRows
from rulecg_core import Groups, load_registry

PLAIN = {"costs": None, "class_weight": None}


def case(n_rows: int, share: float = 0.5, seed: int = 0, **settings: object) -> tuple[Task, Judge]:
    """Labels with a share of positives, in five folds."""
    rng = np.random.default_rng(seed)
    codes = (rng.random(n_rows) < share).astype(int)
    rows = LabelledRows(pd.DataFrame({"x": range(n_rows)}), np.array([0, 1]), codes, np.ones(n_rows))
    recipe = compose(load_registry(), max_complexity=10)
    task = Task(recipe, {**PLAIN, **settings}, rows, Groups.none(n_rows), False, None, 0)
    return task, Judge.of(task, np.arange(n_rows) % 5, None)


def said(decisions: np.ndarray, complexity: float) -> Candidate:
    decisions = np.asarray(decisions, dtype=np.intp)
    return Candidate(Option("dnf", 1.0), complexity, complexity, 1.0, decisions, np.eye(2)[decisions])


def estimate(task: Task, judge: Judge, candidates: list[Candidate]):
    losses = np.array([judge.losses(candidate) for candidate in candidates])
    complexities = np.array([candidate.complexity for candidate in candidates])
    chosen = least_complex_of_the_best(losses, complexities, judge)
    return expected_of(candidates, losses, chosen, judge, task, None), chosen, losses


def test_the_best_of_many_guesses_is_not_believed() -> None:
    """Two hundred candidates that guess: the best looks good, but is estimated nearer to one half."""
    optimism, held = [], 0
    for seed in range(20):
        task, judge = case(200, seed=seed)
        rng = np.random.default_rng(100 + seed)
        candidates = [said(rng.random(200) < 0.5, 5.0) for _ in range(200)]
        expected, chosen, losses = estimate(task, judge, candidates)
        optimism.append((1 - losses[chosen].mean()) - expected.accuracy.value)
        held += expected.accuracy.low <= 0.5 <= expected.accuracy.high
        assert not expected.beats_constant
    assert np.mean(optimism) > 0.03
    assert held >= 18


def test_figures_are_those_of_scikit_learn() -> None:
    """With one candidate: accuracy, balanced accuracy, precision and recall, each inside its interval."""
    from sklearn.metrics import balanced_accuracy_score, precision_score, recall_score

    task, judge = case(300, share=0.3)
    decisions = np.where(np.random.default_rng(1).random(300) < 0.8, judge.codes, 1 - judge.codes)
    expected, _, _ = estimate(task, judge, [said(decisions, 3.0)])
    assert expected.accuracy.value == pytest.approx(np.mean(decisions == judge.codes))
    figures = {name: figure.value for name, figure in expected.figures.items()}
    assert figures["balanced accuracy"] == pytest.approx(balanced_accuracy_score(judge.codes, decisions))
    assert figures["precision"] == pytest.approx(precision_score(judge.codes, decisions))
    assert figures["recall"] == pytest.approx(recall_score(judge.codes, decisions))
    assert all(figure.low <= figure.value <= figure.high for figure in expected.figures.values())
    assert expected.majority_accuracy == pytest.approx(1 - judge.codes.mean())


def test_costs_decide_between_candidates() -> None:
    """A candidate with more errors, but none of the dear ones, is taken and costs what its errors cost."""
    task, judge = case(200, share=0.2, costs={"fn": 10})
    never, always = said(np.zeros(200), 0.0), said(np.ones(200), 1.0)
    expected, chosen, _ = estimate(task, judge, [never, always])
    assert chosen == 1
    assert expected.is_constant
    assert expected.cost == pytest.approx(np.mean(judge.codes == 0))


def test_less_complex_wins_where_chance_decides() -> None:
    """One row's difference does not pay for more complexity; many rows' does."""
    _, judge = case(200)
    perfect = judge.codes.copy()
    one_wrong, many_wrong = perfect.copy(), perfect.copy()
    one_wrong[:1] ^= 1
    many_wrong[:40] ^= 1
    complexities = np.array([20.0, 3.0])

    def choice(simple: np.ndarray) -> int:
        losses = np.array([judge.costs(perfect), judge.costs(simple)])
        return least_complex_of_the_best(losses, complexities, judge)

    assert choice(many_wrong) == 0
    two_apart = perfect.copy()
    two_apart[:2] ^= 1
    other = perfect.copy()
    other[2:4] ^= 1
    losses = np.array([judge.costs(two_apart), judge.costs(other)])
    assert least_complex_of_the_best(losses, complexities, judge) == 1


def test_folds_that_disagree_are_told() -> None:
    """Right everywhere but in one fold, where most are wrong: that is no chance, and is said in words."""
    task, judge = case(250)
    decisions = judge.codes.copy()
    decisions[judge.fold == 2] ^= 1
    expected, _, _ = estimate(task, judge, [said(decisions, 3.0)])
    assert expected.folds_disagree
    assert any("folds disagree" in line for line in expected.lines())
    agreed, _, _ = estimate(task, judge, [said(judge.codes, 3.0)])
    assert not agreed.folds_disagree


def test_rows_that_err_together_are_less_evidence() -> None:
    """Ten copies of every error make the interval wider than ten independent rows do."""
    task, judge = case(500)
    together = np.arange(500) // 10
    wrong = np.random.default_rng(0).random(50) < 0.2
    decisions = np.where(wrong[together], 1 - judge.codes, judge.codes)
    candidate = said(decisions, 3.0)
    losses = judge.losses(candidate)[None]
    apart = expected_of([candidate], losses, 0, judge, task, None).accuracy
    jointly = expected_of([candidate], losses, 0, judge, task, together).accuracy
    assert jointly.high - jointly.low > 2 * (apart.high - apart.low)


def test_gaps_between_groups() -> None:
    """Selection rates of 1 and 0 are a gap of 1, by the column's name."""
    task, judge = case(100)
    groups = Groups.encode(pd.DataFrame({"sex": np.where(np.arange(100) % 2, "f", "m")}), 100)
    candidate = said(np.arange(100) % 2, 3.0)
    found = expected_of([candidate], judge.losses(candidate)[None], 0, judge, evolve(task, groups=groups), None)
    assert found.gaps["selection rate by sex"] == 1.0
