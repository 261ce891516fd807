"""What happened: two axes for solvers (why it stopped, what is in hand), and what a run has proven."""

from __future__ import annotations

from enum import Enum


class _Word(str, Enum):
    def __str__(self) -> str:
        return str(self.value)


class Stop(_Word):
    """Why a solver, a pricer or a run stopped."""

    COMPLETED = "completed"
    TIME_LIMIT = "time-limit"
    OTHER_LIMIT = "other-limit"
    TARGET_REACHED = "target-reached"
    INTERRUPTED = "interrupted"
    ERROR = "error"


class Solution(_Word):
    """What a solver has in hand when it stops."""

    OPTIMAL = "optimal"
    FEASIBLE = "feasible"
    INFEASIBLE = "infeasible"
    UNBOUNDED = "unbounded"
    NONE = "none"


class Status(_Word):
    """What a run of column generation has proven about its answer."""

    OPTIMAL = "optimal"
    """No rule set over all rules has a better objective."""
    LP_OPTIMAL = "lp-optimal"
    """The linear relaxation over all rules is solved; the gap to its bound is known."""
    BOUNDED = "bounded"
    """A valid lower bound is known, but the relaxation is not proven; or the chosen rule set keeps every bound in true
    counts but not as the master counts, so that what was proven about the master's problem is not about it."""
    CLAIMED = "claimed"
    """A plugin that is not trusted says that no rule set is better; the core has not confirmed it."""
    HEURISTIC = "heuristic"
    """No valid bound is known."""
