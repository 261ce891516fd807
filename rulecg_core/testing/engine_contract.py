"""The contract of an engine: every partition is asked, answers keep their order, sums are exact, errors arrive."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

from ..api.engine import Engine, answers_of, total_of
from ..base.arrays import IntArray
from ..base.errors import ConfigurationError


def counts_of(partition: tuple[int, ...]) -> tuple[IntArray, IntArray]:
    """How many numbers a toy partition has, and the sum of their squares."""
    return np.array([len(partition)]), np.array([sum(number**2 for number in partition)])


def refuse(partition: tuple[int, ...]) -> tuple[IntArray]:
    """Fail as a function does that finds a damaged file."""
    raise ConfigurationError(f"The partition {partition} is damaged.")


class EngineContract:
    """Subclass with a fixture ``engine`` that yields one and shuts it down.

    Functions of a test live in modules that the engine's workers can import.
    """

    partitions: tuple[tuple[int, ...], ...] = tuple(tuple(range(at, 3 * at)) for at in range(1, 24))

    @pytest.fixture
    def engine(self) -> Engine:
        raise NotImplementedError

    def test_answers_come_in_the_order_of_the_partitions(self, engine: Engine) -> None:
        """One answer for each, where it belongs, whoever was faster."""
        found = [int(count[0]) for count, _ in answers_of(engine, counts_of, self.partitions)]
        assert found == [len(partition) for partition in self.partitions]

    @pytest.mark.parametrize("n_parts", [1, 2, 7, 23])
    def test_sums_do_not_depend_on_how_rows_are_cut(self, engine: Engine, n_parts: int) -> None:
        """The same numbers in other partitions, in another order, have the same sums to the last bit."""
        numbers = [number << 20 for partition in self.partitions for number in partition]
        parts = [tuple(numbers[at::n_parts]) for at in range(n_parts)]
        count, squares = total_of(engine, counts_of, parts)
        assert count.tolist() == [len(numbers)]
        assert squares.tolist() == [sum(number**2 for number in numbers)]

    def test_no_partitions_have_no_answers(self, engine: Engine) -> None:
        """Nothing is asked where there is nothing."""
        assert total_of(engine, counts_of, ()) == ()

    def test_an_error_arrives_as_it_was_raised(self, engine: Engine) -> None:
        """What a function says about a damaged file reaches whoever asked, and the engine can be asked again."""
        with pytest.raises(ConfigurationError, match="is damaged"):
            total_of(engine, refuse, self.partitions)
        assert total_of(engine, counts_of, ((5,),))[1].tolist() == [25]

    def test_what_comes_back_can_be_sent(self, engine: Engine) -> None:
        """Answers are plain arrays of integers, which travel."""
        for answer in answers_of(engine, counts_of, self.partitions[:3]):
            assert all(part.dtype.kind == "i" for part in pickle.loads(pickle.dumps(answer)))
