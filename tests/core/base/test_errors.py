"""Errors for people: what stands in a message is written as people write it."""

import pickle

import numpy as np
import pytest

from rulecg_core import ConfigurationError, UnknownNameError


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (np.float64(3.0), "3.0"),
        (np.int8(-2), "-2"),
        (np.str_("a"), "'a'"),
        (np.True_, "True"),
        ("np.log(x) ", "'np.log(x) '"),
    ],
)
def test_messages_show_values_and_not_numpy_s_types(value, shown):
    """``3.0`` instead of ``np.float64(3.0)``."""
    message = str(ConfigurationError(f"It must be a name, not {value!r}."))
    assert message == f"It must be a name, not {shown}."


def test_errors_keep_their_words_from_process_to_process():
    """Errors are pickled on their way from workers."""
    error = ConfigurationError("It must be a name, not np.float64(3.0).")
    assert str(pickle.loads(pickle.dumps(error))) == str(error) == "It must be a name, not 3.0."
    assert "Did you mean 'highs'?" in str(UnknownNameError("backend", "hihgs", ["highs"]))
