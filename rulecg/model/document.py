"""What stands in a model file, field by field: checked while a file is read, and published as a JSON Schema."""

from __future__ import annotations

from typing import Annotated, Any, Final, Literal, TypeAlias

import msgspec
from msgspec import Meta, Struct

FORMAT: Final = "rulecg/model"
VERSION: Final = 2
MAX_TEXT = 10_000
"""Longest text in a model file."""
MAX_ITEMS = 200_000
"""Longest list in a model file."""
MAX_DIGESTS = 4096
MAX_SETTINGS = 1000

Text: TypeAlias = Annotated[str, Meta(max_length=MAX_TEXT)]
Label: TypeAlias = Annotated[str, Meta(max_length=MAX_TEXT)] | bool | int | float
Labels: TypeAlias = Annotated[list[Label], Meta(max_length=MAX_ITEMS)]
Texts: TypeAlias = Annotated[list[Text], Meta(max_length=MAX_ITEMS)]
Amounts: TypeAlias = Annotated[list[Annotated[float, Meta(ge=0)]], Meta(max_length=MAX_ITEMS)]
Share: TypeAlias = Annotated[float, Meta(ge=0, le=1)]
Count: TypeAlias = Annotated[int, Meta(ge=0)]
Counts: TypeAlias = Annotated[list[Count], Meta(max_length=MAX_ITEMS)]
Digest: TypeAlias = Annotated[str, Meta(pattern="^[0-9a-f]{16}$")]


class Header(Struct):
    """What tells a model file from other files, and its version from other versions."""

    format: Text = ""
    version: str | bool | int | float | None = None
    rulecg: Text = "unknown"


class ScaleEntry(Struct, forbid_unknown_fields=True, omit_defaults=True):
    """What a condition's number stands for: a date, a moment, a duration, or a place among ordered categories."""

    kind: Literal["date", "datetime", "duration", "order"]
    levels: Texts = []


class ConditionEntry(Struct, forbid_unknown_fields=True, omit_defaults=True):
    """A condition on one column."""

    column: Text
    operator: Literal["<=", ">", "==", "!=", "missing", "present", "true", "false"]
    value: Label | None = None
    scale: ScaleEntry | None = None


Conditions: TypeAlias = Annotated[list[ConditionEntry], Meta(max_length=MAX_ITEMS)]


class RuleSetEntry(Struct, forbid_unknown_fields=True):
    """A rule set: rules are lists of positions among its conditions."""

    outcome: Text
    logic: Literal["dnf", "cnf"]
    columns: Texts
    conditions: Conditions
    rules: Annotated[list[Annotated[list[Count], Meta(max_length=MAX_ITEMS)]], Meta(max_length=MAX_ITEMS)]
    support: Amounts
    right: Amounts
    otherwise: Share


class RoundEntry(Struct, forbid_unknown_fields=True, rename={"label": "class"}):
    """One round of column generation."""

    label: Label
    seconds: float
    iteration: Count
    relaxation: float | None
    lower_bound: float | None
    incumbent: float | None
    pool_size: Count


class RowEntry(Struct, forbid_unknown_fields=True, rename={"label": "class"}):
    """One constraint row: its value in the master, in true counts, and its dual."""

    label: Label
    row: Text
    value: float | None
    true_value: float | None
    dual: float | None


class CertificateEntry(Struct, forbid_unknown_fields=True):
    """What was found and proved."""

    objective: float
    lower_bound: float | None
    gap: float | None
    status: Text
    stop: Text
    errors: float
    seconds: float
    pool_size: Count
    text: Annotated[str, Meta(max_length=100 * MAX_TEXT)]
    history: Annotated[list[RoundEntry], Meta(max_length=MAX_ITEMS)]
    constraints: Annotated[list[RowEntry], Meta(max_length=MAX_ITEMS)]


class SketchEntry(Struct, forbid_unknown_fields=True):
    """Digests of rows, the threshold below which the hashes of rows in it are, and the share of repeated rows."""

    key: Annotated[str, Meta(pattern="^[0-9a-f]{32}$")]
    below: Annotated[str, Meta(pattern="^[0-9]{1,20}$")]
    digests: Annotated[list[Digest], Meta(max_length=MAX_DIGESTS)]
    repeated: Share


class DataEntry(Struct, forbid_unknown_fields=True):
    """The table that was learned from."""

    columns: Annotated[list[tuple[Text, Text]], Meta(max_length=MAX_ITEMS)]
    rows: Count
    sha256: Annotated[str, Meta(pattern="^[0-9a-f]{64}$")]
    sketch: SketchEntry | None


class GroupEntry(Struct, forbid_unknown_fields=True):
    """A group of training rows: true negatives, false positives, false negatives and true positives."""

    labels: Annotated[list[Text | None], Meta(max_length=MAX_ITEMS)]
    counts: tuple[Count, Count, Count, Count]


class BaselineEntry(Struct, forbid_unknown_fields=True):
    """What was counted on the training rows, to set new rows beside it."""

    rows: Count
    conditions: Counts
    fired: Annotated[list[Counts], Meta(max_length=MAX_ITEMS)]
    right: Annotated[list[Counts], Meta(max_length=MAX_ITEMS)]
    predicted_rightly: Count
    sensitive: Texts
    groups: Annotated[list[GroupEntry], Meta(max_length=MAX_ITEMS)]


class EditEntry(Struct, forbid_unknown_fields=True):
    """One step of what was changed by hand."""

    command: Text
    rules: Texts
    errors: float
    objective: float
    best: float | None = None
    bound: float | None = None


class EstimateEntry(Struct, forbid_unknown_fields=True):
    """A figure on new rows, with its interval."""

    value: float
    low: float
    high: float


class ExpectedEntry(Struct, forbid_unknown_fields=True):
    """What to expect on new rows."""

    accuracy: EstimateEntry
    majority: Label
    majority_accuracy: Share
    cost: float
    constant_cost: float
    gain: EstimateEntry
    figures: Annotated[dict[Text, EstimateEntry], Meta(max_length=MAX_SETTINGS)]
    gaps: Annotated[dict[Text, float], Meta(max_length=MAX_SETTINGS)]
    fold_accuracies: Annotated[list[Share], Meta(max_length=MAX_SETTINGS)]
    folds_disagree: bool
    is_constant: bool
    n_rows: Count
    has_own_costs: bool


class ModelDocument(Struct, forbid_unknown_fields=True):
    """A model file."""

    format: Literal["rulecg/model"]
    version: Literal[2]
    rulecg: Text
    target: Text | None
    classes: Annotated[list[Label], Meta(min_length=2, max_length=MAX_ITEMS)]
    sensitive: Texts
    rule_sets: Annotated[list[RuleSetEntry], Meta(min_length=1, max_length=MAX_ITEMS)]
    class_weights: Amounts
    otherwise: Annotated[list[Share], Meta(max_length=MAX_ITEMS)] | None
    has_stale_scores: bool
    binarization: Conditions
    settings: Annotated[dict[Text, Label | Labels | None], Meta(max_length=MAX_SETTINGS)]
    certificate: CertificateEntry | None
    data: DataEntry | None
    seal: Annotated[str, Meta(pattern="^[0-9a-f]{64}$")]
    baseline: BaselineEntry | None = None
    edits: Annotated[list[EditEntry], Meta(max_length=MAX_ITEMS)] = []
    expected: ExpectedEntry | None = None


def json_schema() -> dict[str, Any]:
    """Describe model files as a JSON Schema.

    Returns
    -------
    dict
        The schema (draft 2020-12). It says what a file looks like; that lists belong together and that numbers of
        conditions exist is checked when a file is loaded.
    """
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": f"rulecg model file, version {VERSION}",
        **msgspec.json.schema(ModelDocument),
    }
