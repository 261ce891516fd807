"""The frontier of accuracy, fairness and size: one shared pool of rules, one rule set for every pair of bounds."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, TypeAlias

import numpy as np
import pandas as pd
from attrs import define, evolve, field, frozen
from joblib import effective_n_jobs

from rulecg_core import (
    Candidate,
    ConfigurationError,
    Constraint,
    Groups,
    InfeasibleError,
    Limits,
    Pricer,
    PricingResult,
    Problem,
    Registry,
    Result,
    Rule,
    Stakes,
    Start,
    Status,
    Stop,
    load_registry,
    now,
    share_kept_aside,
)
from rulecg_core.plugins.calls import parse_call

from ..binarize.binarizer import Binarizer
from ..binarize.by_name import binarizer_of
from ..choosing.settled import without_choice
from ..inputs.labels import checked_labels, outcome_text
from ..inputs.table import as_frame
from ..knowledge.expert_knowledge import ExpertKnowledge
from ..model.scored_rule_sets import LabelledRows
from ..stakes.row_stakes import RowObjective
from ..stakes.teachers import teacher_of_rows
from .classifier import RuleSetClassifier
from .forest_start import starter_of
from .learning import describing, labelled_rows, seed_of
from .recipe import Part, Recipe, compose
from .training import Training

FIRST_PHASE = 0.6
"""Share of the time for generating rules; the rest is for choosing among all of them at every point."""

Point: TypeAlias = tuple[float, float]
"""A bound on complexity, and eps."""


# Data, grid, estimator and budget stay separate arguments, as everywhere in scikit-learn.
def fairness_path(
    X: Any,
    y: Any,
    sensitive_features: Any,
    constraint: str | Callable[[float], Constraint] = "equalized-odds",
    eps_grid: Sequence[float] = (0.01, 0.025, 0.05, 0.1, 1.0),
    complexities: Sequence[float] = (10, 20, 30),
    *,
    estimator: RuleSetClassifier | None = None,
    time_limit: float | None = 120.0,
    sample_weight: Any = None,
    new_rows: tuple[Any, Any, Any] | None = None,
    first_eps_grid: Sequence[float] | None = None,
    first_complexities: Sequence[float] | None = None,
) -> pd.DataFrame:
    """Learn a rule set for every eps and every bound on complexity.

    As in the paper there are two phases: rules are generated at every point of the first grid, each starting from all
    rules and rule sets so far; then every point that is not proven yet chooses among all rules, without generating
    more. In the end every rule set that was met anywhere counts wherever it keeps the bounds: looser bounds are never
    worse.

    Parameters
    ----------
    X : DataFrame, array or list of rows
        The inputs.
    y : sequence of labels
        What to predict, of two classes.
    sensitive_features : column or columns
        What defines the groups.
    constraint : str or function
        A constraint's name, with named options if wanted (``"equalized-odds:columns=race"``), or a function from eps
        to a constraint.
    eps_grid, complexities : sequences of numbers
        The bounds.
    estimator : RuleSetClassifier or None
        All other settings; None for the defaults. Thresholds are chosen once and not refined. With ``start="forest"``
        the first phase begins with the leaves of a random forest, and ``pricing_time_limit`` holds for every pricing
        problem, as in the paper.
    time_limit : float or None
        Seconds for the whole path.
    sample_weight : sequence of numbers or None
        The weight of every row.
    new_rows : tuple of (X, y, sensitive_features) or None
        Rows to score every rule set on that it was not learned from.
    first_eps_grid, first_complexities : sequences of numbers or None
        The bounds under which rules are generated; None for those of ``eps_grid`` and ``complexities``. A few points
        here and many there cost little more than the few.

    Returns
    -------
    DataFrame
        One line per point: ``accuracy`` and ``gap`` (the largest true value among the constraint's bounded rows; for
        floors the smallest) on the training rows; ``complexity`` and ``rule_set`` of the rule set with the fewest
        errors; ``objective``, ``lower_bound`` and ``status`` of the best objective. With new rows also
        ``new_accuracy`` and ``new_gap`` (NaN where a group's rate is not defined there). Points that no rule set
        satisfies have the status "infeasible", points that Ctrl-C kept from being learned "interrupted".

    Raises
    ------
    ConfigurationError
        When data, grid or settings cannot be used.

    Examples
    --------
    >>> from rulecg.datasets import lending
    >>> data, target, people = lending(n_rows=200)
    >>> path = fairness_path(data, target, people["sex"], eps_grid=[0.1], complexities=[4], time_limit=2)
    >>> bool(path["gap"][0] <= 0.1)
    True
    """
    registry = load_registry()
    make = _factory(registry, constraint)
    points = _points(eps_grid, complexities, "eps_grid and complexities")
    first_eps_grid = eps_grid if first_eps_grid is None else first_eps_grid
    first_complexities = complexities if first_complexities is None else first_complexities
    first = _points(first_eps_grid, first_complexities, "first_eps_grid and first_complexities")
    template = RuleSetClassifier() if estimator is None else estimator
    template = RuleSetClassifier(**without_choice(template.get_params(deep=False)))
    rows, groups = labelled_rows(X, y, sample_weight, sensitive_features)
    if len(rows.classes) != 2:
        raise ConfigurationError(f"A fairness path needs labels of two classes, but y has {len(rows.classes)}.")
    rows = describing(rows, template.positive)
    view = _View.of(template, rows, getattr(y, "name", None), None if sample_weight is None else rows.weights)
    recipes = {
        (size, eps): compose(
            registry,
            max_complexity=size,
            constraints=[*_listed(template.constraints), *view.known.constraints, make(eps)],
            backend=template.backend,
            pricers=template.pricers,
            heuristics=template.heuristics,
            loss=template.loss,
            schedule=template.schedule,
        )
        for size, eps in dict.fromkeys([*first, *points])
    }
    seed = seed_of(template.random_state)
    if share_kept_aside(recipes[points[0]].constraints):
        raise ConfigurationError(
            "A fairness path shows what is possible on the training rows and keeps none aside: leave confidence= out "
            "of its constraints, and learn with it at the bound that you choose."
        )
    threads = effective_n_jobs(template.n_jobs)
    walk = _Walk(
        problem=view.problem(rows, groups, view.stakes(template, rows, sample_weight, seed)),
        recipes=recipes,
        limits=Limits(time_limit, pricing_seconds=template.pricing_time_limit, threads=threads),
        seed=seed,
    )
    starter = starter_of(template.start)
    walk.pool |= dict.fromkeys(() if starter is None else starter(walk.problem))
    walk.run(first, points)
    new = None if new_rows is None else view.problem(*_new_rows(new_rows, rows.classes))
    return pd.DataFrame([walk.line(point, new) for point in points])


def plot_fairness_path(path: pd.DataFrame, ax: Any = None) -> Any:
    """Plot accuracy against true gap, one line for each bound on complexity.

    Parameters
    ----------
    path : DataFrame
        The table of :func:`fairness_path`.
    ax : matplotlib axes or None
        Where to draw; None for a new figure.

    Returns
    -------
    matplotlib axes
        With the plot.
    """
    import matplotlib.pyplot as plt

    ax = plt.subplots()[1] if ax is None else ax
    for size, points in path.dropna(subset=["accuracy"]).groupby("max_complexity"):
        points = points.sort_values("gap")
        ax.plot(points["gap"], points["accuracy"], marker="o", label=f"complexity ≤ {size:g}")
    ax.set_xlabel("true gap between groups")
    ax.set_ylabel("accuracy on the training rows")
    ax.legend()
    return ax


@frozen(eq=False)
class _View:
    """How rows become a problem: the same way for training rows and new ones."""

    binarizer: Binarizer
    known: ExpertKnowledge
    options: dict[str, Any]

    @classmethod
    def of(cls, template: RuleSetClassifier, rows: LabelledRows, label_name: Any, weights: Any) -> _View:
        known = ExpertKnowledge.of(template.get_params(deep=False), rows.table)
        inputs = rows.table.drop(columns=list(known.forbidden_columns))
        binarizer = binarizer_of(template.binarizer, inputs.shape, template.time_limit, template.cut_points)
        binarizer.fit(inputs, rows.codes, sample_weight=weights)
        binarizer.conditions_ = known.applied(binarizer.conditions_)
        options = {
            "logic": template.logic,
            "max_conditions": template.max_conditions,
            "columns": tuple(rows.table.columns),
            "outcome": outcome_text(label_name, rows.classes[1]),
            "options": known.options(binarizer.conditions_),
        }
        return cls(binarizer, known, options)

    def stakes(self, template: RuleSetClassifier, rows: LabelledRows, sample_weight: Any, seed: int) -> Stakes | None:
        """What errors on the training rows cost."""
        inputs = rows.table.drop(columns=list(self.known.forbidden_columns))
        teacher = teacher_of_rows(template.teacher, sample_weight)
        settings = {**template.get_params(deep=False), "teacher": teacher}
        return RowObjective.of(settings, inputs, rows.classes, rows.codes, rows.weights, seed).stakes(1)

    def problem(self, rows: LabelledRows, groups: Groups, stakes: Stakes | None = None) -> Problem:
        inputs = rows.table.drop(columns=list(self.known.forbidden_columns))
        features = self.binarizer.transform(inputs)
        training = Training.of(inputs, features, self.binarizer.conditions_, rows.codes, rows.weights, groups)
        return training.with_stakes(stakes).problem(1, **self.options)


class _NothingNew(Pricer):
    """Finds no rule: what is left is to choose among those that are there."""

    def price(self, problem: Any, limits: Any, rng: Any) -> PricingResult:
        return PricingResult(())


@define(eq=False)
class _Walk:
    """The two phases over all points of the grid, and everything that they find."""

    problem: Problem
    recipes: dict[Point, Recipe]
    limits: Limits
    """Of the whole walk."""
    seed: int
    began: float = field(factory=now)
    results: dict[Point, list[Result]] = field(factory=dict)
    """The runs at each point that found a rule set."""
    pool: dict[Rule, None] = field(factory=dict)
    rule_sets: dict[tuple[Rule, ...], None] = field(factory=dict)
    """Every rule set that a run ended with."""

    def run(self, first: list[Point], points: list[Point]) -> None:
        """Generate rules at the first points, then choose at the others and wherever nothing is proven yet."""
        if not self._phase(first, FIRST_PHASE, ()):
            return
        unproven = [point for point in points if not any(map(_is_proven, self.results.get(point, ())))]
        self._phase(unproven, 1.0, (Part("rules so far", _NothingNew()),))

    def _phase(self, points: list[Point], share: float, pricers: tuple[Part, ...]) -> bool:
        """Learn at each point; False when Ctrl-C ended it."""
        for point, limits in self._shares(points, share):
            recipe = evolve(self.recipes[point], start=Start(tuple(self.pool), tuple(self.rule_sets)))
            found = self.results.setdefault(point, [])
            try:
                result = (evolve(recipe, pricers=pricers) if pricers else recipe).learn(
                    self.problem, limits, None, self.seed
                )
            except InfeasibleError:
                continue
            found.append(result)
            self.pool |= dict.fromkeys(result.pool)
            self.rule_sets |= dict.fromkeys([result.best_rules, result.rules])
            if result.stop is Stop.INTERRUPTED:
                return False
        return True

    def _shares(self, points: list[Point], share: float) -> Iterator[tuple[Point, Limits]]:
        """Each point with its even part of what is left of this share of the time."""
        for done, point in enumerate(points):
            if self.limits.seconds is None:
                yield point, self.limits
                continue
            left = share * self.limits.seconds - (now() - self.began)
            least = 0.2 * self.limits.seconds / (2 * len(self.recipes))
            yield point, evolve(self.limits, seconds=max(left / (len(points) - done), least))

    def line(self, point: Point, new: Problem | None) -> dict[str, Any]:
        """What the table says about a point, from every rule set that was met anywhere."""
        recipe, own = self.recipes[point], self.results.get(point)
        with recipe.master(self.problem, recipe.constraints, recipe.backend) as master:
            candidates = [
                evolve(found, rules=master.goal.completed(found.rules))
                for found in map(master.evaluate, self.rule_sets)
                if found.is_feasible
            ]
        chosen = min(candidates, key=lambda found: (found.cost, found.errors, found.complexity), default=None)
        line: dict[str, Any] = {"max_complexity": point[0], "eps": point[1]}
        line |= _scores(self.problem, recipe.constraints[-1], chosen, "")
        line["complexity"] = math.nan if chosen is None else chosen.complexity
        line |= _certificate(own, candidates, chosen)
        if new is not None:
            line |= _scores(new, recipe.constraints[-1], chosen, "new_")
        return line | {"rule_set": None if chosen is None else self.problem.rule_set(chosen.rules)}


def _points(eps_grid: Sequence[float], complexities: Sequence[float], names: str) -> list[Point]:
    """Every pair of bounds, tight sizes and loose gaps first."""
    points = [(float(size), float(eps)) for size in sorted(complexities) for eps in sorted(eps_grid, reverse=True)]
    if not points:
        raise ConfigurationError(f"{names} must name at least one value each.")
    return points


def _is_proven(result: Result) -> bool:
    return result.status is Status.OPTIMAL


def _certificate(own: list[Result] | None, candidates: list[Candidate], chosen: Candidate | None) -> dict[str, Any]:
    """Best objective, bound and status of a point; bounds are its own, a rule set may come from anywhere."""
    kept = [found.objective for found in candidates if found.proxy_violation <= 1e-6]
    kept += [result.objective for result in own or ()]
    objective = min(kept, default=math.nan)
    bounds = [result.lower_bound for result in own or () if result.lower_bound is not None]
    bound = min(max(bounds), objective) if bounds else math.nan
    if own is None:
        status = "interrupted"
    elif chosen is None:
        status = "infeasible"
    elif not bounds:
        status = str(Status.HEURISTIC)
    elif chosen.proxy_violation > 1e-6:
        status = str(Status.BOUNDED)
    elif objective - bound <= 1e-9 * max(1.0, abs(bound)):
        status = str(Status.OPTIMAL)
    else:
        solved = any(result.status is Status.LP_OPTIMAL for result in own)
        status = str(Status.LP_OPTIMAL if solved else Status.BOUNDED)
    return {"objective": objective, "lower_bound": bound, "status": status}


def _scores(problem: Problem, constraint: Constraint, chosen: Candidate | None, prefix: str) -> dict[str, float]:
    """Accuracy and true gap of a rule set on a problem's rows."""
    accuracy = gap = math.nan
    if chosen is not None:
        predicted = problem.predict(chosen.rules)
        accuracy = float(problem.weights[predicted == problem.labels].sum() / problem.weights.sum())
        try:
            measured = constraint.measure(problem, predicted)
            rows = [row for row in constraint.rows(problem) if row.name in measured]
        except ConfigurationError:
            # New rows may lack a group, or a group there the rows that its rate is a share of.
            rows = []
        above = [measured[row.name] for row in rows if math.isfinite(row.hi)]
        gap = max(above) if above else min((measured[row.name] for row in rows), default=math.nan)
    return {f"{prefix}accuracy": accuracy, f"{prefix}gap": gap}


def _new_rows(new_rows: tuple[Any, Any, Any], classes: Any) -> tuple[LabelledRows, Groups]:
    """New rows with the codes of the training labels."""
    if not isinstance(new_rows, tuple) or len(new_rows) != 3:
        raise ConfigurationError("new_rows must be a tuple of X, y and sensitive_features.")
    X, y, sensitive_features = new_rows
    table = as_frame(X)
    labels = checked_labels(y, len(table))
    unknown = [label for label in np.unique(labels).tolist() if label not in classes.tolist()]
    if unknown:
        raise ConfigurationError(f"y of new_rows holds {unknown[0]!r}, which is no label of the training rows.")
    place = {label: at for at, label in enumerate(classes.tolist())}
    codes = np.array([place[label] for label in labels.tolist()], dtype=np.int64)
    return LabelledRows(table, classes, codes, np.ones(len(table))), Groups.encode(sensitive_features, len(table))


def _listed(constraints: Any) -> Iterable[str | Constraint]:
    return [constraints] if isinstance(constraints, (str, Constraint)) else list(constraints)


def _factory(registry: Registry, constraint: str | Callable[[float], Constraint]) -> Callable[[float], Constraint]:
    if not isinstance(constraint, str):
        return constraint
    name, args, options = parse_call(constraint)
    if args:
        raise ConfigurationError(
            f"The bounds are given by eps_grid, so {constraint!r} must not have one: write {name!r}, with named "
            "options if wanted."
        )
    entry = registry.entry("constraint", name)
    return lambda eps: registry.constraint(entry.factory(eps, **options))
