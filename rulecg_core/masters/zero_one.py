"""The 0-1 loss master: every misclassified sample counts once, also when several chosen rules cover it.

A rule set's 0-1 loss is not a sum over its rules, so it needs two relaxations. The *guide* is the Hamming relaxation:
its duals price every cover and lead to good rules, but it bounds nothing here. The *certificate* is the linear
relaxation of the paper's aggregated formulation, ``Σ_{k covers i} w_k <= M zeta_i`` for every negative i, with M the
most rules there can be: in it ``zeta_i`` is always ``Σ w_k / M``, so that it is a Hamming relaxation whose covered
negatives cost an M-th. Its pricing problem has the one form that every pricer knows, and a proven price bounds the 0-1
loss over all rules. The disaggregated formulation, ``w_k <= zeta_i`` for every rule k that covers i, brings a row with
every rule, and over many rules its relaxation is weak (each of many alike rules takes a small share): it serves the
integer program over the generated rules.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import get_args

import numpy as np

from ..api.backend import Backend
from ..api.constraint import Constraint
from ..api.parts import MasterParts
from ..base.arrays import FloatArray
from ..base.errors import ConfigurationError
from ..data.problem import Problem
from ..data.rule_pool import RulePool
from ..generation.stages import reduced_costs
from .counted_once import at_least, classes_of, netted, relaxed_rows
from .lp.linear_master import LinearMaster
from .pool_master import PoolMaster
from .restricted_program import Formulation


class ZeroOneMaster(PoolMaster):
    """Minimise the 0-1 loss under the constraints' rows, all in true counts.

    ``formulation`` is that of the integer program over the pool; None chooses by size. ``parts`` say how relaxations
    are solved. Masters may share a ``pool`` of rules.
    """

    counts_once = True
    can_branch = True

    def __init__(
        self,
        problem: Problem,
        constraints: Sequence[Constraint],
        backend: Backend,
        *,
        formulation: Formulation | None = None,
        parts: MasterParts = MasterParts(),  # noqa: B008 - MasterParts is frozen
        pool: RulePool | None = None,
    ) -> None:
        super().__init__(problem, constraints, backend, pool, parts)
        if formulation is not None and formulation not in get_args(Formulation):
            raise ConfigurationError(f"formulation must be one of {get_args(Formulation)}, not {formulation!r}.")
        self.formulation = formulation
        self.is_guided = True
        self._guide = LinearMaster(problem, self.objective, self.rows, self.max_rules, backend, parts)
        self._linear = self._guide

    def certify(self) -> None:
        if not self.is_guided:
            return
        self.is_guided = False
        alike = classes_of(np.packbits(self.problem.X, axis=1))
        self._linear = LinearMaster(
            self.problem,
            at_least(netted(self.objective, self.problem.y, alike), self.max_rules),
            relaxed_rows(self.rows, self.max_rules),
            self.max_rules,
            self.backend,
            self.parts,
        )

    def with_constraints(self, constraints: Sequence[Constraint]) -> ZeroOneMaster:
        master = ZeroOneMaster(
            self.problem,
            (*self.constraints, *constraints),
            self.backend,
            formulation=self.formulation,
            parts=self.parts,
            pool=self.pool,
        )
        if not self.is_guided:
            master.certify()
        return master

    def lower_bound(self, pricing_bound: float) -> float | None:
        return None if self.is_guided else super().lower_bound(pricing_bound)

    def row_duals(self) -> dict[str, float]:
        duals = dict.fromkeys((row.name for row in self.rows), 0.0)
        # A row between two bounds is two rows of the certificate.
        for row, dual in zip(self._linear.rows, self._linear.row_duals().tolist(), strict=True):
            duals[row.name] += dual
        return duals

    def rule_weights(self) -> FloatArray | None:
        # The guide's are closer to good rule sets than the certificate's.
        return self._guide.weights() if self._guide.is_solved else None

    @property
    def _can_restrict(self) -> bool:
        return self._guide.is_solved

    def _least_objectives(self) -> tuple[FloatArray, FloatArray]:
        merit = reduced_costs(self, self._guide.pricing_problem(), self.pool.rules)
        if self.is_guided or not super()._can_restrict:
            return np.full(len(self.pool), -math.inf), merit
        return super()._least_objectives()[0], merit
