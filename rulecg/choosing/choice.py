"""From the constant rule set upward for as long as it pays: the choice of bound, logic, label weight and thresholds."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pandas as pd
from attrs import define, evolve, field, frozen

from rulecg_core import Deadline, now
from rulecg_core.base.arrays import IntArray

from ..model.expected import Expected
from .estimate import expected_of
from .fold_rules import FoldRules, Option, Task, Told
from .folds import dealt_folds, most_folds
from .held_out import Candidate, Judge, least_complex_of_the_best
from .sizes import Plan

LABEL_WEIGHTS = (1.0, 0.5, 0.0)
"""With a teacher: the labels alone, half and half, the teacher alone."""
LEAST_SEEN = 10.0
"""When time was over before this bound was reached, what is known says too little to choose by."""
PATIENT_UNTIL = 15.0
"""Up to this bound every option is tried; beyond it those for which more complexity does not pay any more end."""


@frozen(eq=False)
class Chosen:
    """What was chosen, by what was said about rows outside the training of folds."""

    candidate: Candidate
    expected: Expected
    path: pd.DataFrame
    """One line for each bound and option that was tried."""
    seconds: float

    @property
    def option(self) -> Option:
        """Logic, label weight and thresholds."""
        return self.candidate.option


def choose(
    task: Task, options: Sequence[Option], together: IntArray | None, scoring: Any, deadline: Deadline
) -> Chosen | None:
    """Choose how complex rule sets may be, and which option they are learned with.

    Parameters
    ----------
    task : Task
        What to learn from.
    options : sequence of Option
        What to choose among.
    together : int array or None
        Rows with equal numbers stay in one fold.
    scoring : str, callable or None
        What to do best at on rows outside training; None for the expected cost.
    deadline : Deadline
        When to stop; what is known then decides.

    Returns
    -------
    Chosen or None
        None when the rows are too few for folds, or time was too short for any.
    """
    began = now()
    plan = Plan.of(task, options)
    n_folds = most_folds(task.rows.codes[plan.rows], None if together is None else together[plan.rows], plan.folds)
    if n_folds < 2:
        return None
    task = plan.reduced(task)
    together = None if together is None else together[plan.rows]
    fold = dealt_folds(task.rows, task.groups, n_folds, task.seed, together)
    parts = [
        FoldRules(task, *plan.split(fold, number))
        for number in range(n_folds)
    ]
    if any(len(np.unique(task.rows.codes[part.learned])) < len(task.rows.classes) for part in parts):
        return None
    judge = Judge.of(task, fold, scoring)
    climb = _Climb(parts, judge, deadline, plan)
    try:
        is_complete = climb.go(plan.options)
    except KeyboardInterrupt:
        # The first Ctrl-C ends the choice, with what is known; the next one ends the last fit.
        is_complete = False
    if not climb.candidates or not (is_complete or climb.candidates[-1].bound >= LEAST_SEEN):
        return None
    if plan.alternatives:
        best = climb.candidates[climb.chosen()]
        climb.go([evolve(best.option, thresholds=name) for name in plan.alternatives], until=best.bound)
    at = climb.chosen()
    expected = expected_of(climb.candidates, np.array(climb.losses), at, judge, task, together)
    return Chosen(climb.candidates[at], expected, climb.table(at), now() - began)


@define(eq=False)
class _Climb:
    """Goes through bounds from low to high with all options side by side, in all folds."""

    parts: list[FoldRules]
    judge: Judge
    deadline: Deadline
    plan: Plan
    candidates: list[Candidate] = field(factory=list)
    losses: list[Any] = field(factory=list)

    def go(self, options: Sequence[Option], until: float = np.inf) -> bool:
        """Try the options at every bound until it does not pay, or until a bound; whether time was enough for that."""
        going = list(options)
        known: dict[Option, list[float]] = {option: [] for option in options}
        room = dict.fromkeys(options, 0)
        for bound in self.plan.bounds:
            for option in list(going):
                made = self._candidate(option, bound)
                if made is None:
                    if self.deadline.passed and self.candidates:
                        return False
                    continue
                self.candidates.append(made)
                self.losses.append(self.judge.losses(made))
                means = known[option]
                means.append(float(self.judge.mean(self.losses[-1])))
                room[option] = room[option] + 1 if made.complexity <= 0.7 * bound - 1 else 0
                falls = len(means) < 3 or means[-1] < min(means[-3:-1]) - 1e-12
                if (bound >= PATIENT_UNTIL and not falls) or room[option] >= 2:
                    going.remove(option)
            if self.candidates and self.parts[0].task.settings["verbose"]:
                best = self.candidates[self.chosen()]
                print(f"choosing: bound {bound:g} tried, best so far {best.bound:g} ({best.option.logic})", flush=True)
            if bound >= until or not going:
                break
        return True

    def _candidate(self, option: Option, bound: float) -> Candidate | None:
        """Learn within the bound in every fold; None where some fold has no rule set, or time is over."""
        told: list[Told] = []
        for part in self.parts:
            if self.deadline.passed and self.candidates:
                return None
            found = part.advance(option, bound, self.deadline)
            if found is None:
                return None
            told.append(found)
        n_rows, n_classes = len(self.judge.codes), len(self.judge.classes)
        decisions = np.zeros(n_rows, dtype=np.intp)
        probabilities = np.zeros((n_rows, n_classes), dtype=np.float64)
        for part, each in zip(self.parts, told, strict=True):
            decisions[part.held], probabilities[part.held] = each.decisions, each.probabilities
        return Candidate(
            option=option,
            bound=bound,
            complexity=float(np.mean([each.complexity for each in told])),
            accuracy=float(np.mean([each.accuracy for each in told])),
            decisions=decisions,
            probabilities=probabilities,
        )

    def chosen(self) -> int:
        """The position of the candidate to take."""
        complexities = np.array([candidate.complexity for candidate in self.candidates])
        return least_complex_of_the_best(np.array(self.losses), complexities, self.judge)

    def table(self, chosen: int) -> pd.DataFrame:
        """One line for each candidate, by bound."""
        return pd.DataFrame(self._lines(chosen)).sort_values("max_complexity", kind="stable", ignore_index=True)

    def _lines(self, chosen: int) -> Iterator[dict[str, Any]]:
        judge = self.judge
        for at, (candidate, losses) in enumerate(zip(self.candidates, self.losses, strict=True)):
            option = candidate.option
            right = (candidate.decisions == judge.codes) @ judge.weights / judge.weights.sum()
            yield {
                "max_complexity": candidate.bound,
                "logic": option.logic,
                "label_weight": option.label_weight,
                "thresholds": option.thresholds or "usual",
                "complexity": candidate.complexity,
                "accuracy": candidate.accuracy,
                "cv_accuracy": float(right),
                "loss": float(judge.mean(losses)),
                "loss_error": float(judge.error(losses)),
                "chosen": at == chosen,
            }
