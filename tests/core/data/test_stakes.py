"""What missing and covering samples cost: made from labels, costs and a teacher, and worked into problems."""

from __future__ import annotations

import numpy as np
import pytest

from rulecg_core import Complexity, ConfigurationError, HammingMaster, Problem, Rule, Stakes, load_registry

LABELS = np.array([True, True, False, False])


class TestStakes:
    """Stakes say per sample what each of both predictions costs."""

    @pytest.mark.parametrize(
        ("made", "miss", "cover", "unit", "meaning"),
        [
            (Stakes.from_labels(LABELS), [1, 1, 0, 0], [0, 0, 1, 1], 1, "errors"),
            (Stakes.from_labels(LABELS, [2, 1, 1, 3]), [2, 1, 0, 0], [0, 0, 1, 3], 1, "errors"),
            (Stakes.from_labels(LABELS, [0.3] * 4), [0.3, 0.3, 0, 0], [0, 0, 0.3, 0.3], 0, "errors"),
            (Stakes.from_labels(LABELS, fp=5), [1, 1, 0, 0], [0, 0, 5, 5], 1, "weighted cost"),
            (Stakes.from_labels(LABELS, fn=1 / 3), [1 / 3, 1 / 3, 0, 0], [0, 0, 1, 1],
             1 / 4096, "weighted cost"),
            (Stakes.softened(LABELS, [0.5, 0.0, 0.0, 1.0], 0.5), [0.75, 0.5, 0, 0.5], [0.25, 0.5, 1, 0.5], 1 / 1024,
             "errors expected by the teacher"),
            (Stakes.softened(LABELS, [0.0, 0.0, 1.0, 1.0], 1.0, fn=2), [2, 2, 0, 0], [0, 0, 1, 1], 1,
             "weighted cost expected by the teacher"),
        ],
    )
    def test_costs(self, made, miss, cover, unit, meaning):
        """Costs follow the labels or the softened labels, in multiples of the stated unit."""
        assert np.allclose(made.miss, miss, atol=1e-3)
        assert np.allclose(made.cover, cover, atol=1e-3)
        assert made.meaning == meaning
        assert made.unit == pytest.approx(unit)
        if made.unit:
            assert np.array_equal(made.miss / made.unit, np.round(made.miss / made.unit))

    @pytest.mark.parametrize(
        "make",
        [
            lambda: Stakes.from_labels(LABELS, fp=-1),
            lambda: Stakes.from_labels(LABELS, fp=0, fn=0),
            lambda: Stakes.from_labels(LABELS, [1.0]),
            lambda: Stakes.softened(LABELS, [2.0] * 4, 0.5),
            lambda: Stakes.softened(LABELS, [0.5], 0.5),
            lambda: Stakes.softened(LABELS, [0.5] * 4, 1.5),
            lambda: Stakes(np.ones(2), np.ones(3)),
            lambda: Stakes(-np.ones(2), np.ones(2)),
            lambda: Problem.from_arrays(np.eye(4), LABELS, stakes=Stakes.from_labels(LABELS[:2])),
        ],
    )
    def test_refused(self, make):
        """Costs that mean nothing are refused in a sentence."""
        with pytest.raises(ConfigurationError, match=r"\."):
            make()

    def test_small_costs_keep_their_digits(self):
        """A cost far below 1 is not rounded away."""
        made = Stakes.from_labels(LABELS, fp=1e-5)
        assert made.cover[3] == pytest.approx(1e-5, rel=1e-3)


class TestProblem:
    """A problem's objective is made of its stakes; its labels and rates are not."""

    def test_each_sample_is_netted_by_itself(self):
        """Equal rows with stakes of opposite signs stay two samples, and the smaller costs are a constant."""
        stakes = Stakes.softened(LABELS, [0.5, 0.0, 1.0, 0.25], 0.0)
        problem = Problem.from_arrays(np.ones((4, 1)), LABELS, stakes=stakes)
        form = problem.loss()
        assert form.const == 0.5 + 0.25
        assert problem.n_samples == 4
        assert problem.y.tolist() == [True, False, True, False]
        assert problem.labels.tolist() == LABELS.tolist()
        assert form.missed.tolist() == [0, 0, 1, 0]
        assert form.cover.tolist() == [0, 1, 0, 0.5]

    def test_equal_samples_add_their_stakes(self):
        """Rows that agree in conditions, label and sign of stake become one sample with the sums."""
        stakes = Stakes.softened(LABELS, [0.75, 1.0, 0.25, 0.0], 0.0)
        problem = Problem.from_arrays(np.ones((4, 1)), LABELS, stakes=stakes)
        assert problem.loss().missed.tolist() == [1.5, 0]
        assert problem.loss().cover.tolist() == [0, 1.5]

    @pytest.mark.parametrize("logic", ["dnf", "cnf"])
    def test_labels_as_stakes_change_nothing(self, logic):
        """Stakes made from the labels give the problem that has none."""
        rng = np.random.default_rng(0)
        X, y, weights = rng.random((30, 4)) < 0.5, rng.random(30) < 0.5, rng.integers(1, 4, 30)
        plain = Problem.from_arrays(X, y, weights=weights, logic=logic)
        other = Problem.from_arrays(X, y, weights=weights, logic=logic, stakes=Stakes.from_labels(y, weights))
        assert np.array_equal(plain.y, other.y)
        assert np.array_equal(plain.loss().missed, other.loss().missed)
        assert np.array_equal(plain.loss().cover, other.loss().cover)
        assert other.loss().const == 0
        assert np.array_equal(plain.inverse, other.inverse)

    def test_tiny_stakes_get_a_unit(self):
        """Where costs are so small that solvers would take them for rounding, they are counted in another unit."""
        problem = Problem.from_arrays(np.eye(4), LABELS, stakes=Stakes.from_labels(LABELS, fp=1e-6, fn=1e-6))
        assert 0.5 <= np.median(np.abs(problem.stakes.net)) <= 2
        assert problem.unit * problem.loss().missed.sum() == pytest.approx(2e-6, rel=1e-3)

    def test_the_rule_without_conditions_covers_everything(self):
        """It covers every sample and nothing beside, however many rules are asked for at once."""
        problem = Problem.from_arrays(np.eye(4), LABELS)
        many = [Rule(()), *[Rule([0])] * 2000]
        assert problem.covers([Rule(())]).all()
        assert np.array_equal(problem.packed_covers(many)[0], np.packbits(np.ones(4, dtype=bool)))
        assert problem.length(Rule(())) == 0

    def test_errors_are_of_labels_and_cost_of_stakes(self):
        """A candidate tells true errors and the cost of its predictions apart."""
        problem = Problem.from_arrays(np.eye(4), LABELS, stakes=Stakes.from_labels(LABELS, fp=5))
        with HammingMaster(problem, [Complexity(4)], load_registry().backend("highs")) as master:
            candidate = master.evaluate([Rule([0]), Rule([2])])
        assert (candidate.errors, candidate.cost, candidate.objective) == (2, 6, 6)
        assert problem.cost(problem.predict(candidate.rules)) == 6
