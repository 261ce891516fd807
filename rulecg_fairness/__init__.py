"""Constraints on rule sets (their size, fairness between groups) and fairness metrics."""

from .complexity import Complexity
from .demographic import DemographicParity
from .intersectional import IntersectionalGroups
from .ledger import Ledger, rule_ledger
from .metrics import (
    demographic_parity_difference,
    demographic_parity_ratio,
    equal_opportunity_difference,
    equalized_odds_difference,
    gaps,
    group_table,
)
from .parity import (
    AccuracyParity,
    EqualityOfOpportunity,
    EqualizedOdds,
    ErrorRateParity,
    FalsePositiveRateParity,
)
from .price import price_of_fairness
from .proxy import proxy_and_true
from .verdict import Verdict, held_out_verdict
from .worst import GroupRecallFloor, MinimaxError

__all__ = [
    "AccuracyParity",
    "Complexity",
    "DemographicParity",
    "EqualityOfOpportunity",
    "EqualizedOdds",
    "ErrorRateParity",
    "FalsePositiveRateParity",
    "GroupRecallFloor",
    "IntersectionalGroups",
    "Ledger",
    "MinimaxError",
    "Verdict",
    "demographic_parity_difference",
    "demographic_parity_ratio",
    "equal_opportunity_difference",
    "equalized_odds_difference",
    "gaps",
    "group_table",
    "held_out_verdict",
    "price_of_fairness",
    "proxy_and_true",
    "rule_ledger",
]
