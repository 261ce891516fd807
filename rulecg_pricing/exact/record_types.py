"""The types of the records, for the compiler; apart from them, so that the records come without it."""

from __future__ import annotations

from numba import types

from rulecg_kernels.compiler import BYTES, F1, F2, F3, F4, I1, I2, INT, U1, U2, U3, F, record
from rulecg_kernels.rule_bounds import LIMITS

from .records import Above, Ahead, Candidates, Given, Levels, Node, Packed, Progress, Root, Scratch, Tree

BOOL = types.boolean
GIVEN = record(Given, U2, F1, F1, F1, I1, F, INT, I1, BOOL)
PACKED = record(Packed, U2, I1, I1, I1, U2, F2, F3)
LEVELS = record(Levels, U3, I2, I2, I2, U3, F3, F4)
CANDIDATES = record(Candidates, I1, I1, F1, F1)
ABOVE = record(Above, INT, INT, F, I1, F1, F1, F2, F2, I1)
AHEAD = record(Ahead, INT, INT, F, F, F)
NODE = record(Node, INT, INT, INT, F, F1, CANDIDATES, F1, I1, U2, U1, F2, F2, I1, BOOL, F2)
ROOT = record(Root, PACKED, CANDIDATES, F2, F2, I1)
TREE = record(Tree, I2, F2, I2, I2, F2, F2, F2, I2, U3, U2, F3, F3, I2)
PROGRESS = record(Progress, I1, F1, F1, I2, I1, LIMITS)
SCRATCH = record(Scratch, I2, F2, U2, BYTES, I1, F2)
