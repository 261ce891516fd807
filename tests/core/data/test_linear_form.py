"""Forms add, scale and compare; rows carry their bounds; sparse vectors keep their entries."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rulecg_core import ConfigurationError, LinearForm, Row, SparseVectors

numbers = st.floats(-100, 100)
vectors = st.one_of(st.none(), st.lists(numbers, min_size=3, max_size=3).map(np.array))
forms = st.builds(
    LinearForm, missed=vectors, cover=vectors, length=numbers, rule=numbers, const=numbers,
    variables=st.dictionaries(st.sampled_from(["s", "t"]), numbers),
)
MISSED, COUNTS = np.array([1.0, 0.0, 1.0]), np.array([0.0, 2.0, 1.0])


def value(form):
    return form.value(MISSED, COUNTS, 5.0, 2.0)


@given(forms, forms, numbers)
def test_forms_are_linear(first, second, factor):
    """Values add, subtract and scale with the forms."""
    assert value(first + second) == pytest.approx(value(first) + value(second), abs=1e-6)
    assert value(first - second) == pytest.approx(value(first) - value(second), abs=1e-6)
    assert value(factor * first) == pytest.approx(factor * value(first), abs=1e-6)
    assert value(1.0 - first) == pytest.approx(1.0 - value(first), abs=1e-6)
    assert value(-first) == pytest.approx(-value(first), abs=1e-6)


@given(forms)
def test_coefficients_of_rules_add_up_to_the_value(form):
    """The rules' coefficients, the missed positives and the constant make up the form's value."""
    covers = np.array([[False, True, False], [False, True, True]])
    coefficients = form.coefficients(covers, np.array([3.0, 2.0]))
    zeta = 0.0 if form.missed is None else form.missed @ MISSED
    assert coefficients.sum() + zeta + form.const == pytest.approx(value(form), abs=1e-6)


@given(forms, numbers)
def test_comparison_makes_a_row_with_the_constant_in_its_bounds(form, bound):
    """A row is violated exactly by what its form exceeds the bound, and names can be given."""
    row = (form <= bound).named("mine")
    assert row.form.const == 0
    assert row.name == "mine"
    inside = value(row.form)
    assert row.violation(inside) == pytest.approx(max(0.0, value(form) - bound), abs=1e-6)
    other = form >= bound
    assert other.violation(inside) == pytest.approx(max(0.0, bound - value(form)), abs=1e-6)


def test_forms_can_bound_each_other():
    """``a <= b`` is a row on the difference."""
    a, b = LinearForm(rule=1.0), LinearForm(rule=3.0, const=2.0)
    row = a <= b
    assert row.form.rule == -2.0
    assert (row.lo, row.hi) == (-math.inf, 2.0)


def test_variables_of_one_name_are_shared():
    """Forms that use the same auxiliary variable add up its coefficients."""
    total = LinearForm.variable("t") * 2 + LinearForm.variable("t") - LinearForm.variable("s")
    assert total.variables == {"t": 3.0, "s": -1.0}


def test_a_row_without_possible_values_is_refused():
    """Bounds that exclude each other are an error at once."""
    with pytest.raises(ConfigurationError, match="no possible value"):
        Row(LinearForm(), lo=1.0, hi=0.0)


matrices = st.integers(0, 2**31).map(
    lambda seed: np.where(np.random.default_rng(seed).random((4, 6)) < 0.4, 1.5, 0.0)
)


@given(matrices, matrices)
def test_sparse_vectors_keep_their_entries(first, second):
    """Dense to sparse and back, stacked, joined, transposed and multiplied, nothing is lost."""
    a, b = SparseVectors.from_dense(first), SparseVectors.from_dense(second, offset=6)
    np.testing.assert_array_equal(a.to_dense(6), first)
    np.testing.assert_array_equal(a.transposed(6).to_dense(4), first.T)
    np.testing.assert_array_equal(a.join(b).to_dense(12), np.hstack([first, second]))
    np.testing.assert_array_equal(SparseVectors.stack([a, a]).to_dense(6), np.vstack([first, first]))
    np.testing.assert_allclose(a.dot(np.arange(6.0)), first @ np.arange(6.0))
