"""What the workbench answers to an edit."""

from __future__ import annotations

import math

from attrs import frozen

from .standing import Clause


@frozen
class Figures:
    """What was counted about one rule set on the training rows."""

    objective: float
    errors: float
    accuracy: float
    complexity: float
    broken: tuple[str, ...] = ()
    """Bounds that it breaks, in true counts or as the solver counts."""


@frozen
class Price:
    """What something costs: objectives of the best rule sets with it, less those without."""

    least: float
    """Proven: it costs at least this."""
    most: float
    """It costs at most this."""

    @property
    def is_exact(self) -> bool:
        """Whether both ends are proven to be one."""
        return self.least == self.most

    def __str__(self) -> str:
        if self.is_exact:
            return f"{self.least:g}"
        if math.isinf(self.least):
            return f"at most {self.most:g}" if math.isfinite(self.most) else "not known yet"
        return f"{self.least:g} to {self.most:g}" if math.isfinite(self.most) else f"at least {self.least:g}"


@frozen
class Answer:
    """The draft's own figures, and the best rule set with what is kept so far."""

    command: str
    rules: tuple[str, ...]
    """The draft, one text per rule."""
    kept: tuple[bool, ...]
    banned: tuple[str, ...]
    draft: Figures
    completion: tuple[str, ...] | None
    """The best rule set known that has every kept rule and nothing banned; None while none is known."""
    completed: Figures | None
    bound: float | None
    """No such rule set has an objective below this."""
    is_final: bool
    """Whether completion and bound will not change any more."""
    is_optimal: bool
    """Whether the completion is proven to be the best."""
    cost: Price | None
    """What all that is kept and banned costs together, against the best rule set without any of it."""
    expected: float | None
    """The draft's accuracy to expect on new rows: its training accuracy less what folds lost between training and
    test rows; None until the folds are computed."""
    seconds: float
    failure: str | None = None
    """Why there is no completion."""

    def __str__(self) -> str:
        lines = []
        for number, (text, kept) in enumerate(zip(self.rules, self.kept, strict=True), 1):
            lines.append(f"  {number}{'*' if kept else ' '} {text}")
        draft = self.draft
        expected = "" if self.expected is None else f", expect {self.expected:.1%} on new rows"
        lines.append(
            f"draft: {draft.errors:g} errors ({draft.accuracy:.1%} right on these rows{expected}), "
            f"complexity {draft.complexity:g}, objective {draft.objective:g}"
        )
        lines += [f"  breaks {name}" for name in draft.broken]
        if self.banned:
            lines.append(f"banned: {', '.join(self.banned)}")
        lines += self._of_completion()
        lines.append(f"({self.seconds:.2f} s)")
        return "\n".join(lines)

    def _of_completion(self) -> list[str]:
        if self.failure is not None:
            return [f"no completion: {self.failure}"]
        if self.completion is None or self.completed is None:
            return ["best completion: none found yet"]
        state = "proven best" if self.is_optimal else ("final" if self.is_final else "so far")
        bound = "" if self.bound is None else f", none is below {self.bound:g}"
        lines = [
            f"best completion ({state}): objective {self.completed.objective:g}{bound}, "
            f"{self.completed.errors:g} errors ({self.completed.accuracy:.1%})"
        ]
        if self.cost is not None:
            lines.append(f"what is kept and banned costs: {self.cost}")
        return [*lines, *(f"    {text}" for text in self.completion)]


def texts_of(clauses: tuple[Clause, ...], logic: str) -> tuple[str, ...]:
    """Write rules as text that is read back: every condition, joined by ``and`` or, in CNF, ``or``."""
    joined = " and " if logic == "dnf" else " or "
    return tuple(joined.join(map(str, clause)) for clause in clauses)
