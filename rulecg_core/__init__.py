"""The framework: problems, forms and rows, the abstract parts, and the loop that composes them."""

from .api.backend import Availability, Backend, Capabilities, LPSession, LPSolution, MIPModel, MIPResult, MIPSolution
from .api.constraint import Constraint, prediction_value
from .api.master import Candidate, IntegerResult, Master, Relaxation
from .api.parts import MasterParts, SearchParts
from .api.pricing import NEGATIVE, Listing, Pricer, PricingProblem, PricingResult
from .base import settings
from .base.arrays import AnyArray, BoolArray, ByteArray, FloatArray, IntArray
from .base.derived import Derived
from .base.errors import (
    BackendUnavailable,
    ConfigurationError,
    InfeasibleError,
    PluginError,
    RulecgError,
    RulecgWarning,
    SolveError,
    UnknownNameError,
)
from .base.events import Event, Observer
from .base.limits import Deadline, Limits, MIPLimits, PricingLimits
from .base.sparse import SparseVectors
from .base.status import Solution, Status, Stop
from .data.conditions import Condition
from .data.groups import Group, Groups
from .data.linear_form import LinearForm, Row
from .data.problem import Problem
from .data.problem_options import ProblemOptions
from .data.rule_pool import RulePool
from .data.rules import Rule, RuleSet
from .masters.hamming import HammingMaster
from .masters.size_bounds import Complexity
from .masters.zero_one import ZeroOneMaster
from .plugins.hookspecs import hookimpl
from .plugins.loading import load_registry
from .plugins.registry import Register, Registry
from .solve.loop import generate_columns
from .solve.result import Result

__all__ = [
    "NEGATIVE",
    "AnyArray",
    "Availability",
    "Backend",
    "BackendUnavailable",
    "BoolArray",
    "ByteArray",
    "Candidate",
    "Capabilities",
    "Complexity",
    "Condition",
    "ConfigurationError",
    "Constraint",
    "Deadline",
    "Derived",
    "Event",
    "FloatArray",
    "Group",
    "Groups",
    "HammingMaster",
    "InfeasibleError",
    "IntArray",
    "IntegerResult",
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
    "Observer",
    "PluginError",
    "Pricer",
    "PricingLimits",
    "PricingProblem",
    "PricingResult",
    "Problem",
    "ProblemOptions",
    "Register",
    "Registry",
    "Relaxation",
    "Result",
    "Row",
    "Rule",
    "RulePool",
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
    "prediction_value",
    "settings",
]
