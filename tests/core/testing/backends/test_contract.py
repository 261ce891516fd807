"""The contract of backends: what breaks it is told in a sentence, and nothing holds it up."""

import threading
import time

import pytest
from attrs import evolve, frozen

from rulecg_backends.highs import HiGHS
from rulecg_core import Stop
from rulecg_core.testing import BackendContract
from rulecg_core.testing.backends import bounds as backend_bounds
from rulecg_core.testing.backends.instances import set_cover
from rulecg_core.testing.backends.interrupts import check_ctrl_c

CONTRACT = BackendContract()


@frozen
class Changed(HiGHS):
    """HiGHS with its answers changed."""

    name = "changed"

    def solve_mip(self, model, limits=None, *, start=(), pool_size=1, should_stop=None):
        result = super().solve_mip(model, limits, start=start, pool_size=pool_size, should_stop=should_stop)
        return self.change(result)

    def change(self, result):
        return result


class Wordless(Changed):
    def change(self, result):
        return evolve(result, native_status="")


class Silent(Changed):
    def change(self, result):
        return evolve(result, notes=(), solutions=result.solutions[:1])


class Nameless(HiGHS):
    name = ""


class OwnDoor(HiGHS):
    def open_lp(self):
        return self.new_session()


class Hanging(HiGHS):
    def solve_mip(self, model, limits=None, *, start=(), pool_size=1, should_stop=None):
        threading.Event().wait(60.0)


class Swallowing(HiGHS):
    """Takes Ctrl-C for an answer, as solvers with a handler of their own do."""

    def solve_mip(self, model, limits=None, *, start=(), pool_size=1, should_stop=None):
        try:
            return super().solve_mip(model, limits, start=start, pool_size=pool_size, should_stop=should_stop)
        except KeyboardInterrupt:
            return Stop.INTERRUPTED


@pytest.mark.parametrize(
    ("backend", "test", "arguments", "sentence"),
    [
        (Wordless, "test_models_without_rows_are_solved", (), "native_status is empty"),
        (Silent, "test_a_start_that_breaks_a_row_is_refused_visibly", (), "must be told in MIPResult.notes"),
        (Silent, "test_pool_solutions_are_feasible_distinct_and_best_first", (), "must say so in MIPResult.notes"),
        (Nameless, "test_is_available_under_its_name", (), "'name' is empty"),
        (OwnDoor, "test_sessions_are_opened_behind_the_check", (), "leave open_lp"),
    ],
)
def test_what_is_missing_is_told_in_a_sentence(backend, test, arguments, sentence):
    """A plugin author reads what to do, not a bare assert."""
    with pytest.raises(AssertionError, match=sentence):
        getattr(CONTRACT, test)(backend(), *arguments)


def test_a_backend_that_hangs_fails_and_does_not_hold_up_the_others(monkeypatch):
    """Every test of the contract is bounded in time."""
    monkeypatch.setattr(backend_bounds, "SECONDS", 0.3)
    began = time.perf_counter()
    with pytest.raises(AssertionError, match="did not come back"):
        CONTRACT.test_a_target_met_by_the_start_needs_no_solver(Hanging())
    assert time.perf_counter() - began < 30.0


def test_every_test_of_the_contract_is_bounded():
    """Those that run a child process are bounded by their own clock; all others by the decorator."""
    names = [name for name in dir(BackendContract) if name.startswith("test_")]
    unbounded = {name for name in names if not hasattr(getattr(BackendContract, name), "__wrapped__")}
    assert unbounded == {"test_ctrl_c_ends_a_linear_program", "test_ctrl_c_ends_an_integer_program"}


def test_a_backend_that_takes_ctrl_c_for_an_answer_is_found_out():
    """It goes on after the signal; the test fails, and pytest itself is not interrupted."""
    with pytest.raises(AssertionError, match="KeyboardInterrupt must leave the call"):
        check_ctrl_c(Swallowing(), set_cover(seed=4, n_sets=500, n_elements=400, density=0.05), seconds=3.0)


def test_backends_that_keep_the_contract_pass_those_tests():
    """What is found above is the backends' fault, not the tests'."""
    CONTRACT.test_models_without_rows_are_solved(Changed())
    CONTRACT.test_is_available_under_its_name(HiGHS())
