"""The framework: problems, forms and rows, the abstract parts, and the loop that composes them."""

from .api.backend import Availability, Backend, LPSession, LPSolution, MIPModel, MIPResult, MIPSolution
from .api.constraint import Constraint, checked_objective, checked_rows, checked_rule_bounds, prediction_value
from .api.engine import Engine, answers_of, total_of
from .api.heuristic import Found, Heuristic, Search, View
from .api.kept_aside import Judgement, checked_judgement, share_kept_aside
from .api.master import IntegerResult, Master
from .api.pricing import NEGATIVE, Listing, Pricer, PricingProblem, PricingResult, reduced_costs
from .api.relaxation import Relaxation
from .backend_kit.availability import package_availability
from .backend_kit.mip_solve import MIPSolve, Outcome
from .backend_kit.pool import SolutionPool
from .base import settings
from .base.arrays import AnyArray, BoolArray, ByteArray, FloatArray, IntArray
from .base.bits import bit_count, population
from .base.derived import Derived
from .base.errors import (
    BackendUnavailable,
    ConfigurationError,
    InfeasibleError,
    PluginError,
    RulecgError,
    RulecgWarning,
    SolveError,
    UnconfirmedError,
    UnknownNameError,
)
from .base.events import Event, Observer
from .base.interruption import Interruption
from .base.limits import (
    Deadline,
    IntegerLimits,
    Limits,
    MIPLimits,
    PricingLimits,
    SearchLimits,
    counting_work,
    is_counting,
    now,
)
from .base.linear_data import LinearData
from .base.sparse import SparseVectors
from .base.status import Solution, Status, Stop
from .data.bounds.rule_bound import RuleBound
from .data.columns.scales import Mark, Scale
from .data.conditions import Condition
from .data.goal import Candidate, Goal, least_variables
from .data.groups import Group, Groups
from .data.linear_form import LinearForm, Row, distinctly_named
from .data.problem import Problem
from .data.problem_options import ProblemOptions
from .data.rule_pool import RulePool
from .data.rules import Rule, RuleSet
from .data.stakes import Stakes
from .masters.hamming import HammingMaster
from .masters.kept_rules import KeepRules
from .masters.lp.options import RelaxationOptions
from .masters.pool_master import PoolMaster
from .masters.rate_bounds import Capacity, FprCeiling, PrecisionFloor, RecallFloor
from .masters.rule_limits import RuleLength, RuleLimit, RulePrecision, RuleSupport
from .masters.size_bounds import Complexity, MaxColumns, MaxRules
from .masters.zero_one import ZeroOneMaster
from .plugins.hookspecs import hookimpl
from .plugins.loading import load_registry
from .plugins.registry import Register, Registry
from .proof.certificate import Certificate
from .proof.optima.near_optimal import EnumerationBudget, NearOptimal, near_optimal_sets
from .solve.loop import Start, generate_columns
from .solve.result import Result
from .solve.schedule import Schedule

__all__ = [
    "NEGATIVE",
    "AnyArray",
    "Availability",
    "Backend",
    "BackendUnavailable",
    "BoolArray",
    "ByteArray",
    "Candidate",
    "Capacity",
    "Certificate",
    "Complexity",
    "Condition",
    "ConfigurationError",
    "Constraint",
    "Deadline",
    "Derived",
    "Engine",
    "EnumerationBudget",
    "Event",
    "FloatArray",
    "Found",
    "FprCeiling",
    "Goal",
    "Group",
    "Groups",
    "HammingMaster",
    "Heuristic",
    "InfeasibleError",
    "IntArray",
    "IntegerLimits",
    "IntegerResult",
    "Interruption",
    "Judgement",
    "KeepRules",
    "LPSession",
    "LPSolution",
    "Limits",
    "LinearData",
    "LinearForm",
    "Listing",
    "MIPLimits",
    "MIPModel",
    "MIPResult",
    "MIPSolution",
    "MIPSolve",
    "Mark",
    "Master",
    "MaxColumns",
    "MaxRules",
    "NearOptimal",
    "Observer",
    "Outcome",
    "PluginError",
    "PoolMaster",
    "PrecisionFloor",
    "Pricer",
    "PricingLimits",
    "PricingProblem",
    "PricingResult",
    "Problem",
    "ProblemOptions",
    "RecallFloor",
    "Register",
    "Registry",
    "Relaxation",
    "RelaxationOptions",
    "Result",
    "Row",
    "Rule",
    "RuleBound",
    "RuleLength",
    "RuleLimit",
    "RulePool",
    "RulePrecision",
    "RuleSet",
    "RuleSupport",
    "RulecgError",
    "RulecgWarning",
    "Scale",
    "Schedule",
    "Search",
    "SearchLimits",
    "Solution",
    "SolutionPool",
    "SolveError",
    "SparseVectors",
    "Stakes",
    "Start",
    "Status",
    "Stop",
    "UnconfirmedError",
    "UnknownNameError",
    "View",
    "ZeroOneMaster",
    "answers_of",
    "bit_count",
    "checked_judgement",
    "checked_objective",
    "checked_rows",
    "checked_rule_bounds",
    "counting_work",
    "distinctly_named",
    "generate_columns",
    "hookimpl",
    "is_counting",
    "least_variables",
    "load_registry",
    "near_optimal_sets",
    "now",
    "package_availability",
    "population",
    "prediction_value",
    "reduced_costs",
    "settings",
    "share_kept_aside",
    "total_of",
]
