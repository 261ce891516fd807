"""All rows of packed data, asked for sums through an engine."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from attrs import field, frozen

from rulecg_core import ConfigurationError, Engine, Groups, Problem, Rule, answers_of, total_of
from rulecg_core.base.arrays import BoolArray, IntArray

from ..inputs.row_order import row_hashes
from .manifest import Manifest
from .questions import EVERYTHING, Context, Extensions, Features, LeastHashes, Lines, RowsUpTo


@frozen(eq=False)
class Sampled:
    """Some distinct rows of all partitions together, in an order that follows from what they hold."""

    X: BoolArray
    cells: IntArray
    weights: IntArray
    n_distinct: int
    """How many distinct rows there are in all, about, where not all are here."""
    is_all: bool


@frozen(eq=False)
class PartitionedSamples:
    """Answers in sums over all rows. The rows stay where they are.

    Parameters
    ----------
    manifest : Manifest
        The packed data.
    engine : Engine
        Who asks the partitions.
    logic : "dnf" or "cnf"
        With "cnf" conditions stand for their opposites and labels are swapped, as the learner sees them.
    forbidden : sequence of str
        Columns that no rule may use.
    """

    manifest: Manifest
    engine: Engine
    logic: str = "dnf"
    forbidden: Sequence[str] = ()
    allowed: tuple[int, ...] = field(init=False)
    """The conditions that rules may use."""

    def __attrs_post_init__(self) -> None:
        banned = set(self.forbidden)
        conditions = self.manifest.conditions
        allowed = tuple(at for at, condition in enumerate(conditions) if condition.column not in banned)
        if not allowed:
            raise ConfigurationError("forbid names every column that has conditions: leave one out.")
        object.__setattr__(self, "allowed", allowed)

    def extensions(self, contexts: Iterable[Context], features: Sequence[int] | None = None) -> IntArray:
        """Weights of the rows in each context that have each feature: contexts × features × cells.

        The features are, unless given, everything and then the allowed conditions.
        """
        asked = (EVERYTHING, *self.allowed) if features is None else tuple(features)
        question = Extensions(tuple(contexts), asked, self.manifest.cells, self.logic == "cnf")
        (sums,) = total_of(self.engine, question, self.manifest.partitions)
        return sums

    def covered(self, rule_sets: Sequence[Sequence[Rule]]) -> list[tuple[IntArray, IntArray]]:
        """For each rule set the weight in every cell that each rule covers (rules × cells), and that any covers."""
        contexts = list(
            dict.fromkeys(
                context
                for rules in rule_sets
                for at, rule in enumerate(rules)
                for context in (
                    Context(rule.features),
                    Context(rule.features, tuple(other.features for other in rules[:at])),
                )
            )
        )
        n_cells = len(self.manifest.cells)
        if not contexts:
            return [(np.zeros((0, n_cells), dtype=np.int64), np.zeros(n_cells, dtype=np.int64)) for _ in rule_sets]
        place = {context: at for at, context in enumerate(contexts)}
        sums = self.extensions(contexts, (EVERYTHING,))[:, 0]
        found: list[tuple[IntArray, IntArray]] = []
        for rules in rule_sets:
            features: list[Features] = [rule.features for rule in rules]
            each = np.array([sums[place[Context(rule)]] for rule in features]).reshape(len(rules), n_cells)
            once = np.zeros(n_cells, dtype=np.int64)
            for at, rule in enumerate(features):
                once += sums[place[Context(rule, tuple(features[:at]))]]
            found.append((each, once))
        return found

    def sample(self, most: int) -> Sampled:
        """Draw distinct rows by a hash of what they hold, at most so many; the same however the rows are cut."""
        partitions = self.manifest.partitions
        known = np.unique(np.concatenate(list(answers_of(self.engine, LeastHashes(most), partitions))))
        is_all = len(known) <= most and all(each.n_samples <= min(most, each.n_sketched) for each in partitions)
        last = int(known[min(most, len(known)) - 1])
        n_distinct = len(known) if is_all else min(self.manifest.n_rows, round((most - 1) / (last / 2**64)))
        return self._sampled(RowsUpTo(last, self.manifest.cells), n_distinct, is_all)

    def everything(self) -> Sampled:
        """All distinct rows."""
        return self._sampled(RowsUpTo(None, self.manifest.cells), 0, True)

    def _sampled(self, question: RowsUpTo, n_distinct: int, is_all: bool) -> Sampled:
        found: list[Lines] = list(answers_of(self.engine, question, self.manifest.partitions))
        words = np.concatenate([lines.words for lines in found])
        cells, weights = (np.concatenate([getattr(lines, name) for lines in found]) for name in ("cells", "weights"))
        whole = np.column_stack([words, cells.astype(np.uint64)])
        # Sorted by hash, and by what they hold where hashes are equal: so that nothing depends on the partitions.
        order = np.lexsort((*whole.T, row_hashes(whole)))
        whole, weights = whole[order], weights[order]
        begins = np.ones(len(whole), dtype=bool)
        begins[1:] = np.any(whole[1:] != whole[:-1], axis=1)
        first = np.flatnonzero(begins)
        weights = np.add.reduceat(weights, first)
        whole = whole[first]
        n_conditions = len(self.manifest.conditions)
        lines = np.ascontiguousarray(whole[:, :-1]).view(np.uint8)
        X = np.unpackbits(lines, axis=1, count=n_conditions, bitorder="little").view(np.bool_)
        return Sampled(X, whole[:, -1].astype(np.int64), weights, n_distinct or len(first), is_all)

    def problem(self, sampled: Sampled, max_conditions: int, **options: object) -> Problem:
        """Make a problem in memory of some rows, over the allowed conditions."""
        manifest = self.manifest
        groups = manifest.groups
        return Problem.from_arrays(
            sampled.X[:, list(self.allowed)],
            manifest.labels[sampled.cells],
            weights=sampled.weights,
            sensitive_groups=Groups(groups.columns, groups.labels, groups.codes[sampled.cells]),
            conditions=[manifest.conditions[at] for at in self.allowed],
            logic=self.logic,  # type: ignore[arg-type]
            max_conditions=max_conditions,
            columns=[name for name, _ in manifest.columns],
            outcome=outcome_of(manifest),
            **options,  # type: ignore[arg-type]
        )


def outcome_of(manifest: Manifest) -> str:
    """What the rules describe, for people."""
    is_flag = manifest.positive in ("1", "True")
    return manifest.target if is_flag else f"{manifest.target} is {manifest.positive}"
