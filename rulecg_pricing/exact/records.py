"""What the compiled search works on, as named tuples of arrays: the problem, packed samples, nodes, what was found."""

from __future__ import annotations

from typing import Any, NamedTuple


class Given(NamedTuple):
    """The pricing problem."""

    rows: Any
    """Samples × words: 64 conditions of a sample to a word."""
    weights: Any
    prices: Any
    lengths: Any
    chains: Any
    least_price: Any
    max_conditions: Any
    columns: Any
    """The column of each condition, where it matters; else the same number for all."""
    is_listing: Any
    """Whether rules that differ in samples without weight are different: where all rules are listed, and where rules
    have bounds to keep."""


class Packed(NamedTuple):
    """Samples, 64 to a word, in three sections (gains, costs, weightless), and how each word is weighed."""

    columns: Any
    """Words × conditions."""
    words: Any
    """The first word of every section, and the number of words."""
    ids: Any
    """Which sample every bit stands for."""
    terms: Any
    """How many distinct weights a word has; 0 where it is weighed through tables."""
    masks: Any
    values: Any
    tables: Any


class Levels(NamedTuple):
    """The same for every level of samples packed anew below the root."""

    columns: Any
    words: Any
    ids: Any
    terms: Any
    masks: Any
    values: Any
    tables: Any


class Candidates(NamedTuple):
    """Conditions that may join a node's conjunction."""

    conditions: Any
    parents: Any
    """Which candidate of the node above each one was."""
    gains: Any
    """The negative weight that the conjunction would keep with it, as a positive number."""
    costs: Any
    """The positive weight that it would keep."""


class Above(NamedTuple):
    """A node whose pairs are weighed, as its children see it."""

    size: Any
    further: Any
    """How many conditions may join a child at most, besides one."""
    price: Any
    conditions: Any
    gains: Any
    costs: Any
    pair_gains: Any
    """Candidates × candidates: what a pair keeps of negative weight."""
    pair_costs: Any
    dominated: Any
    """Which candidates another one beats in any rule."""


class Ahead(NamedTuple):
    """What rules below a node must reach."""

    size: Any
    further: Any
    price: Any
    total_cost: Any
    cut: Any


class Node(NamedTuple):
    """A node whose pairs are being weighed."""

    size: Any
    depth: Any
    further: Any
    least_price: Any
    numbers: Any
    """What the node keeps of negative and of positive weight, and its price."""
    candidates: Any
    prices: Any
    chains: Any
    columns: Any
    """Words × candidates."""
    covered: Any
    pair_gains: Any
    pair_costs: Any
    dominated: Any
    has_parent: Any
    up_pair_gains: Any
    """The pairs of the node above."""


class Root(NamedTuple):
    """The empty conjunction: shared by all searches and only read by them."""

    packed: Any
    candidates: Any
    pair_gains: Any
    pair_costs: Any
    dominated: Any


class Tree(NamedTuple):
    """The nodes from the root to where a search is, one line each; the first stands for the root."""

    frames: Any
    numbers: Any
    conditions: Any
    parents: Any
    gains: Any
    costs: Any
    prices: Any
    chains: Any
    columns: Any
    covered: Any
    pair_gains: Any
    pair_costs: Any
    dominated: Any


class Progress(NamedTuple):
    """Where a search is, and the rules that it found."""

    state: Any
    numbers: Any
    values: Any
    rules: Any
    rule: Any
    """The conditions of the nodes from the root to here; behind them those of the rule that is looked at."""
    limits: Any
    """What every rule must keep by itself."""


class Scratch(NamedTuple):
    """Room that one call works in; nothing in it outlives the call."""

    ints: Any
    floats: Any
    bits: Any
    used_blocks: Any
    """Which blocks of 64 conditions are packed."""
    counts: Any
    """How many samples each section has."""
    top: Any
    """Chains and their removals, the largest."""
