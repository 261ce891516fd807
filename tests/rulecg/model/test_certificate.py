"""Certificates keep what people need of a fit, in values that a file can hold."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest
from attrs import evolve

from rulecg import RuleSetClassifier
from rulecg.model.certificate import HISTORY, MOST_ROUNDS, Certificate, plain


def test_numbers_are_those_of_the_result(fitted: RuleSetClassifier) -> None:
    """Objective, bound, gap, errors and rounds are the fit's, and all of it is JSON."""
    result, certificate = fitted.result_, Certificate.of(fitted.result_)
    assert (certificate.objective, certificate.lower_bound) == (result.objective, result.lower_bound)
    assert (certificate.gap, certificate.errors) == (result.gap, result.errors)
    assert [line["iteration"] for line in certificate.history] == result.history["iteration"].tolist()
    assert [line["row"] for line in certificate.constraints] == result.constraints["row"].tolist()
    json.dumps([certificate.history, certificate.constraints], allow_nan=False)


def test_long_histories_are_thinned_from_first_to_last(fitted: RuleSetClassifier) -> None:
    """A run of very many rounds keeps its first and last one and at most a thousand in all."""
    label, run = next(iter(fitted.result_.runs.items()))
    rounds = tuple(evolve(run.history[0], iteration=number) for number in range(1, 5001))
    certificate = Certificate.of(evolve(fitted.result_, runs={label: evolve(run, history=rounds)}))
    kept = [line["iteration"] for line in certificate.history]
    assert len(kept) == MOST_ROUNDS
    assert (kept[0], kept[-1]) == (1, 5000)
    assert set(certificate.history[0]) == set(HISTORY)


@pytest.mark.parametrize(
    ("value", "expected"),
    [(np.int64(3), 3), (np.float64("nan"), None), (float("inf"), None), (np.bool_(True), True), ("x", "x")],
)
def test_values_become_plain(value: object, expected: object) -> None:
    """Numpy's scalars become Python's, and numbers that are not finite become unknown."""
    found = plain(value)
    assert found == expected
    assert type(found) is type(expected)
    assert not isinstance(found, pd.Series)
