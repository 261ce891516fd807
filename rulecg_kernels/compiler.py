"""How functions are compiled, the types they are compiled for, and the two machine instructions that count bits."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from llvmlite import ir  # type: ignore[import-untyped]
from numba import types
from numba.extending import intrinsic

from .kernel import Kernel

INT, F, U = types.int64, types.float64, types.uint64
I1, I2, F1, F2, F3, F4 = INT[::1], INT[:, ::1], F[::1], F[:, ::1], F[:, :, ::1], F[:, :, :, ::1]
U1, U2, U3 = U[::1], U[:, ::1], U[:, :, ::1]
BYTES, BOOLS = types.uint8[::1], types.boolean[::1]

# No number here is NaN: so least and largest values are found four at a time.
_NO_NAN = {"nnan", "nsz"}
_COMMON: dict[str, Any] = {"nogil": True, "error_model": "numpy", "no_cfunc_wrapper": True}


def compiled(*arguments: Any, outer: bool = False, allocates: bool = False) -> Callable[[Callable[..., Any]], Kernel]:
    """Compile a function for these types of arguments when it is first needed, once for all processes.

    It runs without the lock of the interpreter, so that threads run side by side.

    Parameters
    ----------
    *arguments : numba types
        One for each argument: those of this module, or what :func:`record` returns.
    outer : bool
        Whether Python calls the function; else only other kernels can.
    allocates : bool
        Whether the function makes arrays. Those that do not are compiled without the counting of references, which
        took a third of the time of the exact search once its arrays came in records.

    Returns
    -------
    callable
        A decorator that makes a :class:`~rulecg_kernels.Kernel`.

    Examples
    --------
    >>> @compiled(INT, INT, outer=True)
    ... def add(one, other):
    ...     return one + other
    >>> add(2, 3)
    5
    """
    options = {"fastmath": _NO_NAN, "_nrt": allocates, **_COMMON}
    return lambda function: Kernel(function, arguments, outer, options)


def summing(*arguments: Any, allocates: bool = False) -> Callable[[Callable[..., Any]], Kernel]:
    """Compile a part of other functions, whose sums may be added up in any order: eight words are weighed at a time.

    Parameters
    ----------
    *arguments : numba types
        One for each argument.
    allocates : bool
        Whether the function makes arrays.

    Returns
    -------
    callable
        A decorator that makes a :class:`~rulecg_kernels.Kernel`.
    """
    options = {"fastmath": _NO_NAN | {"reassoc", "contract"}, "_nrt": allocates, **_COMMON}
    return lambda function: Kernel(function, arguments, False, options)


def record(kind: Any, *fields: Any) -> Any:
    """The type of a named tuple of arrays, numbers and other records.

    Parameters
    ----------
    kind : type
        A class made with :class:`typing.NamedTuple`.
    *fields : numba types
        The type of each field, in order.

    Returns
    -------
    numba type
        What a kernel takes as the type of such an argument.
    """
    named_tuple: Any = types.NamedTuple
    uniform_tuple: Any = types.NamedUniTuple
    if len(set(fields)) == 1:
        # The compiler has another name for a tuple whose fields are all alike.
        return uniform_tuple(fields[0], len(fields), kind)
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
