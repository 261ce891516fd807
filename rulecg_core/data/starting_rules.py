"""Rules to begin with: single conditions, and pools saved by earlier runs."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

from ..base.errors import ConfigurationError
from .conditions import Condition
from .problem import Problem
from .rules import Rule

FORMAT = "rulecg/rule-pool"
VERSION = 1


def single_conditions(problem: Problem) -> tuple[Rule, ...]:
    """One rule per feature: a start that needs no pricing."""
    return tuple(Rule([feature]) for feature in range(problem.n_conditions))


def save_pool(path: str | Path, problem: Problem, rules: Iterable[Rule]) -> None:
    """Write rules in terms of the table's columns, so that another problem on the same table can use them."""
    rules = list(rules)
    used = sorted({feature for rule in rules for feature in rule})
    place = {feature: number for number, feature in enumerate(used)}
    document = {
        "format": FORMAT,
        "version": VERSION,
        "logic": problem.logic,
        "conditions": [problem.conditions[feature].to_dict() for feature in used],
        "rules": [[place[feature] for feature in rule] for rule in rules],
    }
    Path(path).write_text(json.dumps(document, ensure_ascii=False), encoding="utf-8")


def load_pool(path: str | Path, problem: Problem) -> tuple[Rule, ...]:
    """Read rules saved by :func:`save_pool`, for a start. Rules with conditions this problem lacks, or with more
    conditions than it allows, are left out: the pool is a start, never a promise."""
    try:
        document = json.loads(Path(path).read_text(encoding="utf-8"))
        if document["format"] != FORMAT or document["version"] != VERSION:
            raise ValueError(f"format {document['format']!r}, version {document['version']!r}")
        conditions = [Condition.from_dict(entry) for entry in document["conditions"]]
        saved = [[conditions[number] for number in rule] for rule in document["rules"]]
        logic = document["logic"]
    except (OSError, ValueError, KeyError, TypeError, IndexError) as error:
        raise ConfigurationError(f"{path} is not a rule pool that this version can read: {error}.") from None
    if logic != problem.logic:
        raise ConfigurationError(
            f"{path} holds rules for logic {logic!r}, but the problem has logic {problem.logic!r}."
        )
    feature = {condition: number for number, condition in enumerate(problem.conditions)}
    known = [rule for rule in saved if all(condition in feature for condition in rule)]
    rules = [Rule(feature[condition] for condition in rule) for rule in known]
    return tuple(rule for rule in rules if 1 <= len(rule) <= problem.max_conditions)
