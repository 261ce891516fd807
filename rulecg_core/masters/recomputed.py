"""Pricing problem and bound computed by the core, from the duals that a master shows."""

from __future__ import annotations

import numpy as np
from attrs import evolve

from ..api.relaxation import Relaxation
from ..data.goal import Goal
from .lp.duals import Duals


def is_recomputed(goal: Goal, relaxation: Relaxation) -> bool:
    """Whether the core can compute what the relaxation proves from its duals: not where covered samples count once."""
    return relaxation.cover_duals is not None and not goal.counts_once


def recomputed(goal: Goal, relaxation: Relaxation) -> Relaxation:
    """Replace what a master says that its duals prove by what they do prove.

    Parameters
    ----------
    goal
        What rule sets are judged by.
    relaxation
        A master's relaxation; without ``cover_duals`` it is left as it is.

    Returns
    -------
    Relaxation
        With pricing problem and ``dual_value`` that follow from the goal and the duals alone. Signs that no dual can
        have are taken as 0, so that the bound holds whatever the duals are.
    """
    duals = relaxation.cover_duals
    if duals is None or not is_recomputed(goal, relaxation):
        return relaxation
    covers = np.asarray(duals, dtype=np.float64)
    values = np.array([relaxation.row_duals.get(row.name, 0.0) for row in goal.rows], dtype=np.float64)
    if covers.shape != (goal.problem.n_samples,) or not (np.isfinite(covers).all() and np.isfinite(values).all()):
        raise ValueError("cover_duals and row_duals must be finite numbers, one for each sample and for each row")
    rows = tuple(row.normalised() for row in goal.rows)
    positives = np.flatnonzero(goal.tracked)
    max_rules = max(1.0, goal.max_rules)
    clean = Duals.cleaned(covers[positives], np.zeros(len(positives)), values, rows)
    rounded = clean.on_grid(goal.problem, goal.objective, rows, positives, max_rules)
    proven = rounded.duals.bound(goal.objective, rows, positives)
    return evolve(
        relaxation,
        pricing=evolve(
            rounded.pricing,
            in_use=relaxation.in_use,
            bounds=goal.rule_bounds,
            columns=goal.problem.column_numbers if np.isfinite(goal.max_columns) else None,
        ),
        dual_value=proven if relaxation.feasible and np.isfinite(proven) else None,
        max_rules=max_rules,
    )
