"""Every rule set that is about as good as a model: how many there are, what all have in common, where they disagree."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pandas as pd
from attrs import evolve, field, frozen

from rulecg_core import ConfigurationError, Deadline, Pricer, Result, Rule, RuleSet, Start
from rulecg_core.api.provenance import is_trusted
from rulecg_core.base.arrays import BoolArray, FloatArray, IntArray
from rulecg_core.base.limits import PricingLimits
from rulecg_core.data.goal import Goal
from rulecg_core.proof.families.enumeration import Families, families_within

from ..estimators.classifier import RuleSetClassifier
from ..model.model import Model
from ..workbench.prepared import Prepared, prepare
from .family_facts import FamilyFacts

MOST_LISTED = 1_000_000
"""So many rules may be listed."""


@frozen(eq=False)
class NearOptimalSets:
    """All rule sets within a tolerance of the best objective, as families: rule sets whose rules cover the same rows
    are one."""

    best: float
    """The least objective, as it was found; all that follows is about objectives up to ``threshold``."""
    lower_bound: float | None
    threshold: float
    families: Families = field(repr=False)
    goal: Goal = field(repr=False)
    kept: BoolArray = field(repr=False)
    """Which families keep every bound of the model in true counts."""
    complete: bool
    why: str
    """Why the list is not complete."""
    left_out: tuple[str, ...]
    """Rows of the model's constraints that the tolerance did not look at."""
    facts: FamilyFacts = field(repr=False)
    order: IntArray = field(repr=False)
    """Which row stands at each place of the problem's rows."""
    constant: bool = False
    """Whether predicting the outcome for every row is within the tolerance, too."""

    def __len__(self) -> int:
        return int(self.kept.sum())

    def rule_set(self, at: int) -> RuleSet:
        """Make one of the rule sets that keep every bound, with its shortest texts; 0 has the least objective."""
        return self.goal.problem.rule_set(self.rules(at))

    def rules(self, at: int) -> tuple[Rule, ...]:
        """Give the rules of one of the rule sets that keep every bound."""
        return self.families.rules(int(np.flatnonzero(self.kept)[at]))

    def table(self, most: int = 100) -> pd.DataFrame:
        """List rule sets that keep every bound, the least objective first.

        Parameters
        ----------
        most : int
            At most so many.

        Returns
        -------
        DataFrame
            One line per family: objective, errors, complexity, rules, one of its texts, and ``texts``, the number of
            texts that the line stands for (NaN where they are too many to count); a column for each gap.
        """
        return self.facts.table(np.flatnonzero(self.kept)[:most])

    def always(self) -> dict[str, list[str]]:
        """Find the conditions and the columns that every rule set of the list uses, in whatever text.

        Returns
        -------
        dict
            ``"conditions"`` and ``"columns"``; both empty when no rule set is listed.
        """
        return self.facts.always(np.flatnonzero(self.kept))

    def gap_ranges(self) -> pd.DataFrame:
        """Give the least and the largest value of each gap between groups among all families of the tolerance.

        Returns
        -------
        DataFrame
            One line per gap; certified where the list is complete, else what was seen.
        """
        return self.facts.gap_ranges()

    def disagreement(self) -> dict[str, float]:
        """Measure how predictions of the listed rule sets differ from those of the best one.

        Returns
        -------
        dict
            ``"ambiguity"``, the share of rows that some listed rule set decides otherwise, and ``"discrepancy"``, the
            largest share of rows that one rule set decides otherwise.
        """
        return self.facts.disagreement(np.flatnonzero(self.kept))

    def accepted_by(self) -> FloatArray:
        """Give for every row (of those with weight) the share of listed rule sets that predict the outcome."""
        shares = np.empty(len(self.order))
        shares[self.order] = self.facts.accepted_by(np.flatnonzero(self.kept))
        return shares

    def statement(self) -> str:
        """Say how many there are, and what was proven."""
        about = f"an objective of at most {self.threshold:g} (the best known is {self.best:g})"
        n = len(self.families)
        if self.complete:
            text = f"Proven complete: {n:,} families of rule sets over all rules have {about}."
        elif self.families.estimate is None:
            text = f"Not complete ({self.why}): at least {n:,} families of rule sets have {about}."
        else:
            estimate = self.families.estimate
            text = (
                f"Not complete ({self.why}): at least {n:,} families of rule sets have {about}; walks through the "
                f"search tree estimate {estimate.count:,.0f} ± {estimate.standard_error:,.0f} (standard error)."
            )
        text += " Rule sets whose rules cover the same rows are one family; none has a rule that others make needless."
        if self.constant:
            text += " Predicting the outcome for every row is within the tolerance, too."
        if self.left_out:
            text += (
                f" The tolerance looks at size only, not at {', '.join(self.left_out)}: {len(self):,} of these keep "
                "every bound in true counts, and these are listed."
            )
        return text

    def __str__(self) -> str:
        return self.statement()


# Data, tolerance and limits stay separate keyword arguments, as everywhere in scikit-learn.
def near_optimal(
    model: Model | RuleSetClassifier,
    X: Any,
    y: Any,
    *,
    within: float | None = None,
    within_errors: float | None = None,
    sample_weight: Any = None,
    sensitive_features: Any = None,
    most: int = 1_000_000,
    time_limit: float | None = 60.0,
    random_state: int = 0,
) -> NearOptimalSets:
    """Find all rule sets that are about as good as the best one, over all rules.

    Parameters
    ----------
    model : Model or fitted RuleSetClassifier
        For two classes, learned with the Hamming loss.
    X : DataFrame, array or list of rows
        The training rows.
    y : sequence of labels
        Truth values, or the model's classes.
    within : float or None
        How much worse the objective may be, as a share of the best one; 0.01 unless ``within_errors`` is given.
    within_errors : float or None
        How much worse it may be in absolute terms, such as 5 errors.
    sample_weight, sensitive_features
        As for ``RuleSetClassifier.fit``; with sensitive features, gaps between groups are counted.
    most : int
        At most so many families are listed.
    time_limit : float or None
        Seconds for finding the best rule set, and again for listing.
    random_state : int
        Seed of the walks that estimate a number.

    Returns
    -------
    NearOptimalSets
        The rule sets, and whether these are proven to be all.

    Raises
    ------
    ConfigurationError
        When the model cannot be worked on: several classes, another loss, a bound on columns.

    Examples
    --------
    >>> rows = pd.DataFrame({"x": [1, 2, 3, 4] * 10, "z": [0, 1, 0, 1] * 10})
    >>> classifier = RuleSetClassifier(4).fit(rows, rows["x"] > 2)
    >>> found = near_optimal(classifier, rows, rows["x"] > 2, within_errors=0)
    >>> found.complete, len(found), found.always()["columns"]
    (True, 1, ['x'])
    """
    if within is not None and within_errors is not None:
        raise ConfigurationError("Give the tolerance either as within (a share) or as within_errors, not both.")
    tolerance = within_errors if within_errors is not None else (0.01 if within is None else within)
    if not math.isfinite(tolerance) or tolerance < 0:
        raise ConfigurationError(f"The tolerance must be a number of at least 0, not {tolerance!r}.")
    prepared = prepare(model, X, y, sample_weight=sample_weight, sensitive_features=sensitive_features)
    of_size, others = prepared.size_constraints()
    with prepared.master(of_size) as master:
        goal = master.goal
        if not goal.counts_only_size:
            raise ConfigurationError(
                "near_optimal lists rule sets by the Hamming loss under bounds on size. Learn with loss='hamming' and "
                "without a bound on columns."
            )
        result = _best(prepared, of_size, model, time_limit)
        unit = prepared.problem.unit
        best = result.objective / unit
        threshold = best + (tolerance / unit if within_errors is not None else tolerance * abs(best))
        deadline = Deadline.after(time_limit)
        families, complete, why = _listed(prepared, goal, result, threshold, most, deadline, random_state)
    whole = prepared.master().goal
    facts = FamilyFacts(goal, families, threshold)
    constant = prepared.problem.constant_rule
    return NearOptimalSets(
        best=result.objective,
        lower_bound=result.lower_bound,
        threshold=threshold * unit,
        families=families,
        goal=goal,
        kept=facts.keep_rows([row for row in whole.rows if not row.bounds_size]),
        complete=complete,
        why=why,
        left_out=tuple(type(constraint).__name__ for constraint in others),
        facts=facts,
        order=prepared.training.order,
        constant=constant is not None and goal.evaluate((constant,)).objective <= threshold + 1e-9,
    )


def _best(prepared: Prepared, of_size: Any, model: Any, time_limit: float | None) -> Result:
    """The best rule set under bounds on size alone, from what is known already."""
    known = getattr(getattr(model, "result_", None), "runs", {})
    rules = next(iter(known.values())).pool if known else ()
    same = tuple(rule for rule in rules if all(feature < prepared.problem.n_conditions for feature in rule))
    recipe = evolve(prepared.recipe, constraints=of_size, start=Start(same), choose=None)
    limits = evolve(prepared.limits, seconds=time_limit)
    return recipe.learn(prepared.problem, limits, None, prepared.seed)


def _listed(  # what is listed, up to where and with what limits
    prepared: Prepared, goal: Goal, result: Result, threshold: float, most: int, deadline: Deadline, seed: int
) -> tuple[Families, bool, str]:
    """All families up to the threshold; whether these are all, and why not."""
    backend = prepared.recipe.backend
    listers = [stage for _, stage in prepared.recipe.stages(prepared.problem) if _can_list(stage)]
    proof = result.proof
    if proof is None or not listers:
        why = "the relaxation over all rules was not solved in the time" if listers else "no pricer can list rules"
        return families_within(goal, backend, result.pool, threshold, most=most, deadline=deadline), False, why
    reach = threshold - proof.bound + 1e-6 * max(1.0, abs(threshold))
    limits = PricingLimits(deadline, threads=prepared.limits.threads)
    listing = listers[0].list_below(proof.relaxation.pricing, reach, MOST_LISTED, limits)
    rules = goal.allowed([rule for rule in listing.rules if len(rule)])
    likely = round(float(proof.relaxation.weights.sum()))
    families = families_within(
        goal, backend, rules, threshold, most=most, deadline=deadline, likely_number=likely, seed=seed
    )
    if not listing.complete:
        return families, False, f"more than {len(rules):,} rules may take part"
    why = "" if families.complete else ("more than were to be listed" if len(families) >= most else "the time was up")
    return families, families.complete, why


def _can_list(pricer: Pricer) -> bool:
    return pricer.can_list and is_trusted(pricer, "list_below")

