"""Plugins with one seeded fault each, on random small problems whose optimum brute force knows."""

from __future__ import annotations

import itertools
import math
import sys
import time
import types
from collections.abc import Callable, Iterator
from functools import lru_cache, partial
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from attrs import evolve, frozen

from rulecg_core import (
    Availability,
    Backend,
    Complexity,
    Constraint,
    Event,
    Found,
    HammingMaster,
    Heuristic,
    Limits,
    LinearForm,
    Listing,
    Pricer,
    PricingResult,
    Problem,
    Rule,
    RulecgError,
    Search,
    Solution,
    Status,
    Stop,
    generate_columns,
    hookimpl,
    load_registry,
)
from rulecg_core.testing.brute_force import BruteForcePricer, all_rules
from rulecg_core.testing.random_problems import random_problem

from .attempts import Attempt, is_sentence

SIZE = 6.0
SECONDS = 3.0


class Guilty:
    """Marks every class with a fault, so that messages can be asked whether they name it."""


@lru_cache(maxsize=1000)
def optimum(seed: int) -> tuple[Problem, float]:
    """A small problem and the least Hamming loss of any rule set within the size, by trying all of them."""
    problem = random_problem(seed, max_samples=30, max_features=5, max_conditions=2)
    rules = all_rules(problem)
    stakes = HammingMaster(problem, [Complexity(SIZE)], load_registry().backend("highs"))
    sets = [()]
    for number in range(1, int(SIZE // 2) + 1):
        sets += [each for each in itertools.combinations(rules, number) if sum(len(r) + 1 for r in each) <= SIZE]
    return problem, min(stakes.evaluate(each).objective for each in sets)


# Pricers -------------------------------------------------------------------------------------------------------------


def _fails(*_: Any, **__: Any) -> Any:
    raise RuntimeError("a fault of its own")


def _spoil_problem(pricing: Any) -> None:
    pricing.sample_weights[:] = 0.0


PRICER_FAULTS: dict[str, Callable[[Any, PricingResult, Any], Any]] = {
    "raises": _fails,
    "returns None": lambda problem, result, limits: None,
    "returns a list": lambda problem, result, limits: list(result.rules),
    "bound 0": lambda problem, result, limits: evolve(result, rules=(), bound=0.0),
    "bound 0 with rules": lambda problem, result, limits: evolve(result, bound=0.0),
    "bound infinite": lambda problem, result, limits: evolve(result, rules=(), bound=math.inf),
    "bound minus infinite": lambda problem, result, limits: evolve(result, bound=-math.inf),
    "bound NaN": lambda problem, result, limits: evolve(result, bound=math.nan),
    "bound too high by half": lambda problem, result, limits: evolve(result, rules=(), bound=0.5 * result.bound),
    "bound a text": lambda problem, result, limits: evolve(result, bound="0"),
    "bound an array": lambda problem, result, limits: evolve(result, bound=np.zeros(2)),
    "nothing found, proven": lambda problem, result, limits: PricingResult((), 0.0),
    "nothing found, unproven": lambda problem, result, limits: PricingResult(()),
    "rules that are tuples": lambda problem, result, limits: evolve(result, rules=((0,), (1,))),
    "a condition that is not there": lambda problem, result, limits: evolve(result, rules=(Rule([99]),)),
    "a rule that is too long": lambda problem, result, limits: evolve(
        result, rules=(Rule(range(problem.n_conditions)),)
    ),
    "the same rule often": lambda problem, result, limits: evolve(result, rules=result.rules[:1] * 500),
    "the worst rules": lambda problem, result, limits: evolve(result, rules=tuple(all_rules(problem)[-3:]), bound=0.0),
    "hangs to its limit": lambda problem, result, limits: (time.sleep(min(1.0, limits.deadline.remaining)), result)[1],
    "writes into the weights": lambda problem, result, limits: (_spoil_problem(problem), result)[1],
    "wrong stop": lambda problem, result, limits: evolve(result, stop="done", rules=(), bound=0.0),
    "notes that are no text": lambda problem, result, limits: evolve(result, notes=(1, None)),
}


@frozen(eq=False)
class FaultyPricer(Pricer, Guilty):
    """An exact pricer whose answers are spoilt; its lists leave out the better half."""

    fault: str
    can_list: ClassVar[bool] = True

    def price(self, problem: Any, limits: Any, rng: Any) -> Any:
        honest = BruteForcePricer().price(problem, limits, rng)
        return PRICER_FAULTS[self.fault](problem, honest, limits)

    def list_below(self, problem: Any, threshold: float, most: int, limits: Any) -> Listing:
        return Listing((), True)


# Backends ------------------------------------------------------------------------------------------------------------

LP_FAULTS: dict[str, Callable[[Any], Any]] = {
    "LP raises": _fails,
    "LP returns None": lambda found: None,
    "LP duals flipped": lambda found: evolve(found, dual=-found.dual),
    "LP duals of zeros": lambda found: evolve(found, dual=np.zeros_like(found.dual)),
    "LP duals NaN": lambda found: evolve(found, dual=np.full_like(found.dual, np.nan)),
    "LP duals too short": lambda found: evolve(found, dual=found.dual[:-1]),
    "LP objective doubled": lambda found: evolve(found, objective=2 * found.objective + 1),
    "LP point of zeros": lambda found: evolve(found, primal=np.zeros_like(found.primal)),
    "LP point NaN": lambda found: evolve(found, primal=np.full_like(found.primal, np.nan)),
    "LP says infeasible": lambda found: evolve(found, solution=Solution.INFEASIBLE),
    "LP says unbounded": lambda found: evolve(found, solution=Solution.UNBOUNDED),
    "LP status a text": lambda found: evolve(found, solution="optimal!"),
    "LP hangs": lambda found: (time.sleep(0.3), found)[1],
}
MIP_FAULTS: dict[str, Callable[[Any], Any]] = {
    "MIP raises": _fails,
    "MIP returns None": lambda found: None,
    "MIP loses its solutions": lambda found: evolve(found, solutions=(), solution=Solution.NONE),
    "MIP says infeasible": lambda found: evolve(found, solutions=(), solution=Solution.INFEASIBLE, bound=None),
    "MIP bound too high": lambda found: evolve(found, bound=(found.bound or 0.0) + 5.0),
    "MIP point of ones": lambda found: evolve(
        found, solutions=tuple(evolve(each, x=np.ones_like(each.x)) for each in found.solutions)
    ),
    "MIP point of zeros": lambda found: evolve(
        found, solutions=tuple(evolve(each, x=np.zeros_like(each.x)) for each in found.solutions)
    ),
    "MIP objective too low": lambda found: evolve(
        found, solutions=tuple(evolve(each, objective=each.objective - 3) for each in found.solutions)
    ),
    "MIP says optimal when stopped": lambda found: evolve(found, stop=Stop.COMPLETED, solution=Solution.OPTIMAL),
    "MIP hangs": lambda found: (time.sleep(0.3), found)[1],
}


class FaultyBackend(Backend, Guilty):
    """HiGHS with one kind of answer spoilt."""

    name = "faulty"

    def __init__(self, fault: str) -> None:
        self.fault = fault
        self.inner = load_registry().backend("highs")

    @classmethod
    def availability(cls) -> Availability:
        return Availability(True)

    def new_session(self) -> Any:
        session = self.inner.new_session()
        if self.fault not in LP_FAULTS:
            return session
        fault, solve = LP_FAULTS[self.fault], session.solve
        session.solve = lambda *arguments: fault(solve(*arguments))
        return session

    def solve_mip(self, model: Any, *arguments: Any, **options: Any) -> Any:
        found = self.inner.solve_mip(model, *arguments, **options)
        return MIP_FAULTS[self.fault](found) if self.fault in MIP_FAULTS else found


# Masters -------------------------------------------------------------------------------------------------------------

MASTER_FAULTS: dict[str, Callable[[Any], Any]] = {
    "relaxation raises": _fails,
    "relaxation of a wrong type": lambda found: (found,),
    "relaxation's value too high": lambda found: evolve(found, value=found.value + 7, dual_value=found.value + 7),
    "dual value too high": lambda found: evolve(found, dual_value=(found.dual_value or 0) + 7),
    "dual value NaN": lambda found: evolve(found, dual_value=math.nan),
    "no rules allowed": lambda found: evolve(found, max_rules=0.0),
    "weights of zeros": lambda found: evolve(found, weights=np.zeros_like(found.weights)),
    "says infeasible": lambda found: evolve(found, feasible=False, dual_value=None),
    "prices of zeros": lambda found: evolve(
        found, pricing=evolve(found.pricing, sample_weights=np.zeros_like(found.pricing.sample_weights))
    ),
    "constant too high": lambda found: evolve(found, pricing=evolve(found.pricing, constant=50.0)),
}


class FaultyMaster(HammingMaster, Guilty):
    """The Hamming master with a spoilt relaxation."""

    fault = ""

    def solve_relaxation(self, deadline: Any) -> Any:
        found = super().solve_relaxation(deadline)
        return None if found is None else MASTER_FAULTS[self.fault](found)


# Heuristics, constraints, observers ----------------------------------------------------------------------------------

HEURISTIC_FAULTS: dict[str, Callable[[Any, Any], Any]] = {
    "raises": _fails,
    "returns None": lambda view, limits: None,
    "returns a list": lambda view, limits: [],
    "sets beyond the size": lambda view, limits: Found((tuple(all_rules(view.problem)),)),
    "a condition that is not there": lambda view, limits: Found(((Rule([99]),),)),
    "a negative condition": lambda view, limits: Found(((Rule([-1]),),)),
    "sets of texts": lambda view, limits: Found((("a",),)),
    "empty rules": lambda view, limits: Found(((Rule([]),),)),
    "always unfinished": lambda view, limits: Found(unfinished=True),
    "hangs to its limit": lambda view, limits: (time.sleep(min(1.0, limits.deadline.remaining)), Found())[1],
}


@frozen(eq=False)
class FaultyHeuristic(Heuristic, Guilty):
    """Opens a search with one fault."""

    fault: str

    def open(self, view: Any) -> Search:
        fault = HEURISTIC_FAULTS[self.fault]

        class FaultySearch(Search):
            def improve(self, starts: Any, limits: Any, rng: Any) -> Any:
                return fault(view, limits)

        return FaultySearch()


def _row(bound: float, **form: Any) -> list[Any]:
    return [(LinearForm(**form) <= bound).named("a faulty row")]


CONSTRAINT_FAULTS: dict[str, Callable[[Problem], Any]] = {
    "raises": _fails,
    "returns None": lambda problem: None,
    "rows that are no rows": lambda problem: ["length <= 3"],
    "coefficients NaN": lambda problem: _row(3.0, length=math.nan),
    "coefficients infinite": lambda problem: _row(3.0, rule=math.inf),
    "bound NaN": lambda problem: _row(math.nan, rule=1.0),
    "too few coefficients": lambda problem: _row(3.0, cover=np.ones(1)),
    "an array of NaN": lambda problem: _row(3.0, cover=np.full(problem.n_samples, np.nan)),
    "a text as bound": lambda problem: _row("3", rule=1.0),  # type: ignore[arg-type]
    "impossible": lambda problem: _row(-1.0, rule=1.0),
}


@frozen(eq=False)
class FaultyConstraint(Constraint, Guilty):
    """Makes rows with one fault."""

    fault: str

    def rows(self, problem: Problem) -> Any:
        return CONSTRAINT_FAULTS[self.fault](problem)


OBSERVER_FAULTS: dict[str, Callable[[Event], None]] = {
    "raises": _fails,
    "raises late": lambda event: _fails() if type(event).__name__ == "Finished" else None,
    "is slow": lambda event: time.sleep(0.02),
}


def _observer_plugin(fault: str) -> EntryPoint:
    """An installed plugin that listens, in a module of its own."""
    module = types.ModuleType("faulty_observer")

    def rulecg_on_event(event: Event) -> None:
        OBSERVER_FAULTS[fault](event)

    vars(module)["rulecg_on_event"] = hookimpl(rulecg_on_event)
    sys.modules[module.__name__] = module
    point = EntryPoint("observer", module.__name__, "rulecg")
    vars(point)["dist"] = types.SimpleNamespace(name="faulty-observer")
    return point


FAULTS: dict[str, tuple[str, ...]] = {
    "pricer": tuple(PRICER_FAULTS),
    "backend": (*LP_FAULTS, *MIP_FAULTS),
    "master": tuple(MASTER_FAULTS),
    "heuristic": tuple(HEURISTIC_FAULTS),
    "constraint": tuple(CONSTRAINT_FAULTS),
    "observer": tuple(OBSERVER_FAULTS),
}


@frozen(eq=False)
class Trial:
    """What a run with one faulty plugin said about itself."""

    status: Status | None
    """None when the run ended in an error."""
    objective: float
    optimum: float
    messages: tuple[str, ...]
    """The error, or the notes and the certificate."""

    @property
    def is_false_proof(self) -> bool:
        """Whether *optimal* was said of an objective that is not."""
        return self.status is Status.OPTIMAL and abs(self.objective - self.optimum) > 1e-6 * max(1.0, self.optimum)

    @property
    def is_harmless(self) -> bool:
        """Whether the answer is the right one all the same."""
        return self.status is not None and abs(self.objective - self.optimum) <= 1e-6 * max(1.0, self.optimum)

    @property
    def names_the_guilty(self) -> bool:
        return any("faulty" in text.lower() for text in self.messages)


def run_with(kind: str, fault: str, seed: int, *, beside_honest: bool) -> Trial:
    """Run column generation with one faulty plugin, alone or beside an honest exact pricer."""
    problem, best = optimum(seed)
    registry, notes = load_registry(), []  # type: ignore[var-annotated]
    backend = FaultyBackend(fault) if kind == "backend" else registry.backend("highs")
    constraints = [Complexity(SIZE), *([FaultyConstraint(fault)] if kind == "constraint" else [])]
    pricers: list[Any] = [registry.pricer("exact-search", registry.backend("highs"))]
    if kind == "pricer":
        pricers = [FaultyPricer(fault), *(pricers if beside_honest else [])]

    if kind == "observer":
        registry = load_registry([*entry_points(group="rulecg"), _observer_plugin(fault)])

    def observer(event: Event) -> None:
        notes.append(str(getattr(event, "message", "")))
        registry.notify(event)

    try:
        cls = type("FaultyMaster", (FaultyMaster,), {"fault": fault}) if kind == "master" else HammingMaster
        master = cls(problem, constraints, backend)
        heuristics = [FaultyHeuristic(fault)] if kind == "heuristic" else []
        result = generate_columns(
            master, pricers, Limits(seconds=SECONDS), heuristics=heuristics, on_event=observer, seed=seed
        )
    except RulecgError as error:
        return Trial(None, math.nan, best, (str(error), *notes))
    counted = HammingMaster(problem, [Complexity(SIZE)], registry.backend("highs")).evaluate(result.best_rules)
    assert abs(counted.objective - result.objective) <= 1e-6 * max(1.0, best), "the objective is not the rules' own"
    said = (result.certificate(), *result.notes, *notes, *map(str, registry.faults))
    return Trial(result.status, result.objective, best, said)


def caught(seeds: int, shows: Callable[[str], None] = lambda line: None) -> str:
    """How many faults there are, in how many the answer stayed right or the guilty plugin was named; a table."""
    lines = ["| plugin | faults | runs | false *optimal* | right answer | guilty named | worse and silent |",
             "|---|---|---|---|---|---|---|"]  # fmt: skip
    for kind, faults in FAULTS.items():
        trials = [
            (fault, seed, run_with(kind, fault, seed, beside_honest=beside))
            for fault in faults
            for seed in range(seeds)
            for beside in ((False, True) if kind == "pricer" else (True,))
        ]
        lies = sum(trial.is_false_proof for *_, trial in trials)
        right = sum(trial.is_harmless for *_, trial in trials)
        named = sum(trial.names_the_guilty for *_, trial in trials)
        silent = [(fault, seed) for fault, seed, trial in trials if not (trial.is_harmless or trial.names_the_guilty)]
        lines.append(f"| {kind} | {len(faults)} | {len(trials)} | {lies} | {right} | {named} | {len(silent)} |")
        for fault, seed in silent:
            shows(f"worse and silent: {kind}: {fault}, problem {seed}")
    return "\n".join(lines)


def _attempt(kind: str, fault: str, seed: int, beside_honest: bool, folder: Path) -> None:
    trial = run_with(kind, fault, seed, beside_honest=beside_honest)
    assert not trial.is_false_proof, f"says optimal {trial.objective:g}, the optimum is {trial.optimum:g}"
    if trial.status is None:
        assert is_sentence(trial.messages[0]), trial.messages[0]
        raise RulecgError(trial.messages[0])


def attempts(seeds: int = 5) -> Iterator[Attempt]:
    """Every fault on so many random problems, pricers alone and beside an honest one."""
    for kind, faults in FAULTS.items():
        for fault in faults:
            for seed in range(seeds):
                for beside in (False, True) if kind == "pricer" else (True,):
                    name = f"{fault}, problem {seed}{'' if beside else ', alone'}"
                    yield Attempt(f"lying plugins: {kind}", name, partial(_attempt, kind, fault, seed, beside))
