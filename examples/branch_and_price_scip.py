"""Branch and price inside SCIP: rules are generated at every node of SCIP's own search tree.

The problem is a small set cover with generated columns. Each positive sample is covered by a chosen rule or missed at
a price of 1; a rule costs the negative samples it covers plus a price per condition. A rule is a conjunction of at
most two conditions, and no rule is written down before the pricer has found it worthwhile.

Branching on single rules would be undone by the pricer at once, which would find the same rule again. So SCIP branches
on how many chosen rules contain a given set of conditions: ``links[S] = Σ w_k over rules k that contain S``. Each link
is an integer variable with one row, whose dual the pricer adds to the price of every rule that contains S. Once all
links are integral, so are the weights of the rules.

Run it with ``python examples/branch_and_price_scip.py``; it checks every answer against the full integer program.
"""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
from attrs import define, field, frozen
from pyscipopt import SCIP_PARAMSETTING, SCIP_RESULT, Model, Pricer, quicksum

from rulecg_core import MIPModel, SparseVectors, load_registry

CONDITION_PRICE = 0.4
MOST_CONDITIONS = 3
REDUCED_COST = -1e-6


@frozen(eq=False)
class CoverProblem:
    """Samples × conditions, and which samples are positive."""

    X: np.ndarray
    y: np.ndarray

    @classmethod
    def random(cls, seed: int, n_samples: int = 80, n_conditions: int = 9) -> CoverProblem:
        rng = np.random.default_rng(seed)
        return cls(rng.random((n_samples, n_conditions)) < 0.6, rng.random(n_samples) < 0.7)

    @property
    def condition_sets(self) -> list[frozenset[int]]:
        """Every set of one to three conditions: at once all possible rules and all link sets."""
        n_conditions = self.X.shape[1]
        sizes = range(1, MOST_CONDITIONS + 1)
        return [frozenset(chosen) for size in sizes for chosen in combinations(range(n_conditions), size)]

    def covers(self, rule: frozenset[int]) -> np.ndarray:
        return self.X[:, sorted(rule)].all(axis=1)

    def cost(self, rule: frozenset[int]) -> float:
        return float(self.covers(rule)[~self.y].sum()) + CONDITION_PRICE * len(rule)


class RulePricer(Pricer):
    """Looks for rules with negative reduced cost whenever SCIP has solved the linear program of a node."""

    def __init__(self, problem: CoverProblem) -> None:
        super().__init__()
        self.problem = problem
        self.rules = problem.condition_sets
        self.covers = np.array([problem.covers(rule)[problem.y] for rule in self.rules], dtype=float)
        self.costs = np.array([problem.cost(rule) for rule in self.rules])
        self.contains = np.array([[part <= rule for part in self.rules] for rule in self.rules], dtype=float)
        self.cover_rows: list[Any] = []
        self.link_rows: list[Any] = []
        self.weights: dict[int, Any] = {}

    def pricerinit(self) -> None:
        self.cover_rows = [self.model.getTransformedCons(row) for row in self.cover_rows]
        self.link_rows = [self.model.getTransformedCons(row) for row in self.link_rows]

    def pricerredcost(self) -> dict[str, Any]:
        return self._price(self.costs, self.model.getDualsolLinear)

    def pricerfarkas(self) -> dict[str, Any]:
        """A branch can make the rules so far infeasible; then rules are sought that repair it, whatever they cost."""
        return self._price(np.zeros_like(self.costs), self.model.getDualfarkasLinear)

    def _price(self, costs: np.ndarray, dual_of: Any) -> dict[str, Any]:
        cover_duals = np.array([dual_of(row) for row in self.cover_rows])
        link_duals = np.array([dual_of(row) for row in self.link_rows])
        reduced_costs = costs - self.covers @ cover_duals - self.contains @ link_duals
        # A rule in the program has no negative reduced cost, up to tolerances: it need not be offered again.
        reduced_costs[list(self.weights)] = 0.0
        for position in np.argsort(reduced_costs)[:5]:
            if reduced_costs[position] < REDUCED_COST:
                self._add(int(position))
        return {"result": SCIP_RESULT.SUCCESS}

    def _add(self, position: int) -> None:
        # Continuous and without upper bound: integrality comes from the links, and a bound's dual would not be seen.
        weight = self.model.addVar(f"w{position}", vtype="C", lb=0.0, obj=self.costs[position], pricedVar=True)
        self.weights[position] = weight
        for row, covered in zip(self.cover_rows, self.covers[position], strict=True):
            if covered:
                self.model.addConsCoeff(row, weight, 1.0)
        for row, contained in zip(self.link_rows, self.contains[position], strict=True):
            if contained:
                self.model.addConsCoeff(row, weight, 1.0)


@define
class Answer:
    objective: float
    nodes: int
    generated: int
    possible: int
    rules: list[list[int]] = field(factory=list)


def branch_and_price(problem: CoverProblem) -> Answer:
    """Solve with SCIP, generating rules at every node."""
    model = Model("branch and price")
    model.hideOutput()
    # Cuts, restarts and reductions would reason about rows whose columns are not all there yet.
    model.setPresolve(SCIP_PARAMSETTING.OFF)
    model.setSeparating(SCIP_PARAMSETTING.OFF)
    model.setHeuristics(SCIP_PARAMSETTING.OFF)
    model.setParams(
        {
            "misc/allowstrongdualreds": False,
            "misc/allowweakdualreds": False,
            "misc/usesymmetry": 0,
            "presolving/maxrestarts": 0,
        }
    )
    pricer = RulePricer(problem)
    model.includePricer(pricer, "rules", "conjunctions with negative reduced cost")
    missed = [model.addVar(f"missed{i}", vtype="C", lb=0.0, obj=1.0) for i in range(int(problem.y.sum()))]
    pricer.cover_rows = [model.addCons(quicksum([var]) >= 1, separate=False, modifiable=True) for var in missed]
    links = [model.addVar(f"link{s}", vtype="I", lb=0.0) for s in range(len(pricer.rules))]
    pricer.link_rows = [model.addCons(-1 * var == 0, separate=False, modifiable=True) for var in links]
    model.optimize()
    chosen = [position for position, weight in pricer.weights.items() if model.getVal(weight) > 0.5]
    return Answer(
        objective=model.getObjVal(),
        nodes=model.getNTotalNodes(),
        generated=len(pricer.weights),
        possible=len(pricer.rules),
        rules=[sorted(pricer.rules[position]) for position in chosen],
    )


def full_program(problem: CoverProblem) -> tuple[float, float]:
    """Optimum and linear relaxation over all rules at once, as the check."""
    rules = problem.condition_sets
    covers = np.array([problem.covers(rule)[problem.y] for rule in rules], dtype=float).T
    n_rules, n_positives = len(rules), len(covers)
    backend = load_registry().backend("highs")
    values = []
    for integral in (True, False):
        program = MIPModel(
            costs=np.append([problem.cost(rule) for rule in rules], np.ones(n_positives)),
            lower=np.zeros(n_rules + n_positives),
            upper=np.append(np.full(n_rules, float(n_positives)), np.ones(n_positives)),
            integer=np.append(np.full(n_rules, integral), np.zeros(n_positives, dtype=bool)),
            row_lower=np.ones(n_positives),
            row_upper=np.full(n_positives, np.inf),
            rows=SparseVectors.from_dense(np.hstack([covers, np.eye(n_positives)])),
        )
        best = backend.solve_mip(program).best
        assert best is not None
        values.append(best.objective)
    return values[0], values[1]


def main(seeds: int = 12) -> None:
    branched = 0
    for seed in range(seeds):
        problem = CoverProblem.random(seed)
        answer = branch_and_price(problem)
        optimum, relaxation = full_program(problem)
        assert abs(answer.objective - optimum) < 1e-6, (seed, answer, optimum)
        branched += answer.nodes > 1
        print(
            f"instance {seed:2d}: optimum {optimum:7.2f} (relaxation {relaxation:7.2f}), {answer.nodes:3d} nodes, "
            f"{answer.generated:2d} of {answer.possible} rules generated"
        )
    print(f"all {seeds} optima agree with the full integer program; {branched} instances needed branching")


if __name__ == "__main__":
    main()
