"""A fit, step by step: rows kept aside, what is chosen, conditions, runs, the model and what to expect of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pandas as pd
from attrs import evolve, field, frozen
from joblib import effective_n_jobs

from rulecg_core import Complexity, Deadline, Groups, Limits, Problem, Start, counting_work, now
from rulecg_core.base.arrays import IntArray

from ..binarize.binarizer import Binarizer
from ..binarize.by_name import binarizer_of
from ..binarize.scaled_columns import numbered
from ..certificates.described_table import CertificateFile
from ..certificates.fitted import write_fitted
from ..choosing.choice import choose
from ..choosing.fold_rules import Task
from ..choosing.quick_path import climbed
from ..choosing.settled import CHOOSING_SHARE, LAST_SHARE, Settled, is_auto, options_of, settled, teacher_of
from ..choosing.sizes import COARSE_BOUNDS
from ..knowledge.expert_knowledge import ExpertKnowledge
from ..model.model import Model
from ..model.result import FitResult
from ..model.scored_rule_sets import LabelledRows, learned_from
from ..monitoring.baseline import Baseline
from ..resampling.kept_aside import Parted
from ..stakes.row_stakes import RowObjective
from ..stakes.teachers import teacher_of_rows
from .learning import LearningTask, seed_of
from .recipe import Recipe
from .training import Training

BEGINNING_SHARE = 0.5
"""The last run may search for so long before it begins, as a share of the time that the choice took, or of the time
that is left where nothing could be chosen."""
MOST_COPIES = 10
"""Whole weights up to this mean are repeated rows where rows are split into folds; larger ones are just weights."""


@frozen(eq=False)
class Given:
    """What a fit is given besides its settings."""

    rows: LabelledRows
    sensitive: Groups
    together: IntArray | None
    """Rows with equal numbers stay together; None when every row stands for itself."""
    sample_weight: Any
    label_name: Any
    began: float
    """When the fit began, on the clock of :func:`rulecg_core.now`."""
    certificate: CertificateFile | None = None
    """Where to write what was proven."""
    known: ExpertKnowledge = field(factory=ExpertKnowledge)
    """What rules may, must and rather should not be made of; its constraints are the recipe's."""


@frozen(eq=False)
class Fitted:
    """What a fit leaves behind."""

    settings: Mapping[str, Any]
    """The settings that the rules were learned with."""
    model: Model
    result: FitResult
    binarizer: Binarizer
    path: pd.DataFrame | None
    """What was tried before the bound on complexity was chosen; None when it was given."""


def fit_rules(params: Mapping[str, Any], recipe: Recipe, given: Given) -> Fitted:
    """Learn rule sets from rows.

    Parameters
    ----------
    params : mapping
        The estimator's parameters.
    recipe : Recipe
        What learns.
    given : Given
        The rows.

    Returns
    -------
    Fitted
        The model and everything that was found out on the way.
    """
    if not params["deterministic"]:
        return _fit_rules(params, recipe, given)
    with counting_work():
        return _fit_rules(params, recipe, evolve(given, began=now()))


def _fit_rules(params: Mapping[str, Any], recipe: Recipe, given: Given) -> Fitted:
    seed = seed_of(params["random_state"])
    parted = Parted.of(given.rows, given.sensitive, recipe.constraints, seed)
    rows, sensitive, kept = parted.learned_from, parted.learned_groups, parted.learned_positions
    teacher = teacher_of_rows(teacher_of_rows(params["teacher"], given.sample_weight), None, kept)
    inputs = rows.table.drop(columns=list(given.known.forbidden_columns))
    wanted = {**params, "teacher": teacher}
    together = given.together if given.together is None or kept is None else given.together[kept]
    found = _settled(wanted, recipe, evolve(given, rows=evolve(rows, table=inputs), sensitive=sensitive,
                                            together=together), seed)  # fmt: skip
    settings = found.settings
    binarizer = binarizer_of(settings["binarizer"], inputs.shape, params["time_limit"], params["cut_points"])
    given.known.fitted(binarizer, inputs, rows.codes, None if given.sample_weight is None else rows.weights)
    training = Training.of(
        inputs, binarizer.transform(inputs), binarizer.conditions_, rows.codes, rows.weights, sensitive
    )
    seconds = found.seconds(params["time_limit"], now() - given.began)
    searching = seconds
    if seconds is not None:
        left = max(seconds - (now() - given.began), LAST_SHARE * seconds) / max(1, len(rows.classes) - 1)
        searching = left if found.chosen is None else found.chosen.seconds
    task = LearningTask(
        recipe=evolve(recipe, constraints=(Complexity(settings["max_complexity"]), *recipe.constraints[1:])),
        classes=rows.classes,
        columns=tuple(rows.table.columns),
        label_name=given.label_name,
        logic=settings["logic"],
        max_conditions=params["max_conditions"],
        limits=Limits(
            seconds,
            pricing_seconds=params["pricing_time_limit"],
            threads=1 if params["deterministic"] else effective_n_jobs(params["n_jobs"]),
            counts_work=params["deterministic"],
        ),
        refine=binarizer.refine,
        seed=seed,
        verbose=params["verbose"],
        objective=RowObjective.of(settings, numbered(inputs), rows.classes, rows.codes, rows.weights, seed),
        begin=None if not is_auto(params["max_complexity"]) else _beginning(found, recipe, searching, seed),
        known=given.known,
    )
    runs, conditions = task.learn(training, given.began)
    binarizer.conditions_ = list(conditions)
    # What a TOML file or an object said is kept in lines, so that the fit can be done again without them.
    schedule = list(recipe.schedule.changes) or None
    said = {**given.known.in_words(settings), "schedule": schedule, "seed": seed}
    learned = learned_from(runs, rows, conditions, said)
    expected = None if found.chosen is None else found.chosen.expected
    learned = learned.saying(parted.confirm(learned.model), binarizer.described(), expected)
    counted = Baseline.of(learned.model, rows.table, rows.codes, sensitive)
    model = evolve(learned.model, baseline=counted)
    if given.certificate is not None:
        write_fitted(given.certificate, task, rows, binarizer, runs, given.sample_weight, dict(settings))
    return Fitted(settings, model, learned.result, binarizer, found.path)


def _beginning(found: Settled, recipe: Recipe, seconds: float | None, seed: int) -> Callable[[Problem], Start] | None:
    """How the last run begins: on all rows, go through the bounds that were tried up to the chosen one; where nothing
    could be chosen, which may have been for want of time, up to the one that stands in."""
    largest, path = found.settings["max_complexity"], found.path
    tried = COARSE_BOUNDS if path is None else path["max_complexity"]
    bounds = sorted({bound for bound in (*tried, largest) if bound <= largest})
    share = None if seconds is None else BEGINNING_SHARE * seconds
    return lambda problem: climbed(recipe, problem, bounds, Deadline.after(share), seed)


def _settled(wanted: Mapping[str, Any], recipe: Recipe, given: Given, seed: int) -> Settled:
    """Choose what is to be chosen."""
    rows, limit = given.rows, wanted["time_limit"]
    if not is_auto(wanted["max_complexity"]):
        return settled(wanted, len(rows.codes))
    copies = _copies(given)
    task = Task(
        recipe=recipe,
        settings=wanted,
        rows=rows,
        groups=given.sensitive,
        is_weighted=given.sample_weight is not None,
        teacher=wanted["teacher"],
        seed=seed,
        known=given.known,
    )
    if copies is not None:
        task = evolve(task.taking(copies, np.ones(len(copies))), is_weighted=False)
    elapsed = now() - given.began
    deadline = Deadline.after(None if limit is None else max(CHOOSING_SHARE * limit - elapsed, 0.0))
    n_rows = len(task.rows.codes)
    task = evolve(task, teacher=teacher_of({**wanted, "teacher": task.teacher}, n_rows))
    together = given.together if given.together is None or copies is None else given.together[copies]
    chosen = choose(task, options_of(wanted, n_rows), together, wanted["scoring"], deadline)
    return settled(wanted, n_rows, chosen)


def _copies(given: Given) -> IntArray | None:
    """Rows as often as they count, where weights are small whole numbers: the same as the rows repeated."""
    weights = given.rows.weights
    if given.sample_weight is None or weights.sum() > MOST_COPIES * len(weights) or np.any(weights % 1):
        return None
    return np.repeat(np.arange(len(weights)), weights.astype(np.int64))
