"""What plugins offer, by kind and name, and how to create it."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, Literal, Protocol, TypeAlias

from attrs import define, field, frozen

from ..api.backend import Availability, Backend
from ..api.constraint import Constraint
from ..api.pricing import Pricer
from ..base.errors import ConfigurationError, PluginError, UnknownNameError
from ..base.events import Event
from .config import Config, load_config

Kind: TypeAlias = Literal["backend", "pricer", "constraint", "master", "audit"]
KINDS: tuple[Kind, ...] = ("backend", "pricer", "constraint", "master", "audit")


class Register(Protocol):
    """What a registration hook is given.

    ``placement`` says where the thing takes part by default, in words of its kind: an audit gives the ``section`` of
    the report that it belongs to, a ``title``, its ``order`` there and what it ``needs``.
    """

    def __call__(
        self, name: str, factory: Callable[..., Any], *, needs_backend: bool = False, **placement: Any
    ) -> None: ...


@frozen
class Entry:
    """One thing that a plugin offers."""

    kind: Kind
    name: str
    factory: Callable[..., Any]
    distribution: str
    needs_backend: bool = False
    options: Mapping[str, Any] = field(factory=dict)
    """Where it takes part by default, as its plugin said when registering it."""

    @property
    def summary(self) -> str:
        """The first line of the factory's own documentation."""
        return (inspect.getdoc(self.factory) or "").partition("\n")[0]

    @property
    def availability(self) -> Availability:
        """Whether it can be used here: what its own ``availability()`` says, if it has one.

        One that raises or answers something else makes it unavailable, with that as the reason.
        """
        ask = getattr(self.factory, "availability", None)
        if ask is None:
            return Availability(True)
        try:
            found = ask()
        except Exception as error:  # a stranger's code: anything may come
            return Availability(False, f"its availability() raised {type(error).__name__}: {error}")
        if not isinstance(found, Availability):
            return Availability(False, f"its availability() returned {found!r:.60} instead of an Availability")
        return found


@frozen
class Problem:
    """A plugin that could not be used, in whole or in part."""

    plugin: str
    distribution: str
    message: str

    def __str__(self) -> str:
        return f"plugin {self.plugin!r} of {self.distribution}: {self.message}"


@define
class Registry:
    """Everything that the loaded plugins registered."""

    entries: dict[tuple[Kind, str], list[Entry]] = field(factory=dict)
    problems: list[Problem] = field(factory=list)
    observers: list[tuple[str, Callable[[Event], None]]] = field(factory=list)
    config: Config = field(factory=load_config)

    def add(self, entry: Entry) -> None:
        self.entries.setdefault((entry.kind, entry.name), []).append(entry)

    def names(self, kind: Kind) -> list[str]:
        return sorted(name for entry_kind, name in self.entries if entry_kind == kind)

    def __iter__(self) -> Iterator[Entry]:
        for key in sorted(self.entries, key=lambda key: (KINDS.index(key[0]), key[1])):
            yield from self.entries[key]

    def entry(self, kind: Kind, name: str) -> Entry:
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
        entry.factory.require()  # type: ignore[attr-defined]
        return _create(entry, Backend, (), self.config.options_for(name))

    def pricer(self, pricer: str | Pricer, backend: Backend) -> Pricer:
        """A pricer by name, ``"name:key=value"`` for options."""
        if isinstance(pricer, Pricer):
            return pricer
        name, args, options = parse_call(_checked_name("pricer", pricer))
        entry = self.entry("pricer", name)
        if entry.needs_backend:
            options["backend"] = backend
        return _create(entry, Pricer, args, options)

    def constraint(self, constraint: str | Constraint) -> Constraint:
        """A constraint by name and arguments, such as ``"equalized-odds:0.05"``."""
        if isinstance(constraint, Constraint):
            return constraint
        name, args, options = parse_call(_checked_name("constraint", constraint))
        return _create(self.entry("constraint", name), Constraint, args, options)

    def master(self, master: str) -> Callable[..., Any]:
        """What makes a master of a problem, constraints and a backend, by name: ``"name:key=value"`` for options."""
        name, args, options = parse_call(_checked_name("master", master))
        entry = self.entry("master", name)
        try:
            inspect.signature(entry.factory).bind(None, (), None, *args, **options)
        except TypeError as error:
            raise ConfigurationError(
                f"The master {name!r} cannot be made from these options: {error}. It takes "
                f"{name}{_signature(entry.factory)}."
            ) from None
        return partial(entry.factory, *args, **options) if args or options else entry.factory

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
                self.problems.append(Problem("rulecg_on_event", distribution, f"stopped listening: {error!r}"))


def _create(entry: Entry, kind: type[Any], args: Sequence[Any], options: dict[str, Any]) -> Any:
    try:
        made = entry.factory(*args, **options)
    except TypeError as error:
        raise ConfigurationError(
            f"The {entry.kind} {entry.name!r} cannot be made from these options: {error}. "
            f"It takes {entry.name}{_signature(entry.factory)}."
        ) from None
    if not isinstance(made, kind):
        raise PluginError(
            f"The {entry.kind} {entry.name!r} of {entry.distribution} made a {type(made).__name__}, which is no "
            f"{kind.__name__}.",
            entry.distribution,
        )
    return made


def _signature(factory: Callable[..., Any]) -> str:
    try:
        return str(inspect.signature(factory))
    except (TypeError, ValueError):
        return "(...)"


def _checked_name(kind: str, name: object) -> str:
    if not isinstance(name, str):
        raise ConfigurationError(f"A {kind} is given by its name or as an object, not as {name!r}.")
    return name


def parse_call(text: str) -> tuple[str, list[Any], dict[str, Any]]:
    """``"name:0.05,key=2"`` as name, positional and named arguments; numbers are read as numbers.

    >>> parse_call("equalized-odds:0.05,eps_fpr=0.1")
    ('equalized-odds', [0.05], {'eps_fpr': 0.1})
    """
    name, _, rest = text.partition(":")
    args: list[Any] = []
    options: dict[str, Any] = {}
    for part in filter(None, (piece.strip() for piece in rest.split(","))):
        key, equals, value = part.partition("=")
        if equals:
            options[key.strip().replace("-", "_")] = _literal(value.strip())
        elif options:
            raise ConfigurationError(f"In {text!r}, {part!r} stands after a named argument: put it first or name it.")
        else:
            args.append(_literal(part))
    return name.strip(), args, options


def _literal(text: str) -> Any:
    words: dict[str, Any] = {"true": True, "false": False, "none": None}
    if text.lower() in words:
        return words[text.lower()]
    for read in (int, float):
        try:
            return read(text)
        except ValueError:
            continue
    return text
