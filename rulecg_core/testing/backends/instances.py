"""Random linear and integer programs with known properties, and the optimality conditions that answers must meet."""

from __future__ import annotations

import itertools

import numpy as np
from attrs import evolve, frozen

from ...api.backend import Backend, LPSession, LPSolution, MIPModel
from ...base.arrays import FloatArray, IntArray
from ...base.sparse import SparseVectors

SENSES = (">=", "<=", "=", "ranged")


@frozen(eq=False)
class LinearProgram:
    """``min costs @ x, row_lower <= matrix @ x <= row_upper, lower <= x <= upper``, dense for readability."""

    costs: FloatArray
    lower: FloatArray
    upper: FloatArray
    matrix: FloatArray
    row_lower: FloatArray
    row_upper: FloatArray

    def open(self, backend: Backend) -> LPSession:
        """A session that holds this program: all columns first, then all rows."""
        session = backend.open_lp()
        session.add_columns(self.costs, self.lower, self.upper, SparseVectors.empty(len(self.costs)))
        if len(self.row_lower):
            session.add_rows(self.row_lower, self.row_upper, SparseVectors.from_dense(self.matrix))
        return session

    def solve(self, backend: Backend) -> LPSolution:
        session = self.open(backend)
        try:
            return session.solve()
        finally:
            session.close()

    def with_columns(self, costs: FloatArray, lower: FloatArray, upper: FloatArray, block: FloatArray) -> LinearProgram:
        return LinearProgram(
            np.append(self.costs, costs), np.append(self.lower, lower), np.append(self.upper, upper),
            np.hstack([self.matrix, block]), self.row_lower, self.row_upper,
        )

    def with_rows(self, row_lower: FloatArray, row_upper: FloatArray, block: FloatArray) -> LinearProgram:
        return evolve(
            self, matrix=np.vstack([self.matrix, block]), row_lower=np.append(self.row_lower, row_lower),
            row_upper=np.append(self.row_upper, row_upper),
        )

    def with_costs(self, columns: IntArray, costs: FloatArray) -> LinearProgram:
        changed = self.costs.copy()
        changed[columns] = costs
        return evolve(self, costs=changed)

    def with_bounds(self, columns: IntArray, lower: FloatArray, upper: FloatArray) -> LinearProgram:
        new_lower, new_upper = self.lower.copy(), self.upper.copy()
        new_lower[columns], new_upper[columns] = lower, upper
        return evolve(self, lower=new_lower, upper=new_upper)


def random_program(
    seed: int, sense: str = "mixed", n_columns: int = 12, n_rows: int = 8, magnitude: float = 0.0
) -> LinearProgram:
    """A program with an optimum: feasible because it is built around a point, bounded because its costs are built
    from duals of the right signs. Entries span ``10**±magnitude``."""
    rng = np.random.default_rng(seed)
    matrix = rng.normal(size=(n_rows, n_columns)) * (rng.random((n_rows, n_columns)) < 0.6)
    matrix *= 10.0 ** rng.uniform(-magnitude, magnitude, matrix.shape)
    kinds = rng.integers(0, 5, n_columns)  # from below, from above, both, free, fixed
    point = rng.normal(size=n_columns)
    room = rng.random(n_columns) * rng.integers(0, 2, n_columns)
    lower = np.where(np.isin(kinds, (0, 2)), point - room, -np.inf)
    upper = np.where(np.isin(kinds, (1, 2)), point + rng.random(n_columns), np.inf)
    lower, upper = np.where(kinds == 4, point, lower), np.where(kinds == 4, point, upper)
    prices = np.select([kinds == 0, kinds == 1, kinds == 3], [1.0, -1.0, 0.0], rng.choice([-1.0, 1.0], n_columns))
    prices = prices * rng.random(n_columns)
    activity = matrix @ point
    senses = np.array([sense] * n_rows if sense != "mixed" else rng.choice(SENSES, n_rows))
    slack = rng.random(n_rows) * rng.integers(0, 2, n_rows)
    row_lower = np.select([senses == "<=", senses == "="], [-np.inf, activity], activity - slack)
    row_upper = np.select([senses == ">=", senses == "="], [np.inf, activity], activity + slack)
    signs = np.select([senses == ">=", senses == "<="], [1.0, -1.0], rng.choice([-1.0, 1.0], n_rows))
    costs = matrix.T @ (signs * rng.random(n_rows)) + prices
    return LinearProgram(costs, lower, upper, matrix, row_lower, row_upper)


def covering_program(seed: int, n_rows: int, n_columns: int, density: float = 0.1) -> LinearProgram:
    """The shape of a master: cover each row or pay for it, with one budget row."""
    rng = np.random.default_rng(seed)
    covers = (rng.random((n_rows, n_columns)) < density).astype(float)
    budget = np.append(np.zeros(n_rows), rng.integers(2, 7, n_columns))
    matrix = np.vstack([np.hstack([np.eye(n_rows), covers]), budget])
    return LinearProgram(
        np.append(np.ones(n_rows), covers.sum(axis=0) * rng.random(n_columns) * 0.5),
        np.zeros(n_rows + n_columns),
        np.full(n_rows + n_columns, np.inf),
        matrix,
        np.append(np.ones(n_rows), -np.inf),
        np.append(np.full(n_rows, np.inf), 20.0),
    )


def optimality_violation(program: LinearProgram, solution: LPSolution) -> float:
    """The largest violation of primal and dual feasibility and complementary slackness, relative to the terms."""
    x, y = solution.primal, solution.dual
    activity = program.matrix @ x
    reduced_costs = program.costs - program.matrix.T @ y
    row_scale = 1.0 + np.abs(program.matrix) @ np.abs(x)
    column_scale = 1.0 + np.abs(program.costs) + np.abs(program.matrix).T @ np.abs(y)
    bounds = _above_zero(program.lower - x, 1.0 + np.abs(x)), _above_zero(x - program.upper, 1.0 + np.abs(x))
    rows = _above_zero(program.row_lower - activity, row_scale), _above_zero(activity - program.row_upper, row_scale)
    # A positive dual needs the lower side to hold with equality, a negative one the upper side. The product with the
    # distance (at most one for an infinite side) measures both the sign and the complementarity.
    prices = (
        _misplaced(y, activity - program.row_lower, program.row_upper - activity, row_scale),
        _misplaced(reduced_costs, x - program.lower, program.upper - x, column_scale),
    )
    stated = abs(solution.objective - program.costs @ x) / (1.0 + np.abs(program.costs) @ np.abs(x))
    return max(float(stated), *(float(np.max(part, initial=0.0)) for part in (*bounds, *rows, *prices)))


def _above_zero(excess: FloatArray, scale: FloatArray) -> FloatArray:
    return np.maximum(0.0, excess) / scale


def _misplaced(price: FloatArray, above: FloatArray, below: FloatArray, scale: FloatArray) -> FloatArray:
    distance = np.where(price > 0, above, below)
    return np.abs(price) * np.clip(distance, 0.0, 1.0) / scale


def random_integer_program(seed: int, n_columns: int = 8, n_rows: int = 5) -> MIPModel:
    """Small enough to enumerate: columns within 0..2, rows of every sense, some programs infeasible."""
    rng = np.random.default_rng(seed)
    matrix = rng.integers(-4, 8, (n_rows, n_columns)) * (rng.random((n_rows, n_columns)) < 0.7)
    point = rng.integers(0, 3, n_columns)
    activity = (matrix @ point).astype(float)
    senses = rng.choice(SENSES, n_rows)
    row_lower = np.where(senses == "<=", -np.inf, activity - (senses != "=") * rng.integers(0, 4, n_rows))
    row_upper = np.where(senses == ">=", np.inf, activity + (senses != "=") * rng.integers(0, 4, n_rows))
    if seed % 5 == 4:  # nothing within the bounds reaches this
        row_lower[0], row_upper[0] = np.abs(matrix[0]).sum() * 2 + 1.0, np.inf
    return MIPModel(
        costs=rng.integers(-9, 10, n_columns) / 2.0,
        lower=np.zeros(n_columns),
        upper=np.full(n_columns, 2.0),
        integer=np.ones(n_columns, dtype=bool),
        row_lower=row_lower,
        row_upper=row_upper,
        rows=SparseVectors.from_dense(matrix),
        offset=float(rng.integers(-5, 6)),
    )


def enumerated_optimum(model: MIPModel) -> float | None:
    """The optimum of a small all-integer model by trying every point; None when infeasible."""
    ranges = [np.arange(low, high + 1) for low, high in zip(model.lower, model.upper, strict=True)]
    points = np.array(list(itertools.product(*ranges)), dtype=float)
    activity = points @ model.rows.to_dense(model.n_columns).T
    feasible = np.all((activity >= model.row_lower - 1e-9) & (activity <= model.row_upper + 1e-9), axis=1)
    return float((points[feasible] @ model.costs).min()) + model.offset if feasible.any() else None


def set_cover(seed: int, n_sets: int, n_elements: int, density: float = 0.1) -> MIPModel:
    """Cheapest sets that cover every element; all ones is feasible. Hard once there are a few hundred sets."""
    rng = np.random.default_rng(seed)
    contains = rng.random((n_elements, n_sets)) < density
    contains[np.arange(n_elements), rng.integers(0, n_sets, n_elements)] = True
    return MIPModel(
        costs=rng.integers(10, 30, n_sets).astype(float),
        lower=np.zeros(n_sets),
        upper=np.ones(n_sets),
        integer=np.ones(n_sets, dtype=bool),
        row_lower=np.ones(n_elements),
        row_upper=np.full(n_elements, np.inf),
        rows=SparseVectors.from_dense(contains),
    )


def least_maximum(seed: int, n_columns: int = 7, n_terms: int = 5) -> tuple[MIPModel, float]:
    """Choose three columns so that the largest of several sums is least: integers and one continuous variable."""
    rng = np.random.default_rng(seed)
    sums = rng.normal(size=(n_terms, n_columns))
    matrix = np.vstack([np.hstack([np.ones((n_terms, 1)), -sums]), np.append(0.0, np.ones(n_columns))])
    model = MIPModel(
        costs=np.append(1.0, np.zeros(n_columns)),
        lower=np.append(-np.inf, np.zeros(n_columns)),
        upper=np.append(np.inf, np.ones(n_columns)),
        integer=np.append(False, np.ones(n_columns, dtype=bool)),
        row_lower=np.append(np.zeros(n_terms), 3.0),
        row_upper=np.append(np.full(n_terms, np.inf), 3.0),
        rows=SparseVectors.from_dense(matrix),
    )
    best = min(sums[:, list(chosen)].sum(axis=1).max() for chosen in itertools.combinations(range(n_columns), 3))
    return model, float(best)
