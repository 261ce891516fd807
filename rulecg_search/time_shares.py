"""How kinds of work share the time of a search."""

from __future__ import annotations

from attrs import define, field


@define
class TimeShare:
    """Keep one kind of work to a share of the time: the full share while it brings something, else a falling one."""

    full: float
    least: float
    fall: float
    """By which factor the share falls after a turn that brought nothing."""
    spent: float = 0.0
    """Seconds that this work took."""
    others: float = 0.0
    """Seconds that all other work took."""
    share: float = field(init=False)

    def __attrs_post_init__(self) -> None:
        self.share = self.full

    @property
    def total(self) -> float:
        return self.spent + self.others

    @property
    def is_due(self) -> bool:
        return self.spent <= self.share * self.total

    def judge(self, *, brought_something: bool) -> None:
        """What a turn was good for."""
        self.share = self.full if brought_something else max(self.least, self.fall * self.share)
