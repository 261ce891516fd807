"""The Hamming-loss master of the paper: missed positives plus, for every chosen rule, the negatives it covers."""

from __future__ import annotations

from collections.abc import Sequence

from .backend import Backend
from .constraint import Constraint
from .parts import MasterParts
from .pool import RulePool
from .pool_master import PoolMaster
from .problem import Problem
from .relaxation import LinearMaster


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
