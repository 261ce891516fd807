"""Thresholds refined while rules are learned: what is found is what brute force over all values finds."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from attrs import evolve
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone

from rulecg import Binarizer, RuleSetClassifier, datasets
from rulecg.estimators.refinement import MOST_NEW, PHASES, better_thresholds
from rulecg.estimators.training import Training
from rulecg_core import (
    Condition,
    Constraint,
    Groups,
    HammingMaster,
    Limits,
    Pricer,
    PricingResult,
    Problem,
    Result,
    Rule,
    UnknownNameError,
    generate_columns,
    load_registry,
)

REFINED = Binarizer(3, refine=True)


def planted(n_rows: int = 600) -> tuple[pd.DataFrame, pd.Series]:
    """Two thresholds that no decile hits."""
    rng = np.random.default_rng(0)
    table = pd.DataFrame({"x": rng.random(n_rows).round(4), "y": rng.random(n_rows).round(4)})
    return table, (table["x"] > 0.377) & (table["y"] <= 0.733)


def small_training(seed: int, logic: str) -> tuple[Training, Problem]:
    rng = np.random.default_rng(seed)
    table = pd.DataFrame({"x": rng.integers(0, 8, 40).astype(float), "z": rng.normal(size=40).round(1)})
    table.loc[rng.random(40) < 0.1, "x"] = np.nan
    binarizer = Binarizer(2, include_minimum=False).fit(table)
    codes, weights = rng.integers(0, 2, 40), rng.integers(1, 4, 40).astype(float)
    training = Training.of(
        table, binarizer.transform(table), binarizer.conditions_, codes, weights, Groups.encode(None, 40)
    )
    return training, training.problem(1, logic=logic, columns=("x", "z"))


def ended_with(problem: Problem, rules: list[Rule]) -> Result:
    """The result of a run that ended with these rules and without a relaxation to be guided by."""
    registry = load_registry()
    with HammingMaster(problem, [registry.constraint("complexity:10")], registry.backend()) as master:
        result = generate_columns(master, [FindsNothing()], Limits(seconds=None, iterations=1))
    return evolve(result, best_rules=tuple(rules), rules=tuple(rules), guidance=None)


def errors(training: Training, problem: Problem, clauses: list[list[Condition]]) -> float:
    """Weight of the rows that the clauses get wrong, from the original table."""
    rule_set = type(problem.rule_set([])).of(clauses, logic=problem.logic, columns=("x", "z"))
    rows = training.inputs.iloc[training.order]
    return float(training.weights[rule_set.predict(rows) != (training.codes == 1)].sum())


@given(st.integers(0, 10**6), st.sampled_from(["dnf", "cnf"]))
@settings(max_examples=40, deadline=None)
def test_the_best_value_of_every_threshold_is_found(seed: int, logic: str) -> None:
    """Brute force: replace each threshold of each rule by each value of its column; the most errors that one can save
    are saved by one of the thresholds found, and when none can be saved none is found."""
    training, problem = small_training(seed, logic)
    rng = np.random.default_rng(seed)
    rules = [Rule(rng.choice(problem.n_conditions, size=2, replace=False)) for _ in range(2)]
    clauses = [[problem.conditions[feature] for feature in rule] for rule in rules]

    def saved(values: dict[str, list[float]]) -> float:
        """The most that one replacement saves."""
        now, best = errors(training, problem, clauses), 0.0
        for at, clause in enumerate(clauses):
            for place, condition in enumerate(clause):
                for value in values.get(condition.column, ()) if condition.operator in ("<=", ">") else ():
                    changed = [list(one) for one in clauses]
                    changed[at][place] = Condition(condition.column, condition.operator, value)
                    best = max(best, now - errors(training, problem, changed))
        return best

    everywhere = {name: sorted(training.inputs[name].dropna().unique())[:-1] for name in ("x", "z")}
    found: dict[str, list[float]] = {}
    for condition in better_thresholds(problem, ended_with(problem, rules), training):
        found.setdefault(condition.column, []).append(float(condition.value))  # type: ignore[arg-type]
    known: dict[str, list[float]] = {}
    for condition in problem.conditions:
        if condition.operator == "<=":
            known.setdefault(condition.column, []).append(float(condition.value))  # type: ignore[arg-type]
    assert saved({name: [*found.get(name, []), *known.get(name, [])] for name in ("x", "z")}) == saved(everywhere)


def test_thresholds_join_when_they_price_in() -> None:
    """By the duals of a solved relaxation, a threshold is offered when it gives a rule a negative reduced cost: with it
    the relaxation improves."""
    table, labels = planted()
    binarizer = Binarizer(3).fit(table)
    training = Training.of(
        table, binarizer.transform(table), binarizer.conditions_, labels.to_numpy().astype(int), np.ones(len(table)),
        Groups.encode(None, len(table)),
    )
    registry = load_registry()

    def solved(training: Training) -> Result:
        with HammingMaster(training.problem(1), [registry.constraint("complexity:3")], registry.backend()) as master:
            return generate_columns(master, [registry.pricer("exact-search", master.backend)], Limits(seconds=None))

    before = solved(training)
    guided_alone = evolve(before, best_rules=(), rules=())
    found = better_thresholds(training.problem(1), guided_alone, training)
    assert found
    after = solved(training.extended([c for one in found for c in (one, one.complement())]))
    assert before.relaxation is not None
    assert after.relaxation is not None
    assert after.relaxation < before.relaxation - 1


@pytest.mark.parametrize("logic", ["dnf", "cnf"])
def test_refinement_finds_planted_thresholds(logic: str) -> None:
    """Thirds of the rows miss the planted thresholds; refined, the rules are exact, and the proof speaks of the final
    conditions, which hold the ones at first."""
    table, labels = planted()
    coarse = RuleSetClassifier(6, logic=logic, binarizer=clone(REFINED).set_params(refine=False)).fit(table, labels)
    fine = RuleSetClassifier(6, logic=logic, binarizer=REFINED).fit(table, labels)
    assert coarse.score(table, labels) < 0.97
    assert fine.score(table, labels) == 1.0
    assert fine.result_.status == "optimal"
    n_coarse = len(coarse.binarizer_.conditions_)
    assert fine.binarizer_.conditions_[:n_coarse] == coarse.binarizer_.conditions_
    assert set(fine.rule_set_.conditions) <= set(fine.binarizer_.conditions_)
    assert len(fine.binarizer_.conditions_) <= n_coarse + 2 * MOST_NEW * PHASES


def test_phases_are_one_run_to_those_who_watch(capsys: pytest.CaptureFixture[str]) -> None:
    """One beginning, one end, rounds numbered through, and a clock that never goes back."""
    table, labels = planted()
    fitted = RuleSetClassifier(6, binarizer=REFINED, verbose=2).fit(table, labels)
    lines = capsys.readouterr().out.splitlines()
    clock = [float(line.split(" s ")[0]) for line in lines]
    assert clock == sorted(clock)
    assert sum("distinct rows" in line for line in lines) == sum("done:" in line for line in lines) == 1
    assert any("refined" in line for line in lines)
    history = fitted.result_.history
    assert history["iteration"].tolist() == list(range(1, len(history) + 1))
    assert history["seconds"].is_monotonic_increasing


def test_without_numbers_nothing_changes() -> None:
    """On categories alone there is nothing to refine: same conditions, same proven loss."""
    data, target, _ = datasets.load("tic-tac-toe")
    plain = RuleSetClassifier(10, max_conditions=3, binarizer=Binarizer()).fit(data, target)
    refined = RuleSetClassifier(10, max_conditions=3, binarizer=Binarizer(refine=True)).fit(data, target)
    assert refined.binarizer_.refine
    assert not plain.binarizer_.refine
    assert refined.binarizer_.conditions_ == plain.binarizer_.conditions_
    assert refined.result_.status == plain.result_.status == "optimal"
    assert refined.result_.objective == plain.result_.objective


def test_several_classes_share_one_list_of_conditions() -> None:
    """Every class's rules and pool speak of the conditions that the fitted binarizer lists at the end."""
    table, labels = planted(300)
    classes = labels.astype(int) + (table["x"] > 0.8)
    fitted = RuleSetClassifier(4, binarizer=REFINED, time_limit=9).fit(table, classes)
    listed = set(fitted.binarizer_.conditions_)
    for run, rule_set in zip(fitted.result_.runs.values(), fitted.rule_set_.rule_sets, strict=True):
        assert set(rule_set.conditions) <= listed
        assert max(feature for rule in run.pool for feature in rule) < len(listed)
    assert fitted.score(table, classes) > 0.9


def test_weights_are_repeated_rows() -> None:
    """With trees and refinement, too, weights, repeated rows and any order of rows give the same rule set."""
    table, labels = planted(150)
    rng = np.random.default_rng(0)
    weights = rng.integers(0, 3, len(table))
    rows = rng.permutation(np.repeat(np.arange(len(table)), weights))
    unlimited = RuleSetClassifier(
        4, time_limit=None, pricers=["beam"], binarizer=Binarizer(thresholds="trees", refine=True)
    )
    weighted = clone(unlimited).fit(table, labels, sample_weight=weights)
    repeated = clone(unlimited).fit(table.iloc[rows], labels.iloc[rows])
    assert weighted.rule_set_ == repeated.rule_set_
    assert weighted.binarizer_.conditions_ == repeated.binarizer_.conditions_


class InterruptedOnce(Pricer):
    """Ctrl-C at the first call."""

    calls = 0

    def price(self, problem: Any, limits: Any, rng: Any) -> PricingResult:
        type(self).calls += 1
        raise KeyboardInterrupt


def test_an_interrupt_ends_all_phases() -> None:
    """Ctrl-C in the first phase ends the fit with the best rule set so far; no further phase begins."""
    table, labels = planted()
    InterruptedOnce.calls = 0
    fitted = RuleSetClassifier(6, binarizer=REFINED, pricers=[InterruptedOnce()]).fit(table, labels)
    assert fitted.result_.stop == "interrupted"
    assert InterruptedOnce.calls == 1


class FindsNothing(Pricer):
    """A first stage that never finds a rule."""

    def price(self, problem: Any, limits: Any, rng: Any) -> PricingResult:
        return PricingResult(())


class AtLeastHalf(Constraint):
    """At least half of the positives are found."""

    def rows(self, problem: Problem) -> list[Any]:
        return [problem.false_negative_rate() <= 0.5]


def test_what_an_early_phase_cannot_find_is_not_called_impossible() -> None:
    """When the first pricer finds no rule set that keeps the constraints, the phase with all pricers still does."""
    table, labels = planted(200)
    fitted = RuleSetClassifier(
        6, binarizer=REFINED, pricers=[FindsNothing(), "exact-search"], constraints=[AtLeastHalf()]
    ).fit(table, labels)
    assert fitted.predict(table)[labels.to_numpy()].mean() >= 0.5


def test_unknown_names_are_explained() -> None:
    """A misspelt binarizer gets the right one proposed."""
    with pytest.raises(UnknownNameError, match="auto"):
        RuleSetClassifier(30, binarizer="atuo").fit(pd.DataFrame({"a": [1, 2, 3]}), [0, 1, 0])
