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
    RulecgWarning,
    SolveError,
    UnknownNameError,
)
from .forms import LinearForm, Row
from .groups import Group, Groups
from .hamming import HammingMaster
from .hookspecs import hookimpl
from .limits import Deadline, Limits, MIPLimits, PricingLimits
from .loop import generate_columns
from .master import Candidate, Master
from .parts import MasterParts, SearchParts
from .plugins import load_registry
from .pricing import NEGATIVE, Listing, Pricer, PricingProblem, PricingResult
from .problem import Problem
from .problem_options import ProblemOptions
from .registry import Registry
from .result import Result
from .rules import Rule, RuleSet
from .sparse import SparseVectors
from .status import Solution, Status, Stop
from .zero_one import ZeroOneMaster

__all__ = [
    "NEGATIVE",
    "Availability",
    "Backend",
    "BackendUnavailable",
    "Candidate",
    "Capabilities",
    "Condition",
    "ConfigurationError",
    "Constraint",
    "Deadline",
    "Group",
    "Groups",
    "HammingMaster",
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
    "Master",
    "MasterParts",
    "PluginError",
    "Pricer",
    "PricingLimits",
    "PricingProblem",
    "PricingResult",
    "Problem",
    "ProblemOptions",
    "Registry",
    "Result",
    "Row",
    "Rule",
    "RuleSet",
    "RulecgError",
    "RulecgWarning",
    "SearchParts",
    "Solution",
    "SolveError",
    "SparseVectors",
    "Status",
    "Stop",
    "UnknownNameError",
    "ZeroOneMaster",
    "generate_columns",
    "hookimpl",
    "load_registry",
]
