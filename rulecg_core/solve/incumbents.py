"""The rule sets met so far."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from attrs import define, field

from ..data.goal import Candidate
from ..data.rules import Rule


@define(eq=False)
class Incumbents:
    """Every rule set met, each once. The best by objective and the one to choose are not always the same."""

    known: dict[frozenset[Rule], Candidate] = field(factory=dict)

    def add(self, found: Iterable[Candidate]) -> bool:
        """Take in rule sets; whether one of them is the best so far."""
        before = self.best
        for candidate in found:
            self.known.setdefault(frozenset(candidate.rules), candidate)
        return self.best is not before

    @property
    def best(self) -> Candidate | None:
        """Least objective among those that keep every row as the master counts."""
        return self._least(lambda c: c.keeps_rows, _by_objective)

    @property
    def best_kept(self) -> Candidate | None:
        """Least objective among those that keep every row as the master counts and in true counts."""
        return self._least(lambda c: c.keeps_rows and c.is_feasible, _by_objective)

    @property
    def kept(self) -> list[Candidate]:
        """Those that keep every row as the master counts and in true counts."""
        return [found for found in self.known.values() if found.keeps_rows and found.is_feasible]

    def choose(self) -> Candidate | None:
        """Pool Select: least cost (unless stakes differ, fewest true errors) among those whose every bound holds in
        true counts."""
        return self._least(lambda c: c.is_feasible, lambda c: (c.cost, c.errors, c.objective, c.complexity))

    def nearly_chosen(self, most: int) -> tuple[tuple[Rule, ...], ...]:
        """The rules of those that could have been chosen, in the order of the choice."""
        feasible = [candidate for candidate in self.known.values() if candidate.is_feasible]
        feasible.sort(key=lambda c: (c.cost, c.errors, c.objective, c.complexity))
        return tuple(candidate.rules for candidate in feasible[:most])

    @property
    def needs_repair(self) -> bool:
        """Whether the proxy misled: the best rule set as the master counts breaks a bound in true counts, and those
        that keep every bound cost more."""
        best, chosen = self.best, self.choose()
        if chosen is None:
            return True
        return best is not None and not best.is_feasible and chosen.cost > best.cost

    def _least(
        self, allowed: Callable[[Candidate], bool], key: Callable[[Candidate], tuple[float, ...]]
    ) -> Candidate | None:
        return min(filter(allowed, self.known.values()), key=key, default=None)


def _by_objective(candidate: Candidate) -> tuple[float, ...]:
    return candidate.objective, candidate.cost, candidate.errors, candidate.complexity
