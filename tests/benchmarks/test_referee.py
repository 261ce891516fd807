"""A share of what `python -m benchmarks.referee` tries: the packages and plain enumeration agree."""

import warnings

import pytest

from benchmarks.referee.cases import Coverage
from benchmarks.referee.runs import faults_of


@pytest.mark.parametrize("part", range(6))
def test_answers_agree_with_plain_enumeration(part):
    """No disagreement on random small problems in configurations that cover pairs of levels, HiGHS alone."""
    warnings.simplefilter("ignore")
    coverage = Coverage(1_000 + part, ("highs",))
    for number in range(12):
        config = coverage.next()
        status, wrong = faults_of(config, 1_000 * part + number)
        assert not wrong, (status, config, wrong)
