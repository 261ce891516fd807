"""The Hamming-loss master of the paper: missed positives plus, for every chosen rule, the negatives it covers."""

from __future__ import annotations

from collections.abc import Sequence

from ..api.backend import Backend
from ..api.constraint import Constraint
from ..api.parts import MasterParts
from ..data.problem import Problem
from ..data.rule_pool import RulePool
from .lp.linear_master import LinearMaster
from .pool_master import PoolMaster


class HammingMaster(PoolMaster):
    """Minimise the Hamming loss under the constraints' rows.

    ``parts`` say how the relaxation is solved. Masters may share a ``pool`` of rules.
    """

    can_branch = True

    def __init__(
        self,
        problem: Problem,
        constraints: Sequence[Constraint],
        backend: Backend,
        *,
        parts: MasterParts = MasterParts(),  # noqa: B008 - MasterParts is frozen
        pool: RulePool | None = None,
    ) -> None:
        super().__init__(problem, constraints, backend, pool, parts)
        self._linear = LinearMaster(problem, self.objective, self.rows, self.max_rules, backend, parts)

    def with_constraints(self, constraints: Sequence[Constraint]) -> HammingMaster:
        constraints = (*self.constraints, *constraints)
        return HammingMaster(self.problem, constraints, self.backend, parts=self.parts, pool=self.pool)
