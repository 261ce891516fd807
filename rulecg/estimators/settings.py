"""The settings of the rule learner, as scikit-learn keeps them: one attribute each, unchecked until fit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sklearn.base import BaseEstimator

from rulecg_core import Backend, Condition, Constraint, Heuristic, Pricer, RuleSet

from ..binarize.best_cuts import CutPoints
from ..binarize.binarizer import Binarizer
from .recipe import ScheduleLike


class Settings(BaseEstimator):  # type: ignore[misc]
    """What a rule learner can be told; :class:`RuleSetClassifier` says what each setting means."""

    # scikit-learn asks for one parameter per setting.
    def __init__(
        self,
        max_complexity: float | str = "auto",
        max_conditions: int = 5,
        logic: str = "auto",
        loss: str = "hamming",
        constraints: Sequence[str | Constraint] = (),
        backend: str | Backend | None = None,
        pricers: str | Sequence[str | Pricer] = "auto",
        heuristics: str | Sequence[str | Heuristic] = "auto",
        schedule: ScheduleLike = None,
        time_limit: float | None = 60.0,
        forbid: Sequence[str] = (),
        binarizer: Binarizer | str | None = "auto",
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
        class_weight: Any = None,
        costs: Any = None,
        teacher: Any = "auto",
        label_weight: float | str = "auto",
        cut_points: CutPoints | None = None,
        choice: str = "best",
        select: str = "optimal",
        deterministic: bool = False,
        na_values: Sequence[str] = (),
        monotone: Mapping[str, str] | None = None,
        require: Sequence[str | Condition] = (),
        condition_costs: Mapping[str, float] | None = None,
        max_rules: int | None = None,
        max_columns: int | None = None,
        min_rule_support: float | None = None,
        min_rule_precision: float | None = None,
        keep: RuleSet | Sequence[Any] = (),
        positive: Any = None,
        sensitive: str | Sequence[str] | None = None,
        scoring: Any = None,
        pricing_time_limit: float | None = None,
        start: str | None = None,
    ) -> None:
        self.max_complexity = max_complexity
        self.max_conditions = max_conditions
        self.logic = logic
        self.loss = loss
        self.constraints = constraints
        self.backend = backend
        self.pricers = pricers
        self.heuristics = heuristics
        self.schedule = schedule
        self.time_limit = time_limit
        self.forbid = forbid
        self.binarizer = binarizer
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.class_weight = class_weight
        self.costs = costs
        self.teacher = teacher
        self.label_weight = label_weight
        self.cut_points = cut_points
        self.choice, self.select, self.deterministic = choice, select, deterministic
        self.na_values = na_values
        self.monotone = monotone
        self.require = require
        self.condition_costs = condition_costs
        self.max_rules = max_rules
        self.max_columns = max_columns
        self.min_rule_support = min_rule_support
        self.min_rule_precision = min_rule_precision
        self.keep = keep
        self.positive = positive
        self.sensitive = sensitive
        self.scoring = scoring
        self.pricing_time_limit = pricing_time_limit
        self.start = start
