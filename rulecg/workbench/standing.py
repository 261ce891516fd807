"""Where a conversation stands: the rules on the table, which of them are kept, and what is banned."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeAlias

from attrs import evolve, frozen

from rulecg_core import Condition

Clause: TypeAlias = tuple[Condition, ...]


def same(one: Clause, other: Clause) -> bool:
    """Whether two rules have the same conditions, in whatever order."""
    return frozenset(one) == frozenset(other)


@frozen
class Standing:
    """A rule set in the making; every edit makes a new one."""

    rules: tuple[Clause, ...] = ()
    """The draft, kept rules included."""
    kept: tuple[Clause, ...] = ()
    banned: tuple[str | Condition, ...] = ()
    """Columns and conditions that no rule may use."""

    def is_banned(self, condition: Condition) -> bool:
        """Whether no rule may use a condition."""
        return condition in self.banned or condition.column in self.banned

    def is_kept(self, clause: Clause) -> bool:
        """Whether every completion must have a rule."""
        return any(same(clause, other) for other in self.kept)

    def keeping(self, clause: Clause) -> Standing:
        """Keep a rule; it joins the draft when it is not there."""
        rules = self.rules if any(same(clause, other) for other in self.rules) else (*self.rules, clause)
        kept = self.kept if self.is_kept(clause) else (*self.kept, clause)
        return evolve(self, rules=rules, kept=kept)

    def without(self, clause: Clause) -> Standing:
        """Take a rule out of the draft; it is not kept any more."""
        return evolve(self, rules=_without(self.rules, clause), kept=_without(self.kept, clause))

    def released(self, clause: Clause) -> Standing:
        """Keep a rule no longer; it stays in the draft."""
        return evolve(self, kept=_without(self.kept, clause))

    def banning(self, name: str | Condition) -> Standing:
        """Ban a column or a condition; free rules that use it leave the draft."""
        banned = evolve(self, banned=tuple(dict.fromkeys([*self.banned, name])))
        return evolve(banned, rules=tuple(rule for rule in self.rules if not any(map(banned.is_banned, rule))))

    def allowing(self, name: str | Condition) -> Standing:
        """Lift a ban."""
        return evolve(self, banned=tuple(each for each in self.banned if each != name))

    def is_part_of(self, other: Standing) -> bool:
        """Whether every rule set that this standing allows is allowed by the other one, as far as bans and kept rules
        go."""
        return set(other.banned) <= set(self.banned) and all(self.is_kept(rule) for rule in other.kept)

    def allows(self, rules: Iterable[Clause]) -> bool:
        """Whether a rule set has every kept rule and nothing that is banned."""
        rules = list(rules)
        return all(any(same(kept, rule) for rule in rules) for kept in self.kept) and not any(
            self.is_banned(condition) for rule in rules for condition in rule
        )


def _without(rules: tuple[Clause, ...], clause: Clause) -> tuple[Clause, ...]:
    return tuple(rule for rule in rules if not same(rule, clause))
