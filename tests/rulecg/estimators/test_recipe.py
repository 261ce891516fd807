"""Names and settings become the parts of a run, or an error before any work is done."""

from __future__ import annotations

import pytest

from rulecg import Binarizer, RuleSetClassifier
from rulecg.datasets import load
from rulecg.estimators.recipe import compose, schedule_of
from rulecg_core import ConfigurationError, Event, Limits, Problem, Schedule, UnknownNameError, load_registry
from rulecg_core.base.events import IncumbentFound


def test_defaults_are_those_that_plugins_registered() -> None:
    """Nothing is known by name: what takes part, in which order, and on what data is what the registry says."""
    registry = load_registry()
    recipe = compose(registry, max_complexity=10)
    assert [part.name for part in recipe.pricers] == registry.defaults("pricer", is_large=True)
    assert [part.name for part in recipe.pricers if not part.only_large] == registry.defaults("pricer", is_large=False)
    assert [part.name for part in recipe.heuristics] == registry.defaults("heuristic", is_large=True)


def test_heuristics_are_chosen_like_pricers() -> None:
    """By name with options, as objects, or nobody; an unknown name is told with the known ones."""
    registry = load_registry()
    chosen = compose(registry, max_complexity=10, heuristics=["local-search:annealing=false"]).heuristics
    assert [(part.name, part.plugin.annealing) for part in chosen] == [("local-search:annealing=false", False)]
    assert compose(registry, max_complexity=10, heuristics=()).heuristics == ()
    with pytest.raises(UnknownNameError, match="local-search"):
        compose(registry, max_complexity=10, heuristics="local-serch")


def test_a_fit_without_heuristics_says_nothing_of_them() -> None:
    """With nobody to search, no rule set comes from a heuristic, and the answer is still proven."""
    data, target, _ = load("tic-tac-toe")
    problem = Problem.from_arrays(Binarizer().fit(data).transform(data), target, max_conditions=3)
    sources = set()

    def listen(event: Event) -> None:
        if isinstance(event, IncumbentFound):
            sources.add(event.source)

    recipe = compose(load_registry(), max_complexity=32, heuristics=())
    result = recipe.run(problem, Limits(seconds=30), listen, seed=0)
    assert result.status == "optimal"
    assert sources
    assert "local-search" not in sources


def test_a_schedule_is_an_object_settings_or_a_file(tmp_path) -> None:
    """All three say the same; a wrong name is told."""
    (tmp_path / "schedule.toml").write_text("large_samples = 77\n[search]\nshare = 0.3\n")
    wanted = Schedule().with_settings({"large_samples": 77, "search": {"share": 0.3}})
    assert schedule_of(tmp_path / "schedule.toml") == wanted == schedule_of(wanted)
    assert schedule_of({"large_samples": 77, "search": {"share": 0.3}}) == wanted
    with pytest.raises(ConfigurationError, match="share"):
        RuleSetClassifier(schedule={"search": {"shares": 0.3}}).fit([[0], [1]], [0, 1])
