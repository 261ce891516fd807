"""How functions are compiled, the types they are compiled for, and the two machine instructions that count bits."""

from __future__ import annotations

from typing import Any

import numba
from llvmlite import ir  # type: ignore[import-untyped]
from numba import types
from numba.extending import intrinsic

INT, F, U = types.int64, types.float64, types.uint64
I1, I2, F1, F2, F3, F4 = INT[::1], INT[:, ::1], F[::1], F[:, ::1], F[:, :, ::1], F[:, :, :, ::1]
U1, U2, U3 = U[::1], U[:, ::1], U[:, :, ::1]
BYTES, BOOLS = types.uint8[::1], types.boolean[::1]

# No number here is NaN: so least and largest values are found four at a time.
_COMMON: dict[str, Any] = {"cache": True, "nogil": True, "error_model": "numpy", "no_cfunc_wrapper": True}
_njit: Any = numba.njit
_NO_NAN = {"nnan", "nsz"}


def compiled(*arguments: Any, outer: bool = False) -> Any:
    """Compile for these types of arguments (when the module is loaded, once for all processes) without the lock of the
    interpreter. Only outer functions can be called from outside.

    The compiler's cache does not see changes in functions of other modules: after such a change remove __pycache__."""
    return _njit(arguments, no_cpython_wrapper=not outer, fastmath=_NO_NAN, **_COMMON)


def summing(function: Any) -> Any:
    """Compile a part of other functions, for the types they call it with. Sums may be added up in any order, so that
    eight words are weighed at a time."""
    return _njit(no_cpython_wrapper=True, fastmath=_NO_NAN | {"reassoc", "contract"}, **_COMMON)(function)


def record(kind: Any, *fields: Any) -> Any:
    """The type of a named tuple of arrays."""
    named_tuple: Any = types.NamedTuple
    return named_tuple(fields, kind)


def _popcount(typing_context: Any, word: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.ctpop(arguments[0])

    return types.uint64(types.uint64), generate


def _lowest_bit(typing_context: Any, word: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.cttz(arguments[0], ir.Constant(ir.IntType(1), 1))

    return types.uint64(types.uint64), generate


popcount: Any = intrinsic(_popcount)
"""The number of set bits of a 64-bit word."""
lowest_bit: Any = intrinsic(_lowest_bit)
"""The position of the lowest set bit of a word that is not 0."""
