"""The framework: problems, forms and rows, the abstract parts, and the loop that composes them."""

from .backend import Availability, Backend, Capabilities, LPSession, LPSolution, MIPModel, MIPResult, MIPSolution
from .conditions import Condition
from .constraint import Constraint
from .errors import (
    BackendUnavailable,
    ConfigurationError,
    InfeasibleError,
    PluginError,
    RulecgError,
    SolveError,
    UnknownNameError,
)
from .forms import LinearForm, Row
from .groups import Group, Groups
from .hookspecs import hookimpl
from .limits import Deadline, Limits, MIPLimits, PricingLimits
from .plugins import load_registry
from .pricing import NEGATIVE, Listing, Pricer, PricingProblem, PricingResult
from .problem import Problem
from .registry import Registry
from .rules import Rule, RuleSet
from .sparse import SparseVectors
from .status import Solution, Status, Stop

__all__ = [
    "NEGATIVE",
    "Availability",
    "Backend",
    "BackendUnavailable",
    "Capabilities",
    "Condition",
    "ConfigurationError",
    "Constraint",
    "Deadline",
    "Group",
    "Groups",
    "InfeasibleError",
    "LPSession",
    "LPSolution",
    "Limits",
    "LinearForm",
    "Listing",
    "MIPLimits",
    "MIPModel",
    "MIPResult",
    "MIPSolution",
    "PluginError",
    "Pricer",
    "PricingLimits",
    "PricingProblem",
    "PricingResult",
    "Problem",
    "Registry",
    "Row",
    "Rule",
    "RuleSet",
    "RulecgError",
    "Solution",
    "SolveError",
    "SparseVectors",
    "Status",
    "Stop",
    "UnknownNameError",
    "hookimpl",
    "load_registry",
]
