"""Learning again from new rows without changing what need not change."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import Any

from attrs import evolve, field, frozen
from sklearn.base import clone

from rulecg_core import ConfigurationError, InfeasibleError, UnknownNameError

from ..estimators.classifier import RuleSetClassifier
from ..model.edits import Edit
from ..model.model import Model, model_of
from ..model.result import FitResult
from .answer import texts_of
from .completion import Completion
from .draft_model import model_of_draft
from .prepared import Prepared, prepare
from .standing import Clause, Standing, same

MOST_TRIED = 40
"""With more choices of rules to keep than this, rules are given up one after the other, the one that gains most first;
what was proven is then about the rules kept, not about every choice."""


@frozen(eq=False)
class Refit:
    """What learning again gave."""

    model: Model
    result: FitResult
    kept: tuple[str, ...]
    dropped: tuple[str, ...]
    added: tuple[str, ...]
    free: RuleSetClassifier
    """What the learner would have learned without an earlier model."""

    def into(self, learner: RuleSetClassifier) -> RuleSetClassifier:
        """Let a learner be fitted with what was found."""
        for name, value in vars(self.free).items():
            if name.endswith("_") and not name.startswith("_"):
                setattr(learner, name, value)
        learner.binarizer_.conditions_ = list(self.model.conditions)
        learner.model_, learner.result_, learner.rule_set_ = self.model, self.result, self.model.readable
        return learner


def refit(  # a fit's arguments, and what is to stay
    learner: RuleSetClassifier,
    previous: Model | RuleSetClassifier,
    X: Any,
    y: Any,
    *,
    keep: float | None = None,
    change_cost: float | None = None,
    sample_weight: Any = None,
    sensitive_features: Any = None,
    groups: Any = None,
) -> Refit:
    """Fit a learner such that it stays near an earlier model.

    Parameters
    ----------
    learner : RuleSetClassifier
        It gets the conditions of a fit of its own, beside those of the earlier rules.
    previous : Model or fitted RuleSetClassifier
        The earlier model.
    X, y, sample_weight, sensitive_features, groups
        As for ``RuleSetClassifier.fit``.
    keep : float or None
        The share of the earlier rules that must stay as they are, at least.
    change_cost : float or None
        By how much the objective must fall for every earlier rule that is given up.

    Returns
    -------
    Refit
        The model, with what changed and why as its edits.

    Raises
    ------
    ConfigurationError
        When neither or both of keep and change_cost are given, or the earlier rules do not fit the table.
    """
    _check(previous, keep, change_cost)
    old_model = model_of(previous)
    sizes = {"sample_weight": sample_weight, "sensitive_features": sensitive_features}
    began = time.perf_counter()
    free = clone(learner).fit(X, y, **sizes, groups=groups)
    if not (old_model.is_binary and free.model_.is_binary) or old_model.rule_set.logic != free.settings_["logic"]:
        raise ConfigurationError("previous must be a model of two classes with the same logic as the learner.")
    old = tuple(old_model.rule_set.clauses())
    for name in old_model.columns:
        if name not in free.feature_names_in_:
            raise UnknownNameError("column", name, free.feature_names_in_)
    conditions = dict.fromkeys([*free.model_.conditions, *(condition for rule in old for condition in rule)])
    both = evolve(free.model_, conditions=tuple(conditions))
    changes = {**learner.get_params(deep=False), **free.settings_, "binarizer": None}
    prepared = prepare(both, X, [label == both.classes[1] for label in y], **sizes, changes=changes)
    left = None if learner.time_limit is None else max(1.0, learner.time_limit - (time.perf_counter() - began))
    search = _Search(prepared, old, tuple(free.model_.rule_set.clauses()), left)
    chosen = search.within(keep) if keep is not None else search.at_a_cost(float(change_cost or 0.0))
    return search.told(chosen, free)


def _check(previous: Any, keep: float | None, change_cost: float | None) -> None:
    if previous is None:
        raise ConfigurationError("keep and change_cost say what to keep of an earlier model: give it as previous.")
    if (keep is None) == (change_cost is None):
        raise ConfigurationError(
            "With previous, give either keep, the share of its rules that must stay, or change_cost, by how much the "
            "objective must fall for each rule that is given up."
        )
    if keep is not None and not 0 <= keep <= 1:
        raise ConfigurationError(f"keep must be a share from 0 to 1, not {keep!r}.")
    if change_cost is not None and not 0 <= change_cost < math.inf:
        raise ConfigurationError(f"change_cost must be a number of at least 0, not {change_cost!r}.")


@frozen(eq=False)
class _Search:
    prepared: Prepared
    old: tuple[Clause, ...]
    free: tuple[Clause, ...]
    seconds: float | None
    tried: dict[tuple[int, ...], Completion] = field(factory=dict)

    def run(self, kept: Sequence[int], share: int) -> Completion:
        """The best rule set with some of the old rules; a part of the time is its."""
        key = tuple(sorted(kept))
        if key not in self.tried:
            rules = tuple(self.old[at] for at in key)
            seconds = None if self.seconds is None else max(0.5, self.seconds / share)
            limits = evolve(self.prepared.limits, seconds=seconds)
            earlier = [run for run in self.tried.values() if run.rules is not None]
            known = [rules, self.old, self.free, *(run.rules for run in earlier if run.rules is not None)]
            pool = earlier[-1].pool if earlier else ()
            found = Completion(evolve(self.prepared, limits=limits), Standing(kept=rules), pool, known)
            found.start()
            found.wait()
            self.tried[key] = found
        return self.tried[key]

    def changed(self, run: Completion) -> int:
        """How many of the old rules a rule set lacks."""
        return sum(not any(same(rule, other) for other in run.rules or ()) for rule in self.old)

    def within(self, keep: float) -> Completion:
        """The best rule set that has at least a share of the old rules."""
        n, most = len(self.old), len(self.old) - math.ceil(keep * len(self.old) - 1e-9)
        if math.comb(n, most) <= MOST_TRIED:
            runs = [self.run(kept, math.comb(n, most)) for kept in combinations(range(n), n - most)]
            best = min(runs, key=_objective)
            bounds = [run.bound for run in runs]
            if best.rules is not None and all(bound is not None for bound in bounds):
                # Every rule set that is allowed has the kept rules of one of these runs.
                best.bound = min(bound for bound in bounds if bound is not None)
            return self.usable(best)
        return self.usable(min(self.one_by_one(most), key=_objective))

    def at_a_cost(self, cost: float) -> Completion:
        """The best rule set where each old rule that is given up costs something."""
        n = len(self.old)
        if 2**n <= MOST_TRIED:
            runs = [self.run(kept, 2**n) for size in range(n + 1) for kept in combinations(range(n), size)]
        else:
            runs = list(self.one_by_one(n))
        return self.usable(min(runs, key=lambda run: (_objective(run) + cost * self.changed(run), self.changed(run))))

    def one_by_one(self, most: int) -> Iterator[Completion]:
        """Give up one rule after the other, the one that gains most first."""
        kept = tuple(range(len(self.old)))
        share = 1 + sum(len(kept) - step for step in range(most))
        yield self.run(kept, share)
        for _ in range(most):
            tried = {at: self.run([each for each in kept if each != at], share) for at in kept}
            gone = min(tried, key=lambda at: _objective(tried[at]))
            kept = tuple(each for each in kept if each != gone)
            yield tried[gone]

    def usable(self, run: Completion) -> Completion:
        """The run, unless it found nothing."""
        if run.rules is None:
            raise InfeasibleError({}, proven=False)
        return run

    def told(self, run: Completion, free: RuleSetClassifier) -> Refit:
        """The model of a run, with what changed and why."""
        prepared, logic = self.prepared, self.prepared.problem.logic
        rules = run.rules or ()
        kept = [rule for rule in self.old if any(same(rule, other) for other in rules)]
        dropped = [rule for rule in self.old if not any(same(rule, other) for other in rules)]
        added = [rule for rule in rules if not any(same(rule, other) for other in self.old)]
        goal, unit = run.goal, run.problem.unit

        def measured(command: str, some: Sequence[Clause]) -> Edit:
            judged = goal.evaluate([rule for rule in map(run.rule, some) if rule is not None])
            own = texts_of(tuple(some), logic)
            return Edit(command, own, judged.errors * unit, judged.objective * unit, run.objective, run.bound)

        edits = [measured("the earlier rules on these rows", self.old)]
        for rule, text in zip(dropped, texts_of(tuple(dropped), logic), strict=True):
            also = self.run([at for at, each in enumerate(self.old) if each in kept or each is rule], 4)
            why = "keeping it too, no rule set within the bounds was found"
            if also.rules is not None:
                why = f"keeping it too, the best objective found is {also.objective:g} instead of {run.objective:g}"
            edits.append(measured(f"gave up {text!r}: {why}", [each for each in self.old if each is not rule]))
        for rule, text in zip(added, texts_of(tuple(added), logic), strict=True):
            without = [each for each in rules if each is not rule]
            found = measured("", without)
            why = f"without it the objective is {found.objective:g} instead of {run.objective:g}"
            edits.append(evolve(found, command=f"added {text!r}: {why}"))
        edits.append(measured(f"kept {len(kept)} of {len(self.old)} rules", rules))
        standing = Standing(rules=tuple(rules), kept=tuple(run.standing.kept))
        assert run.result is not None
        model = model_of_draft(prepared, standing, run, edits)
        result = FitResult.of({prepared.model.classes[1]: run.result}, run.errors)
        # What was kept once is no wish of the learner's for all times.
        settings = {**model.settings, "keep": prepared.model.settings.get("keep", [])}
        return Refit(
            model=evolve(model, settings=settings),
            result=result,
            kept=texts_of(tuple(kept), logic),
            dropped=texts_of(tuple(dropped), logic),
            added=texts_of(tuple(added), logic),
            free=free,
        )


def _objective(run: Completion) -> float:
    return math.inf if run.rules is None else run.objective
