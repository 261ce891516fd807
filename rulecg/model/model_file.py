"""The model file: one JSON document with rules, certificate and data fingerprint. Loading it executes nothing."""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np
from attrs import asdict, evolve

from rulecg_core import Condition, ConfigurationError, Rule, RuleSet

from ..inputs.dataframes import plain_table
from ..monitoring.baseline_entry import baseline_entry, baseline_of
from .bounded_json import MAX_BYTES, decode, plain_object, read_bytes
from .certificate import Certificate
from .document import (
    FORMAT,
    VERSION,
    CertificateEntry,
    ConditionEntry,
    DataEntry,
    EditEntry,
    ExpectedEntry,
    Header,
    ModelDocument,
    RoundEntry,
    RowEntry,
    RuleSetEntry,
    SketchEntry,
)
from .edits import Edit
from .expected import Estimate, Expected
from .model import Model, model_of
from .origin.fingerprint import Fingerprint
from .origin.row_sketch import RowSketch
from .scores import RuleScores

if TYPE_CHECKING:
    import pandas as pd

    from ..estimators.classifier import RuleSetClassifier

EDITED = "The file was changed after it was written, so what was once proven may not hold for these rules."


def to_model(
    classifier: RuleSetClassifier | Model,
    *,
    data: pd.DataFrame | None = None,
    target: str | None = None,
    sensitive: Iterable[str] = (),
    label_names: Mapping[Any, Any] | None = None,
    row_sketch: bool = True,
) -> Model:
    """Add to a fitted classifier's model what its data was.

    Parameters
    ----------
    classifier : fitted RuleSetClassifier or Model
        Where the model comes from.
    data : DataFrame or None
        What it was fitted to, for the fingerprint; None for no fingerprint.
    target : str or None
        The predicted column.
    sensitive : iterable of str
        The columns that define groups; those that the learner was told of unless given.
    label_names : mapping or None
        Other names for labels, such as ``{False: "no", True: "yes"}``.
    row_sketch : bool
        Whether the fingerprint has a sketch of the rows, so that reports can tell training rows from new ones.

    Returns
    -------
    Model
        The same rules, described.
    """
    model, names = model_of(classifier), dict(label_names or {})
    return evolve(
        model,
        classes=tuple(names.get(label, label) for label in model.classes),
        expected=None if model.expected is None else model.expected.called(names),
        target=target,
        sensitive=tuple(map(str, sensitive)) or model.sensitive,
        fingerprint=None if data is None else Fingerprint.of(plain_table(data), row_sketch=row_sketch),
    )


def save_model(model: Model | RuleSetClassifier, path: Path | str, **about: Any) -> Model:
    """Write a model file; it is complete or not there.

    Parameters
    ----------
    model : Model or fitted RuleSetClassifier
        What to write.
    path : Path or str
        Where to.
    **about
        For a classifier, what :func:`to_model` takes: ``data``, ``target``, ``sensitive``, ``label_names`` and
        ``row_sketch``.

    Returns
    -------
    Model
        What was written.

    Raises
    ------
    ConfigurationError
        When the file cannot be written, or could not be read again.
    """
    made = to_model(model, **about) if about or not isinstance(model, Model) else model
    path = Path(path)
    text = to_json(made)
    if len(text) > MAX_BYTES:
        raise ConfigurationError(f"The model takes {len(text) / 2**20:.0f} MB as a file: lower max_categories.")
    _model(decode(text.encode(), ModelDocument, "The model cannot be written"))  # what could not be loaded again
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


def load_model(path: Path | str, *, allow_edited: bool = False) -> Model:
    """Read a model file.

    Parameters
    ----------
    path : Path or str
        The file.
    allow_edited : bool
        Whether to load a file that was changed by hand. It has no certificate, and probabilities only after
        :func:`rulecg.model.scored_rule_sets.rescored`.

    Returns
    -------
    Model
        The model.

    Raises
    ------
    ConfigurationError
        When it cannot be read, is no model file, is of another version, or was changed by hand.
    """
    where = f"{path} is no rulecg model file"
    raw = read_bytes(path, "rulecg model file")
    header = decode(raw, Header, where)
    if header.format != FORMAT:
        raise ConfigurationError(f"{where}: it does not say format {FORMAT!r}.")
    if header.version != VERSION or isinstance(header.version, bool):
        raise ConfigurationError(
            f"{path} is a model file of version {header.version!r:.60}, written by rulecg {header.rulecg:.40}, but "
            f"this rulecg reads version {VERSION}: learn the model again, or use the release that wrote it."
        )
    document = decode(raw, ModelDocument, where)
    is_edited = document.seal != seal(plain_object(raw, where))
    if is_edited and not allow_edited:
        raise ConfigurationError(
            f"{path} was changed after rulecg wrote it, so its certificate may not hold. Restore the file or fit "
            "again; rulecg.load_model(path, allow_edited=True) loads the rules without the certificate."
        )
    model = _model(document)
    if not is_edited:
        return model
    return evolve(model, certificate=None, baseline=None, expected=None, has_stale_scores=True, notes=(EDITED,))


def to_json(model: Model) -> str:
    """Write a model as a JSON document; equal models give equal text."""
    try:
        document = msgspec.to_builtins(_document(model))
        document["seal"] = seal(document)
        # ASCII alone: an editor shows invisible and direction-changing characters as escapes.
        return json.dumps(document, indent=1, allow_nan=False) + "\n"
    except (TypeError, ValueError) as error:
        raise ConfigurationError(
            f"The model cannot be written, because a label, category or setting is neither text nor a finite number: "
            f"{error}. Turn such columns and labels into text before learning, with astype(str)."
        ) from None


def seal(document: Mapping[str, Any]) -> str:
    """Hash everything in a document but the seal: it tells edits by hand, and is no protection against intent."""
    text = json.dumps({k: v for k, v in document.items() if k != "seal"}, sort_keys=True, allow_nan=False)
    return hashlib.sha256(text.encode()).hexdigest()


# From a model to a document -------------------------------------------------------------------------------------------


def _document(model: Model) -> ModelDocument:
    from .. import __version__

    return ModelDocument(
        format=FORMAT,
        version=VERSION,
        rulecg=__version__,
        target=model.target,
        classes=list(model.classes),
        sensitive=list(model.sensitive),
        rule_sets=[_rule_set_entry(*pair) for pair in zip(model.rule_sets, model.scores, strict=True)],
        class_weights=model.class_weights.tolist(),
        otherwise=None if model.otherwise is None else model.otherwise.tolist(),
        has_stale_scores=model.has_stale_scores,
        binarization=_condition_entries(model.conditions),
        settings=dict(model.settings),
        certificate=None if model.certificate is None else _certificate_entry(model.certificate),
        data=None if model.fingerprint is None else _data_entry(model.fingerprint),
        seal="",
        baseline=None if model.baseline is None else baseline_entry(model.baseline),
        edits=[
            EditEntry(edit.command, list(edit.rules), edit.errors, edit.objective, edit.best, edit.bound)
            for edit in model.edits
        ],
        expected=None if model.expected is None else _expected_entry(model.expected),
    )


def _rule_set_entry(rule_set: RuleSet, scores: RuleScores) -> RuleSetEntry:
    return RuleSetEntry(
        outcome=rule_set.outcome,
        logic=rule_set.logic,
        columns=list(rule_set.columns),
        conditions=_condition_entries(rule_set.conditions),
        rules=[list(rule) for rule in rule_set.rules],
        support=scores.support.tolist(),
        right=scores.right.tolist(),
        otherwise=float(scores.otherwise),
    )


def _expected_entry(expected: Expected) -> ExpectedEntry:
    return msgspec.convert(asdict(expected), ExpectedEntry)


def _condition_entries(conditions: Iterable[Condition]) -> list[ConditionEntry]:
    return [msgspec.convert(condition.to_dict(), ConditionEntry) for condition in conditions]


def _certificate_entry(certificate: Certificate) -> CertificateEntry:
    return CertificateEntry(
        objective=certificate.objective,
        lower_bound=certificate.lower_bound,
        gap=certificate.gap,
        status=certificate.status,
        stop=certificate.stop,
        errors=certificate.errors,
        seconds=certificate.seconds,
        pool_size=certificate.pool_size,
        text=certificate.text,
        history=[RoundEntry(*line.values()) for line in certificate.history],
        constraints=[RowEntry(*line.values()) for line in certificate.constraints],
    )


def _data_entry(fingerprint: Fingerprint) -> DataEntry:
    sketch = fingerprint.sketch
    return DataEntry(
        columns=list(fingerprint.columns),
        rows=fingerprint.n_rows,
        sha256=fingerprint.sha256,
        sketch=None if sketch is None else SketchEntry(
            sketch.key, str(sketch.below), list(sketch.digests), sketch.repeated
        ),
    )


# From a document to a model -------------------------------------------------------------------------------------------


def _model(document: ModelDocument) -> Model:
    """The model in a document; what the types of its fields cannot say is checked here."""
    classes = tuple(document.classes)
    if len({(type(label), label) for label in classes}) < len(classes):
        raise ConfigurationError("A model needs at least two classes, all different.")
    expected = 1 if len(classes) == 2 else len(classes)
    if len(document.rule_sets) != expected:
        raise ConfigurationError(
            f"{len(classes)} classes need {expected} rule sets, but the file has {len(document.rule_sets)}."
        )
    otherwise = document.otherwise
    if (otherwise is None) != (expected == 1) or (otherwise is not None and len(otherwise) != len(classes)):
        raise ConfigurationError("'otherwise' must give one number per class when there are more than two.")
    _check_count(document.class_weights, len(classes), "'class_weights'")
    sets = [_rule_set(entry, number) for number, entry in enumerate(document.rule_sets, 1)]
    baseline = None if document.baseline is None else baseline_of(document.baseline, document)
    return Model(
        rule_sets=tuple(rule_set for rule_set, _ in sets),
        classes=classes,
        scores=tuple(scores for _, scores in sets),
        class_weights=np.array(document.class_weights, dtype=np.float64),
        otherwise=None if otherwise is None else np.array(otherwise, dtype=np.float64),
        target=document.target,
        sensitive=tuple(document.sensitive),
        conditions=_conditions(document.binarization),
        settings=dict(document.settings),
        certificate=None if document.certificate is None else _certificate(document.certificate),
        fingerprint=None if document.data is None else _fingerprint(document.data),
        has_stale_scores=document.has_stale_scores,
        baseline=baseline,
        edits=tuple(
            Edit(entry.command, tuple(entry.rules), entry.errors, entry.objective, entry.best, entry.bound)
            for entry in document.edits
        ),
        expected=None if document.expected is None else _expected(document.expected),
    )


def _check_count(values: Sequence[Any], count: int, what: str) -> None:
    if len(values) != count:
        raise ConfigurationError(f"{what} has {len(values)} numbers, but {count} are needed.")


def _rule_set(entry: RuleSetEntry, number: int) -> tuple[RuleSet, RuleScores]:
    conditions = _conditions(entry.conditions)
    rule_set = RuleSet(
        rules=tuple(Rule(positions) for positions in entry.rules),
        conditions=conditions,
        logic=entry.logic,
        columns=tuple(entry.columns),
        outcome=entry.outcome,
    )
    unknown = {condition.column for condition in conditions} - set(rule_set.columns)
    if unknown:
        raise ConfigurationError(f"Rule set {number} has a condition on {min(unknown)!r:.80}, no column of it.")
    _check_count(entry.support, len(entry.rules), f"'support' of rule set {number}")
    _check_count(entry.right, len(entry.rules), f"'right' of rule set {number}")
    support, right = np.array(entry.support, dtype=np.float64), np.array(entry.right, dtype=np.float64)
    if np.any(right > support):
        raise ConfigurationError(f"A rule of rule set {number} decides more rows rightly than it decides.")
    return rule_set, RuleScores(support, right, entry.otherwise)


def _conditions(entries: Iterable[ConditionEntry]) -> tuple[Condition, ...]:
    return tuple(Condition.from_dict(msgspec.to_builtins(entry)) for entry in entries)


def _certificate(entry: CertificateEntry) -> Certificate:
    plain = msgspec.to_builtins(entry)
    return Certificate(**{**plain, "history": tuple(plain["history"]), "constraints": tuple(plain["constraints"])})


def _expected(entry: ExpectedEntry) -> Expected:
    plain = msgspec.to_builtins(entry)
    plain |= {name: Estimate(**plain[name]) for name in ("accuracy", "gain")}
    plain["figures"] = {name: Estimate(**figure) for name, figure in plain["figures"].items()}
    return Expected(**{**plain, "fold_accuracies": tuple(plain["fold_accuracies"])})


def _fingerprint(entry: DataEntry) -> Fingerprint:
    sketch = entry.sketch
    return Fingerprint(
        columns=tuple(entry.columns),
        n_rows=entry.rows,
        sha256=entry.sha256,
        sketch=None if sketch is None else RowSketch(
            sketch.key, int(sketch.below), tuple(sketch.digests), sketch.repeated
        ),
    )
