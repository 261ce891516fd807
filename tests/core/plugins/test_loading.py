"""The plugin manager: discovery, switching off, conflicts, and strangers that break."""

import sys
import types
from importlib.metadata import EntryPoint

import pytest

from rulecg_core import (
    Availability,
    BackendUnavailable,
    ConfigurationError,
    PluginError,
    UnknownNameError,
    hookimpl,
    load_registry,
)
from rulecg_core.base.events import Note
from rulecg_core.plugins.calls import parse_call
from rulecg_core.plugins.hookspecs import API
from rulecg_core.plugins.loading import DISABLE_VARIABLE
from rulecg_core.testing.brute_force import BruteForcePricer


class FakeDistribution:
    def __init__(self, name):
        self.name = name


def plugin(name, distribution, **hooks):
    """An entry point of a made-up distribution whose module implements the given hooks."""
    module = types.ModuleType(f"fake_{distribution.replace('-', '_')}_{name}")
    for hook, function in hooks.items():
        function.__name__ = hook
        setattr(module, hook, hookimpl(function))
    sys.modules[module.__name__] = module
    point = EntryPoint(name, module.__name__, "rulecg")
    vars(point)["dist"] = FakeDistribution(distribution)
    return point


def pricers(*names, factory=BruteForcePricer):
    def hook(register):
        for name in names:
            register(name, factory)

    return {"rulecg_register_pricers": hook}


def test_built_in_plugins_come_through_entry_points():
    """Nothing is special-cased: our own parts are found like anybody's, and none is broken."""
    registry = load_registry()
    assert registry.faults == []
    assert "highs" in registry.names("backend")
    assert "beam" in registry.names("pricer")
    assert "complexity" in registry.names("constraint")
    assert "hamming" in registry.names("master")
    assert {entry.distribution for entry in registry} == {"rulecg"}
    assert all(entry.summary for entry in registry)


def test_a_strangers_pricer_is_found_by_name():
    """A pricer from another distribution is created like our own."""
    registry = load_registry([plugin("p", "stranger", **pricers("mine"))])
    assert isinstance(registry.pricer("mine", backend=None), BruteForcePricer)
    assert registry.entry("pricer", "mine").distribution == "stranger"


@pytest.mark.parametrize("switch", ["p", "stranger", " Other , STRANGER "])
def test_a_plugin_can_be_switched_off_by_entry_point_or_distribution(switch):
    """The environment variable takes names of entry points and of distributions."""
    points = [plugin("p", "stranger", **pricers("mine"))]
    assert load_registry(points, environ={DISABLE_VARIABLE: switch}).names("pricer") == []
    assert load_registry(points, environ={}).names("pricer") == ["mine"]


def test_two_plugins_with_one_name_are_an_error_that_names_both():
    """Asking for the contested name fails; everything else works."""
    registry = load_registry(
        [plugin("a", "first-dist", **pricers("mine", "other")), plugin("b", "second-dist", **pricers("mine"))]
    )
    with pytest.raises(PluginError, match=r"first-dist and second-dist.*RULECG_DISABLE_PLUGINS"):
        registry.pricer("mine", backend=None)
    assert isinstance(registry.pricer("other", backend=None), BruteForcePricer)
    assert any("first-dist and second-dist" in str(fault) for fault in registry.faults)


def failing_import():
    point = EntryPoint("broken", "no_such_module_anywhere", "rulecg")
    vars(point)["dist"] = FakeDistribution("broken-dist")
    return point


def failing_hook():
    def hook(register):
        register("half", BruteForcePricer)
        raise RuntimeError("boom")

    return plugin("broken", "broken-dist", rulecg_register_pricers=hook)


def unknown_hook():
    return plugin("broken", "broken-dist", rulecg_register_everything=lambda register: None)


def not_a_backend():
    return plugin("broken", "broken-dist", rulecg_register_backends=lambda register: register("x", object))


def bad_name():
    return plugin("broken", "broken-dist", **pricers("a name: with=signs"))


@pytest.mark.parametrize("broken", [failing_import, failing_hook, unknown_hook, not_a_backend, bad_name])
def test_a_broken_plugin_is_reported_by_name_while_the_rest_goes_on(broken):
    """The distribution is named, nothing half-registered is left, and good plugins still load."""
    registry = load_registry([plugin("a", "good-dist", **pricers("good")), broken()])
    assert registry.names("pricer") == ["good"]
    assert [fault.distribution for fault in registry.faults] == ["broken-dist"]
    assert "broken" in str(registry.faults[0])


def test_a_factory_that_makes_something_else_is_a_plugin_error():
    """A contract broken at creation names the distribution."""
    registry = load_registry([plugin("p", "stranger", **pricers("mine", factory=dict))])
    with pytest.raises(PluginError, match="stranger made a dict"):
        registry.pricer("mine", backend=None)


def test_observers_hear_events_until_they_fail():
    """A plugin that listens gets every event; one that raises is reported once and left alone."""
    heard = []

    def good(event):
        heard.append(event)

    def bad(event):
        raise RuntimeError("deaf")

    registry = load_registry(
        [plugin("a", "good-dist", rulecg_on_event=good), plugin("b", "bad-dist", rulecg_on_event=bad)]
    )
    for _ in range(2):
        registry.notify(Note(0.0, "hello"))
    assert len(heard) == 2
    assert [fault.distribution for fault in registry.faults] == ["bad-dist"]


@pytest.mark.parametrize(
    ("kind", "ask", "nearest"),
    [
        ("backend", lambda r: r.backend("hihgs"), "highs"),
        ("pricer", lambda r: r.pricer("beem", None), "beam"),
        ("constraint", lambda r: r.constraint("complexty:3"), "complexity"),
    ],
)
def test_unknown_names_suggest_the_nearest(kind, ask, nearest):
    """The error lists what is known and guesses what was meant."""
    with pytest.raises(UnknownNameError, match=f"Unknown {kind}.*Did you mean '{nearest}'"):
        ask(load_registry())


def test_wrong_options_show_the_signature():
    """Options that a factory does not take are refused with what it does take."""
    with pytest.raises(ConfigurationError, match=r"complexity.*bound"):
        load_registry().constraint("complexity:3,colour=red")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("beam", ("beam", [], {})),
        ("eo:0.05", ("eo", [0.05], {})),
        ("eo:0.05,eps-fpr=0.1", ("eo", [0.05], {"eps_fpr": 0.1})),
        ("x:a,flag=true,n=3,none=none", ("x", ["a"], {"flag": True, "n": 3, "none": None})),
    ],
)
def test_calls_are_read_from_text(text, expected):
    """A name with arguments, as the command line and constraints=[...] take it."""
    assert parse_call(text) == expected


def test_positional_after_named_is_an_error():
    """As in Python."""
    with pytest.raises(ConfigurationError, match="after a named argument"):
        parse_call("x:a=1,2")


def test_a_plugin_for_another_api_is_named_and_skipped():
    """Both numbers are told, nothing of it is registered, and good plugins still load."""
    other, same = plugin("new", "newer-dist", **pricers("new")), plugin("a", "good-dist", **pricers("good"))
    sys.modules[other.value].RULECG_API = API + 1
    sys.modules[same.value].RULECG_API = API
    registry = load_registry([same, other])
    assert registry.names("pricer") == ["good"]
    (fault,) = registry.faults
    assert (fault.plugin, fault.distribution) == ("new", "newer-dist")
    assert f"API {API + 1}, but this version has {API}" in fault.message


def test_a_forgotten_mark_is_told():
    """A hook without @hookimpl would be passed over without a word; the rest of the plugin loads."""
    point = plugin("half", "half-dist", **pricers("good"))

    def rulecg_register_constraints(register):
        register("lost", object)

    sys.modules[point.value].rulecg_register_constraints = rulecg_register_constraints
    registry = load_registry([point])
    assert registry.names("pricer") == ["good"]
    assert registry.names("constraint") == []
    (fault,) = registry.faults
    assert fault.distribution == "half-dist"
    assert "rulecg_register_constraints has no effect" in fault.message
    assert "@rulecg_core.hookimpl" in fault.message


def raises():
    raise OSError("no licence")


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        (raises, "OSError: no licence"),
        (lambda: None, "returned None"),
        (lambda: Availability(False, "out of order"), "out of order"),
    ],
    ids=["raises", "None", "no"],
)
def test_availability_that_fails_says_no(answer, told):
    """A plugin that cannot say whether it can be used cannot be: asking for it names the reason, the rest goes on."""
    factory = type("Asked", (BruteForcePricer,), {"availability": staticmethod(answer)})

    def hook(register):
        register("asked", factory, default=1)
        register("good", BruteForcePricer, default=2)

    registry = load_registry([plugin("p", "stranger", rulecg_register_pricers=hook)])
    found = registry.entry("pricer", "asked").availability
    assert not found.available
    assert told in found.reason
    assert registry.defaults("pricer", is_large=False) == ["good"]
    with pytest.raises(BackendUnavailable, match=told):
        registry.pricer("asked", backend=None)
