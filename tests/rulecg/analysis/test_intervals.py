"""Wilson intervals: a second library gives the same, and their ends are shares."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rulecg.analysis.intervals import wilson


@given(st.integers(1, 10**6), st.floats(0, 1), st.sampled_from([0.5, 0.9, 0.95, 0.998]))
def test_another_library_gives_the_same(total: int, share: float, confidence: float) -> None:
    """Both ends are those of statsmodels, between 0 and 1, with the observed share inside."""
    proportion = pytest.importorskip("statsmodels.stats.proportion")
    count = round(share * total)
    found = wilson(count, total, confidence)
    assert found is not None
    assert found == pytest.approx(proportion.proportion_confint(count, total, 1 - confidence, "wilson"), abs=1e-9)
    assert 0 <= found[0] <= count / total + 1e-12
    assert count / total - 1e-12 <= found[1] <= 1


def test_a_share_of_nothing_has_no_interval() -> None:
    """There is nothing to be uncertain about."""
    assert wilson(0, 0) is None
