"""Who a plugin is: its name, its class, the distribution it came from, and whether its word may close a proof."""

from __future__ import annotations

from functools import cache
from importlib.metadata import entry_points, packages_distributions

GROUP = "rulecg"


@cache
def _distribution_of_package(package: str) -> str | None:
    for point in entry_points(group=GROUP):
        if point.dist is not None and point.value.partition(".")[0].partition(":")[0] == package:
            return point.dist.name
    found = packages_distributions().get(package, [])
    return found[0] if found else None


def distribution_of(plugin: object) -> str | None:
    """The installed distribution that a plugin's class belongs to; None when it belongs to none."""
    return _distribution_of_package(_package_of(type(plugin).__module__))


def is_trusted(plugin: object, *methods: str) -> bool:
    """Whether what a plugin's methods say may close a proof: when their code comes with the core.

    A stranger's class that inherits the methods unchanged is trusted with them; one that overrides one of them is not.
    """
    return all(_comes_with_the_core(plugin, method) for method in methods if hasattr(type(plugin), method))


def _comes_with_the_core(plugin: object, method: str) -> bool:
    if method in getattr(plugin, "__dict__", {}) and callable(vars(plugin)[method]):
        # A method that was put on the object itself is anybody's.
        return False
    found = next(vars(kind)[method] for kind in type(plugin).__mro__ if method in vars(kind))
    function = getattr(found, "fget", found)
    package, own = _package_of(getattr(function, "__module__", "")), _package_of(__name__)
    if package == own:
        return True
    distribution = _distribution_of_package(own)
    return distribution is not None and _distribution_of_package(package) == distribution


def _package_of(module: str) -> str:
    return module.partition(".")[0]


def describe(name: str, plugin: object) -> str:
    """Name a plugin so that a person can find it.

    >>> from rulecg_core import Complexity
    >>> describe("size", Complexity(3))
    "'size' (rulecg_core.masters.size_bounds.Complexity of rulecg)"
    """
    place = f"{type(plugin).__module__}.{type(plugin).__qualname__}"
    distribution = distribution_of(plugin)
    return f"{name!r} ({place}{f' of {distribution}' if distribution else ''})"


def fault_of(kind: str, name: str, plugin: object, error: BaseException) -> str:
    """Say which plugin failed and how, in one sentence without its full stop."""
    return f"the {kind} {describe(name, plugin)} failed: {type(error).__name__}: {error}"
