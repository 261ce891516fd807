"""Problems: equal samples merged without changing anything, CNF by negation, rates as forms."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rulecg_core import Condition, ConfigurationError, Problem, Rule
from rulecg_core.api.constraint import prediction_value


def random_arrays(seed, n_samples=60, n_conditions=4):
    rng = np.random.default_rng(seed)
    X = rng.random((n_samples, n_conditions)) < 0.5
    y = rng.random(n_samples) < 0.5
    groups = rng.integers(0, 3, n_samples)
    return X, y, groups


@settings(max_examples=50, deadline=None)
@given(seed=st.integers(0, 10**6), logic=st.sampled_from(["dnf", "cnf"]))
def test_merging_changes_no_count(seed, logic):
    """Merged and unmerged problems have the same weights, loss and errors for every rule set."""
    X, y, groups = random_arrays(seed)
    merged = Problem.from_arrays(X, y, sensitive_groups=groups, logic=logic)
    plain = Problem.from_arrays(X, y, sensitive_groups=groups, logic=logic, merge=False)
    assert merged.n_samples < plain.n_samples
    assert merged.weights.sum() == len(y)
    np.testing.assert_array_equal(merged.X[merged.inverse], plain.X)
    np.testing.assert_array_equal(merged.y[merged.inverse], plain.y)
    np.testing.assert_array_equal(merged.sensitive_groups.codes[merged.inverse], plain.sensitive_groups.codes)
    rules = [Rule([0]), Rule([1, 2])]
    assert merged.errors(merged.predict(rules)) == plain.errors(plain.predict(rules))
    np.testing.assert_array_equal(merged.predict(rules)[merged.inverse], plain.predict(rules))


def test_merged_samples_are_distinct_and_keep_their_order():
    """No two merged samples agree in features, label and groups; they stand in order of first appearance."""
    X, y, groups = random_arrays(1, n_samples=500, n_conditions=3)
    problem = Problem.from_arrays(X, y, sensitive_groups=groups)
    keys = np.column_stack([problem.X, problem.y, problem.sensitive_groups.codes])
    assert len(np.unique(keys, axis=0)) == problem.n_samples
    first_rows = [int(np.flatnonzero(problem.inverse == sample)[0]) for sample in range(problem.n_samples)]
    assert first_rows == sorted(first_rows)


@pytest.mark.parametrize("logic", ["dnf", "cnf"])
def test_rule_set_for_people_predicts_like_the_problem(logic):
    """The readable rule set and the learner's rules agree on every original row."""
    X, y, _ = random_arrays(2)
    problem = Problem.from_arrays(X, y, logic=logic, columns=["a", "b", "c", "d"])
    rules = [Rule([0, 1]), Rule([2]), Rule([1, 3])]
    readable = problem.rule_set(rules)
    np.testing.assert_array_equal(readable.predict(X), problem.predict(rules)[problem.inverse])


@pytest.mark.parametrize("logic", ["dnf", "cnf"])
def test_rates_speak_of_the_original_labels(logic):
    """Counting covers once, each rate form equals the rate counted by hand, for each group, in DNF and CNF."""
    X, y, groups = random_arrays(3)
    problem = Problem.from_arrays(X, y, sensitive_groups=groups, logic=logic)
    rules = [Rule([0, 1]), Rule([2])]
    prediction = problem.predict(rules)
    rows = prediction[problem.inverse]
    for group in problem.sensitive_groups.crossed():
        inside = group.members[problem.inverse]
        expected = {
            problem.false_negative_rate: np.mean(~rows[inside & y]),
            problem.false_positive_rate: np.mean(rows[inside & ~y]),
            problem.true_positive_rate: np.mean(rows[inside & y]),
            problem.error_rate: np.mean((rows != y)[inside]),
            problem.selection_rate: np.mean(rows[inside]),
        }
        for rate, value in expected.items():
            assert prediction_value(rate(group), problem, prediction) == pytest.approx(value)


def test_thresholds_of_one_column_and_direction_form_a_chain():
    """Nested thresholds share a chain number; everything else stands alone."""
    conditions = [
        Condition("age", "<=", 30), Condition("age", "<=", 40), Condition("age", ">", 30), Condition("sex", "==", "f"),
    ]
    problem = Problem.from_arrays(np.eye(4, dtype=bool), [1, 0, 1, 0], conditions=conditions)
    chains = problem.chains.tolist()
    assert chains[0] == chains[1]
    assert len(set(chains)) == 3


def test_packed_covers_equal_plain_covers():
    """Covers computed on packed bits equal covers computed column by column."""
    X, y, _ = random_arrays(4, n_samples=77)
    problem = Problem.from_arrays(X, y, merge=False)
    rules = [Rule([0]), Rule([1, 3]), Rule([0, 1, 2, 3])]
    np.testing.assert_array_equal(problem.covers(rules), [rule.covers(problem.X) for rule in rules])


def test_covers_of_many_rules_equal_those_of_each():
    """Covers of so many rules that they are made together are the covers of each rule, whatever its length."""
    X, y, _ = random_arrays(1, n_samples=37, n_conditions=12)
    problem = Problem.from_arrays(X, y)
    rng = np.random.default_rng(0)
    rules = [Rule(rng.choice(12, size=rng.integers(0, 4), replace=False)) for _ in range(2_500)]
    np.testing.assert_array_equal(problem.covers(rules), [rule.covers(problem.X) for rule in rules])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"X": [[0.5, 1]], "y": [1]}, "only 0 and 1"),
        ({"X": np.zeros((0, 2)), "y": []}, "at least one of each"),
        ({"X": [1, 0], "y": [1, 0]}, "table with rows and features"),
        ({"X": [[1, 0]], "y": [1, 0]}, "one label per row"),
        ({"X": [[1, 0]], "y": [np.nan]}, "only 0 and 1"),
        ({"X": [[1, 0]], "y": [1], "weights": [np.inf]}, "finite"),
        ({"X": [[1, 0]], "y": [1], "weights": [-1]}, "at least 0"),
        ({"X": [[1, 0]], "y": [1], "weights": [0]}, "nothing to learn"),
        ({"X": [[1, 0]], "y": [1], "weights": [1, 2]}, "1 rows"),
        ({"X": [[1, 0]], "y": [1], "sensitive_groups": ["a", "b"]}, "one value per row"),
        ({"X": [[1, 0]], "y": [1], "logic": "xnf"}, "'dnf' or 'cnf'"),
        ({"X": [[1, 0]], "y": [1], "max_conditions": 0}, "at least 1"),
        ({"X": [[1, 0]], "y": [1], "condition_costs": [1]}, "per condition"),
        ({"X": [[1, 0]], "y": [1], "conditions": [Condition("a")]}, "2 columns of X"),
    ],
)
def test_wrong_input_is_told(arguments, message):
    """Each kind of wrong input has a message that says what to do."""
    with pytest.raises(ConfigurationError, match=message):
        Problem.from_arrays(**arguments)


def test_a_group_without_positives_has_no_false_negative_rate():
    """An undefined rate is an error that names the group."""
    problem = Problem.from_arrays([[1], [0], [1]], [1, 0, 0], sensitive_groups=["a", "a", "b"])
    lonely = next(group for group in problem.sensitive_groups.crossed() if group.name == "b")
    with pytest.raises(ConfigurationError, match="'b' has no positive rows"):
        problem.false_negative_rate(lonely)


def test_lengths_of_many_rules_are_those_of_each():
    """With costs per condition, for any number of rules."""
    X, y, _ = random_arrays(0)
    problem = Problem.from_arrays(X, y, condition_costs=[1.0, 2.0, 0.5, 3.0])
    rules = [Rule([0]), Rule([1, 2]), Rule([0, 1, 3])]
    assert problem.lengths(rules).tolist() == [problem.length(rule) for rule in rules] == [1.0, 2.5, 6.0]
    assert problem.lengths([]).shape == (0,)


def test_weights_are_counted_in_units_that_solvers_can_tell_apart():
    """Usual weights stay as they are; tiny and huge ones are counted in a power of two; what is beyond a solver's
    digits is rounded to 0."""
    X, y = [[1, 0], [0, 1]], [1, 0]
    assert Problem.from_arrays(X, y, weights=[2.5, 0.5]).unit == 1.0
    tiny = Problem.from_arrays(X, y, weights=[3e-8, 1e-8])
    assert np.log2(tiny.unit) == round(np.log2(tiny.unit))
    np.testing.assert_array_equal(tiny.weights * tiny.unit, [3e-8, 1e-8])
    mixed = Problem.from_arrays(X, y, weights=[1e-9, 1e9])
    assert mixed.weights[0] == 0.0
