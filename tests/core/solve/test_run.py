"""The state of a run: what a stranger's master says is looked at before it is believed."""

import math

import numpy as np
import pytest
from attrs import evolve

from rulecg_core import (
    Complexity,
    Deadline,
    HammingMaster,
    PluginError,
    Problem,
    RulecgWarning,
    generate_columns,
    load_registry,
)
from tests.core.runs import run_of


class Strange(HammingMaster):
    answer = staticmethod(lambda found: found)

    def solve_relaxation(self, deadline):
        return self.answer(super().solve_relaxation(deadline))


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (lambda found: 1 / 0, "ZeroDivisionError"),
        (lambda found: (found,), "must return a Relaxation or None, not tuple"),
        (lambda found: evolve(found, dual_value=math.nan), "finite dual_value or None, not nan"),
    ],
)
def test_a_master_that_fails_is_named(answer, words):
    """Whether it raises, returns something else, or proves a bound that is no number."""
    problem = Problem.from_arrays(np.eye(3, dtype=bool), [True, False, True])
    master = type("Stranger", (Strange,), {"answer": staticmethod(answer)})(
        problem, [Complexity(4)], load_registry().backend("highs")
    )
    with pytest.raises(PluginError, match=f"The master 'Stranger' .*{words}"):
        run_of(master).relax(master, Deadline())


def test_an_observer_that_fails_is_told_of_nothing_more_and_ends_nothing():
    """What its function raises is a warning with its words; the run goes on and tells it no further events."""
    problem = Problem.from_arrays(np.eye(3, dtype=bool), [True, False, True])
    heard = []

    def failing(event):
        heard.append(event)
        raise KeyError("no such column")

    registry = load_registry()
    highs = registry.backend("highs")
    with pytest.warns(RulecgWarning, match="on_event failed .KeyError: 'no such column'.*goes on without it"):
        result = generate_columns(
            HammingMaster(problem, [Complexity(4)], highs), [registry.pricer("exact-search", highs)], on_event=failing
        )
    assert (result.objective, len(heard)) == (0, 1)


def test_the_log_hears_every_event(caplog):
    """Under the name rulecg: notes and the end for everybody, rounds and rule sets for whoever asks for more."""
    problem = Problem.from_arrays(np.eye(3, dtype=bool), [True, False, True])
    heard, registry = [], load_registry()
    backend = registry.backend("highs")
    with (
        caplog.at_level("DEBUG", logger="rulecg"),
        HammingMaster(problem, [Complexity(4)], backend) as master,
    ):
        generate_columns(master, [("beam", registry.pricer("beam", backend))], on_event=heard.append)
    told = [record for record in caplog.records if record.name == "rulecg"]
    assert [record.getMessage() for record in told] == [str(event) for event in heard]
    assert {record.levelname for record in told} == {"DEBUG", "INFO"}
