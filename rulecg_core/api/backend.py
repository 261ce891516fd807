"""What rulecg needs of a solver: warm linear programs, mixed-integer programs, and an honest account of both."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import ClassVar

import numpy as np
from attrs import field, frozen

from ..base.arrays import BoolArray, FloatArray, IntArray
from ..base.errors import BackendUnavailable, ConfigurationError
from ..base.limits import Deadline, MIPLimits
from ..base.sparse import SparseVectors
from ..base.status import Solution, Stop


@frozen
class Capabilities:
    """What a backend can do. The core falls back, visibly, on what is missing."""

    warm_lp: bool = True
    """Re-solving after added rows or columns starts from the last basis; otherwise the LP is rebuilt."""
    solution_pool: bool = True
    """``solve_mip`` returns further feasible solutions beside the best."""
    start_solution: bool = True
    stops_at_target: bool = True
    interruptible: bool = True
    """``should_stop`` is asked during a mixed-integer solve."""
    time_limit: bool = True


@frozen
class Availability:
    """Whether a solver can be used here; if not, why, and the command that brings it."""

    available: bool
    reason: str = ""
    install: str = ""


@frozen(eq=False)
class LPSolution:
    """Primal and dual values; ``reduced cost = cost - A' dual``, so ``>=`` rows have duals >= 0 in minimisation."""

    stop: Stop
    solution: Solution
    objective: float
    primal: FloatArray
    dual: FloatArray
    native_status: str = ""

    @property
    def is_optimal(self) -> bool:
        return self.solution is Solution.OPTIMAL


class LPSession(ABC):
    """One linear program ``min cost @ x, row_lower <= A x <= row_upper, lower <= x <= upper`` that grows.

    Rows and columns are numbered in the order they were added. Infinite bounds are ``±inf``.
    """

    @abstractmethod
    def add_columns(
        self, costs: FloatArray, lower: FloatArray, upper: FloatArray, entries: SparseVectors
    ) -> None:
        """Append columns; ``entries`` holds, column by column, (row number, coefficient)."""

    @abstractmethod
    def add_rows(self, lower: FloatArray, upper: FloatArray, entries: SparseVectors) -> None:
        """Append rows; ``entries`` holds, row by row, (column number, coefficient)."""

    @abstractmethod
    def set_costs(self, columns: IntArray, costs: FloatArray) -> None: ...

    @abstractmethod
    def set_column_bounds(self, columns: IntArray, lower: FloatArray, upper: FloatArray) -> None: ...

    @abstractmethod
    def solve(self, deadline: Deadline = Deadline()) -> LPSolution:  # noqa: B008 - Deadline is frozen
        """Solve from where the last solve ended."""

    @abstractmethod
    def close(self) -> None:
        """Free the solver's memory; the session is not used afterwards."""


@frozen(eq=False)
class MIPModel:
    """``min cost @ x + offset, row_lower <= A x <= row_upper, lower <= x <= upper``, some x integer."""

    costs: FloatArray
    lower: FloatArray
    upper: FloatArray
    integer: BoolArray
    row_lower: FloatArray
    row_upper: FloatArray
    rows: SparseVectors
    offset: float = 0.0

    def __attrs_post_init__(self) -> None:
        n, m = len(self.costs), len(self.row_lower)
        if {len(self.lower), len(self.upper), len(self.integer)} != {n} or {len(self.row_upper), len(self.rows)} != {m}:
            raise ConfigurationError("The arrays of a MIPModel do not fit together.")

    @property
    def n_columns(self) -> int:
        return len(self.costs)

    def objective(self, x: FloatArray) -> float:
        return float(self.costs @ x) + self.offset

    def is_feasible(self, x: FloatArray, tolerance: float = 1e-6) -> bool:
        """Bounds, integrality and rows within the tolerance (relative to the size of each row's terms)."""
        if np.any(x < self.lower - tolerance) or np.any(x > self.upper + tolerance):
            return False
        if np.any(np.abs(x - np.round(x))[self.integer] > tolerance):
            return False
        activity = self.rows.dot(x)
        magnitude = SparseVectors(self.rows.starts, self.rows.indices, np.abs(self.rows.values)).dot(np.abs(x))
        slack = tolerance * np.maximum(1.0, magnitude)
        return bool(np.all(activity >= self.row_lower - slack) and np.all(activity <= self.row_upper + slack))


@frozen(eq=False)
class MIPSolution:
    """One feasible point; integer variables are exactly integral."""

    x: FloatArray
    objective: float


@frozen(eq=False)
class MIPResult:
    """Best solution first. ``bound`` is a valid lower bound on the optimum, None when there is none."""

    stop: Stop
    solution: Solution
    solutions: tuple[MIPSolution, ...]
    bound: float | None
    native_status: str = ""
    notes: tuple[str, ...] = field(default=())
    """What the solver could not do and what was done instead; the core passes these on as events."""

    @property
    def best(self) -> MIPSolution | None:
        return self.solutions[0] if self.solutions else None


class Backend(ABC):
    """A solver. Instances are cheap, hold options only, and can be pickled; sessions hold the solver."""

    name: ClassVar[str]
    capabilities: ClassVar[Capabilities] = Capabilities()

    @classmethod
    @abstractmethod
    def availability(cls) -> Availability:
        """Whether the solver is installed, found out without importing it."""

    @classmethod
    def is_available(cls) -> bool:
        return cls.availability().available

    @classmethod
    def require(cls) -> None:
        """Raise :class:`BackendUnavailable` when the solver is not installed."""
        found = cls.availability()
        if not found.available:
            raise BackendUnavailable(cls.name, found.reason, found.install)

    @abstractmethod
    def open_lp(self) -> LPSession:
        """A new, empty linear program."""

    @abstractmethod
    def solve_mip(
        self,
        model: MIPModel,
        limits: MIPLimits = MIPLimits(),  # noqa: B008 - MIPLimits is frozen
        *,
        start: Sequence[FloatArray] = (),
        pool_size: int = 1,
        should_stop: Callable[[], bool] | None = None,
    ) -> MIPResult:
        """Solve to optimality or to a limit. ``start`` holds known feasible points; ``pool_size`` is how many
        distinct feasible solutions are wanted at most, as far as the solver meets them."""
