"""Backends that cannot say whether they are available, and models and results with numbers that are none."""

import numpy as np
import pytest

from rulecg_core import (
    Availability,
    Backend,
    BackendUnavailable,
    ConfigurationError,
    MIPModel,
    MIPResult,
    MIPSolution,
    Solution,
    SparseVectors,
    Stop,
    load_registry,
)
from rulecg_core.plugins.registry import Entry


def backend_class(answer):
    class Odd(Backend):
        """A backend that answers oddly when asked whether it is there."""

        name = "odd"

        @classmethod
        def availability(cls):
            return answer()

        def new_session(self):
            raise NotImplementedError

        def solve_mip(self, model, limits=None, *, start=(), pool_size=1, should_stop=None):
            raise NotImplementedError

    return Odd


ODD = {
    "raised ZeroDivisionError": lambda: 1 / 0,
    "returned None": lambda: None,
    "returned True": lambda: True,
}


@pytest.mark.parametrize("words", ODD)
def test_a_backend_that_cannot_say_whether_it_is_available_is_not(words):
    """The reason is what it did instead."""
    odd = backend_class(ODD[words])
    assert not odd.is_available()
    for use in (odd.require, lambda: odd().open_lp()):
        with pytest.raises(BackendUnavailable, match=words):
            use()


@pytest.mark.parametrize("words", ODD)
def test_the_registry_names_its_distribution(words):
    """Listing plugins goes on, and asking for the backend tells whose it is."""
    registry = load_registry([])
    registry.add(Entry("backend", "odd", backend_class(ODD[words]), "somebody-s-solver"))
    (entry,) = registry
    assert not entry.availability.available
    assert words in entry.availability.reason
    with pytest.raises(BackendUnavailable, match="somebody-s-solver"):
        registry.backend("odd")


def test_a_backend_that_says_no_keeps_its_own_words():
    """Reason and command are shown as they are."""
    absent = backend_class(lambda: Availability(False, "no licence", "pip install a-licence"))
    with pytest.raises(BackendUnavailable, match=r"no licence\. Install it with: pip install a-licence"):
        absent.require()


def model(**changes):
    parts = {
        "costs": np.ones(1), "lower": np.zeros(1), "upper": np.ones(1), "integer": np.array([True]),
        "row_lower": np.zeros(1), "row_upper": np.ones(1), "rows": SparseVectors.from_dense(np.ones((1, 1))),
    }
    return MIPModel(**{**parts, **changes})


@pytest.mark.parametrize(
    "changes",
    [
        {"costs": np.array([np.nan])},
        {"offset": np.inf},
        {"lower": np.array([np.nan])},
        {"row_upper": np.array([np.nan])},
        {"rows": SparseVectors.from_dense(np.array([[np.inf]]))},
    ],
    ids=lambda changes: next(iter(changes)),
)
def test_models_with_numbers_that_are_none_are_refused(changes):
    """No solver is asked about a problem that nobody posed."""
    model()
    with pytest.raises(ConfigurationError):
        model(**changes)


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_results_with_numbers_that_are_none_are_refused(bad):
    """A bound is a number or None; a solution has finite values."""
    with pytest.raises(ConfigurationError, match="bound"):
        MIPResult(Stop.COMPLETED, Solution.NONE, (), bad, "odd")
    with pytest.raises(ConfigurationError, match="MIPSolution"):
        MIPSolution(np.array([bad]), 1.0)
    with pytest.raises(ConfigurationError, match="MIPSolution"):
        MIPSolution(np.ones(1), bad)
