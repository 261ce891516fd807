"""Rule sets learned from the rows outside a fold, and what they say about the rows inside."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from attrs import define, evolve, field, frozen

from rulecg_core import Condition, ConfigurationError, Deadline, Groups, Problem, Rule
from rulecg_core.base.arrays import BoolArray, FloatArray, IntArray

from ..binarize.binarizer import Binarizer
from ..binarize.by_name import binarizer_of
from ..binarize.scaled_columns import numbered
from ..estimators.recipe import Recipe
from ..estimators.training import Training
from ..knowledge.expert_knowledge import ExpertKnowledge
from ..model.model import Model
from ..model.scored_rule_sets import LabelledRows, class_weights, score
from ..stakes.row_stakes import RowObjective
from ..stakes.teachers import teacher_of_rows, teacher_probabilities
from .quick_path import QuickPath

TREES = 60
"""Trees of a forest that teaches in a fold: fewer than in the last fit, since there are many folds."""


@frozen
class Option:
    """What is chosen besides the bound on complexity."""

    logic: str
    label_weight: float
    """1 where no teacher softens labels."""
    thresholds: str = ""
    """Name of a binarizer; empty for the one that was asked for."""


@frozen(eq=False)
class Task:
    """Everything that learning from a part of the rows needs."""

    recipe: Recipe
    settings: Mapping[str, Any]
    """The estimator's parameters."""
    rows: LabelledRows
    """All rows; the table without columns that no rule may use."""
    groups: Groups
    is_weighted: bool
    """Whether rows were given weights."""
    teacher: Any
    seed: int
    known: ExpertKnowledge = field(factory=ExpertKnowledge)
    """What rules may, must and rather should not be made of."""

    def binarizer(self, thresholds: str, n_rows: int) -> Binarizer:
        """Make the binarizer of an option."""
        settings = self.settings
        wanted = thresholds or settings["binarizer"]
        shape = (n_rows, self.rows.table.shape[1])
        return binarizer_of(wanted, shape, settings["time_limit"], settings["cut_points"])

    def taking(self, positions: IntArray, weights: FloatArray | None = None) -> Task:
        """Make the task on some of the rows, each as often as it is named.

        Parameters
        ----------
        positions : int array
            The rows.
        weights : float array or None
            Their weights; None for those they have.
        """
        rows = self.rows
        taken = evolve(
            rows,
            table=rows.table.iloc[positions],
            codes=rows.codes[positions],
            weights=rows.weights[positions] if weights is None else weights,
        )
        teacher = teacher_of_rows(self.teacher, None, positions)
        return evolve(self, rows=taken, groups=self.groups.take(positions), teacher=teacher)

    @property
    def positions(self) -> list[int]:
        """The classes that get a rule set."""
        n_classes = len(self.rows.classes)
        return [1] if n_classes == 2 else list(range(n_classes))


@frozen(eq=False)
class Told:
    """What rule sets say about rows."""

    decisions: IntArray
    probabilities: FloatArray
    complexity: float
    accuracy: float
    """On the rows that they were learned from."""


@define(eq=False)
class FoldRules:
    """Some rows to learn from and others to predict; rule sets of growing size for every option."""

    task: Task
    learned: IntArray
    """Positions of the rows to learn from."""
    held: IntArray
    """Positions of the rows to predict."""
    _features: dict[str, _Features] = field(factory=dict)
    _paths: dict[Option, list[QuickPath]] = field(factory=dict)
    _objective: RowObjective | None = None

    def advance(self, option: Option, bound: float, deadline: Deadline) -> Told | None:
        """Learn the option's rule sets within a larger bound, and predict.

        Parameters
        ----------
        option : Option
            The option.
        bound : float
            Most rules and conditions of each rule set.
        deadline : Deadline
            When to stop.

        Returns
        -------
        Told or None
            What the rule sets say; None where none keeps the constraints, or too little is known in these rows.
        """
        try:
            features = self._binarized(option.thresholds)
            paths = self._paths.get(option) or self._opened(option, features)
        except ConfigurationError:
            # Where it is not the fault of having fewer rows, the last fit says it.
            return None
        rules: list[tuple[Rule, ...]] = []
        for number, path in enumerate(paths):
            others = [
                all_of[number].best
                for other, all_of in self._paths.items()
                if (other.logic, other.thresholds) == (option.logic, option.thresholds) and other != option
            ]
            found = path.advance(bound, deadline, [start for start in others if start])
            if found is None:
                return None
            rules.append(found)
        return self._told(paths, rules, features)

    def _opened(self, option: Option, features: _Features) -> list[QuickPath]:
        task, objective = self.task, evolve(self.objective, label_weight=option.label_weight)
        self._paths[option] = [
            QuickPath(
                task.recipe,
                features.training.with_stakes(objective.stakes(position)).problem(
                    position,
                    logic=option.logic,
                    max_conditions=task.settings["max_conditions"],
                    options=task.known.options(features.training.conditions),
                ),
                task.seed,
            )
            for position in task.positions
        ]
        return self._paths[option]

    @property
    def objective(self) -> RowObjective:
        """What errors cost in the rows to learn from; the teacher knows no others."""
        if self._objective is None:
            task, rows, learned = self.task, self.task.rows, self.learned
            some, codes, weights = numbered(rows.table.iloc[learned]), rows.codes[learned], rows.weights[learned]
            teacher = teacher_of_rows(task.teacher, None, learned)
            told = teacher_probabilities(teacher, some, codes, weights, task.seed, TREES)
            settings = {**task.settings, "teacher": told, "label_weight": 1.0}
            self._objective = RowObjective.of(settings, some, rows.classes, codes, weights, task.seed)
        return self._objective

    def _binarized(self, thresholds: str) -> _Features:
        if thresholds not in self._features:
            self._features[thresholds] = _Features.of(self, thresholds)
        return self._features[thresholds]

    def _told(self, paths: list[QuickPath], rules: list[tuple[Rule, ...]], features: _Features) -> Told:
        task, rows = self.task, features.training_rows
        rule_sets = [path.problem.rule_set(some) for path, some in zip(paths, rules, strict=True)]
        problems = [path.problem for path in paths]
        fired = [_fired(features.learned, some, problem) for some, problem in zip(rules, problems, strict=True)]
        scores, otherwise = score(rule_sets, fired, rows)
        model = Model(
            rule_sets=tuple(rule_sets),
            classes=tuple(task.rows.classes.tolist()),
            scores=scores,
            class_weights=class_weights(rows),
            otherwise=otherwise,
            settings={name: task.settings.get(name) for name in ("costs", "class_weight")},
        )
        right = model.decisions(fired) == rows.codes
        fired = [_fired(features.held, some, problem) for some, problem in zip(rules, problems, strict=True)]
        return Told(
            model.decisions(fired),
            model.probabilities(fired),
            float(sum(rule_set.complexity for rule_set in rule_sets)),
            float(right @ rows.weights / rows.weights.sum()),
        )


@frozen(eq=False)
class _Features:
    """Conditions that were chosen by the rows to learn from, and where they hold."""

    training: Training
    training_rows: LabelledRows
    learned: BoolArray
    held: BoolArray

    @classmethod
    def of(cls, fold: FoldRules, thresholds: str) -> _Features:
        task, rows = fold.task, fold.task.rows
        some: pd.DataFrame = rows.table.iloc[fold.learned]
        codes, weights = rows.codes[fold.learned], rows.weights[fold.learned]
        binarizer = task.binarizer(thresholds, len(some))
        task.known.fitted(binarizer, some, codes, weights if task.is_weighted else None)
        conditions: list[Condition] = binarizer.conditions_
        learned = binarizer.transform(some)
        training = Training.of(some, learned, conditions, codes, weights, task.groups.take(fold.learned))
        return cls(
            training,
            evolve(rows, table=some, codes=codes, weights=weights),
            learned,
            binarizer.transform(rows.table.iloc[fold.held]),
        )


def _fired(features: BoolArray, rules: tuple[Rule, ...], problem: Problem) -> BoolArray:
    """Which rules cover which rows, as the learner sees them: it negates conditions for CNF."""
    fired = np.ones((len(features), len(rules)), dtype=bool)
    required = [problem.conditions.index(condition) for condition in problem.required]
    for at, rule in enumerate(rules):
        for condition in (*required, *rule):
            column = features[:, condition]
            fired[:, at] &= column if problem.logic == "dnf" else ~column
    return fired
