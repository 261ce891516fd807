"""What a master problem is: it holds the rules so far, prices them, bounds them and selects among them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence

import numpy as np
from attrs import frozen

from ..base.arrays import FloatArray
from ..base.limits import Deadline
from ..base.status import Stop
from ..data.linear_form import LinearForm, Row
from ..data.problem import Problem
from ..data.rule_pool import RulePool
from ..data.rules import Rule
from .backend import Backend
from .constraint import Constraint
from .parts import MasterParts
from .pricing import PricingProblem


@frozen
class Relaxation:
    """The solved linear relaxation over the rules so far."""

    objective: float
    feasible: bool
    """False while some rows can only be satisfied by artificial columns; the objective is then their sum."""


@frozen
class Candidate:
    """A rule set with everything that decides whether and why it is chosen."""

    rules: tuple[Rule, ...]
    objective: float
    """Value of the master's objective."""
    errors: float
    """True 0-1 loss."""
    complexity: float
    proxy_violation: float
    """Largest violation of a row as the master sees it (each cover counted)."""
    true_violation: float
    """Largest violation of a row in true counts (each covered sample counted once)."""

    @property
    def is_feasible(self) -> bool:
        """Whether every row holds in true counts."""
        return self.true_violation <= 1e-9


@frozen(eq=False)
class IntegerResult:
    """Rule sets over a pool of rules, best objective first, and a valid bound over that pool if there is one."""

    candidates: tuple[Candidate, ...]
    bound: float | None
    stop: Stop
    infeasible: bool = False
    """Proven: no subset of the pool satisfies the rows."""
    notes: tuple[str, ...] = ()


class Master(ABC):
    """The restricted master problem over a growing pool of rules."""

    problem: Problem
    constraints: tuple[Constraint, ...]
    backend: Backend
    rows: tuple[Row, ...]
    objective: LinearForm
    max_rules: float
    """No feasible rule set has more rules than this."""
    pool: RulePool
    parts: MasterParts = MasterParts()
    """What makes it fast, each part of which can be switched off."""
    counts_once: bool = False
    """Whether a covered sample counts once in the objective and in every row, however many rules cover it."""
    is_guided: bool = False
    """Whether relaxations for now only lead to good rules, and prove nothing about the objective."""

    @property
    def counts_only_size(self) -> bool:
        """Whether rules meet in nothing but size: every cover counts, and no row looks at which samples are covered or
        missed. Gaps are small then, and proofs by listing close them."""
        return not self.counts_once and all(row.bounds_size for row in self.rows)

    @property
    def counts_truly(self) -> bool:
        """Whether rows have their true values for every rule set: none counts covers, of which there can be several."""
        return self.counts_once or all(row.form.cover is None or not row.form.cover.any() for row in self.rows)

    def with_constraints(self, constraints: Sequence[Constraint]) -> Master:
        """The same master with further constraints, on the same pool of rules; what branching needs."""
        raise NotImplementedError(f"{type(self).__name__} cannot be extended by constraints")

    @abstractmethod
    def add_rules(self, rules: Sequence[Rule]) -> int:
        """Take in new rules; how many were taken in."""

    can_branch: bool = False
    """Whether :meth:`with_constraints` is there: the door to branch and price."""
    is_tightened: bool = False
    """Whether bounds on size are tighter for now than the constraints say: nothing is then proven by bounds."""

    def tighten(self, share: float) -> bool:
        """Solve relaxations with bounds on size reduced to a share, 1 for the true bounds; whether that can be."""
        return False

    def certify(self) -> None:
        """Leave guidance: relaxations are from now on about the master's own objective."""
        self.is_guided = False

    @abstractmethod
    def solve_relaxation(self, deadline: Deadline) -> Relaxation | None:
        """Solve the linear relaxation over the pool; None when the deadline came first."""

    @abstractmethod
    def pricing_problem(self) -> PricingProblem:
        """The pricing problem for the duals of the last relaxation."""

    @abstractmethod
    def lower_bound(self, pricing_bound: float) -> float | None:
        """A valid lower bound on the objective over *all* rules, given a proven bound on all reduced costs."""

    @property
    @abstractmethod
    def has_integer_objective(self) -> bool:
        """Whether every rule set has a whole-numbered objective, so that bounds can be rounded up."""

    @property
    @abstractmethod
    def trivial_bound(self) -> float:
        """What the objective cannot be below, whatever the data; minus infinity if nothing is known."""

    @abstractmethod
    def row_duals(self) -> dict[str, float]:
        """The dual of every constraint row in the last relaxation: objective per unit of its bound."""

    @abstractmethod
    def row_values(self, rules: Sequence[Rule]) -> dict[str, tuple[float, float]]:
        """For every constraint row, its value for the rule set as the master counts, and in true counts."""

    def rule_weights(self) -> FloatArray | None:
        """Weights of the pool's first rules in the last relaxation (later rules were not in it); None without one."""
        return None

    def rules_in_use(self) -> tuple[Rule, ...]:
        """The rules with weight in the last relaxation."""
        weights = self.rule_weights()
        return () if weights is None else tuple(self.pool.rules[at] for at in np.flatnonzero(weights > 1e-6))

    @abstractmethod
    def conflict(self) -> dict[str, float]:
        """The rows that keep the last relaxation from being feasible, and by how much each misses its bound."""

    @abstractmethod
    def evaluate(self, rules: Sequence[Rule]) -> Candidate:
        """Everything about one rule set, from the data."""

    @abstractmethod
    def solve_integer(
        self,
        deadline: Deadline,
        *,
        among: Sequence[Rule] | None = None,
        start: Sequence[Sequence[Rule]] = (),
        pool_size: int = 20,
        count_once: bool = False,
        threads: int | None = None,
        should_stop: Callable[[], bool] | None = None,
    ) -> IntegerResult:
        """The best rule set within the pool (or among some rules). With ``count_once`` a covered sample counts once,
        in the objective and in every row: the exact 0-1 model instead of the Hamming proxy."""
