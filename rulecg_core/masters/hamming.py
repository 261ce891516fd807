"""The Hamming-loss master of the paper: missed positives plus, for every chosen rule, the negatives it covers."""

from __future__ import annotations

from .pool_master import PoolMaster


class HammingMaster(PoolMaster):
    """Minimise the Hamming loss under the constraints' rows.

    Parameters
    ----------
    problem : Problem
        What is to be learned.
    constraints : sequence of Constraint
        Their rows and objectives take part.
    backend : Backend
        Solves relaxations and integer programs.
    options : RelaxationOptions
        How the relaxation is solved.
    pool : RulePool or None
        Rules to share with another master; None begins with none.

    Examples
    --------
    >>> from rulecg_core import Complexity, Deadline, HammingMaster, Problem, Rule, load_registry
    >>> problem = Problem.from_arrays([[1, 0], [1, 1], [0, 1]], [True, True, False])
    >>> with HammingMaster(problem, [Complexity(4)], load_registry().backend("highs")) as master:
    ...     taken = master.add_rules([Rule([0]), Rule([1])])
    ...     relaxation = master.solve_relaxation(Deadline())
    >>> taken, relaxation.value, master.evaluate([Rule([0])]).objective
    (2, 0.0, 0.0)
    """
