"""What rulecg needs of a solver: warm linear programs, mixed-integer programs, and an honest account of both."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import ClassVar

import numpy as np
from attrs import field, frozen

from ..base.arrays import BoolArray, FloatArray, lock
from ..base.errors import BackendUnavailable, ConfigurationError
from ..base.limits import MIPLimits
from ..base.sparse import SparseVectors
from ..base.status import Solution, Stop
from .linear_program import CheckedSession, LPSession, LPSolution, check_numbers

__all__ = [
    "Availability",
    "Backend",
    "CheckedSession",
    "LPSession",
    "LPSolution",
    "MIPModel",
    "MIPResult",
    "MIPSolution",
]


@frozen
class Availability:
    """Whether a solver can be used here.

    Parameters
    ----------
    available : bool
        Whether it can.
    reason : str
        If not, why: the end of the sentence "Backend 'x' is not available: ...".
    install : str
        The command that brings it.
    """

    available: bool
    reason: str = ""
    install: str = ""


@frozen(eq=False)
class MIPModel:
    """``min costs @ x + offset, row_lower <= A x <= row_upper, lower <= x <= upper``, some x integer.

    Parameters
    ----------
    costs, lower, upper : numpy.ndarray
        One number per column; bounds may be ``±inf``.
    integer : numpy.ndarray of bool
        Which columns must be whole numbers.
    row_lower, row_upper : numpy.ndarray
        One number per row; ``±inf`` where there is no bound, equal where the row is an equation.
    rows : SparseVectors
        Row by row, (column number, coefficient).
    offset : float, default=0.0
        Added to every objective and bound.

    Raises
    ------
    ConfigurationError
        When the arrays do not fit together, or a number is not finite that has to be.

    Examples
    --------
    >>> model = MIPModel(
    ...     costs=np.array([2.0, 3.0]), lower=np.zeros(2), upper=np.ones(2), integer=np.array([True, True]),
    ...     row_lower=np.array([1.0]), row_upper=np.array([np.inf]), rows=SparseVectors.from_dense(np.ones((1, 2))),
    ... )
    >>> model.is_feasible(np.array([1.0, 0.0])), model.objective(np.array([1.0, 0.0]))
    (True, 2.0)
    """

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
        check_numbers("columns", np.append(self.costs, self.offset), self.lower, self.upper, SparseVectors.empty(0))
        check_numbers("rows", np.zeros(0), self.row_lower, self.row_upper, self.rows)
        # A solver that wrote into its model would have another one to answer for than the one that was meant.
        lock(self, "costs", "lower", "upper", "integer", "row_lower", "row_upper")

    @property
    def n_columns(self) -> int:
        """How many variables there are."""
        return len(self.costs)

    def objective(self, x: FloatArray) -> float:
        """What the point costs, with the offset."""
        return float(self.costs @ x) + self.offset

    def is_feasible(self, x: FloatArray, tolerance: float = 1e-6) -> bool:
        """Whether bounds, integrality and rows hold within the tolerance (relative to the size of each row's terms)."""
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
    """One feasible point; integer variables are exactly integral.

    Parameters
    ----------
    x : numpy.ndarray
        One number per column.
    objective : float
        ``model.objective(x)``.
    """

    x: FloatArray
    objective: float

    def __attrs_post_init__(self) -> None:
        if not (math.isfinite(self.objective) and np.all(np.isfinite(self.x))):
            raise ConfigurationError("A MIPSolution holds numbers that are infinite or not a number.")


@frozen(eq=False)
class MIPResult:
    """How a mixed-integer solve ended, and with what.

    Parameters
    ----------
    stop : Stop
        Why the solver stopped.
    solution : Solution
        What it has in hand.
    solutions : tuple of MIPSolution
        Distinct feasible points, the best first; empty unless ``solution`` is ``OPTIMAL`` or ``FEASIBLE``.
    bound : float or None
        A valid lower bound on the optimum, with the offset; None when there is none.
    native_status : str
        The solver's own word for how it ended; never empty.
    notes : tuple of str
        What the solver could not do and what was done instead; the core passes these on as events.
    """

    stop: Stop
    solution: Solution
    solutions: tuple[MIPSolution, ...]
    bound: float | None
    native_status: str = ""
    notes: tuple[str, ...] = field(default=())

    def __attrs_post_init__(self) -> None:
        if self.bound is not None and not math.isfinite(self.bound):
            raise ConfigurationError(f"The bound of a MIPResult must be a finite number or None, not {self.bound!r}.")

    @property
    def best(self) -> MIPSolution | None:
        """The best point, if there is one."""
        return self.solutions[0] if self.solutions else None


class Backend(ABC):
    """A solver. Instances are cheap, hold options only, and can be pickled; sessions hold the solver.

    A subclass sets :attr:`name` and implements :meth:`availability`, :meth:`new_session` and :meth:`solve_mip`; the
    page "Write a backend" of the documentation tells all of it, ``rulecg_core.testing.BackendContract`` checks it.
    """

    name: ClassVar[str]
    """The word by which users ask for it, and by which messages speak of it. Required."""

    counts_work: ClassVar[bool] = False
    """Whether :meth:`solve_mip` obeys ``limits.nodes`` and then gives the same answer whatever the load of the machine:
    what a repeatable run needs."""

    def without_presolve(self) -> Backend | None:
        """Make the same solver without its presolve, for a second opinion; None where it has no such option."""
        return None

    @classmethod
    @abstractmethod
    def availability(cls) -> Availability:
        """Say whether the solver is installed, found out without importing it."""

    @classmethod
    def checked_availability(cls) -> Availability:
        """What :meth:`availability` says; a method that fails or says nothing makes the backend unavailable."""
        try:
            found = cls.availability()
        except Exception as error:  # a stranger's code: anything may come
            return Availability(False, f"its availability() raised {type(error).__name__}: {error}")
        if not isinstance(found, Availability):
            return Availability(False, f"its availability() returned {found!r} instead of an Availability")
        return found

    @classmethod
    def is_available(cls) -> bool:
        """Whether the solver can be used here."""
        return cls.checked_availability().available

    @classmethod
    def require(cls) -> None:
        """Raise :class:`BackendUnavailable` when the solver cannot be used here."""
        found = cls.checked_availability()
        if not found.available:
            raise BackendUnavailable(getattr(cls, "name", cls.__name__), found.reason, found.install)

    def open_lp(self) -> LPSession:
        """Open a new, empty linear program whose answers are checked.

        Returns
        -------
        LPSession
            It belongs to the caller, who closes it.

        Raises
        ------
        BackendUnavailable
            When the solver cannot be used here.
        """
        self.require()
        return CheckedSession(self.name, self.new_session)

    @abstractmethod
    def new_session(self) -> LPSession:
        """Make a new, empty session of this solver; users call :meth:`open_lp`."""

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
        """Solve to optimality or to a limit.

        Parameters
        ----------
        model : MIPModel
            What to solve.
        limits : MIPLimits, optional
            Seconds, gaps, target, threads and seed.
        start : sequence of numpy.ndarray, optional
            Points that may be feasible. Those that are count as solutions met; a note tells of those that are not.
        pool_size : int, default=1
            How many distinct feasible solutions are wanted at most, as far as the solver meets them.
        should_stop : callable, optional
            Asked now and then, in the caller's thread: True ends the solve within about half a second, with
            ``Stop.INTERRUPTED`` and what was found. What it raises reaches the caller.

        Returns
        -------
        MIPResult
            How it ended, and with what.

        Raises
        ------
        BackendUnavailable
            When the solver cannot be used here.
        KeyboardInterrupt
            Within about half a second of Ctrl-C. Who wants to keep what was found, passes ``should_stop``.
        """
