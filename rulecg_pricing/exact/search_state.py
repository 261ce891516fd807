"""What the compiled search keeps in its arrays, and where."""

from __future__ import annotations

PAUSED, FINISHED, FULL = 0, 1, 2
"""Why a call of the search returned: its budget is spent, nothing is left, or there is no room for more rules."""

DEPTH, FOUND, WORK, LISTING, LAST, EXACT = 0, 1, 2, 3, 4, 5
"""Places in a search's integers: depth of the node, rules found, work done, whether all rules are listed, before which
candidate of the root to stop, and whether rules that differ in samples without weight are different."""
N_STATE = 6

CUT, RECORD, BEST, SLACK = 0, 1, 2, 3
"""Places in a search's numbers: what a rule must stay below to be of interest, to be kept, the least reduced cost
found, and how much sums may be off."""
N_NUMBERS = 4

SIZE, ROW, CHILD, LEVEL = 0, 1, 2, 3
"""Places in a frame's integers: number of candidates, rows weighed, next child, level of repacking."""
N_FRAME = 4

GAIN, COST, PRICE = 0, 1, 2
"""Places in a frame's numbers: what the node keeps of negative and of positive weight, and its price."""

GAINS, COSTS = 0, 1
"""Sections of packed samples: those with negative and those with positive weight."""

N_INTS, N_FLOATS, N_BITS = 3, 6, 3
"""How many scratch arrays of each kind a search needs."""

MOST_TERMS = 6
"""A word with at most this many distinct weights is weighed by counting bits; one with more through tables."""
TINY = 1e-11
"""Weights that differ by no more are equal."""
DEAD = -1e300
"""The gain noted for a pair that is in no rule of interest."""
NEVER = 1e300
"""The cost noted for a pair of one chain."""
