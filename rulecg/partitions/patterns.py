"""Rows that rules treat alike: the linear program and the choice among rules on all rows, through classes of rows.

Which of at most 64 rules cover a row is its *pattern*. Rows of one cell with one pattern are alike to every mixture of
these rules, so a problem with one sample per pattern has the same relaxation and the same rule sets as all rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from rulecg_core import Groups, Problem, Rule, answers_of
from rulecg_core.base.arrays import BoolArray, IntArray
from rulecg_kernels.partition_sums import write_covers, write_signatures

from .cell_goal import stakes_of
from .manifest import Cell, Partition
from .open_partition import OpenPartition, opened
from .questions import ALL_ONES, NO_FLIP, Features, blocks, rule_lines
from .samples import PartitionedSamples

MOST_RULES = 64
"""A pattern is a word with a bit for every rule."""
MOST_PATTERNS = 20_000
"""With more patterns than this the linear program would take longer than it is worth: fewer rules take part."""
_WORDS = 1 << 14

Signatures = NDArray[np.uint64]


@frozen(eq=False)
class Counted:
    """Patterns, the cells they are in and their weights, sorted by both; for the first ``n_rules`` of the rules."""

    n_rules: int
    cells: IntArray
    signatures: Signatures
    weights: IntArray


@frozen(eq=False)
class Patterns:
    """The patterns of the rows; of so many rules that there are at most ``most`` patterns."""

    rules: tuple[Features, ...]
    cells: tuple[Cell, ...]
    most: int = MOST_PATTERNS
    flipped: bool = False

    def __call__(self, partition: Partition) -> Counted:
        """Count in one partition."""
        place: dict[Any, int] = {cell: number for number, cell in enumerate(self.cells)}
        nothing = np.zeros(0, dtype=np.int64)
        found = Counted(len(self.rules), nothing, nothing.astype(np.uint64), nothing)
        lines = rule_lines(self.rules)
        with opened(partition) as data:
            for segment in partition.segments:
                for start, stop in blocks(segment.stop - segment.start, _WORDS):
                    own = segment.start + start, segment.start + stop
                    signatures = signatures_in(data, lines, self.flipped, own)
                    weights = weights_in(data, own)
                    # Equal ones first, within the block: few are left to be sorted with all others.
                    distinct, at = np.unique(signatures[weights > 0], return_inverse=True)
                    sums = np.zeros(len(distinct), dtype=np.int64)
                    np.add.at(sums, at.reshape(-1), weights[weights > 0])
                    cell = np.full(len(distinct), place[segment.cell], dtype=np.int64)
                    found = united([found, Counted(len(self.rules), cell, distinct, sums)], self.most)
        return found


def signatures_in(
    data: OpenPartition, lines: NDArray[np.int64], flipped: bool, words: tuple[int, int]
) -> Signatures:
    """For every row of some words which rules cover it."""
    covers = np.empty((len(lines), words[1] - words[0]), dtype=np.uint64)
    write_covers(data.bits, ALL_ONES if flipped else NO_FLIP, lines, words[0], covers)
    signatures = np.empty(64 * covers.shape[1], dtype=np.uint64)
    write_signatures(covers, signatures)
    return signatures


def weights_in(data: OpenPartition, words: tuple[int, int]) -> IntArray:
    """The weight of every row of some words; 0 where there is none."""
    weights = np.zeros(64 * (words[1] - words[0]), dtype=np.int64)
    for digit, plane in enumerate(data.planes[:, words[0] : words[1]]):
        if plane.any():
            held = np.unpackbits(np.ascontiguousarray(plane).view(np.uint8), bitorder="little")
            weights += held.astype(np.int64) << digit
    return weights


def united(counted: Sequence[Counted], most: int) -> Counted:
    """Put patterns together, for the most rules of which there are at most so many patterns."""
    n_rules = min(each.n_rules for each in counted)
    cells, signatures, weights = (
        np.concatenate([getattr(each, name) for each in counted]) for name in ("cells", "signatures", "weights")
    )
    while True:
        kept = signatures & np.uint64((1 << n_rules) - 1)
        order = np.lexsort((kept, cells))
        kept, in_order, counts = kept[order], cells[order], weights[order]
        begins = np.ones(len(kept), dtype=bool)
        begins[1:] = (kept[1:] != kept[:-1]) | (in_order[1:] != in_order[:-1])
        first = np.flatnonzero(begins)
        if len(first) <= most or n_rules <= 1:
            total = np.add.reduceat(counts, first) if len(first) else counts
            return Counted(n_rules, in_order[first], kept[first], total)
        n_rules -= 1


def patterns_of(samples: PartitionedSamples, rules: Sequence[Rule], most: int = MOST_PATTERNS) -> Counted:
    """Count the patterns of all rows; the first rules are the last to be left out."""
    manifest = samples.manifest
    asked = tuple(rule.features for rule in rules[:MOST_RULES])
    question = Patterns(asked, manifest.cells, most, samples.logic == "cnf")
    return united(list(answers_of(samples.engine, question, manifest.partitions)), most)


def pattern_problem(
    samples: PartitionedSamples, counted: Counted, rules: Sequence[Rule], costs: tuple[float, float] = (1.0, 1.0)
) -> Problem:
    """Make a problem with a sample for every pattern and a feature for every rule, as long as the rule."""
    manifest = samples.manifest
    digits = np.arange(counted.n_rules, dtype=np.uint64)
    covers: BoolArray = ((counted.signatures[:, None] >> digits) & np.uint64(1)).astype(bool)
    groups, labels = manifest.groups, manifest.labels[counted.cells]
    weights = counted.weights.astype(np.float64)
    return Problem.from_arrays(
        covers if samples.logic == "dnf" else ~covers,
        labels,
        weights=weights,
        sensitive_groups=Groups(groups.columns, groups.labels, groups.codes[counted.cells]),
        logic=samples.logic,  # type: ignore[arg-type]
        max_conditions=1,
        condition_costs=[float(len(rule)) for rule in rules[: counted.n_rules]],
        merge=False,
        stakes=stakes_of(labels, weights, costs),
    )
