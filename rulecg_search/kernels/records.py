"""What compiled descents work on, as named tuples of arrays: samples, judge, a rule set on its way, a memory."""

from __future__ import annotations

from typing import Any, NamedTuple

from rulecg_kernels.compiler import BOOLS, F1, F2, I1, I2, INT, U1, U2, F, record
from rulecg_kernels.rule_bounds import LIMITS


class Layout(NamedTuple):
    """The samples as bits, and what covering them is worth."""

    features: Any
    """Features × words of 64 samples."""
    by_word: Any
    """The same, words × the first features: these are counted all at once, and words without samples passed over. Each
    of the others holds just where one of the first does not, in the same order, so that it need not be counted."""
    values: Any
    """Forms × words: what covering one sample of the word adds to the form."""
    weighted: Any
    """The forms with any value, besides the first one, the objective."""
    filled: Any
    """The bits that stand for samples."""
    always: Any
    """The bits of samples that count for every rule that covers them, not only for the first."""
    n_always: Any
    """How many words hold such samples: the first ones."""
    empty: Any
    """The forms' values for the empty rule set."""
    per_length: Any
    per_rule: Any
    costs: Any
    """What each feature adds to the length of a rule."""
    least_cost: Any
    largest_cost: Any
    chains: Any
    """Two features with the same number here never belong in one rule: the weaker one says nothing."""
    chain_starts: Any
    """Where in the list of members each chain begins."""
    chain_members: Any
    limits: Any
    """What every rule must keep by itself."""


class Judge(NamedTuple):
    """Objective and violation from the values of the forms."""

    rows: Any
    """For every finite bound of a row: the row, and by ``factor * value - bound`` how far outside a value is."""
    factor: Any
    bound: Any
    is_soft: Any
    """Whether the row looks at samples: it may then be broken at a price."""
    price: Any
    variables: Any
    """Forms × auxiliary variables: their coefficients."""
    lo: Any
    hi: Any


class State(NamedTuple):
    """A rule set on its way down, with room for more rules."""

    conditions: Any
    """Rules × most conditions; the rest of a line is unused."""
    lengths: Any
    covers: Any
    own: Any
    """Rules × forms: what a rule adds whatever else is chosen."""
    is_settled: Any
    waiting: Any
    counts: Any
    """How many rules there are, and how many of them wait for their turn."""
    in_use: Any
    """For every chain, which stems use it; 0 between passes."""
    random: Any


class Memory(NamedTuple):
    """What samples that always count are worth to the objective, for stems met before and each further feature: this
    depends on nothing but the stem, while most other samples change hands with every move."""

    stems: Any
    """Places × conditions; the rest of a line is unused."""
    lengths: Any
    """How many conditions the stem in each place has, -1 while there is none."""
    costs: Any
    """Places × features that are counted; the last column is for all samples of the stem."""


class Found(NamedTuple):
    """The best rule set met on the way."""

    conditions: Any
    lengths: Any
    counts: Any
    """How many rules there are."""
    objective: Any


class Setting(NamedTuple):
    """What a search works on and remembers."""

    layout: Layout
    judge: Judge
    memory: Memory


class Scratch(NamedTuple):
    """Room that one call works in; nothing in it outlives the call."""

    opened: Any
    """The bits that are still open to one more rule."""
    inside: Any
    """Lines × words: what a stem covers of them."""
    stems: Any
    """Lines × conditions: rules without one of their conditions, or on their way up."""
    sizes: Any
    """What each stem adds to the size."""
    sums: Any
    """One line: what each feature, added to a stem, is worth to the objective."""
    base: Any
    """The forms' values without the rule that is changed."""
    values: Any
    """The forms' values with one more rule."""


class Cooling(NamedTuple):
    """How an annealing goes on."""

    temperatures: Any
    sweep: Any
    """The position of the temperature to go on with."""
    budget: Any
    """How many words of 64 samples may be looked at, more or less, before the caller is asked again."""


LAYOUT = record(Layout, U2, U2, F2, I1, U1, U1, INT, F1, F1, F1, F1, F, F, I1, I1, I1, LIMITS)
MEMORY = record(Memory, I2, I1, F2)
JUDGE = record(Judge, I1, F1, F1, BOOLS, F, F2, F1, F1)
STATE = record(State, I2, I1, U2, F2, BOOLS, I1, I1, I1, U1)
FOUND = record(Found, I2, I1, I1, F1)
SETTING = record(Setting, LAYOUT, JUDGE, MEMORY)
SCRATCH = record(Scratch, U1, U2, I2, F1, F2, F1, F1)
COOLING = record(Cooling, F1, INT, INT)
