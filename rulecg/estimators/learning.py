"""From labelled rows to runs: one run for two classes, one run per class for more."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np
from attrs import evolve, field, frozen
from sklearn.utils import check_random_state

from rulecg_core import (
    Condition,
    ConfigurationError,
    Groups,
    Limits,
    Problem,
    Result,
    RulecgWarning,
    Start,
    UnknownNameError,
    now,
)
from rulecg_core.base.arrays import AnyArray

from ..inputs.dataframes import plain_column
from ..inputs.labels import checked_labels, outcome_text
from ..inputs.table import as_frame, plain
from ..inputs.weights import checked_weights
from ..knowledge.expert_knowledge import ExpertKnowledge
from ..model.scored_rule_sets import LabelledRows
from ..stakes.row_stakes import RowObjective
from .recipe import Recipe
from .refinement import learn_refining
from .shown.progress import progress
from .training import Training


def labelled_rows(X: Any, y: Any, sample_weight: Any, sensitive_features: Any) -> tuple[LabelledRows, Groups]:
    """Check what a learner is given; rows without weight are left out.

    Parameters
    ----------
    X : DataFrame, array or list of rows
        The inputs.
    y : sequence of labels
        What to predict.
    sample_weight : sequence of numbers or None
        The weight of every row.
    sensitive_features : column, columns or None
        What defines groups.

    Returns
    -------
    LabelledRows, Groups
        The rows that count, and their groups.

    Raises
    ------
    ConfigurationError
        When something does not fit together, or there is only one class.
    """
    table = as_frame(X)
    labels = checked_labels(y, len(table))
    weights = checked_weights(sample_weight, len(table))
    groups = Groups.encode(plain_column(sensitive_features), len(table))
    if weights is None:
        weights = np.ones(len(table))
    elif not np.all(weights > 0):
        rows = np.flatnonzero(weights > 0)
        table, labels, weights, groups = table.iloc[rows], labels[rows], weights[rows], groups.take(rows)
    classes, codes = np.unique(labels, return_inverse=True)
    if len(classes) < 2:
        raise ConfigurationError(
            f"y holds only one class ({plain(classes[0])!r}) in the rows that have weight, so there is nothing to "
            "tell apart: at least two classes are needed."
        )
    return LabelledRows(table, classes, codes, weights), groups


def seed_of(random_state: Any) -> int:
    """Make a seed from an estimator's ``random_state``; None is a fixed seed too."""
    return 0 if random_state is None else int(check_random_state(random_state).randint(2**31 - 1))


def describing(rows: LabelledRows, positive: Any) -> LabelledRows:
    """Make the class that rules are to describe the last of two.

    Parameters
    ----------
    rows : LabelledRows
        Rows with their labels.
    positive : label or None
        The class; None leaves the rows as they are.

    Returns
    -------
    LabelledRows
        The same rows, with classes and codes in that order.

    Raises
    ------
    ConfigurationError
        When there are more than two classes, or the label is none of them.
    """
    if positive is None:
        return rows
    labels = [plain(label) for label in rows.classes]
    if len(labels) > 2:
        raise ConfigurationError(
            f"positive is for two classes, but y has {len(labels)}: each of them gets rules of its own."
        )
    found = [place for place, label in enumerate(labels) if label == plain(positive) or str(label) == str(positive)]
    if not found:
        raise UnknownNameError("label", str(positive), list(map(str, labels)))
    return rows if found[0] == 1 else evolve(rows, classes=rows.classes[::-1], codes=1 - rows.codes)


@frozen(eq=False)
class LearningTask:
    """Everything besides the rows that learning needs."""

    recipe: Recipe
    classes: AnyArray
    columns: tuple[str, ...]
    """The table's columns, forbidden ones included."""
    label_name: Any
    logic: str
    max_conditions: int
    limits: Limits
    refine: bool
    """Whether thresholds are refined while learning."""
    seed: int
    verbose: int
    objective: RowObjective | None = None
    """What errors cost; None: each its row's weight."""
    known: ExpertKnowledge = field(factory=ExpertKnowledge)
    """What rules may, must and rather should not be made of."""
    begin: Callable[[Problem], Start] | None = None
    """Finds rules and rule sets to begin a run with, besides those of the recipe."""

    def learn(self, training: Training, began: float) -> tuple[dict[Any, Result], Sequence[Condition]]:
        """Run column generation; the time is shared between the classes.

        Parameters
        ----------
        training : Training
            The rows.
        began : float
            When the fit began, on the clock that counts (:func:`rulecg_core.now`).

        Returns
        -------
        dict from label to Result, sequence of Condition
            The runs, and the conditions that their rules speak of.
        """
        positions = [1] if len(self.classes) == 2 else list(range(len(self.classes)))
        training = evolve(training, allows=self.known.allows)
        if len(positions) > 1:
            self._refuse_constraints(training)
        runs: dict[Any, Result] = {}
        for done, position in enumerate(positions):
            label = self.classes[position]
            training = training.with_stakes(None if self.objective is None else self.objective.stakes(position))
            build = partial(self.problem, position=position)
            recipe = self._begun(build(training))
            share = self._share(began, len(positions) - done)
            with progress(self.verbose, "" if len(positions) == 1 else str(label)) as observer:
                if self.refine:
                    # Each class goes on from the conditions of those before: all rules speak of the same list.
                    runs[label], training = learn_refining(recipe, training, build, share, observer, self.seed)
                else:
                    runs[label] = recipe.learn(build(training), share, observer, self.seed)
            for note in runs[label].notes:
                warnings.warn(note, RulecgWarning, stacklevel=4)
        return runs, training.conditions

    def _begun(self, problem: Problem) -> Recipe:
        if self.begin is None:
            return self.recipe
        known, found = self.recipe.start, self.begin(problem)
        return evolve(
            self.recipe, start=Start((*known.rules, *found.rules), (*known.rule_sets, *found.rule_sets))
        )

    def problem(self, training: Training, position: int) -> Problem:
        """Make the problem of telling the class at the position from the others."""
        return training.problem(
            position,
            logic=self.logic,
            max_conditions=self.max_conditions,
            columns=self.columns,
            outcome=outcome_text(self.label_name, self.classes[position]),
            options=self.known.options(training.conditions),
        )

    def _share(self, began: float, runs_left: int) -> Limits:
        seconds = self.limits.seconds
        if seconds is None:
            return self.limits
        left = max(0.0, seconds - (now() - began))
        return evolve(self.limits, seconds=max(left / runs_left, 0.01 * seconds))

    def _refuse_constraints(self, training: Training) -> None:
        """Bounds on what is predicted hold for each class against the rest, not for the rule sets that decide
        together."""
        if self.known.kept:
            raise ConfigurationError(
                f"keep is for two classes, but y has {len(self.classes)}: each class gets rules of its own."
            )
        problem = self.problem(training, 0)
        groupless = self.problem(evolve(training, groups=Groups.none(len(training.codes))), 0)
        for constraint in self.recipe.constraints:
            try:
                rows = constraint.rows(problem)
                is_about_groups = len(constraint.rows(groupless)) != len(rows)
            except ConfigurationError:
                rows, is_about_groups = (), True
            if is_about_groups or any(row.form.uses_missed or row.form.cover is not None for row in rows):
                raise ConfigurationError(
                    f"{type(constraint).__name__} is a bound on {'groups' if is_about_groups else 'predictions'}, and "
                    f"y has {len(self.classes)} classes: such bounds are for two classes, because with more the rule "
                    "sets of all classes decide together. Learn one class against the rest, for example with y == "
                    f"{plain(self.classes[-1])!r}, or drop the constraint."
                )
