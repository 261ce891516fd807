"""From a draft to a model: scores, settings, history, and a certificate where something was proven about it."""

from __future__ import annotations

from collections.abc import Sequence

from attrs import evolve

from rulecg_core import RuleSet

from ..model.certificate import Certificate
from ..model.edits import Edit
from ..model.model import Model
from ..model.result import FitResult
from ..model.scored_rule_sets import class_weights, score
from ..model.scores import firing
from ..monitoring.baseline import Baseline
from .answer import texts_of
from .completion import Completion
from .prepared import Prepared
from .standing import Clause, Standing


def rule_set_of(prepared: Prepared, rules: Sequence[Clause]) -> RuleSet:
    """Make a rule set on the prepared rows' columns."""
    problem = prepared.problem
    return RuleSet.of(rules, logic=problem.logic, columns=problem.columns, outcome=problem.outcome)


def model_of_draft(prepared: Prepared, standing: Standing, run: Completion, edits: Sequence[Edit]) -> Model:
    """Make a model.

    Parameters
    ----------
    prepared : Prepared
        The rows.
    standing : Standing
        The draft, and what is kept and banned.
    run : Completion
        What is proven is about its rule sets.
    edits : sequence of Edit
        The history.

    Returns
    -------
    Model
        The draft; without a certificate unless it is what the run found.
    """
    rows, rule_set = prepared.rows, rule_set_of(prepared, standing.rules)
    scores, otherwise = score([rule_set], [firing(rule_set, rows.table)], rows)
    settings = dict(prepared.model.settings)
    settings["keep"] = list(texts_of(standing.kept, rule_set.logic))
    settings["forbid"] = list(dict.fromkeys([*(settings.get("forbid") or ()), *map(str, standing.banned)]))
    model = evolve(
        prepared.model,
        rule_sets=(rule_set,),
        scores=scores,
        otherwise=otherwise,
        class_weights=class_weights(rows),
        conditions=run.problem.conditions,
        settings=settings,
        certificate=_certificate(standing, run, rule_set.logic),
        has_stale_scores=False,
        edits=tuple(edits),
        # What was to be expected of the rules learned says nothing about others.
        expected=prepared.model.expected if _are_alike(rule_set, prepared.model.rule_set) else None,
    )
    return evolve(model, baseline=Baseline.of(model, rows.table, rows.codes, prepared.groups))


def _are_alike(one: RuleSet, other: RuleSet) -> bool:
    return set(map(frozenset, one.clauses())) == set(map(frozenset, other.clauses()))


def _certificate(standing: Standing, run: Completion, logic: str) -> Certificate | None:
    found = run.rules
    if run.result is None or found is None or set(map(frozenset, found)) != set(map(frozenset, standing.rules)):
        return None
    certificate = Certificate.of(FitResult.of({True: run.result}, run.errors))
    if not (standing.kept or standing.banned):
        return certificate
    words = [f"has {text!r}" for text in texts_of(standing.kept, logic)]
    words += [f"does without {str(name)!r}" for name in standing.banned]
    return evolve(certificate, text=f"Of rule sets each of which {', '.join(words)}: {certificate.text}")
