"""Kernels: compiled when they are needed, with errors that say what to do."""

from __future__ import annotations

import warnings
from typing import NamedTuple

import numpy as np
import pytest
from numba.core.errors import NumbaWarning

from rulecg_kernels import Kernel, KernelError, compiled, kernel, listening, record, summing, warm_up
from rulecg_kernels.compiler import F1, INT, F


class Pair(NamedTuple):
    one: float
    other: float


PAIR = record(Pair, F, F)


@summing(F1)
def added_up(numbers):
    total = 0.0
    for number in numbers:
        total += number
    return total


@compiled(F1, PAIR, INT, outer=True)
def weighed(numbers, pair, times):
    return added_up(numbers) * pair.one + pair.other * times


def test_kernels_take_records_and_call_kernels() -> None:
    """A record is a named tuple in the kernel, and a part is called like a function."""
    assert weighed(np.arange(4.0), Pair(2.0, 0.5), 3) == 13.5


def test_a_kernel_has_one_version_whatever_it_is_called_with() -> None:
    """Other kinds of numbers are converted: nothing is compiled a second time."""
    weighed(np.arange(4.0), Pair(2.0, 1.0), np.int32(1))
    assert len(weighed.load().signatures) == 1
    assert len(added_up.load().signatures) == 1


def test_a_kernel_that_cannot_be_compiled_says_which_and_what_to_do() -> None:
    """The error names the function, the folder to remove and the compiler."""

    @compiled(INT, outer=True)
    def impossible(number):
        return number.nothing_of_the_kind

    with pytest.raises(KernelError, match=r"test_kernel\.impossible could not be compiled") as caught:
        impossible(1)
    assert caught.value.folder is not None
    assert f"Remove the folder {caught.value.folder}" in str(caught.value)
    assert "numba" in str(caught.value)


def test_a_kernel_that_makes_arrays_must_say_so() -> None:
    """Without the counting of references no array can be made: the compiler refuses, before anything is lost."""

    @compiled(INT, outer=True)
    def silent(size):
        return np.zeros(size)[0]

    @compiled(INT, outer=True, allocates=True)
    def open_about_it(size):
        return np.zeros(size)[0]

    with pytest.raises(KernelError, match=r"(?s)silent could not be compiled.*zeros"):
        silent(3)
    assert open_about_it(3) == 0.0


def test_a_warning_of_the_compiler_stops_nobody() -> None:
    """Even where warnings are errors, a kernel with something to warn about is compiled."""

    class Warned(Kernel):
        def _make(self) -> None:
            warnings.warn("something looks odd", NumbaWarning, stacklevel=1)
            super()._make()

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert Warned(lambda number: number + 1, (INT,), True, {})(1) == 2


def test_listeners_hear_of_the_compiler_once() -> None:
    """One sentence before a kernel is compiled, none for later calls or after the block."""

    @compiled(INT, outer=True)
    def doubled(number):
        return 2 * number

    said: list[str] = []
    with listening(said.append):
        assert doubled(2) == 4
        assert doubled(3) == 6
    assert said == [f"compiling {__name__}.doubled (once)"] or said == []  # a cache of an earlier run has it
    assert not kernel._listeners


def test_warm_up_loads_every_kernel() -> None:
    """Afterwards no kernel that an installed distribution announces is left to compile."""
    warm_up()
    kernels = kernel.announced_kernels()
    names = {each.name for each in kernels}
    assert {"rulecg_search.kernels.descent.descend", "rulecg_pricing.exact.search_kernel.search"} <= names
    assert all(each._is_loaded for each in kernels)
