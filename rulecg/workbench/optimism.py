"""How much accuracy is lost between training and new rows: learned once, from folds."""

from __future__ import annotations

from threading import Event

import numpy as np
from attrs import evolve

from rulecg_core import RulecgError
from rulecg_core.base.events import Event as RunEvent

from .prepared import Prepared

MOST_SECONDS = 5.0
"""How long each fold may learn."""


def optimism_of(prepared: Prepared, folds: int, closed: Event) -> float | None:
    """Learn from all rows but a fold, for every fold: by how much accuracy falls from the rows learned from to those of
    the fold, in the mean.

    Parameters
    ----------
    prepared : Prepared
        Rows and settings.
    folds : int
        How many; rows are shuffled.
    closed : Event
        Ends it early.

    Returns
    -------
    float or None
        The mean difference; None when it was ended early or no fold could be learned from.
    """

    def hear(event: RunEvent) -> None:
        if closed.is_set():
            raise KeyboardInterrupt

    training, lost = prepared.training, []
    n = len(training.codes)
    fold_of = np.random.default_rng(prepared.seed).permutation(n) % folds
    seconds = min(MOST_SECONDS, prepared.limits.seconds or MOST_SECONDS)
    for fold in range(folds):
        rows, others = np.flatnonzero(fold_of != fold), np.flatnonzero(fold_of == fold)
        part = evolve(
            training,
            order=training.order[rows],
            features=training.features[rows],
            codes=training.codes[rows],
            weights=training.weights[rows],
            groups=training.groups.take(rows),
            stakes=None if training.stakes is None else training.stakes.take(rows),
        )
        try:
            problem = prepared.task.problem(part, 1)
            result = evolve(prepared.recipe, choose=None).run(
                problem, evolve(prepared.limits, seconds=seconds), hear, prepared.seed
            )
        except (RulecgError, KeyboardInterrupt):
            continue
        if closed.is_set():
            return None
        predicted = result.rule_set.predict(prepared.table.iloc[training.order])
        right = predicted == (training.codes == 1)
        weights = training.weights
        lost.append(np.average(right[rows], weights=weights[rows]) - np.average(right[others], weights=weights[others]))
    return float(np.mean(lost)) if lost else None
