"""The Hamming-loss master of the paper: missed positives plus, for every chosen rule, the negatives it covers."""

from __future__ import annotations

from collections.abc import Sequence

from .backend import Backend
from .constraint import Constraint
from .pool import RulePool
from .pool_master import PoolMaster
from .problem import Problem
from .relaxation import LinearMaster


class HammingMaster(PoolMaster):
    """Minimise the Hamming loss under the constraints' rows.

    ``dual_form`` says whether the relaxation is solved in its dual form; None decides by the rows. Masters may share a
    ``pool`` of rules.
    """

    can_branch = True

    def __init__(
        self,
        problem: Problem,
        constraints: Sequence[Constraint],
        backend: Backend,
        *,
        dual_form: bool | None = None,
        pool: RulePool | None = None,
    ) -> None:
        super().__init__(problem, constraints, backend, pool)
        self._linear = LinearMaster(problem, self.objective, self.rows, self.max_rules, backend, dual_form)

    def with_constraints(self, constraints: Sequence[Constraint]) -> HammingMaster:
        return HammingMaster(self.problem, (*self.constraints, *constraints), self.backend, pool=self.pool)
