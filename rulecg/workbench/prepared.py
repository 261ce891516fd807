"""Rows and settings of a model, made ready for further work with the solver on the model's own conditions."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pandas as pd
from attrs import evolve, field, frozen
from joblib import effective_n_jobs

from rulecg_core import Condition, ConfigurationError, Constraint, Groups, Limits, Master, Problem, load_registry
from rulecg_core.base.arrays import BoolArray

from ..binarize.fixed_conditions import FixedConditions
from ..binarize.scaled_columns import numbered
from ..estimators.classifier import RuleSetClassifier
from ..estimators.learning import LearningTask, labelled_rows, seed_of
from ..estimators.recipe import Recipe, compose
from ..estimators.training import Training
from ..inputs.missing_texts import without_texts
from ..inputs.sensitive_columns import sensitive_columns
from ..inputs.table import as_frame
from ..knowledge.expert_knowledge import ExpertKnowledge
from ..model.model import Model, model_of
from ..model.scored_rule_sets import LabelledRows
from ..stakes.row_stakes import RowObjective

MOST_RESTATEMENTS = 8
"""So many problems over other conditions are kept."""


@frozen(eq=False)
class Prepared:
    """What a solver needs to go on where a fit ended: the same conditions, rows, objective and bounds."""

    model: Model
    settings: dict[str, Any]
    recipe: Recipe
    rows: LabelledRows
    groups: Groups
    training: Training
    task: LearningTask
    problem: Problem
    limits: Limits
    seed: int
    restatements: dict[tuple[Condition, ...], Problem] = field(factory=dict, repr=False)
    """Problems like this one over other conditions, the latest ones."""

    @property
    def table(self) -> pd.DataFrame:
        """The inputs of the rows that count."""
        return self.rows.table

    def restated(self, banned: Callable[[Condition], bool], further: Sequence[Condition]) -> Problem:
        """Make the problem again without some conditions and with others; each is made once."""
        known = (*self.training.conditions, *further)
        conditions = tuple(condition for condition in dict.fromkeys(known) if not banned(condition))
        if not conditions:
            raise ConfigurationError("No condition is left that rules may use: ban less.")
        if conditions == self.training.conditions:
            return self.problem
        if conditions not in self.restatements:
            training = self.training
            new = [condition for condition in conditions if condition not in training.conditions]
            if new:
                training = training.extended(new)
            place = {condition: at for at, condition in enumerate(training.conditions)}
            left = [place[condition] for condition in conditions]
            training = evolve(training, features=training.features[:, left], conditions=conditions)
            made = evolve(self.task.problem(training, 1), outcome=self.problem.outcome)
            while len(self.restatements) >= MOST_RESTATEMENTS:
                self.restatements.pop(next(iter(self.restatements)))
            self.restatements[conditions] = made
        return self.restatements[conditions]

    def master(self, constraints: Sequence[Constraint] | None = None, problem: Problem | None = None) -> Master:
        """Make a master over the problem, or one like it, with the recipe's constraints or others."""
        wanted = self.recipe.constraints if constraints is None else tuple(constraints)
        return self.recipe.master(self.problem if problem is None else problem, wanted, self.recipe.backend)

    def size_constraints(self) -> tuple[tuple[Constraint, ...], tuple[Constraint, ...]]:
        """Those of the recipe's constraints that bound nothing but size and single rules, and the others."""
        of_size: list[Constraint] = []
        others: list[Constraint] = []
        for constraint in self.recipe.constraints:
            rows = constraint.rows(self.problem)
            is_of_size = all(row.bounds_size for row in rows) and np.isinf(constraint.max_columns(self.problem))
            (of_size if is_of_size else others).append(constraint)
        return tuple(of_size), tuple(others)


def prepare(
    source: Model | RuleSetClassifier,
    X: Any,
    y: Any,
    *,
    sample_weight: Any = None,
    sensitive_features: Any = None,
    changes: dict[str, Any] | None = None,
) -> Prepared:
    """Make rows ready with a model's conditions and settings.

    Parameters
    ----------
    source : Model or fitted RuleSetClassifier
        For two classes.
    X : DataFrame, array or list of rows
        The rows.
    y : sequence of labels
        Truth values, or the model's classes.
    sample_weight, sensitive_features
        As for ``RuleSetClassifier.fit``.
    changes : dict or None
        Settings other than the model's.

    Returns
    -------
    Prepared
        The problem, and what solves it.

    Raises
    ------
    ConfigurationError
        When the model is not for two classes, or rows or settings cannot be used.
    """
    model = model_of(source)
    if not model.is_binary:
        raise ConfigurationError("This is for models of two classes: learn one class against the rest.")
    settings = {**_settings_of(source, model), **(changes or {})}
    if isinstance(settings["class_weight"], dict):
        settings["class_weight"] = {
            label == model.classes[1]: weight for label, weight in settings["class_weight"].items()
        }
    recipe = _recipe(settings)
    if sensitive_features is None and settings["sensitive"] is not None:
        sensitive_features = sensitive_columns(without_texts(as_frame(X), settings["na_values"]), settings["sensitive"])
    rows, groups = labelled_rows(as_frame(X), labels_as_truth(model, y), sample_weight, sensitive_features)
    rows = evolve(rows, table=without_texts(rows.table, settings["na_values"]))
    # The model's conditions follow already what is forbidden, and which way columns may work.
    known = ExpertKnowledge.of({**settings, "forbid": (), "monotone": None}, rows.table)
    recipe = evolve(recipe, constraints=(*recipe.constraints, *known.constraints))
    inputs = rows.table
    binarizer = FixedConditions(conditions_of(model)).fit(inputs)
    training = Training.of(
        inputs, binarizer.transform(inputs), binarizer.conditions_, rows.codes, rows.weights, groups
    )
    seed = seed_of(settings["random_state"])
    task = _task(settings, recipe, rows, known, seed)
    stakes = None if task.objective is None else task.objective.stakes(1)
    training = training.with_stakes(stakes)
    problem = evolve(task.problem(training, 1), outcome=model.rule_set.outcome)
    limits = Limits(seconds=settings["time_limit"], threads=effective_n_jobs(settings["n_jobs"]))
    return Prepared(model, settings, recipe, rows, groups, training, task, problem, limits, seed)


def _recipe(settings: dict[str, Any]) -> Recipe:
    """What a fit with these settings is composed of, ready to work."""
    recipe = compose(
        load_registry(),
        max_complexity=settings["max_complexity"],
        constraints=settings["constraints"],
        backend=settings["backend"],
        pricers=settings["pricers"],
        heuristics=settings["heuristics"],
        loss=settings["loss"],
        schedule=settings["schedule"],
    )
    for part in (*recipe.pricers, *recipe.heuristics):
        part.plugin.prepare()
    return recipe


def _task(
    settings: dict[str, Any], recipe: Recipe, rows: LabelledRows, known: ExpertKnowledge, seed: int
) -> LearningTask:
    """What a fit with these settings does, on conditions that stay as they are."""
    inputs = rows.table
    return LearningTask(
        recipe=recipe,
        classes=rows.classes,
        columns=tuple(map(str, rows.table.columns)),
        label_name=None,
        logic=settings["logic"],
        max_conditions=settings["max_conditions"],
        limits=Limits(),
        refine=False,
        seed=seed,
        verbose=0,
        objective=RowObjective.of(settings, numbered(inputs), rows.classes, rows.codes, rows.weights, seed),
        known=known,
    )


def conditions_of(model: Model) -> tuple[Condition, ...]:
    """The model's conditions, and those of its rules that are none of them because they were written by hand."""
    used = (condition for rule_set in model.rule_sets for condition in rule_set.conditions)
    return tuple(dict.fromkeys([*model.conditions, *used]))


def labels_as_truth(model: Model, y: Any) -> BoolArray:
    """Read labels of a model of two classes as truth values: whether the row has the outcome that the rules describe.

    Raises
    ------
    ConfigurationError
        When a label is none of the model's classes.
    """
    labels = np.asarray(y, dtype=object)
    known = {model.classes[0]: False, model.classes[1]: True}
    if all(isinstance(label, (bool, np.bool_)) for label in labels):
        known = {False: False, True: True}
    unknown = [label for label in dict.fromkeys(labels.tolist()) if label not in known]
    if unknown:
        raise ConfigurationError(
            f"y must hold truth values or the model's classes {model.classes[0]!r} and {model.classes[1]!r}, "
            f"not {unknown[0]!r}."
        )
    return np.array([known[label] for label in labels.tolist()], dtype=bool)


def _settings_of(source: Any, model: Model) -> dict[str, Any]:
    """A fitted learner's parameters as they are, or those that a model file holds."""
    learner = getattr(source, "best_estimator_", source)
    defaults = RuleSetClassifier().get_params()
    if isinstance(learner, RuleSetClassifier):
        return {**defaults, **learner.get_params(deep=False), **getattr(learner, "settings_", {})}
    stored = {name: value for name, value in model.settings.items() if name in defaults}
    for name, value in stored.items():
        if isinstance(value, str) and value.startswith("{"):
            # A file holds such settings as text.
            stored[name] = ast.literal_eval(value)
    return {**defaults, **stored}
