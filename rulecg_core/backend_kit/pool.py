"""Feasible points met during a mixed-integer solve: checked, made exactly integral, distinct, best first."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable

import numpy as np

from ..api.backend import MIPModel, MIPSolution
from ..base.arrays import FloatArray

Repair = Callable[[FloatArray], "FloatArray | None"]


class SolutionPool:
    """Keeps the best ``size`` distinct points; points with equal integer parts count as one.

    Solvers accept points that are integral and feasible only within tolerances. Rounding such a point can break a
    row, so it is checked again, and ``repair`` (solve for the continuous variables with the integers fixed) is asked
    when the check fails. What cannot be repaired is dropped. Once settled, the pool takes no more points: a solver that
    was left behind may still report some.

    Parameters
    ----------
    model : MIPModel
        What the points are solutions of.
    size : int
        How many points to keep.
    repair : callable, optional
        Makes a feasible point of one whose integers are right, or returns None.

    Examples
    --------
    >>> from rulecg_core import SparseVectors
    >>> model = MIPModel(
    ...     np.ones(1), np.zeros(1), np.full(1, 3.0), np.array([True]), np.array([0.5]), np.array([np.inf]),
    ...     SparseVectors.from_dense(np.ones((1, 1))),
    ... )
    >>> pool = SolutionPool(model, size=2)
    >>> for value in (2.9999999, 1.0, 0.0):
    ...     _ = pool.add(np.array([value]))
    >>> [float(found.x[0]) for found in pool.solutions()]
    [1.0, 3.0]
    """

    def __init__(self, model: MIPModel, size: int, repair: Repair | None = None) -> None:
        self._model = model
        self.size = max(1, size)
        self._repair = repair
        self._found: dict[bytes, MIPSolution] = {}
        self._doubtful: dict[bytes, FloatArray] = {}
        self.n_dropped = 0
        self._lock = threading.RLock()  # solvers report from threads of their own
        self._is_settled = False

    def add(self, x: FloatArray) -> MIPSolution | None:
        """Store the point; returns it as it was stored, None when it is infeasible once rounded."""
        point = self._rounded(x)
        if point is None:
            return None
        key = self._key(point)
        is_feasible = self._model.is_feasible(point)
        with self._lock:
            if self._is_settled:
                return None
            if is_feasible:
                return self._store(key, point)
            self._doubtful.setdefault(key, point)
            return None

    def settle(self) -> None:
        """Repair the doubtful points or drop them; called once the solver has stopped."""
        with self._lock:
            doubtful, self._doubtful = self._doubtful, {}
            self._is_settled = True
        for key, point in doubtful.items():
            repaired = self._repair(point) if self._repair is not None and key not in self._found else None
            point_now = None if repaired is None else self._rounded(repaired)
            if point_now is not None and self._model.is_feasible(point_now):
                self._store(self._key(point_now), point_now)
            elif key not in self._found:
                self.n_dropped += 1

    def add_all(self, points: Iterable[FloatArray]) -> list[MIPSolution | None]:
        """Store the points; for each what :meth:`add` returns."""
        return [self.add(np.asarray(point, dtype=np.float64)) for point in points]

    @property
    def best(self) -> MIPSolution | None:
        """The best point so far."""
        with self._lock:
            return min(self._found.values(), key=lambda found: found.objective, default=None)

    def solutions(self) -> tuple[MIPSolution, ...]:
        """The best points, best first, at most as many as wanted."""
        return tuple(sorted(self._found.values(), key=lambda found: found.objective)[: self.size])

    def _rounded(self, x: FloatArray) -> FloatArray | None:
        if len(x) != self._model.n_columns or not np.all(np.isfinite(x)):
            return None
        point = np.where(self._model.integer, np.round(x), x)
        # Bounds are only moved within the solver's tolerance; a point further outside fails the check that follows.
        near = np.clip(point, self._model.lower, self._model.upper)
        return np.where(np.abs(near - point) <= 1e-6 * np.maximum(1.0, np.abs(point)), near, point)

    def _key(self, point: FloatArray) -> bytes:
        integers = point[self._model.integer]
        # Adding 0.0 turns -0.0 into 0.0, which would otherwise make equal points look different.
        return (integers + 0.0).tobytes() if len(integers) else (point + 0.0).tobytes()

    def _store(self, key: bytes, point: FloatArray) -> MIPSolution:
        objective = self._model.objective(point)
        known = self._found.get(key)
        if known is not None and known.objective <= objective:
            return known
        made = MIPSolution(point, objective)
        self._found[key] = made
        if len(self._found) > 2 * self.size + 50:
            kept = sorted(self._found.items(), key=lambda item: item[1].objective)[: self.size]
            self._found = dict(kept)
        return made
