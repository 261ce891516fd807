"""Bounds on rates and alerts mean what they say, row by row."""

from __future__ import annotations

import numpy as np
import pytest

from rulecg_core import Capacity, Constraint, FprCeiling, PrecisionFloor, RecallFloor
from rulecg_core.testing import ConstraintContract


class _Rates(ConstraintContract):
    def expected(self, constraint, y_true, y_pred, sensitive, weights):
        def share(part, whole):
            return float(weights[part & whole].sum() / weights[whole].sum())

        everybody = np.ones(len(y_true), dtype=bool)
        right, wrong = share(y_pred & y_true, everybody), share(y_pred & ~y_true, everybody)
        return {
            "false positive rate": share(y_pred, ~y_true),
            "recall": share(y_pred, y_true),
            "precision above 0.7: 0.3 × true − 0.7 × false positives": 0.3 * right - 0.7 * wrong,
            "rows predicted positive": float(weights[y_pred].sum()),
        }


def _only(name):
    class Only(_Rates):
        def expected(self, *about):
            return {name: super().expected(*about)[name]}

    return Only


class TestFprCeiling(_only("false positive rate")):
    @pytest.fixture
    def constraint(self) -> Constraint:
        return FprCeiling(0.2)


class TestRecallFloor(_only("recall")):
    @pytest.fixture
    def constraint(self) -> Constraint:
        return RecallFloor(0.6)


class TestPrecisionFloor(_only("precision above 0.7: 0.3 × true − 0.7 × false positives")):
    @pytest.fixture
    def constraint(self) -> Constraint:
        return PrecisionFloor(0.7)


class TestCapacity(_only("rows predicted positive")):
    @pytest.fixture
    def constraint(self) -> Constraint:
        return Capacity(12)
