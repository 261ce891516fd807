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

from collections.abc import Sequence
from typing import get_args

import numpy as np
from attrs import evolve

from ..api.backend import Backend
from ..api.constraint import Constraint
from ..base.bits import number_equal_lines
from ..base.errors import ConfigurationError
from ..data.problem import Problem
from ..data.rule_pool import RulePool
from .counted_once import at_least, netted, relaxed_rows
from .hamming import HammingMaster
from .lp.linear_master import LinearMaster
from .lp.options import RelaxationOptions
from .pool_master import PoolMaster
from .restricted_program import CoverModel


class ZeroOneMaster(PoolMaster):
    """Minimise the 0-1 loss under the constraints' rows, all in true counts.

    Parameters
    ----------
    problem, constraints, backend, options, pool
        As for :class:`HammingMaster`.
    formulation : "disaggregated", "aggregated" or None
        How the integer program over the pool says that a sample is covered; None chooses by size.
    """

    counts_once = True

    def __init__(
        self,
        problem: Problem,
        constraints: Sequence[Constraint],
        backend: Backend,
        *,
        formulation: CoverModel | None = None,
        options: RelaxationOptions = RelaxationOptions(),  # noqa: B008 - frozen
        pool: RulePool | None = None,
    ) -> None:
        super().__init__(problem, constraints, backend, options=options, pool=pool)
        if formulation is not None and formulation not in get_args(CoverModel):
            raise ConfigurationError(f"formulation must be one of {get_args(CoverModel)}, not {formulation!r}.")
        self.cover_model = formulation

    def guide(self) -> HammingMaster:
        return HammingMaster(self.problem, self.constraints, self.backend, options=self.options, pool=self.pool)

    def _linear_program(self) -> LinearMaster:
        """The certificate's program."""
        _, alike = number_equal_lines(np.packbits(self.problem.X, axis=1))
        objective = at_least(netted(self.goal.objective, alike), self.goal.max_rules)
        rows = relaxed_rows(self.goal.rows, self.goal.max_rules)
        return LinearMaster(evolve(self.goal, objective=objective, rows=rows), self.backend, self.options)
