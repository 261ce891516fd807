"""Among rule sets that are about equally good, the one that resamples of the rows agree on."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

import numpy as np
from attrs import evolve

from rulecg_core import Candidate, Goal, Problem, Result, Rule, RulecgError, Stop, UnknownNameError
from rulecg_core.base.arrays import BoolArray, FloatArray

RuleSetRules: TypeAlias = tuple[Rule, ...]

Relearn: TypeAlias = Callable[[Problem, float], Result]
"""Learns from another problem within some seconds, from the rules that are known."""
Chooser: TypeAlias = Callable[[Result, Goal, int, Relearn], Result]
"""Chooses again among the good rule sets of a run, given the goal, a seed and a way to learn again."""

RESAMPLES = 100
"""By how many resamples costs are compared."""
RELEARNED = 8
"""From how many resamples rules are learned again: together they take as long as the run itself."""
MOST_BASES, MOST_POOL, MOST_CANDIDATES = 5, 1_000, 200
"""How many of the best rule sets met are varied, by how many rules of the pool, and how many candidates take part."""
NEAR = 0.03
"""Rule sets that cost more than the best by this share of what is at stake are not looked at."""
REASON = "because resamples of the rows agree on it most"


def chooser_of(choice: str) -> Chooser | None:
    """Find by name what chooses among the good rule sets of a run.

    Parameters
    ----------
    choice : "best" or "stable"
        The name.

    Returns
    -------
    Chooser or None
        None for "best": that is what the core chooses.

    Raises
    ------
    UnknownNameError
        When it is another name.
    """
    choices: dict[str, Chooser | None] = {"best": None, "stable": choose_stably}
    if not isinstance(choice, str) or choice not in choices:
        raise UnknownNameError("choice", str(choice), choices)
    return choices[choice]


def choose_stably(result: Result, goal: Goal, seed: int, relearn: Relearn) -> Result:
    """Choose again among the good rule sets of a run: the one most like those learned from resamples of the rows.

    Rules are learned again from resamples (Poisson weights). Candidates are what they give, the good rule sets that the
    run met, and these with one rule less or another one of the pool. Those whose cost (unless stakes differ, errors)
    resamples cannot tell from the best one's may be chosen: the mean difference is within its standard deviation. Of
    these it is the one whose positive predictions overlap most, in the mean, with what the resamples gave (Jaccard
    index).

    Parameters
    ----------
    result : Result
        A finished run.
    goal : Goal
        What its rule sets are judged by.
    seed : int
        Seed of the resamples.
    relearn : function from Problem and seconds to Result
        Learns from a resample.

    Returns
    -------
    Result
        With the rule set chosen; what was proven stays as it was.
    """
    problem = goal.problem
    if result.stop is Stop.INTERRUPTED:
        return result
    factors = _drawn(problem, seed)
    agreed: list[RuleSetRules] = []
    for factor in factors[:RELEARNED]:
        try:
            again = relearn(_reweighted(problem, factor), result.seconds / RELEARNED)
        except RulecgError:
            # A resample that lacks a group, or in which no rule set keeps a bound, has no say.
            continue
        agreed.append(again.rules)
        if again.stop is Stop.INTERRUPTED:
            break
    candidates = _candidates(evolve(result, near_best=(*agreed, *result.near_best)), goal)
    if len(candidates) < 2 or not agreed:
        return result
    whole = [evolve(candidate, rules=goal.completed(candidate.rules)) for candidate in candidates]
    chosen = candidates[_most_agreed(whole, agreed, problem, factors)]
    return evolve(
        result,
        rules=goal.completed(chosen.rules),
        rule_set=problem.rule_set(goal.completed(chosen.rules)),
        selected_objective=chosen.objective * problem.unit,
        errors=chosen.errors * problem.unit,
        cost=chosen.cost * problem.unit,
        row_values=goal.row_values(chosen.rules),
        chosen_for=REASON,
    )


def _costs(problem: Problem) -> tuple[FloatArray, FloatArray]:
    """What missing and what covering each sample costs."""
    if problem.stakes is not None:
        return problem.stakes.miss, problem.stakes.cover
    return np.where(problem.y, problem.weights, 0.0), np.where(problem.y, 0.0, problem.weights)


def _candidates(result: Result, goal: Goal) -> list[Candidate]:
    """Good rule sets that keep every bound as the chosen one does, the least cost first."""
    problem = goal.problem
    met = list(dict.fromkeys([result.rules, result.best_rules, *result.near_best]))
    most = min(goal.evaluate(rules).cost for rules in met) + NEAR * float(np.maximum(*_costs(problem)).sum())
    found = {frozenset(rules): rules for rules in met}
    pool = [rule for rule in result.pool if len(rule)][:MOST_POOL]
    for base in met[:MOST_BASES]:
        for rules in _varied(base, pool, problem, most):
            found.setdefault(frozenset(rules), rules)
    judged = [goal.evaluate(rules) for rules in found.values() if len(set(rules)) == len(rules)]
    kept = [one for one in judged if one.is_feasible and one.cost <= most and one.keeps_rows >= result.keeps_proxy]
    # By text last, so that the order in which rule sets were met does not matter.
    texts = {one.rules: str(problem.rule_set(one.rules)) for one in kept}
    kept.sort(key=lambda one: (one.cost, one.complexity, texts[one.rules]))
    return kept[:MOST_CANDIDATES]


def _varied(rules: RuleSetRules, pool: Sequence[Rule], problem: Problem, most: float) -> list[RuleSetRules]:
    """The rule set with one rule less, or another one instead, within a cost."""
    varied = [(*rules[:at], *rules[at + 1 :]) for at in range(len(rules))]
    if not pool or not all(map(len, rules)):
        return varied
    covers, pool_covers = problem.covers(rules), problem.covers(pool)
    miss, cover = _costs(problem)
    for at in range(len(rules)):
        others = np.delete(covers, at, axis=0).any(axis=0)
        cost = float(np.where(others, cover, miss).sum())
        with_each = cost + pool_covers @ np.where(others, 0.0, cover - miss)
        nearest = np.argsort(with_each, kind="stable")[:MOST_CANDIDATES]
        varied += [
            (*rules[:at], pool[place], *rules[at + 1 :]) for place in nearest.tolist() if with_each[place] <= most
        ]
    return varied


def _most_agreed(
    candidates: Sequence[Candidate], agreed: Sequence[RuleSetRules], problem: Problem, factors: FloatArray
) -> int:
    """The position of the candidate that is most like what the resamples gave."""
    predicted: BoolArray = np.array([problem.predict(candidate.rules) for candidate in candidates])
    covered = predicted if problem.logic == "dnf" else ~predicted
    miss, cover = _costs(problem)
    costs = factors @ np.where(covered, cover, miss).T
    more = costs - costs[:, :1]
    may_be_chosen = more.mean(axis=0) <= more.std(axis=0)
    wanted: BoolArray = np.array([problem.predict(rules) for rules in agreed])
    agreement = _overlap(predicted, wanted, problem.weights).mean(axis=1)
    return int(np.argmax(np.where(may_be_chosen, np.round(agreement, 12), -1.0)))


def _drawn(problem: Problem, seed: int) -> FloatArray:
    """Resamples × samples: how many times as much each sample counts when every row is drawn anew."""
    rng, size = np.random.default_rng(seed), (RESAMPLES, problem.n_samples)
    if problem.has_integer_weights:
        return rng.poisson(problem.weights, size=size) / np.maximum(problem.weights, 1.0)
    return rng.poisson(1.0, size=size).astype(np.float64)


def _reweighted(problem: Problem, factor: FloatArray) -> Problem:
    """The problem in which each sample counts so many times as much."""
    stakes = problem.stakes
    if stakes is not None:
        stakes = evolve(stakes, miss=stakes.miss * factor, cover=stakes.cover * factor, unit=0.0)
    # Rounded where weights are whole: products of quotients are not.
    weights = problem.weights * factor
    return evolve(problem, weights=np.round(weights) if problem.has_integer_weights else weights, stakes=stakes)


def _overlap(some: BoolArray, others: BoolArray, weights: FloatArray) -> FloatArray:
    """The Jaccard index of positive predictions, of each with each; 1 where neither predicts any."""
    both = (some * weights) @ others.T.astype(np.float64)
    either = (some @ weights)[:, None] + (others @ weights)[None, :] - both
    overlap: FloatArray = np.where(either > 0, both / np.where(either > 0, either, 1.0), 1.0)
    return overlap
