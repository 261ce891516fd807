"""Labels that are no classes are refused with advice."""

import numpy as np
import pytest

from rulecg.inputs.labels import checked_labels
from rulecg_core import ConfigurationError


def test_numbers_with_fractions_are_no_classes():
    """The message says how to make classes of them."""
    with pytest.raises(ConfigurationError, match=r"Unknown label type.*3 different ones.*y > y.median\(\)"):
        checked_labels(np.array([0.5, 1.5, 2.25]), 3)
