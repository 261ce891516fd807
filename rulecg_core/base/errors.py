"""Errors a person can act on. Every message says what is wrong and what to do about it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from difflib import get_close_matches

_NUMPY = re.compile(
    r"\bnp\.(?:(?:u?int|float|longdouble|complex|bool|str|bytes|datetime|timedelta)[\d_]*\(([^()]*)\)|(True|False)_)"
)


class RulecgError(Exception):
    """Base of every error that rulecg raises on purpose; numbers stand in its message as people write them."""

    def __init__(self, *parts: object) -> None:
        super().__init__(*(_as_people_write(part) if isinstance(part, str) else part for part in parts))


def _as_people_write(message: str) -> str:
    """The message with ``3.0`` and ``True`` where numpy shows its own types around them."""
    return _NUMPY.sub(r"\1\2", message)


class RulecgWarning(UserWarning):
    """Something that a person should know about data or answers, though nothing failed."""


class ConfigurationError(RulecgError, ValueError):
    """The data or the settings cannot be used as given."""


class UnknownNameError(ConfigurationError):
    """A backend, pricer, constraint or master was asked for by a name nobody registered."""

    def __init__(self, kind: str, name: str, known: Iterable[str]) -> None:
        known = sorted(known)
        near = get_close_matches(name, known, n=1)
        hint = f" Did you mean {near[0]!r}?" if near else ""
        listed = ", ".join(known) or "none"
        super().__init__(f"Unknown {kind} {name!r}.{hint} Known {kind}s: {listed}.")
        self.kind, self.name, self.known = kind, name, tuple(known)


class PluginError(RulecgError):
    """A plugin failed on import or broke its contract; names the distribution it came from."""

    def __init__(self, message: str, distribution: str | None = None) -> None:
        super().__init__(message)
        self.distribution = distribution


class BackendUnavailable(RulecgError):
    """What a backend, or another plugin, needs is not installed; says how to install it."""

    def __init__(self, backend: str, reason: str, install: str, kind: str = "backend") -> None:
        hint = f" Install it with: {install}" if install else ""
        super().__init__(f"The {kind} {backend!r} is not available: {reason}.{hint}")
        self.backend, self.reason, self.install = backend, reason, install


class SolveError(RulecgError):
    """A solver failed in a way that could be neither retried nor worked around."""


class InfeasibleError(RulecgError):
    """No rule set satisfies the constraints; names the rows in conflict and how far each is from its bound."""

    def __init__(self, shortfalls: Mapping[str, float], proven: bool = True) -> None:
        verdict = "No rule set satisfies" if proven else "No rule set was found that satisfies"
        parts = [
            f"{name} (reachable when its bound is loosened by {missing:.4g})" if missing > 1e-9 else name
            for name, missing in shortfalls.items()
        ]
        super().__init__(
            f"{verdict} all constraints. Rows in conflict: {', '.join(parts) or 'unknown'}. "
            "Loosen a bound, raise the complexity limit, or drop a constraint."
        )
        self.shortfalls, self.proven = dict(shortfalls), proven


class UnconfirmedError(InfeasibleError):
    """No solution found: rows kept aside do not confirm that the learned rule set keeps a bound on new rows."""

    def __init__(self, message: str) -> None:
        RulecgError.__init__(self, message)
        self.shortfalls, self.proven = {}, False
