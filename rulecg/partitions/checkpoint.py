"""What a run over partitions knows after a round, kept in a file so that a killed run goes on."""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path
from typing import Any

from attrs import define, field

from rulecg_core import ConfigurationError, Rule

from .manifest import Manifest

FORMAT = "rulecg/checkpoint 1"


@define(eq=False)
class State:
    """What is known after some rounds. Chance is drawn from the seed and the round, so that nothing else is needed."""

    round: int = 0
    """How many rounds are done."""
    pool: list[Rule] = field(factory=list)
    incumbent: tuple[Rule, ...] | None = None
    bound: float | None = None
    """No rule set of rules with conditions is below it; None while nothing is proven."""
    relaxation: float | None = None
    is_priced: bool = False
    """Whether rounds have come to an end: nothing better was found in the last one."""
    bounded: int = 0
    """How often the bound was looked for."""
    history: list[tuple[float | None, float, int]] = field(factory=list)
    """For every round the relaxation, the best objective, and how many rules there were."""


def task_key(manifest: Manifest, settings: dict[str, Any]) -> str:
    """A number that stands for the data and everything that decides the answer; partitions may be cut anew."""
    told = {
        "conditions": [condition.to_dict() for condition in manifest.conditions],
        "cells": [[cell.label, list(cell.groups)] for cell in manifest.cells],
        "weights": manifest.weights.tolist(),
        "settings": {name: repr(value) for name, value in sorted(settings.items())},
    }
    return hashlib.sha256(json.dumps(told, sort_keys=True).encode()).hexdigest()


def save(path: Path, key: str, state: State) -> None:
    """Write a state: whoever is killed while writing leaves the one before."""
    entry = {
        "format": FORMAT,
        "task": key,
        "round": state.round,
        "pool": [list(rule) for rule in state.pool],
        "incumbent": None if state.incumbent is None else [list(rule) for rule in state.incumbent],
        "bound": state.bound,
        "relaxation": state.relaxation,
        "is_priced": state.is_priced,
        "bounded": state.bounded,
        "history": [list(each) for each in state.history],
    }
    unfinished = path.with_name(path.name + ".part")
    unfinished.write_text(json.dumps(entry), encoding="utf-8")
    os.replace(unfinished, path)


def load(path: Path, key: str) -> State:
    """Read a state.

    Raises
    ------
    ConfigurationError
        When the file is no checkpoint, or one of another task.
    """
    try:
        entry = json.loads(path.read_text(encoding="utf-8"))
        if entry["format"] != FORMAT:
            raise ValueError(f"format {entry['format']!r}")
        if entry["task"] != key:
            raise ConfigurationError(
                f"The checkpoint {path} is of other data or other settings: remove it, or give those it was made with."
            )
        return State(
            round=int(entry["round"]),
            pool=[Rule(features) for features in entry["pool"]],
            incumbent=None if entry["incumbent"] is None else tuple(Rule(each) for each in entry["incumbent"]),
            bound=entry["bound"],
            relaxation=entry["relaxation"],
            is_priced=bool(entry["is_priced"]),
            bounded=int(entry["bounded"]),
            history=[(relaxation, best, size) for relaxation, best, size in entry["history"]],
        )
    except (OSError, ValueError, KeyError, TypeError) as error:
        if isinstance(error, ConfigurationError):
            raise
        raise ConfigurationError(f"{path} is no checkpoint that can be read ({error}): remove it.") from None
