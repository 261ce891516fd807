"""What plugins offer, by kind and name, and how to create it."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Protocol, TypeVar

from attrs import define, field, frozen

from ..api.backend import Availability, Backend
from ..api.constraint import Constraint
from ..api.engine import Engine
from ..api.heuristic import Heuristic
from ..api.master import Master
from ..api.pricing import Pricer
from ..base.errors import BackendUnavailable, ConfigurationError, PluginError, UnknownNameError
from ..base.events import Event
from .calls import parse_call
from .config import Config, load_config
from .kinds import KINDS

Made = TypeVar("Made")


class Register(Protocol):
    """What a registration hook is given."""

    def __call__(
        self,
        name: str,
        factory: Callable[..., Any],
        *,
        needs_backend: bool = False,
        default: int | None = None,
        only_large: bool = False,
        **placement: Any,
    ) -> None: ...


@frozen
class Entry:
    """One thing that a plugin offers."""

    kind: str
    name: str
    factory: Callable[..., Any]
    distribution: str
    needs_backend: bool = False
    default: int | None = None
    """At which place it takes part when nobody asks for anything else; None when it does not."""
    only_large: bool = False
    """Whether it takes part by default on large data only."""
    placement: Mapping[str, Any] = field(factory=dict)
    """Where it belongs in a report: section, title, order, what it needs."""

    @property
    def summary(self) -> str:
        """The first line of the factory's own documentation."""
        return (inspect.getdoc(self.factory) or "").partition("\n")[0]

    @property
    def availability(self) -> Availability:
        """Whether it can be used here: its own ``availability()`` if it has one. One that fails says no."""
        asked = getattr(self.factory, "availability", None)
        if asked is None:
            return Availability(True)
        try:
            found = asked()
        except Exception as error:  # a stranger's code: anything may come
            return Availability(False, f"availability() of {self.distribution} raised {type(error).__name__}: {error}")
        if not isinstance(found, Availability):
            return Availability(False, f"availability() of {self.distribution} returned {found!r}, no Availability")
        return found


@frozen
class Fault:
    """A plugin that could not be used, in whole or in part."""

    plugin: str
    distribution: str
    message: str

    def __str__(self) -> str:
        return f"plugin {self.plugin!r} of {self.distribution}: {self.message}"


@define
class Registry:
    """Everything that the loaded plugins registered."""

    entries: dict[tuple[str, str], list[Entry]] = field(factory=dict)
    faults: list[Fault] = field(factory=list)
    observers: list[tuple[str, Callable[[Event], None]]] = field(factory=list)
    config: Config = field(factory=load_config)

    def add(self, entry: Entry) -> None:
        self.entries.setdefault((entry.kind, entry.name), []).append(entry)

    def names(self, kind: str) -> list[str]:
        return sorted(name for entry_kind, name in self.entries if entry_kind == kind)

    def __iter__(self) -> Iterator[Entry]:
        order = list(KINDS)
        for key in sorted(self.entries, key=lambda key: (order.index(key[0]) if key[0] in order else 99, key[1])):
            yield from self.entries[key]

    def of_kind(self, kind: str) -> list[Entry]:
        """All entries of one kind, by name."""
        return [entry for entry in self if entry.kind == kind]

    def defaults(self, kind: str, *, is_large: bool) -> list[str]:
        """The names of those that take part when nobody asks for anything else, in their order."""
        taking_part = [
            entry
            for entry in self.of_kind(kind)
            if entry.default is not None and (is_large or not entry.only_large) and entry.availability.available
        ]
        return [entry.name for entry in sorted(taking_part, key=lambda entry: (entry.default, entry.name))]

    def entry(self, kind: str, name: str) -> Entry:
        """The one entry of that name; an error that helps when there is none or more than one."""
        found = self.entries.get((kind, name), [])
        if not found:
            raise UnknownNameError(kind, name, self.names(kind))
        if len(found) > 1:
            claimants = " and ".join(entry.distribution for entry in found)
            raise PluginError(
                f"The {kind} name {name!r} is claimed by {claimants}. Uninstall one of them, or switch one off with "
                f"RULECG_DISABLE_PLUGINS.",
                found[-1].distribution,
            )
        return found[0]

    # Making one of each kind ----------------------------------------------------------------------------------------

    def make(self, kind: str, wanted: Any, backend: Backend | None = None) -> Any:
        """Make a plugin from text such as ``"name:0.05,key=2"``; one that is made already is passed through.

        Parameters
        ----------
        kind : str
            One of the names of :data:`KINDS`.
        wanted : str or an object of that kind
        backend : Backend or None
            Given to those that need one.
        """
        base = KINDS[kind].base
        if base is not None and isinstance(wanted, base):
            return wanted
        name, args, options = parse_call(_checked_name(kind, wanted))
        entry = self.entry(kind, name)
        if entry.needs_backend:
            options["backend"] = backend
        return _create(entry, args, options)

    def backend(self, backend: str | Backend | None = None) -> Backend:
        """A backend by name, with the configured options; the configured default when None."""
        if isinstance(backend, Backend):
            return backend
        for configured in self.config.backend_options:
            if ("backend", configured) not in self.entries:
                unknown = UnknownNameError("backend", configured, self.names("backend"))
                raise ConfigurationError(f"{self.config.source} sets options of a backend that is not there. {unknown}")
        name = self.config.backend if backend is None else backend
        entry = self.entry("backend", _checked_name("backend", name))
        made: Backend = _create(entry, (), self.config.options_for(name))
        return made

    def pricer(self, pricer: str | Pricer, backend: Backend) -> Pricer:
        """A pricer by name, ``"name:key=value"`` for options."""
        made: Pricer = self.make("pricer", pricer, backend)
        return made

    def heuristic(self, heuristic: str | Heuristic, backend: Backend | None = None) -> Heuristic:
        """A heuristic by name, ``"name:key=value"`` for options."""
        made: Heuristic = self.make("heuristic", heuristic, backend)
        return made

    def constraint(self, constraint: str | Constraint) -> Constraint:
        """A constraint by name and arguments, such as ``"equalized-odds:0.05"``."""
        made: Constraint = self.make("constraint", constraint)
        return made

    def engine(self, engine: str | Engine) -> Engine:
        """An engine by name, ``"name:key=value"`` for options; any executor is passed through."""
        made: Engine = self.make("engine", engine)
        return made

    def master(self, master: str) -> Callable[..., Master]:
        """What makes a master of a problem, constraints and a backend, by name: ``"name:key=value"`` for options."""
        name, args, options = parse_call(_checked_name("master", master))
        entry = self.entry("master", name)
        _check_options(entry, [None, (), None, *args], options)

        def make(problem: Any, constraints: Any, backend: Any, **more: Any) -> Master:
            made: Master = _create(entry, [problem, constraints, backend, *args], {**options, **more})
            return made

        return make

    def audit(self, name: str) -> Callable[..., Any]:
        """An audit by name: a function from labels, predictions and groups to a table for reports."""
        return self.entry("audit", _checked_name("audit", name)).factory

    def notify(self, event: Event) -> None:
        """Tell every plugin that listens; one that fails is reported once and not asked again."""
        for observer in list(self.observers):
            distribution, listen = observer
            try:
                listen(event)
            except Exception as error:  # a stranger's code: anything may come
                self.observers.remove(observer)
                self.faults.append(Fault("rulecg_on_event", distribution, f"stopped listening: {error!r}"))


def _create(entry: Entry, args: Sequence[Any], options: dict[str, Any]) -> Any:
    found = entry.availability
    if not found.available:
        raise BackendUnavailable(entry.name, found.reason, found.install, entry.kind)
    _check_options(entry, args, options)
    try:
        made = entry.factory(*args, **options)
    except (ConfigurationError, PluginError):
        raise
    except Exception as error:
        raise PluginError(
            f"The {entry.kind} {entry.name!r} of {entry.distribution} could not be made: "
            f"{type(error).__name__}: {error}.",
            entry.distribution,
        ) from error
    base = KINDS[entry.kind].base
    if base is not None and not isinstance(made, base):
        raise PluginError(
            f"The {entry.kind} {entry.name!r} of {entry.distribution} made a {type(made).__name__}, which is no "
            f"{base.__name__}.",
            entry.distribution,
        )
    return made


def _check_options(entry: Entry, args: Sequence[Any], options: Mapping[str, Any]) -> None:
    """Say what the factory takes when it cannot be called so."""
    try:
        signature = inspect.signature(entry.factory)
    except (TypeError, ValueError):
        return
    try:
        signature.bind(*args, **options)
    except TypeError as error:
        raise ConfigurationError(
            f"The {entry.kind} {entry.name!r} cannot be made from these options: {error}. It takes "
            f"{entry.name}{signature}."
        ) from None


def _checked_name(kind: str, name: object) -> str:
    if not isinstance(name, str):
        raise ConfigurationError(f"A {kind} is given by its name or as an object, not as {name!r}.")
    return name
