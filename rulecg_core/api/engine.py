"""What an engine is: it applies a function to partitions, wherever they are, and brings the answers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Protocol, TypeVar, runtime_checkable

import numpy as np

from ..base.arrays import IntArray
from ..base.errors import PluginError, RulecgError
from .provenance import distribution_of, fault_of

Item = TypeVar("Item")
Answer = TypeVar("Answer")


@runtime_checkable
class Engine(Protocol):
    """Maps functions over partitions; any :class:`concurrent.futures.Executor` is one.

    Functions and partitions are small values that can be pickled: what is large stays where it is, and a function
    opens the partition's file itself. A function may be called again for the same partition, on another machine, when a
    worker was lost; it answers the same.

    Examples
    --------
    >>> from concurrent.futures import ThreadPoolExecutor
    >>> isinstance(ThreadPoolExecutor(1), Engine)
    True
    """

    def map(self, function: Callable[[Any], Any], partitions: Iterable[Any], /) -> Iterator[Any]:
        """Apply the function to every partition; the answers in the order of the partitions."""

    def shutdown(self) -> None:
        """Free what the engine holds."""


def answers_of(
    engine: Engine, function: Callable[[Item], Answer], partitions: Sequence[Item]
) -> Iterator[Answer]:
    """Ask an engine, and name it when it fails.

    Parameters
    ----------
    engine : Engine
        Who applies the function.
    function : callable
        What is asked of every partition.
    partitions : sequence
        The partitions.

    Yields
    ------
    One answer per partition, in their order.

    Raises
    ------
    PluginError
        When the engine fails, or gives another number of answers.
    """
    count = 0
    try:
        for answer in engine.map(function, partitions):
            count += 1
            yield answer
    except (RulecgError, GeneratorExit):
        raise
    except Exception as error:  # a stranger's code: anything may come
        text = fault_of("engine", type(engine).__name__, engine, error)
        raise PluginError(f"{text[0].upper()}{text[1:]}.", distribution_of(engine)) from error
    if count != len(partitions):
        raise PluginError(
            f"The engine {type(engine).__name__} gave {count} answers for {len(partitions)} partitions.",
            distribution_of(engine),
        )


def total_of(
    engine: Engine, function: Callable[[Item], Sequence[IntArray]], partitions: Sequence[Item]
) -> tuple[IntArray, ...]:
    """Add up what a function counts in every partition: sums of integers, the same in whatever order they are made.

    Parameters
    ----------
    engine, function, partitions
        As for :func:`answers_of`; the function returns arrays of integers, of the same shapes for every partition.

    Returns
    -------
    tuple of int arrays
        The sums.

    Examples
    --------
    >>> from concurrent.futures import ThreadPoolExecutor
    >>> with ThreadPoolExecutor(2) as engine:
    ...     total_of(engine, lambda rows: (np.array([len(rows), sum(rows)]),), [[1, 2], [3]])
    (array([3, 6]),)
    """
    totals: list[IntArray] = []
    for answer in answers_of(engine, function, partitions):
        if not totals:
            totals = [np.array(part, dtype=np.int64) for part in answer]
            continue
        for total, part in zip(totals, answer, strict=True):
            total += part
    return tuple(totals)
