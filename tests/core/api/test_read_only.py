"""What plugins are given cannot be written to, and whoever tries is named."""

import numpy as np
import pytest

from rulecg_core import (
    Availability,
    Backend,
    Complexity,
    Deadline,
    Found,
    HammingMaster,
    Heuristic,
    Limits,
    LinearForm,
    MIPModel,
    PluginError,
    Pricer,
    Problem,
    RulecgError,
    Search,
    Status,
    generate_columns,
    load_registry,
)
from rulecg_core.api.heuristic import View
from rulecg_core.base.sparse import SparseVectors

REGISTRY = load_registry()
BACKEND = REGISTRY.backend("highs")
EXACT = REGISTRY.pricer("exact-search", BACKEND)


def small_problem():
    rng = np.random.default_rng(3)
    X = rng.random((60, 6)) < 0.5
    y = ((X[:, 0] & X[:, 1]) | X[:, 2]) ^ (rng.random(60) < 0.2)
    return Problem.from_arrays(X, y, max_conditions=2, weights=rng.integers(1, 4, 60))


def arrays_of(value, seen=None):
    """Every array that can be reached through attributes of our own classes."""
    seen = set() if seen is None else seen
    if isinstance(value, np.ndarray):
        yield value
    elif isinstance(value, (tuple, list)):
        for each in value:
            yield from arrays_of(each, seen)
    elif type(value).__module__.startswith("rulecg_core") and id(value) not in seen:
        seen.add(id(value))
        for name in dir(value):
            # A master's own state is behind an underscore: that is nobody's business.
            if not name.startswith("_") and not callable(getattr(type(value), name, None)):
                yield from arrays_of(getattr(value, name), seen)


def kept(value):
    """Arrays that are the same each time, so that writing to them would last."""
    first, second = list(arrays_of(value)), list(arrays_of(value))
    again = {id(array) for array in second}
    return [array for array in first if id(array) in again]


def test_everything_that_a_search_can_look_at_is_locked():
    """Problem, goal and relaxation: no array that a view hands out and keeps can be written to."""
    with HammingMaster(small_problem(), [Complexity(6)], BACKEND) as master:
        generate_columns(master, [EXACT], Limits(seconds=20))
        relaxation = master.solve_relaxation(Deadline())
        view = View(master, lambda: relaxation)
        assert view.problem.packed_conditions.size
        assert view.problem.column_numbers.size
        found = [*kept(view.problem), *kept(view.goal), *kept(relaxation)]
        assert len(found) > 15
        assert not [array for array in found if array.flags.writeable]


def test_programs_given_to_solvers_are_locked():
    """Every array of an integer program, its rows included, and those of a form; whoever made them still can write."""
    costs = np.ones(2)
    rows = SparseVectors.from_dense(np.ones((1, 2)))
    model = MIPModel(costs, np.zeros(2), np.ones(2), np.ones(2, bool), np.ones(1), np.array([np.inf]), rows)
    form = LinearForm(missed=costs, cover=np.zeros(2))
    found = [*arrays_of(model), *arrays_of(form)]
    assert len(found) == 11
    assert not [array for array in found if array.flags.writeable]
    costs[0] = 2.0


class WritingBackend(Backend):
    """HiGHS, but it writes into what it is given."""

    name = "writer"

    def __init__(self, into):
        self.into = into

    @classmethod
    def availability(cls):
        return Availability(True)

    def new_session(self):
        session = BACKEND.new_session()
        add_rows = session.add_rows

        def writing(lower, upper, entries):
            entries.values[:] = 0.0
            add_rows(lower, upper, entries)

        if self.into == "linear program":
            session.add_rows = writing
        return session

    def solve_mip(self, model, *arguments, **options):
        model.costs[:] = 0.0
        return BACKEND.solve_mip(model, *arguments, **options)


@pytest.mark.parametrize("into", ["linear program", "integer program"])
def test_a_backend_that_writes_is_named(into):
    """It is an error with the backend's name, not another answer."""
    with (
        HammingMaster(small_problem(), [Complexity(6)], WritingBackend(into)) as master,
        pytest.raises(RulecgError, match=r"'?writer'?.*read-only"),
    ):
        generate_columns(master, [EXACT], Limits(seconds=20))


class WritingPricer(Pricer):
    def price(self, problem, limits, rng):
        problem.sample_weights[:] = 0.0


def test_a_pricer_that_writes_is_named():
    """It is an error with the pricer's name."""
    with (
        HammingMaster(small_problem(), [Complexity(6)], BACKEND) as master,
        pytest.raises(PluginError, match=r"'writer'.*WritingPricer.*read-only"),
    ):
        generate_columns(master, [("writer", WritingPricer())], Limits(seconds=20))


class WritingHeuristic(Heuristic):
    """Spoils the labels that everybody shares."""

    def open(self, view):
        class Writing(Search):
            def improve(self, starts, limits, rng):
                view.problem.y[:] = True
                return Found()

        return Writing()


def test_a_heuristic_that_writes_is_named_and_left_out():
    """The run goes on without it, to the optimum."""
    told = []
    with HammingMaster(small_problem(), [Complexity(6)], BACKEND) as master:
        result = generate_columns(
            master, [EXACT], Limits(seconds=20), heuristics=[("writer", WritingHeuristic())],
            on_event=lambda event: told.append(getattr(event, "message", "")),
        )  # fmt: skip
    assert result.status is Status.OPTIMAL
    assert any("'writer'" in text and "read-only" in text for text in told)
