"""The final choice among the generated rules: restricted MIP, Pool Select, and every bound checked in true counts."""

from __future__ import annotations

from collections.abc import Iterable

from attrs import define, field

from .master import Candidate, Master


@define
class CandidatePool:
    """Every rule set met, each once. The best by objective and the one to choose are not always the same."""

    master: Master
    candidates: dict[frozenset[object], Candidate] = field(factory=dict)

    def add(self, found: Iterable[Candidate]) -> None:
        for candidate in found:
            self.candidates.setdefault(frozenset(candidate.rules), candidate)

    @property
    def best(self) -> Candidate | None:
        """Least objective among those that the master calls feasible."""
        return min(
            (c for c in self.candidates.values() if c.proxy_violation <= 1e-6),
            key=lambda c: (c.objective, c.errors, c.complexity),
            default=None,
        )

    def choose(self) -> Candidate | None:
        """Pool Select: fewest true errors among those whose every bound holds in true counts."""
        return min(
            (c for c in self.candidates.values() if c.is_feasible),
            key=lambda c: (c.errors, c.objective, c.complexity),
            default=None,
        )
