"""Rule sets of growing size on some rows, found by searching alone: no proof, a fraction of a second each."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from attrs import define, evolve, field

from rulecg_core import Complexity, Deadline, Limits, Problem, Rule, RulecgError, SearchLimits, Start, View

from ..estimators.recipe import Recipe

RESTARTS = 3
"""How often a search begins again: more finds rule sets a little better on the training rows and takes longer."""
WITHOUT_HEURISTICS = 0.3
"""Seconds of column generation for a rule set where nobody searches."""


@define(eq=False)
class QuickPath:
    """A problem, and the best rule set for the largest bound on complexity so far."""

    recipe: Recipe
    problem: Problem
    seed: int
    best: tuple[Rule, ...] = ()
    pool: dict[Rule, None] = field(factory=dict)
    """Rules met on the way, here and by paths over the same conditions."""

    def advance(
        self, bound: float, deadline: Deadline, starts: Sequence[tuple[Rule, ...]] = ()
    ) -> tuple[Rule, ...] | None:
        """Find a good rule set within a bound on complexity, from what is known.

        Parameters
        ----------
        bound : float
            Most rules and conditions together; not below that of the call before.
        deadline : Deadline
            When to stop.
        starts : sequence of rule sets
            Further ones to begin from, over the same conditions.

        Returns
        -------
        tuple of Rule, or None
            The rule set; None when none was found that keeps the constraints.
        """
        recipe, problem = self.recipe, self.problem
        constraints = (Complexity(bound), *recipe.constraints[1:])
        known: list[tuple[Rule, ...]] = [(), (Rule(()),), self.best, *starts]
        try:
            with recipe.master(problem, constraints, recipe.backend) as master:
                heuristics = recipe.taking_part(recipe.heuristics, problem)
                if heuristics:
                    known += self._searched(View(master), heuristics, known, deadline)
                else:
                    known.append(self._generated(bound, deadline))
                if master.goal.constant_rule is None:
                    known = [rules for rules in known if all(map(len, rules))]
                judged = [master.evaluate(rules) for rules in dict.fromkeys(known)]
                completed = master.goal.completed
        except RulecgError:
            # Fewer rows may lack a group that a constraint is about.
            return None
        kept = [one for one in judged if one.is_feasible]
        if not kept:
            return None
        # Unlike the empty rule, the empty rule set is nothing to go on from.
        best = min(kept, key=lambda one: (one.objective, one.complexity))
        self.best = best.rules if best.has_conditions else ()
        self.pool |= dict.fromkeys(rule for rule in best.rules if len(rule))
        return completed(best.rules)

    def _searched(
        self,
        view: View,
        heuristics: Sequence[tuple[str, object]],
        known: Sequence[tuple[Rule, ...]],
        deadline: Deadline,
    ) -> list[tuple[Rule, ...]]:
        found: list[tuple[Rule, ...]] = []
        starts = [rules for rules in dict.fromkeys(known) if rules and all(map(len, rules))]
        for _, heuristic in heuristics:
            search = heuristic.open(view)  # type: ignore[attr-defined]
            try:
                limits = SearchLimits(deadline, restarts=RESTARTS)
                found += search.improve(starts, limits, np.random.default_rng(self.seed)).rule_sets
            finally:
                search.close()
        return [tuple(rules) for rules in found]

    def _generated(self, bound: float, deadline: Deadline) -> tuple[Rule, ...]:
        recipe = evolve(
            self.recipe, constraints=(Complexity(bound), *self.recipe.constraints[1:]), choose=None
        )
        seconds = max(0.05, min(WITHOUT_HEURISTICS, deadline.remaining))
        return recipe.learn(self.problem, Limits(seconds=seconds), None, self.seed).rules


def climbed(recipe: Recipe, problem: Problem, bounds: Iterable[float], deadline: Deadline, seed: int) -> Start:
    """Search through bounds from low to high, for a run over the same problem to begin with.

    Parameters
    ----------
    recipe : Recipe
        What learns.
    problem : Problem
        What is learned.
    bounds : iterable of float
        Ascending.
    deadline : Deadline
        When to stop.
    seed : int
        Seed of the searches.

    Returns
    -------
    Start
        The rules met, and the best rule set for the last bound that was reached.
    """
    path = QuickPath(recipe, problem, seed)
    for bound in bounds:
        if deadline.passed or path.advance(bound, deadline) is None:
            break
    return Start(tuple(path.pool), (path.best,) if path.best else ())
