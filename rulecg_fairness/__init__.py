"""Constraints on rule sets (their size, fairness between groups) and fairness metrics."""

from rulecg_core import Complexity

from .audits.impact import impact_ratios, predictive_values
from .audits.ledger import Ledger, rule_ledger
from .audits.price import price_of_fairness
from .audits.proxy import proxy_and_true
from .audits.verdict import TrainingRows, Verdict, held_out_verdict
from .constraints.demographic import DemographicParity
from .constraints.intersectional import IntersectionalGroups
from .constraints.parity import (
    AccuracyParity,
    EqualityOfOpportunity,
    EqualizedOdds,
    ErrorRateParity,
    FalsePositiveRateParity,
)
from .constraints.worst import GroupRecallFloor, MinimaxError
from .metrics.gaps import (
    demographic_parity_difference,
    demographic_parity_ratio,
    equal_opportunity_difference,
    equalized_odds_difference,
    gaps,
    group_table,
)

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
    "TrainingRows",
    "Verdict",
    "demographic_parity_difference",
    "demographic_parity_ratio",
    "equal_opportunity_difference",
    "equalized_odds_difference",
    "gaps",
    "group_table",
    "held_out_verdict",
    "impact_ratios",
    "predictive_values",
    "price_of_fairness",
    "proxy_and_true",
    "rule_ledger",
]
