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
def test_comparison_makes_a_row_in_the_units_of_the_form(form, bound):
    """A row is violated exactly by what its form exceeds the bound, and its value is the form's own."""
    row = (form <= bound).named("mine")
    assert row.form is form
    assert (row.name, row.lo, row.hi) == ("mine", -math.inf, bound)
    assert row.violation(value(row.form)) == pytest.approx(max(0.0, value(form) - bound), abs=1e-6)
    other = form >= bound
    assert (other.lo, other.hi) == (bound, math.inf)
    assert other.violation(value(other.form)) == pytest.approx(max(0.0, bound - value(form)), abs=1e-6)


@given(forms, numbers)
def test_solvers_get_the_constant_in_the_bounds(form, bound):
    """The normalised row has no constant and is violated by the same rule sets by as much."""
    row = form <= bound
    plain = row.normalised()
    assert plain.form.const == 0
    assert plain.violation(value(plain.form)) == pytest.approx(row.violation(value(form)), abs=1e-6)


def test_forms_can_bound_each_other():
    """``a <= b`` is a row on the difference."""
    a, b = LinearForm(rule=1.0), LinearForm(rule=3.0, const=2.0)
    row = (a <= b).normalised()
    assert row.form.rule == -2.0
    assert (row.lo, row.hi) == (-math.inf, 2.0)


def test_equality_makes_a_row():
    """``form == 3`` and ``form == other`` bound from both sides; a form is still equal to nothing that is no number."""
    form = LinearForm(rule=1.0, const=1.0)
    row = form == 3
    assert isinstance(row, Row)
    assert (row.lo, row.hi) == (3.0, 3.0)
    difference = form == LinearForm(length=2.0)
    assert (difference.lo, difference.hi, difference.form.length) == (0.0, 0.0, -2.0)
    assert (form == "three") is False
    assert {form: "kept"}[form] == "kept"


@pytest.mark.parametrize(
    "chain",
    [lambda form: 2 <= form <= 5, lambda form: 5 >= form >= 2, lambda form: form != 3, lambda form: not form <= 3],
)
def test_a_row_is_neither_true_nor_false(chain):
    """Python drops the first bound of ``2 <= form <= 5``: the error says what to write instead."""
    with pytest.raises(ConfigurationError, match=r"form\.between\(2, 5\) or Row\(form, lo=2, hi=5\)"):
        chain(LinearForm(rule=1.0))
    row = LinearForm(rule=1.0).between(2, 5)
    assert (row.lo, row.hi) == (2.0, 5.0)


@pytest.mark.parametrize("number", [math.nan, math.inf, -math.inf])
@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda x: LinearForm(length=x), "coefficient of each condition is"),
        (lambda x: LinearForm(rule=x), "coefficient of each rule is"),
        (lambda x: LinearForm(const=x), "constant is"),
        (lambda x: LinearForm(variables={"worst": x}), "coefficient of the variable 'worst' is"),
        (lambda x: LinearForm(missed=np.array([0.0, 1.0, x])), "for missing sample 2 is"),
        (lambda x: LinearForm(cover=np.array([0.0, x, 1.0])), "for covering sample 1 is"),
    ],
)
def test_a_form_says_which_number_is_not_finite(number, make, words):
    """NaN and infinities are found wherever they are; large finite numbers are none, even if their sum is infinite."""
    assert words in make(number).fault(3)
    assert make(1e308).fault(3) is None
    assert LinearForm(cover=np.full(3, 1e308)).fault(3) is None
    assert "2 samples, but there are 3" in LinearForm(cover=np.ones(2)).fault(3)


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
