"""Sums over partitions are those of all rows in memory, and changes, patterns and bounds are judged by brute force."""

from itertools import combinations

import numpy as np
import pytest

from rulecg.packing.pack import Packing, pack
from rulecg.partitions.bound import Enumeration, Prices
from rulecg.partitions.cell_goal import CellGoal
from rulecg.partitions.improvement import Improvement
from rulecg.partitions.patterns import pattern_problem, patterns_of
from rulecg.partitions.questions import EVERYTHING, Context
from rulecg.partitions.samples import PartitionedSamples
from rulecg_core import Complexity, Deadline, HammingMaster, Rule, load_registry, reduced_costs
from tests.rulecg.partitions.packed import packed, planted

pytest.importorskip("pyarrow")
REGISTRY = load_registry()
BACKEND = REGISTRY.backend("highs")


@pytest.fixture(scope="module", params=["dnf", "cnf"])
def case(request, tmp_path_factory):
    """The same rows in partitions and in memory."""
    manifest = packed(planted(), tmp_path_factory.mktemp("sums"), 3)
    samples = PartitionedSamples(manifest, REGISTRY.engine("local:threads=2"), request.param)
    problem = samples.problem(samples.everything(), 3)
    constraints = [Complexity(8), REGISTRY.constraint("equality-of-opportunity:0.05")]
    goal = CellGoal.of(manifest, constraints, BACKEND, logic=request.param)
    return samples, problem, goal, HammingMaster(problem, constraints, BACKEND).goal


def some_rules(rng, n_conditions, n_rules):
    drawn = [rng.choice(n_conditions, int(rng.integers(1, 4)), replace=False) for _ in range(n_rules)]
    return tuple(sorted({Rule(each.tolist()) for each in drawn}))


def test_all_rows_come_back(case):
    """What was packed holds every row: weights by cell are those of the problem in memory."""
    samples, problem, _, _ = case
    assert problem.weights.sum() == samples.manifest.weights.sum() == 3_000
    assert problem.weights[problem.labels].sum() == samples.manifest.weights[samples.manifest.labels].sum()


@pytest.mark.parametrize("seed", range(5))
def test_verdicts_are_the_candidates_of_the_goal_in_memory(case, seed):
    """Objective, errors, complexity and violations of random rule sets, counted cell by cell, are those of `Goal`."""
    samples, problem, goal, in_memory = case
    rng = np.random.default_rng(seed)
    rules = some_rules(rng, problem.n_conditions, int(rng.integers(0, 5)))
    (found,) = Improvement(samples, goal, 3).verdicts([rules])
    wanted = in_memory.evaluate(rules)
    assert (found.objective, found.errors, found.complexity) == (wanted.objective, wanted.errors, wanted.complexity)
    assert found.true_violation == pytest.approx(wanted.true_violation)
    assert found.proxy_violation == pytest.approx(wanted.proxy_violation)


def test_sums_over_extensions_are_counts_of_rows(case):
    """For a context and every condition, the weight is that of the rows that the rule covers and no other rule does."""
    samples, problem, _, _ = case
    rule, others = Rule((1, 4)), [Rule((2,)), Rule((3, 6))]
    covers = problem.covers([rule, *others])
    inside = covers[0] & ~covers[1] & ~covers[2]
    found = samples.extensions([Context((1, 4), ((2,), (3, 6)))])[0].sum(axis=1)
    assert found[0] == problem.weights[inside].sum()
    assert found[1:].tolist() == [problem.weights[inside & column].sum() for column in problem.X.T]
    assert samples.extensions([Context(())], (EVERYTHING,)).sum() == 3_000


@pytest.mark.parametrize("seed", range(4))
def test_the_best_change_is_the_best_of_all_changes(case, seed):
    """Of all rule sets that differ by one condition or one rule, the one found is least by violation, objective and
    complexity."""
    samples, problem, goal, in_memory = case
    rules = some_rules(np.random.default_rng(seed), problem.n_conditions, 2)
    found = Improvement(samples, goal, 3).best_change(rules)
    chains = [condition.chain or at for at, condition in enumerate(problem.conditions)]

    def around(rule):
        stems = [rule.features, *(tuple(f for f in rule.features if f != one) for one in rule.features)]
        for stem in stems:
            if stem:
                yield Rule(stem)
            for one in range(problem.n_conditions):
                if one not in stem and chains[one] not in [chains[f] for f in stem] and len(stem) < 3:
                    yield Rule((*stem, one))

    changed = [[*(r for r in rules if r != rule), new] for rule in rules for new in around(rule)]
    changed += [[*rules, Rule((one,))] for one in range(problem.n_conditions)]
    changed += [[r for r in rules if r != rule] for rule in rules]
    merits = []
    for each in changed:
        if len(set(each)) == len(each):
            judged = in_memory.evaluate(each)
            merits.append((max(judged.true_violation - 1e-9, 0), judged.objective, judged.complexity))
    assert found.merit == pytest.approx(min(merits))


@pytest.mark.parametrize("most", [10_000, 12])
def test_the_relaxation_over_patterns_is_the_one_over_rows(case, most):
    """One sample per pattern gives the value of the linear program over all rows, of as many rules as fit."""
    samples, problem, _, _ = case
    rules = some_rules(np.random.default_rng(1), problem.n_conditions, 7)
    counted = patterns_of(samples, rules, most)
    assert counted.weights.sum() == 3_000
    assert len(counted.weights) <= most
    assert (counted.n_rules == len(rules)) == (most == 10_000)
    small = pattern_problem(samples, counted, rules)
    values = []
    for each, pool in ((small, [Rule((at,)) for at in range(counted.n_rules)]), (problem, rules[: counted.n_rules])):
        with HammingMaster(each, [Complexity(8)], BACKEND) as master:
            master.add_rules(pool)
            values.append(master.solve_relaxation(Deadline()).value)
    assert values[0] == pytest.approx(values[1])


@pytest.mark.parametrize("work", [1e12, 3e5, 2e4])
def test_no_rule_is_cheaper_than_the_bound(case, work):
    """With any amount of work the bound is below every rule's reduced cost on all rows; with enough it is close."""
    samples, problem, _, _ = case
    pool = some_rules(np.random.default_rng(2), problem.n_conditions, 5)
    counted = patterns_of(samples, pool)
    small = pattern_problem(samples, counted, pool)
    with HammingMaster(small, [Complexity(8)], BACKEND) as master:
        master.add_rules([Rule((at,)) for at in range(len(pool))])
        pricing = master.solve_relaxation(Deadline()).pricing
    prices = Prices.of(samples, counted, pool, pricing, small.weights)
    found = Enumeration(samples, 3, work).bound(prices, pricing, small.unit, 0.0)
    signatures = np.array([sum(1 << at for at, covered in enumerate(column) if covered) for column in
                           problem.covers(pool).T], dtype=np.uint64)  # fmt: skip
    cells = {(cell.label, cell.groups): at for at, cell in enumerate(samples.manifest.cells)}
    place = {(int(c), int(s)): at for at, (c, s) in enumerate(zip(counted.cells, counted.signatures, strict=True))}
    rows = [place[cells[bool(label), tuple(groups.tolist())], int(signature)] for label, groups, signature in
            zip(problem.labels, problem.sensitive_groups.codes, signatures, strict=True)]  # fmt: skip
    per_row = pricing.sample_weights[rows] / small.weights[rows] * problem.weights
    chains = [condition.chain or at for at, condition in enumerate(problem.conditions)]
    rules = [Rule(each) for n in (1, 2, 3) for each in combinations(range(problem.n_conditions), n)]
    rules = [rule for rule in rules if len({chains[at] for at in rule}) == len(rule)]
    lengths = np.array([len(rule) for rule in rules])
    costs = problem.covers(rules) @ per_row + pricing.condition_price * lengths + pricing.constant
    assert found.value <= costs.min() + 1e-9
    if work == 1e12:
        assert found.is_complete
        assert found.value == pytest.approx(min(costs.min(), 0.0), abs=0.01)
        assert costs.min() >= 0 or costs[rules.index(found.rules[0])] == pytest.approx(costs.min(), abs=0.01)


def test_a_bound_on_reduced_costs_needs_all_prices(case):
    """The reduced costs of rules in memory are those the patterns' prices add up to: both are one pricing problem."""
    _, problem, _, _ = case
    with HammingMaster(problem, [Complexity(8)], BACKEND) as master:
        master.add_rules([Rule((0,)), Rule((1,))])
        pricing = master.solve_relaxation(Deadline()).pricing
    assert reduced_costs(problem, pricing, [Rule((0, 2))])[0] == pytest.approx(pricing.reduced_cost(Rule((0, 2))))


def test_forbidden_columns_are_in_no_sum(tmp_path):
    """Conditions on forbidden columns are neither asked for nor sampled."""
    table = planted(400).drop(columns="sex")
    table.to_parquet(tmp_path / "t.parquet")
    manifest = pack(tmp_path / "t.parquet", tmp_path / "packed", Packing("y"))
    samples = PartitionedSamples(manifest, REGISTRY.engine("local"), forbidden=["x0", "x3"])
    problem = samples.problem(samples.everything(), 3)
    assert {condition.column for condition in problem.conditions} == {"x1", "x2", "x4", "x5", "x6", "x7"}
    assert samples.extensions([Context(())]).shape[1] == 1 + problem.n_conditions
