"""Kinds of plugins: one entry is all that a further kind takes."""

import inspect

import pluggy
import pytest

import rulecg_core.testing
from rulecg_core.plugins.hookspecs import GROUP, hookimpl, specifications
from rulecg_core.plugins.kinds import KINDS, Kind


def test_one_entry_makes_a_hook():
    """A toy kind in a copy of the table has its hook, which calls a plugin's function with ``register``."""
    toy = Kind("toy", dict, "Call ``register(name, factory)`` for each toy.", None)
    kinds = {**KINDS, toy.name: toy}
    manager = pluggy.PluginManager(GROUP)
    manager.add_hookspecs(specifications(kinds.values()))

    class Plugin:
        @hookimpl
        def rulecg_register_toys(self, register):
            register("ball", dict)

    manager.register(Plugin())
    manager.check_pending()
    registered = []
    manager.hook.rulecg_register_toys(register=lambda name, factory: registered.append((name, factory)))
    assert registered == [("ball", dict)]
    assert not hasattr(specifications(), toy.hook)


@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
def test_every_kind_says_what_to_do(kind):
    """Its hook has the entry's help as documentation, and its contract is one that authors can import."""
    hook = getattr(specifications(), kind.hook)
    assert inspect.getdoc(hook) == kind.help
    assert "register(" in kind.help
    assert kind.contract is None or inspect.isclass(getattr(rulecg_core.testing, kind.contract))
    assert kind.base is None or kind.contract is not None
    assert KINDS[kind.name] is kind
