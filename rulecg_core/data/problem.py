"""The learning problem: a boolean matrix, labels, weights and groups, with equal samples merged."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from attrs import frozen

from ..base.arrays import BoolArray, ByteArray, FloatArray, IntArray, checked_samples, read_only
from ..base.bits import number_equal_lines
from ..base.errors import ConfigurationError
from .conditions import Condition
from .groups import Group, Groups
from .linear_form import LinearForm
from .problem_options import ProblemOptions, Restricted
from .rules import Logic, Rule, RuleSet
from .stakes import Stakes, in_units, to_cover

FEW_RULES = 1_000
"""Covers of more rules than this are made for many rules at a time."""


@frozen(eq=False, slots=False)
class Problem:
    """What is to be learned. Build one with :meth:`from_arrays`.

    The learner always looks for an OR of ANDs. For CNF, features and labels are negated on the way in (De Morgan), so
    ``X`` and ``y`` are what the learner sees, while :attr:`labels` and the rates speak of the original labels.

    What missing and what covering a sample costs are its *stakes*: :attr:`y` says which of both is dearer. Unless other
    stakes are given, an error costs the sample's weight, and ``y`` is the label.

    >>> problem = Problem.from_arrays([[1, 0], [1, 0], [0, 1]], [True, True, False])
    >>> problem.n_samples, problem.weights.tolist()
    (2, [2.0, 1.0])
    """

    X: BoolArray
    """Samples × features, as the learner sees them."""
    y: BoolArray
    """The learner's positives: to be covered, because missing them costs more."""
    labels: BoolArray
    """The original labels of the merged samples, whatever the stakes."""
    weights: FloatArray
    """How many original rows (or how much sample weight, in :attr:`unit`) each merged sample stands for."""
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
    unit: float = 1.0
    """How much of the given sample weights a weight of 1 stands for: a power of 2 other than 1 only where the given
    ones are so small or large that a solver's tolerances would be mistaken for weights."""
    required: tuple[Condition, ...] = ()
    """Conditions that every rule has, besides those of its features."""
    stakes: Stakes | None = None
    """What the learner's missing and covering of each sample costs; None when each error costs the weight."""

    @classmethod
    def from_arrays(  # every keyword is one property of the data; nobody passes them by position
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
        stakes: Stakes | None = None,
    ) -> Problem:
        """Check the data, negate it for CNF, and merge equal samples (same conditions, label and groups).

        Parameters
        ----------
        X : array of 0 and 1, samples × conditions
        y : array of 0 and 1, one per sample
        weights : how much each sample counts; None for 1 each
        sensitive_groups : one sensitive column or several, one value per sample
        conditions : what each column of X means; None names them after the columns
        logic : "dnf" for an OR of ANDs, "cnf" for an AND of ORs
        max_conditions : most conditions in one rule
        condition_costs : what each condition adds to the length of a rule; None for 1 each
        columns : names of the original table's columns
        outcome : what the positive label means, for people
        merge : whether equal samples become one with the sum of their weights
        options : which conditions rules may or must have; those that it leaves no use for are left out
        stakes : what predicting each row negative (miss) and positive (cover) costs; None: an error costs its weight

        Raises
        ------
        ConfigurationError
            When the data or a setting cannot be used as given; the message says what would do.
        """
        X, y, weights = checked_samples(X, y, weights)
        _check_settings(logic, max_conditions)
        named = _named_conditions(conditions, columns, X.shape[1])
        allowed = _restricted(X, named, condition_costs, logic, options)
        sensitive = _encoded_groups(sensitive_groups, len(X))
        X, labels = allowed.X, y
        if logic == "cnf":
            X, y, stakes = ~X, ~y, None if stakes is None else stakes.swapped()
        y = to_cover(y, stakes)
        inverse = np.arange(len(y))
        if merge:
            # Samples with stakes of opposite signs stay apart: each is netted by itself.
            first, inverse = _merge_equal(X, y, labels, sensitive)
            weights = np.bincount(inverse, weights, minlength=len(first)).astype(np.float64)
            X, y, labels, sensitive = X[first], y[first], labels[first], sensitive.take(first)
            stakes = None if stakes is None else stakes.merged(inverse, len(first))
        weights, unit = in_units(weights, weights if stakes is None else np.abs(stakes.net))
        return cls(
            X=read_only(np.ascontiguousarray(X)),
            y=read_only(np.ascontiguousarray(y)),
            labels=read_only(np.ascontiguousarray(labels)),
            weights=read_only(weights),
            sensitive_groups=sensitive,
            conditions=allowed.conditions,
            logic=logic,
            max_conditions=int(min(max_conditions, X.shape[1])),
            condition_costs=read_only(allowed.costs.copy()),
            chains=read_only(_chains(allowed.conditions)),
            inverse=read_only(inverse.astype(np.int64)),
            columns=tuple(columns) or tuple(dict.fromkeys(c.column for c in named)),
            outcome=outcome,
            unit=unit,
            required=allowed.required,
            stakes=None if stakes is None else stakes.in_units_of(unit),
        )

    @property
    def n_samples(self) -> int:
        return int(self.X.shape[0])

    @property
    def n_conditions(self) -> int:
        return int(self.X.shape[1])

    @property
    def truth(self) -> BoolArray:
        """The samples that a learner without a single error covers: those labelled positive, in CNF negative."""
        return self.labels if self.logic == "dnf" else ~self.labels

    @cached_property
    def sizes(self) -> FloatArray:
        """How much is at stake with each sample, or its weight where nothing is: alike samples differ in this alone."""
        if self.stakes is None:
            return self.weights
        net = np.abs(self.stakes.net)
        return np.where(net > 0, net, self.weights)

    @property
    def constant_rule(self) -> Rule | None:
        """The rule without conditions, which covers everything and stands alone; None where rules must have some."""
        return None if self.required else Rule(())

    @property
    def has_integer_weights(self) -> bool:
        return bool(np.all(self.weights == np.round(self.weights)))

    # Rules on this problem ------------------------------------------------------------------------------------------

    @cached_property
    def packed_conditions(self) -> ByteArray:
        """Conditions × samples, eight samples to a byte: what covers are computed from."""
        # Packing in blocks of samples keeps the transposed copy small.
        step = 1 << 20
        blocks = [np.packbits(self.X[at : at + step].T, axis=1) for at in range(0, self.n_samples, step)]
        return read_only(np.concatenate(blocks, axis=1))

    def packed_covers(self, rules: Sequence[Rule]) -> ByteArray:
        """Rules × samples, eight samples to a byte: which samples the learner's rules cover."""
        features = self.packed_conditions
        covered = np.empty((len(rules), features.shape[1]), dtype=np.uint8)
        if len(rules) <= FEW_RULES:
            for position, rule in enumerate(rules):
                if rule.features:
                    np.bitwise_and.reduce(features[list(rule.features)], axis=0, out=covered[position])
                else:
                    covered[position] = self._all_covered
            return covered
        n_conditions = np.array([len(rule.features) for rule in rules])
        for count in np.unique(n_conditions):
            positions = np.flatnonzero(n_conditions == count)
            if count == 0:
                covered[positions] = self._all_covered
                continue
            chosen = np.array([rules[int(at)].features for at in positions], dtype=np.int64)
            chosen = chosen.reshape(len(positions), count)
            for at in range(0, len(positions), FEW_RULES):
                some = slice(at, at + FEW_RULES)
                covered[positions[some]] = np.bitwise_and.reduce(features[chosen[some]], axis=1)
        return covered

    @property
    def _all_covered(self) -> ByteArray:
        """The packed cover of the rule without conditions; bits that stand for no sample stay empty."""
        return np.packbits(np.ones(self.n_samples, dtype=bool))

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

    def columns_of(self, rules: Sequence[Rule]) -> frozenset[str]:
        """The columns of the table that the conditions of some rules are on, required ones included."""
        features = {feature for rule in rules for feature in rule.features}
        return frozenset(
            condition.column for condition in (*self.required, *(self.conditions[feature] for feature in features))
        )

    @cached_property
    def column_numbers(self) -> IntArray:
        """For every feature a number that it shares with the others on its column."""
        numbers: dict[str, int] = {}
        found = [numbers.setdefault(each.column, len(numbers)) for each in self.conditions]
        return read_only(np.array(found, dtype=np.int64))

    def predict(self, rules: Sequence[Rule]) -> BoolArray:
        """Predictions for the merged samples, as original labels."""
        packed = np.bitwise_or.reduce(self.packed_covers(rules), axis=0, keepdims=True)
        covered = self.unpack(packed)[0]
        return covered if self.logic == "dnf" else ~covered

    def errors(self, y_pred: BoolArray) -> float:
        """The 0-1 loss of predictions for the merged samples: the weight of the samples they get wrong."""
        return float(self.weights[y_pred != self.labels].sum())

    def cost(self, y_pred: BoolArray) -> float:
        """What predictions for the merged samples cost by the stakes, each sample counted once."""
        if self.stakes is None:
            return self.errors(y_pred)
        return self.stakes.cost_of(y_pred if self.logic == "dnf" else ~np.asarray(y_pred))

    def rule_set(self, rules: Iterable[Rule]) -> RuleSet:
        """The rules in terms of the original table, for people."""
        return RuleSet.of(
            (dict.fromkeys([*self.required, *(self.conditions[feature] for feature in rule)]) for rule in rules),
            logic=self.logic,
            columns=self.columns,
            outcome=self.outcome,
        )

    # Forms on this problem ------------------------------------------------------------------------------------------

    def loss(self) -> LinearForm:
        """The objective: what missing and, for each rule, what covering samples costs by the stakes. Each sample is
        netted by itself: of its two costs the smaller one is paid in any case."""
        if self.stakes is None:
            return self.hamming_loss()
        net = self.stakes.net
        return LinearForm(
            missed=np.maximum(net, 0.0), cover=np.maximum(-net, 0.0), const=self.stakes.unavoidable
        )

    def hamming_loss(self, members: BoolArray | None = None) -> LinearForm:
        """Weight of missed positives plus, for each rule, the weight of negatives it covers; of some or all samples,
        by the true labels."""
        of_members = self.weights if members is None else np.where(members, self.weights, 0.0)
        truth = self.truth
        return LinearForm(missed=np.where(truth, of_members, 0.0), cover=np.where(truth, 0.0, of_members))

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


def _check_settings(logic: str, max_conditions: Any) -> None:
    if logic not in ("dnf", "cnf"):
        raise ConfigurationError(f"logic must be 'dnf' or 'cnf', not {logic!r}.")
    if isinstance(max_conditions, bool) or int(max_conditions) != max_conditions or max_conditions < 1:
        raise ConfigurationError(f"max_conditions must be a whole number of at least 1, not {max_conditions!r}.")


def _named_conditions(
    conditions: Sequence[Condition] | None, columns: Sequence[str], n_conditions: int
) -> tuple[Condition, ...]:
    if conditions is None:
        return tuple(Condition(columns[j] if columns else f"x{j}") for j in range(n_conditions))
    if len(conditions) != n_conditions:
        raise ConfigurationError(f"{len(conditions)} conditions were given for {n_conditions} columns of X.")
    return tuple(conditions)


def _restricted(
    X: BoolArray, conditions: tuple[Condition, ...], costs: Any, logic: Logic, options: ProblemOptions | None
) -> Restricted:
    """The conditions that rules may use, with their costs, and those that every rule has."""
    if options is not None and costs is not None:
        raise ConfigurationError("Give the costs of conditions either as condition_costs or in the options.")
    given = np.ones(len(conditions)) if costs is None else np.asarray(costs, dtype=np.float64)
    allowed = Restricted(X, conditions, given, ()) if options is None else options.apply(X, conditions, logic)
    if (
        allowed.costs.shape != (len(allowed.conditions),)
        or not np.all(np.isfinite(allowed.costs))
        or np.any(allowed.costs < 0)
    ):
        raise ConfigurationError("condition_costs must be one finite number of at least 0 per condition.")
    return allowed


def _encoded_groups(groups: Any, n_samples: int) -> Groups:
    encoded = groups if isinstance(groups, Groups) else Groups.encode(groups, n_samples)
    if len(encoded.codes) != n_samples:
        raise ConfigurationError(f"sensitive_groups has {len(encoded.codes)} rows but the data has {n_samples}.")
    return encoded


def _chains(conditions: Sequence[Condition]) -> IntArray:
    """Numbers that nested conditions share."""
    numbers: dict[object, int] = {}
    return np.array(
        [numbers.setdefault(c.chain or ("feature", j), len(numbers)) for j, c in enumerate(conditions)], dtype=np.int64
    )


def _merge_equal(X: BoolArray, y: BoolArray, labels: BoolArray, groups: Groups) -> tuple[IntArray, IntArray]:
    """First row of every class of equal rows, and for every row the class it is in."""
    codes = groups.codes.view(np.uint8).reshape(len(y), -1)
    cell = y.astype(np.uint8) + 2 * labels.astype(np.uint8)
    return number_equal_lines(np.column_stack([np.packbits(X, axis=1), cell, codes]))
