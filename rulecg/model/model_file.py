"""The model file: one JSON document with rules, certificate and data fingerprint. Loading it executes nothing."""

from __future__ import annotations

import hashlib
import json
import math
import os
import tempfile
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from attrs import asdict, evolve

from rulecg_core import Condition, ConfigurationError, Rule, RuleSet

from .fingerprint import Fingerprint
from .json_checks import MAX_BYTES, Reader, finite, read_json, scalars
from .model import Certificate, Model
from .scores import RuleScores

if TYPE_CHECKING:
    import pandas as pd

    from ..estimators.classifier import RuleSetClassifier

FORMAT = "rulecg/model"
VERSION = 1
_MOST_ROUNDS = 1000
"""The history of longer runs is thinned out to this many rounds."""
_HISTORY = ("class", "seconds", "iteration", "relaxation", "lower_bound", "incumbent", "pool_size")
_ROWS = ("class", "row", "value", "true_value", "dual")
_EDITED = "The file was changed after it was written, so what was once proven may not hold for these rules."


# From a fitted classifier ---------------------------------------------------------------------------------------------


def to_model(
    classifier: RuleSetClassifier,
    *,
    data: pd.DataFrame | None = None,
    target: str | None = None,
    sensitive: Iterable[str] = (),
    label_names: Mapping[Any, Any] | None = None,
) -> Model:
    """The fitted classifier as a model; ``data`` (what it was fitted to) gives the fingerprint."""
    classes = tuple(_plain(label) for label in classifier.classes_)
    names = dict(label_names or {})
    result = classifier.result_
    certificate = Certificate(
        objective=result.objective,
        lower_bound=result.lower_bound,
        gap=result.gap,
        status=result.status,
        stop=result.stop,
        errors=result.errors,
        seconds=result.seconds,
        pool_size=result.pool_size,
        text=result.certificate(),
        history=_records(_thinned(result.history), _HISTORY),
        constraints=_records(result.constraints, _ROWS),
    )
    counts = [len(rule_set) for rule_set in classifier._rule_sets]
    ends = np.cumsum(counts)
    supports = classifier.rules_["support"].to_numpy(dtype=np.float64)
    return Model(
        rule_sets=classifier._rule_sets,
        classes=tuple(names.get(label, label) for label in classes),
        scores=tuple(classifier._scores),
        class_weights=classifier._class_weights,
        otherwise=None if len(classes) == 2 else classifier._otherwise,
        support=tuple(supports[end - count : end] for end, count in zip(ends, counts, strict=True)),
        target=target,
        sensitive=tuple(map(str, sensitive)),
        conditions=tuple(classifier.binarizer_.conditions_),
        settings=_settings(classifier),
        certificate=certificate,
        fingerprint=None if data is None else Fingerprint.of(data),
    )


def save_model(model: Model | RuleSetClassifier, path: Path | str, **about: Any) -> Model:
    """Write a model, or a fitted classifier with what :func:`to_model` takes; the file is complete or not there."""
    made = model if isinstance(model, Model) else to_model(model, **about)
    path = Path(path)
    text = to_json(made)
    if len(text) > MAX_BYTES:
        raise ConfigurationError(f"The model takes {len(text) / 2**20:.0f} MB as a file: lower max_categories.")
    _read(Reader(json.loads(text), "The model"))  # what could not be loaded again is not written
    try:
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=".part")
        try:
            with os.fdopen(handle, "w", encoding="utf-8") as stream:
                stream.write(text)
            os.chmod(name, 0o644)
            os.replace(name, path)
        except BaseException:
            Path(name).unlink(missing_ok=True)
            raise
    except OSError as error:
        raise ConfigurationError(f"Cannot write {path}: {error.strerror or error}.") from None
    return made


def to_json(model: Model) -> str:
    """The document; equal models give equal text."""
    document = _document(model)
    document["seal"] = _seal(document)
    # ASCII alone: an editor shows invisible and direction-changing characters as escapes.
    return json.dumps(document, indent=1, allow_nan=False) + "\n"


def _document(model: Model) -> dict[str, Any]:
    from .. import __version__

    certificate = model.certificate
    return {
        "format": FORMAT,
        "version": VERSION,
        "rulecg": __version__,
        "target": model.target,
        "classes": scalars(model.classes, "classes"),
        "sensitive": list(model.sensitive),
        "rule_sets": [
            {
                "outcome": rule_set.outcome,
                "logic": rule_set.logic,
                "columns": list(rule_set.columns),
                "conditions": [condition.to_dict() for condition in rule_set.conditions],
                "rules": [list(rule) for rule in rule_set.rules],
                "precisions": [float(value) for value in scores.precisions],
                "otherwise": float(scores.otherwise),
                "support": [float(value) for value in support],
            }
            for rule_set, scores, support in zip(model.rule_sets, model.scores, model.support, strict=True)
        ],
        "class_weights": [float(value) for value in model.class_weights],
        "otherwise": None if model.otherwise is None else [float(value) for value in model.otherwise],
        "binarization": [condition.to_dict() for condition in model.conditions],
        "settings": dict(model.settings),
        "certificate": None if certificate is None else asdict(certificate, recurse=False),
        "data": None
        if model.fingerprint is None
        else {
            "columns": [list(column) for column in model.fingerprint.columns],
            "rows": model.fingerprint.n_rows,
            "sha256": model.fingerprint.sha256,
        },
    }


def _seal(document: Mapping[str, Any]) -> str:
    """A hash of everything else; it tells edits by hand, and is no protection against intent."""
    text = json.dumps({k: v for k, v in document.items() if k != "seal"}, sort_keys=True, allow_nan=False)
    return hashlib.sha256(text.encode()).hexdigest()


def _settings(classifier: RuleSetClassifier) -> dict[str, Any]:
    settings: dict[str, Any] = {}
    for name, value in classifier.get_params(deep=False).items():
        if name in ("n_jobs", "verbose"):
            continue
        if isinstance(value, (list, tuple)):
            settings[name] = [item if isinstance(item, str) else repr(item) for item in value]
        elif value is None or isinstance(value, (str, bool, int, float)):
            settings[name] = value if not isinstance(value, float) or math.isfinite(value) else repr(value)
        else:
            settings[name] = repr(value)
    return settings


def _thinned(history: pd.DataFrame) -> pd.DataFrame:
    if len(history) <= _MOST_ROUNDS:
        return history
    return history.iloc[np.unique(np.linspace(0, len(history) - 1, _MOST_ROUNDS).astype(int))]


def _records(table: pd.DataFrame, names: Iterable[str]) -> tuple[dict[str, Any], ...]:
    kept = [name for name in names if name in table]
    rows = table[kept].astype(object).itertuples(index=False, name=None)
    return tuple({name: _plain(value) for name, value in zip(kept, row, strict=True)} for row in rows)


def _plain(value: Any) -> Any:
    value = value.item() if isinstance(value, np.generic) else value
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value


# From a file ----------------------------------------------------------------------------------------------------------


def load_model(path: Path | str, *, allow_edited: bool = False) -> Model:
    """Read a model file. One that was changed by hand is refused, or (``allow_edited``) loses its certificate."""
    document = read_json(path, "rulecg model file")
    reader = Reader(document, f"The model file {path}")
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        raise ConfigurationError(f"{path} is no rulecg model file: it does not say format {FORMAT!r}.")
    if document.get("version") != VERSION or isinstance(document.get("version"), bool):
        raise ConfigurationError(
            f"{path} has model version {document.get('version')!r:.60}; this rulecg reads version {VERSION}. "
            "Use the rulecg release that wrote it, or a newer one."
        )
    edited = document.get("seal") != _seal(document)
    if edited and not allow_edited:
        raise ConfigurationError(
            f"{path} was changed after rulecg wrote it, so its certificate may not hold. Restore the file or fit "
            "again; rulecg.load_model(path, allow_edited=True) loads the rules without the certificate."
        )
    try:
        model = _read(reader)
    except (TypeError, KeyError, AttributeError, OverflowError) as error:
        raise ConfigurationError(f"{path} is no rulecg model file: {error}.") from None
    return evolve(model, certificate=None, notes=(_EDITED,)) if edited else model


def _read(reader: Reader) -> Model:
    for name, kind in (("format", str), ("version", int), ("rulecg", str), ("seal", str)):
        reader.take(name, kind)
    target = reader.take("target", (str, type(None)))
    classes = tuple(scalars(reader.take("classes", list), "classes"))
    if len(classes) < 2 or len({(type(label), label) for label in classes}) < len(classes):
        raise ConfigurationError("A model needs at least two classes, all different.")
    sensitive = tuple(reader.texts("sensitive"))
    sets = [_read_rule_set(entry, number) for number, entry in enumerate(reader.take("rule_sets", list), 1)]
    expected = 1 if len(classes) == 2 else len(classes)
    if len(sets) != expected:
        raise ConfigurationError(f"{len(classes)} classes need {expected} rule sets, but the file has {len(sets)}.")
    otherwise = reader.take("otherwise", (list, type(None)))
    if (otherwise is None) != (expected == 1) or (otherwise is not None and len(otherwise) != len(classes)):
        raise ConfigurationError("'otherwise' must give one number per class when there are more than two.")
    settings = reader.take("settings", dict)
    model = Model(
        rule_sets=tuple(rule_set for rule_set, _, _ in sets),
        classes=classes,
        scores=tuple(scores for _, scores, _ in sets),
        class_weights=np.array(reader.numbers("class_weights", len(classes))),
        otherwise=None if otherwise is None else np.array([finite(value, "otherwise") for value in otherwise]),
        support=tuple(np.array(support) for _, _, support in sets),
        target=target,
        sensitive=sensitive,
        conditions=_read_conditions(reader.take("binarization", list)),
        settings={name: _read_setting(value, name) for name, value in settings.items()},
        certificate=_read_certificate(reader.take("certificate", (dict, type(None)))),
        fingerprint=_read_fingerprint(reader.take("data", (dict, type(None)))),
    )
    reader.done()
    return model


def _read_rule_set(entry: Any, number: int) -> tuple[RuleSet, RuleScores, list[float]]:
    reader = Reader(entry, f"Rule set {number}")
    conditions = _read_conditions(reader.take("conditions", list))
    rules = []
    for features in reader.take("rules", list):
        if not isinstance(features, list) or not all(type(feature) is int for feature in features):
            raise ConfigurationError(f"Rule set {number} has a rule that is not a list of whole numbers.")
        rules.append(Rule(features))
    rule_set = RuleSet(
        rules=tuple(rules),
        conditions=conditions,
        logic=reader.take("logic", str),
        columns=tuple(reader.texts("columns")),
        outcome=reader.take("outcome", str),
    )
    unknown = {condition.column for condition in conditions} - set(rule_set.columns)
    if unknown:
        raise ConfigurationError(f"Rule set {number} has a condition on {min(unknown)!r:.80}, no column of it.")
    precisions = reader.numbers("precisions", len(rules))
    otherwise = reader.number("otherwise")
    assert otherwise is not None
    if any(not 0 <= share <= 1 for share in (*precisions, otherwise)):
        raise ConfigurationError(f"Rule set {number} has a precision that is not between 0 and 1.")
    support = reader.numbers("support", len(rules))
    reader.done()
    return rule_set, RuleScores(np.array(precisions), otherwise), support


def _read_conditions(entries: list[Any]) -> tuple[Condition, ...]:
    conditions = []
    for entry in entries:
        reader = Reader(entry, "A condition")
        column, operator = reader.take("column", str), reader.take("operator", str)
        value = scalars([reader.entry.pop("value")], "A condition")[0] if "value" in reader.entry else None
        reader.done()
        conditions.append(Condition(column, operator, value))
    return tuple(conditions)


def _read_setting(value: Any, name: str) -> Any:
    if value is None:
        return None
    if isinstance(value, list):
        return scalars(value, f"The setting {name!r:.80}")
    return scalars([value], f"The setting {name!r:.80}")[0]


def _read_certificate(entry: Any) -> Certificate | None:
    if entry is None:
        return None
    reader = Reader(entry, "The certificate")
    certificate = Certificate(
        objective=reader.number("objective"),  # type: ignore[arg-type]
        lower_bound=reader.number("lower_bound", optional=True),
        gap=reader.number("gap", optional=True),
        status=reader.take("status", str),
        stop=reader.take("stop", str),
        errors=reader.number("errors"),  # type: ignore[arg-type]
        seconds=reader.number("seconds"),  # type: ignore[arg-type]
        pool_size=reader.take("pool_size", int),
        text=reader.take("text", str),
        history=_read_records(reader.take("history", list), _HISTORY),
        constraints=_read_records(reader.take("constraints", list), _ROWS),
    )
    reader.done()
    return certificate


def _read_records(entries: list[Any], names: tuple[str, ...]) -> tuple[dict[str, Any], ...]:
    rows = []
    for entry in entries:
        reader = Reader(entry, "A line of the certificate")
        row = {}
        for name in names:
            if name in ("class", "row"):
                row[name] = reader.take(name, (str, bool, int, float))
            else:
                row[name] = reader.take(name, (int, float, type(None)))
                finite(row[name] or 0, "A line of the certificate")
        reader.done()
        rows.append(row)
    return tuple(rows)


def _read_fingerprint(entry: Any) -> Fingerprint | None:
    if entry is None:
        return None
    reader = Reader(entry, "The data fingerprint")
    columns = []
    for column in reader.take("columns", list):
        if not isinstance(column, list) or len(column) != 2 or not all(isinstance(part, str) for part in column):
            raise ConfigurationError("A column of the data fingerprint must be a name and a type.")
        columns.append((column[0], column[1]))
    fingerprint = Fingerprint(tuple(columns), reader.take("rows", int), reader.take("sha256", str))
    reader.done()
    return fingerprint
