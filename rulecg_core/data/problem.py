"""The learning problem: a boolean matrix, labels, weights and groups, with equal samples merged."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from attrs import field, frozen

from ..base.arrays import AnyArray, BoolArray, ByteArray, FloatArray, IntArray, read_only
from ..base.errors import ConfigurationError
from .conditions import Condition
from .groups import Group, Groups
from .linear_form import LinearForm
from .problem_options import ProblemOptions
from .rules import Logic, Rule, RuleSet

FEW_RULES = 1_000
"""Covers of more rules than this are made for many rules at a time."""
LARGE = 5_000
"""From this many samples on, data is large: proofs are seldom within reach, and searching for rule sets brings most."""


@frozen(eq=False)
class Problem:
    """What is to be learned. Build one with :meth:`from_arrays`.

    The learner always looks for an OR of ANDs. For CNF, features and labels are negated on the way in (De Morgan), so
    ``X`` and ``y`` are what the learner sees, while :attr:`labels` and the rates speak of the original labels.

    >>> problem = Problem.from_arrays([[1, 0], [1, 0], [0, 1]], [True, True, False])
    >>> problem.n_samples, problem.weights.tolist()
    (2, [2.0, 1.0])
    """

    X: BoolArray
    """Samples × features, as the learner sees them."""
    y: BoolArray
    """The learner's positives: to be covered."""
    weights: FloatArray
    """How many original rows (or how much sample weight) each merged sample stands for."""
    sensitive_groups: Groups
    """Who belongs to which group of the sensitive columns."""
    conditions: tuple[Condition, ...]
    """What each feature means in the original table."""
    logic: Logic
    max_conditions: int
    condition_costs: FloatArray
    """What each feature adds to the length of a rule: 1 unless given."""
    chains: IntArray
    """Two features with the same number here are nested (thresholds of one column in one direction)."""
    inverse: IntArray
    """For every original row, the merged sample it became."""
    columns: tuple[str, ...]
    """Names of the original table's columns, for rule sets that read plain arrays."""
    outcome: str = "positive"
    required: tuple[Condition, ...] = ()
    """Conditions that every rule has, besides those of its features."""
    memo: dict[str, Any] = field(factory=dict, repr=False)
    """Results that parts derive from the data alone and want to keep for the problem's lifetime."""

    @classmethod
    def from_arrays(
        cls,
        X: Any,
        y: Any,
        *,
        weights: Any = None,
        sensitive_groups: Any = None,
        conditions: Sequence[Condition] | None = None,
        logic: Logic = "dnf",
        max_conditions: int = 5,
        condition_costs: Any = None,
        columns: Sequence[str] = (),
        outcome: str = "positive",
        merge: bool = True,
        options: ProblemOptions | None = None,
    ) -> Problem:
        """Check the data, negate it for CNF, and merge equal samples (same features, label and groups).

        ``options`` say which conditions rules may or must have; features that they leave no use for are left out.
        """
        X, y, weights = _checked_arrays(X, y, weights)
        n_samples, n_conditions = X.shape
        if logic not in ("dnf", "cnf"):
            raise ConfigurationError(f"logic must be 'dnf' or 'cnf', not {logic!r}.")
        if isinstance(max_conditions, bool) or int(max_conditions) != max_conditions or max_conditions < 1:
            raise ConfigurationError(f"max_conditions must be a whole number of at least 1, not {max_conditions!r}.")
        conditions = tuple(conditions) if conditions is not None else tuple(
            Condition(columns[j] if columns else f"x{j}") for j in range(n_conditions)
        )
        if len(conditions) != n_conditions:
            raise ConfigurationError(f"{len(conditions)} conditions were given for {n_conditions} features.")
        required: tuple[Condition, ...] = ()
        columns = tuple(columns) or tuple(dict.fromkeys(c.column for c in conditions))
        if options is not None:
            if condition_costs is not None:
                raise ConfigurationError("Give the costs of features either as condition_costs or in the options.")
            restricted = options.apply(X, conditions, logic)
            X, conditions, condition_costs = restricted.X, restricted.conditions, restricted.costs
            required, n_conditions = restricted.required, len(restricted.conditions)
        costs = np.ones(n_conditions) if condition_costs is None else np.asarray(condition_costs, dtype=np.float64)
        if costs.shape != (n_conditions,) or not np.all(np.isfinite(costs)) or np.any(costs < 0):
            raise ConfigurationError("condition_costs must be one finite number of at least 0 per feature.")
        is_encoded = isinstance(sensitive_groups, Groups)
        groups: Groups = sensitive_groups if is_encoded else Groups.encode(sensitive_groups, n_samples)
        if len(groups.codes) != n_samples:
            raise ConfigurationError(f"sensitive_groups has {len(groups.codes)} rows but the data has {n_samples}.")
        if logic == "cnf":
            X, y = ~X, ~y
        if merge:
            first, inverse = _merge_equal(X, y, groups)
            weights = np.bincount(inverse, weights, minlength=len(first)).astype(np.float64)
            X, y, groups = X[first], y[first], groups.take(first)
        else:
            inverse = np.arange(n_samples)
        numbers: dict[object, int] = {}
        chains = np.array(
            [numbers.setdefault(c.chain or ("feature", j), len(numbers)) for j, c in enumerate(conditions)],
            dtype=np.int64,
        )
        return cls(
            X=read_only(np.ascontiguousarray(X)),
            y=read_only(np.ascontiguousarray(y)),
            weights=read_only(weights),
            sensitive_groups=groups,
            conditions=conditions,
            logic=logic,
            max_conditions=int(min(max_conditions, n_conditions)),
            condition_costs=read_only(costs.copy()),
            chains=read_only(chains),
            inverse=read_only(inverse.astype(np.int64)),
            columns=columns,
            outcome=outcome,
            required=required,
        )

    @property
    def n_samples(self) -> int:
        return int(self.X.shape[0])

    @property
    def n_conditions(self) -> int:
        return int(self.X.shape[1])

    @property
    def is_large(self) -> bool:
        return self.n_samples >= LARGE

    @property
    def labels(self) -> BoolArray:
        """The original labels of the merged samples."""
        return self.y if self.logic == "dnf" else ~self.y

    @property
    def has_integer_weights(self) -> bool:
        return bool(np.all(self.weights == np.round(self.weights)))

    # Rules on this problem ------------------------------------------------------------------------------------------

    @property
    def packed_conditions(self) -> ByteArray:
        """Features × samples, eight samples to a byte: what covers are computed from."""
        if "packed_conditions" not in self.memo:
            # Packing in blocks of rows keeps the transposed copy small.
            step = 1 << 20
            blocks = [np.packbits(self.X[at : at + step].T, axis=1) for at in range(0, self.n_samples, step)]
            self.memo["packed_conditions"] = np.concatenate(blocks, axis=1)
        packed: ByteArray = self.memo["packed_conditions"]
        return packed

    def packed_covers(self, rules: Sequence[Rule]) -> ByteArray:
        """Rules × samples, eight samples to a byte: which samples the learner's rules cover."""
        features = self.packed_conditions
        covered = np.empty((len(rules), features.shape[1]), dtype=np.uint8)
        if len(rules) <= FEW_RULES:
            for position, rule in enumerate(rules):
                np.bitwise_and.reduce(features[list(rule.features)], axis=0, out=covered[position])
            return covered
        n_conditions = np.array([len(rule.features) for rule in rules])
        for count in np.unique(n_conditions):
            positions = np.flatnonzero(n_conditions == count)
            chosen = np.array([rules[int(at)].features for at in positions], dtype=np.int64)
            chosen = chosen.reshape(len(positions), count)
            for at in range(0, len(positions), FEW_RULES):
                some = slice(at, at + FEW_RULES)
                covered[positions[some]] = np.bitwise_and.reduce(features[chosen[some]], axis=1)
        return covered

    def covers(self, rules: Sequence[Rule]) -> BoolArray:
        """Rules × samples: which samples the learner's rules cover."""
        return self.unpack(self.packed_covers(rules))

    def unpack(self, packed: ByteArray) -> BoolArray:
        """Packed covers as booleans."""
        return np.unpackbits(packed, axis=1, count=self.n_samples).view(np.bool_)

    def length(self, rule: Rule) -> float:
        """The rule's length in the master: its number of conditions, each with its feature's cost."""
        return float(self.condition_costs[list(rule.features)].sum())

    def lengths(self, rules: Sequence[Rule]) -> FloatArray:
        """The lengths of many rules at once."""
        counts = np.array([len(rule.features) for rule in rules], dtype=np.int64)
        features = np.fromiter((feature for rule in rules for feature in rule.features), np.int64, int(counts.sum()))
        owners = np.repeat(np.arange(len(rules)), counts)
        return np.bincount(owners, self.condition_costs[features], minlength=len(rules)).astype(np.float64)

    def predict(self, rules: Sequence[Rule]) -> BoolArray:
        """Predictions for the merged samples, as original labels."""
        packed = np.bitwise_or.reduce(self.packed_covers(rules), axis=0, keepdims=True)
        covered = self.unpack(packed)[0]
        return covered if self.logic == "dnf" else ~covered

    def errors(self, y_pred: BoolArray) -> float:
        """The 0-1 loss of predictions for the merged samples: the weight of the samples they get wrong."""
        return float(self.weights[y_pred != self.labels].sum())

    def rule_set(self, rules: Iterable[Rule]) -> RuleSet:
        """The rules in terms of the original table, for people."""
        return RuleSet.of(
            (dict.fromkeys([*self.required, *(self.conditions[feature] for feature in rule)]) for rule in rules),
            logic=self.logic,
            columns=self.columns,
            outcome=self.outcome,
        )

    # Forms on this problem ------------------------------------------------------------------------------------------

    def hamming_loss(self, members: BoolArray | None = None) -> LinearForm:
        """Weight of missed positives plus, for each rule, the weight of negatives it covers; of some or all samples."""
        of_members = self.weights if members is None else np.where(members, self.weights, 0.0)
        return LinearForm(missed=np.where(self.y, of_members, 0.0), cover=np.where(self.y, 0.0, of_members))

    def false_negative_rate(self, group: Group | None = None) -> LinearForm:
        """Share of the (group's) original positives that are predicted negative; Hamming proxy for CNF."""
        return self._error_share(self._members(group) & self.labels, "positive", group)

    def false_positive_rate(self, group: Group | None = None) -> LinearForm:
        """Share of the (group's) original negatives that are predicted positive; Hamming proxy for DNF."""
        return self._error_share(self._members(group) & ~self.labels, "negative", group)

    def true_positive_rate(self, group: Group | None = None) -> LinearForm:
        return 1.0 - self.false_negative_rate(group)

    def error_rate(self, group: Group | None = None) -> LinearForm:
        """Share of the (group's) samples that are predicted wrongly; Hamming proxy on the covered side."""
        return self._error_share(self._members(group), "sample", group)

    def selection_rate(self, group: Group | None = None) -> LinearForm:
        """Share of the (group's) samples that are predicted positive."""
        members = self._members(group)
        total = self._weight(members, "sample", group)
        wrongly_rejected = self.hamming_loss(members & self.labels)
        wrongly_selected = self.hamming_loss(members & ~self.labels)
        return (wrongly_selected - wrongly_rejected + float(self.weights[members & self.labels].sum())) / total

    def _members(self, group: Group | None) -> BoolArray:
        return np.ones(self.n_samples, dtype=bool) if group is None else group.members

    def _weight(self, members: BoolArray, kind: str, group: Group | None) -> float:
        total = math.fsum(self.weights[members])
        if total <= 0:
            where = "The data" if group is None else f"Group {group.name!r}"
            raise ConfigurationError(
                f"{where} has no {kind} rows, so its rate is undefined. Leave the group out of the constraint, merge "
                "it with another, or add data."
            )
        return total

    def _error_share(self, members: BoolArray, kind: str, group: Group | None) -> LinearForm:
        return self.hamming_loss(members) / self._weight(members, kind, group)


def _checked_arrays(X: Any, y: Any, weights: Any) -> tuple[BoolArray, BoolArray, FloatArray]:
    X = _as_bool(X, "X")
    if X.ndim != 2:
        raise ConfigurationError(f"X must be a table with rows and features, not an array of shape {X.shape}.")
    if X.shape[0] == 0 or X.shape[1] == 0:
        raise ConfigurationError(f"X has {X.shape[0]} rows and {X.shape[1]} features: at least one of each is needed.")
    y = _as_bool(y, "y")
    if y.shape != (X.shape[0],):
        raise ConfigurationError(f"y has shape {y.shape} but X has {X.shape[0]} rows: give one label per row.")
    if weights is None:
        return X, y, np.ones(len(y))
    weights = np.array(weights, dtype=np.float64)
    if weights.shape != y.shape:
        raise ConfigurationError(f"weights has shape {weights.shape} but X has {X.shape[0]} rows.")
    if not np.all(np.isfinite(weights)) or np.any(weights < 0):
        raise ConfigurationError("Sample weights must be finite and at least 0.")
    if not np.any(weights > 0):
        raise ConfigurationError("All sample weights are 0: there is nothing to learn from.")
    return X, y, weights


def _as_bool(array: Any, name: str) -> BoolArray:
    array = np.asarray(array)
    if array.dtype == np.bool_:
        return array
    if array.dtype.kind not in "iuf" or not np.all((array == 0) | (array == 1)):
        raise ConfigurationError(f"{name} must hold only 0 and 1 (or booleans); binarize the data first.")
    return array.astype(bool)


def _merge_equal(X: BoolArray, y: BoolArray, groups: Groups) -> tuple[IntArray, IntArray]:
    """First row of every class of equal rows, and for every row the class it is in."""
    packed = np.packbits(X, axis=1)
    key: AnyArray = np.column_stack([packed, y.astype(np.uint8), groups.codes.view(np.uint8).reshape(len(y), -1)])
    width = key.shape[1]
    padded = np.zeros((len(y), -(-width // 8) * 8), dtype=np.uint8)
    padded[:, :width] = key
    words = padded.view(np.uint64)
    # A random linear hash sorts 64-bit numbers instead of whole rows; the check below makes the result exact.
    multipliers = np.random.default_rng(0).integers(1, 2**63, size=words.shape[1], dtype=np.uint64) * 2 + 1
    hashes = np.zeros(len(y), dtype=np.uint64)
    for column, multiplier in zip(words.T, multipliers, strict=True):
        hashes ^= (column * multiplier) ^ (column >> np.uint64(29))
        hashes *= np.uint64(0x9E3779B97F4A7C15)
        hashes ^= hashes >> np.uint64(32)
    _, first, inverse = np.unique(hashes, return_index=True, return_inverse=True)
    if not np.array_equal(words, words[first][inverse]):
        _, first, inverse = np.unique(words, axis=0, return_index=True, return_inverse=True)
    # Number the classes in order of first appearance, so that merging does not depend on the hash.
    order = np.argsort(first)
    rank = np.empty_like(order)
    rank[order] = np.arange(len(order))
    return first[order], rank[inverse.reshape(-1)]
