"""What a master problem is: it holds the rules so far, prices them, bounds them and selects among them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from types import TracebackType
from typing import TypeVar

from attrs import frozen

from ..base.limits import Deadline, IntegerLimits
from ..base.status import Stop
from ..data.goal import Candidate, Goal
from ..data.problem import Problem
from ..data.rule_pool import RulePool
from ..data.rules import Rule
from .backend import Backend
from .constraint import Constraint
from .relaxation import Relaxation

Own = TypeVar("Own", bound="Master")


@frozen(eq=False)
class IntegerResult:
    """Rule sets over some rules, best objective first, and a valid bound over those rules if there is one."""

    candidates: tuple[Candidate, ...]
    bound: float | None
    stop: Stop
    infeasible: bool = False
    """Proven: no subset of the rules satisfies the rows."""
    notes: tuple[str, ...] = ()


class Master(ABC):
    """The restricted master problem over a growing pool of rules.

    A master has no modes: each call says what it needs and gives a value. It owns the solver's sessions that it opened
    and closes them; use it in a ``with`` block, or close it.
    """

    goal: Goal
    """What rule sets are judged by."""
    constraints: tuple[Constraint, ...]
    backend: Backend
    pool: RulePool

    @property
    def problem(self) -> Problem:
        return self.goal.problem

    def add_rules(self, rules: Sequence[Rule]) -> int:
        """Take in new rules; how many were taken in."""
        return len(self.pool.add(rules))

    def evaluate(self, rules: Sequence[Rule]) -> Candidate:
        """Count everything about one rule set from the data."""
        return self.goal.evaluate(rules)

    @abstractmethod
    def solve_relaxation(self, deadline: Deadline) -> Relaxation | None:
        """Solve the linear relaxation over the pool; None when the deadline came first."""

    @abstractmethod
    def solve_integer(
        self,
        limits: IntegerLimits,
        *,
        among: Sequence[Rule] | None = None,
        start: Sequence[Sequence[Rule]] = (),
        count_once: bool = False,
    ) -> IntegerResult:
        """Find the best rule set within the pool, or among some rules.

        Parameters
        ----------
        limits : what the solver may spend, and how many rule sets are wanted
        among : the rules to choose from; None for the whole pool
        start : rule sets known to be feasible
        count_once : whether a covered sample counts once, in the objective and in every row: the exact 0-1 model
            instead of the Hamming proxy
        """

    # Variants on the same pool; a master that has none answers None ------------------------------------------------

    def guide(self) -> Master | None:
        """A master over the same pool whose relaxations lead to good rules but prove nothing about this one; None when
        its own relaxations are the best guide."""
        return None

    def tightened(self, share: float) -> Master | None:
        """The same master over the same pool with bounds on size reduced to a share; None when no row bounds size."""
        return None

    def with_constraints(self: Own, constraints: Sequence[Constraint]) -> Own | None:
        """The same master over the same pool with further constraints: the door to branch and price; None when it
        cannot be extended."""
        return None

    @property
    def can_branch(self) -> bool:
        """Whether :meth:`with_constraints` is there."""
        return type(self).with_constraints is not Master.with_constraints

    # Ownership ------------------------------------------------------------------------------------------------------

    def close(self) -> None:
        """Free the solver's sessions; the next relaxation opens new ones."""
        return

    def __enter__(self: Own) -> Own:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
