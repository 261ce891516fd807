"""Backends are chosen and set up by name, by configuration and by environment; mistakes are told."""

import subprocess
import sys

import attrs
import pytest

from rulecg_backends.cbc.backend import CBC
from rulecg_backends.gurobi import Gurobi
from rulecg_backends.highs import HiGHS
from rulecg_backends.scip import SCIP
from rulecg_core import BackendUnavailable, ConfigurationError, load_registry
from rulecg_core.plugins.config import Config
from rulecg_core.testing.backends.instances import random_integer_program, random_program
from tests.backends import test_gurobi, test_highs, test_scip
from tests.backends.cbc import test_backend

BACKENDS = {"highs": HiGHS, "cbc": CBC, "gurobi": Gurobi, "scip": SCIP}


def registry_with(**settings):
    registry = load_registry()
    registry.config = Config(**settings)
    return registry


def test_every_registered_backend_is_under_contract():
    """A backend that is registered but not tested here would go unnoticed."""
    modules = (test_backend, test_gurobi, test_highs, test_scip)
    tested = {value for module in modules for value in vars(module).values() if isinstance(value, type)}
    offered = {entry.factory for entry in load_registry() if entry.kind == "backend" and entry.distribution == "rulecg"}
    assert offered == set(BACKENDS.values())
    assert offered <= tested


@pytest.mark.parametrize("name", BACKENDS)
def test_a_backend_is_found_by_name(name):
    """The name gives the class, ready to use."""
    backend = load_registry().backend(name)
    assert type(backend) is BACKENDS[name]
    assert backend.name == name


def test_configured_options_reach_the_backend():
    """The table of the backend that is asked for, and no other."""
    options = {"highs": {"threads": 2}, "scip": {"primal_tolerance": 1e-8}}
    registry = registry_with(backend="scip", backend_options=options)
    assert registry.backend() == SCIP(primal_tolerance=1e-8)
    assert registry.backend("highs") == HiGHS(threads=2)
    assert registry.backend("cbc") == CBC()


@pytest.mark.parametrize("name", BACKENDS)
def test_a_misspelt_option_is_told_with_those_that_exist(name):
    """The message names the wrong word and the right ones."""
    registry = registry_with(backend_options={name: {"tolerence": 1e-7}})
    with pytest.raises(ConfigurationError, match="tolerence") as caught:
        registry.backend(name)
    assert all(option.name in str(caught.value) for option in attrs.fields(BACKENDS[name]))


def test_options_for_a_backend_that_does_not_exist_are_told():
    """``[backends.higs]`` would otherwise change nothing without a word."""
    with pytest.raises(ConfigurationError, match="Did you mean 'highs'"):
        registry_with(backend_options={"higs": {"threads": 2}}).backend("highs")


@pytest.mark.parametrize(
    ("backend", "option", "value", "told"),
    [
        (HiGHS, "threads", 0, "whole number of at least 1"),
        (HiGHS, "threads", True, "whole number of at least 1"),
        (HiGHS, "primal_tolerance", "small", "from 1e-10 to 0.0001"),
        (HiGHS, "dual_tolerance", 1.0, "from 1e-10 to 0.0001"),
        (HiGHS, "lp_method", "simplex", "'dual-simplex'"),
        (HiGHS, "presolve", "on", "true or false"),
        (CBC, "threads", 1.5, "whole number of at least 1"),
        (CBC, "cuts", 9, "one of -1, 0, 1, 2, 3"),
        (CBC, "preprocess", 1, "true or false"),
        (Gurobi, "lp_method", "simplex", "'dual-simplex'"),
        (Gurobi, "primal_tolerance", 1e-12, "from 1e-09 to 0.0001"),
        (SCIP, "lp_method", "interior-point", "'primal-simplex'"),
        (SCIP, "emphasis", "speed", "'feasibility'"),
    ],
)
def test_a_wrong_value_is_told_with_what_would_be_right(backend, option, value, told):
    """The message names backend and option and says what is allowed."""
    with pytest.raises(ConfigurationError, match=told) as caught:
        backend(**{option: value})
    assert option in str(caught.value)
    assert backend.name in str(caught.value)


@pytest.mark.parametrize(
    "backend",
    [
        HiGHS(lp_method="primal-simplex"),
        HiGHS(lp_method="interior-point"),
        HiGHS(lp_method="interior-point", crossover=False),
        HiGHS(presolve=False, primal_tolerance=1e-9, dual_tolerance=1e-9, integrality_tolerance=1e-9),
        HiGHS(threads=2),
        CBC(threads=2, cuts=0, preprocess=False, integrality_tolerance=1e-8),
        CBC(cuts=3),
        Gurobi(lp_method="primal-simplex", presolve=False, primal_tolerance=1e-9, dual_tolerance=1e-9),
        Gurobi(lp_method="barrier", threads=2, integrality_tolerance=1e-9),
        SCIP(lp_method="primal-simplex", primal_tolerance=1e-9, dual_tolerance=1e-9),
        SCIP(emphasis="feasibility"),
        SCIP(emphasis="hardlp"),
    ],
    ids=repr,
)
def test_options_change_the_way_and_not_the_answer(backend):
    """Every option gives the optimum that the defaults give."""
    program, model = random_program(1), random_integer_program(1)
    assert program.solve(backend).objective == pytest.approx(program.solve(HiGHS()).objective, abs=1e-6)
    best, expected = backend.solve_mip(model).best, HiGHS().solve_mip(model).best
    assert best.objective == pytest.approx(expected.objective, abs=1e-6)


@pytest.mark.parametrize(
    ("name", "module"), [("highs", "highspy"), ("cbc", "mip"), ("gurobi", "gurobipy"), ("scip", "pyscipopt")]
)
def test_a_missing_solver_is_told_with_the_command_that_brings_it(name, module, monkeypatch):
    """Found out without importing; every way to use the backend says how to install it."""
    monkeypatch.setattr(
        "rulecg_core.backend_kit.availability.find_spec", lambda wanted: None if wanted == module else object()
    )
    backend = BACKENDS[name]
    assert not backend.is_available()
    for use in (
        lambda: load_registry().backend(name),
        lambda: backend().open_lp(),
        lambda: backend().solve_mip(random_integer_program(0)),
    ):
        with pytest.raises(BackendUnavailable, match="pip install"):
            use()


def test_listing_backends_imports_no_solver():
    """Choosing among solvers must not cost the time to load them."""
    program = (
        "import sys; from rulecg_core import load_registry\n"
        "found = [e.availability.available for e in load_registry() if e.kind == 'backend']\n"
        "assert len(found) >= 4 and all(found)\n"
        "assert not {'gurobipy', 'highspy', 'mip', 'pyscipopt'} & set(sys.modules), sorted(sys.modules)\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
