"""Error balance: wrong selections and wrong rejections of a group cancel out."""

from __future__ import annotations

from collections.abc import Sequence

from attrs import field, frozen

from rulecg_core import ConfigurationError, Constraint, Problem, Row, settings


@frozen
class ErrorBalance(Constraint):
    """Every group's selection rate is within eps of its share of positives."""

    eps: float = field(validator=settings.share)
    column: str | None = field(default=None, validator=settings.optional(settings.text))

    def rows(self, problem: Problem) -> Sequence[Row]:
        groups = problem.sensitive_groups.crossed(None if self.column is None else [self.column])
        if not groups:
            raise ConfigurationError("ErrorBalance is about groups: pass sensitive_features to fit.")
        rows = []
        for group in groups:
            selected = problem.selection_rate(group)
            weights = problem.weights[group.members]
            excess = selected - float(weights @ problem.labels[group.members] / weights.sum())
            rows.append(Row(excess, hi=self.eps, name=f"too many selections: {group}"))
            rows.append(Row(excess, lo=-self.eps, name=f"too few selections: {group}"))
        return rows
