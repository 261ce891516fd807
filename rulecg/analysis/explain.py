"""Which rule decided and why; for rejected rows the smallest changes that would have led to acceptance."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from attrs import field, frozen

from rulecg_core import ConfigurationError, Mark, RuleSet, UnknownNameError
from rulecg_core.base.arrays import BoolArray
from rulecg_core.data.conditions import is_missing, show_value
from rulecg_core.data.phrases import conjunction
from rulecg_core.data.rule_text import phrase_text, visible

from ..model.model import Model
from .recourse import Needs, RecourseSearch, candidates


@frozen
class Change:
    """One column that would have to have another value."""

    column: str
    current: Any
    """The value in the row; None when it is missing."""
    needed: str
    """What the column would have to be, in words such as ``income > 50``."""
    nearest: Any = field(repr=False)
    """The nearest value that is enough."""

    def __str__(self) -> str:
        current = "is missing" if self.current is None else f"is {visible(show_value(self.current))}"
        return f"{self.needed} ({current})"


@frozen
class Way:
    """A smallest set of changes that leads to acceptance."""

    changes: tuple[Change, ...]
    rule: int | None = None
    """Which rule would then fire, counted from 0; None for CNF, where all clauses must hold."""

    def __str__(self) -> str:
        return " and ".join(map(str, self.changes))


@frozen
class Explanation:
    """Why one row got its prediction."""

    prediction: Any
    accepted: bool
    """Whether the rule set's outcome is predicted."""
    fired: tuple[int, ...]
    """The rules that decided, counted from 0. DNF: those that hold. CNF: all clauses for an accepted row, those that
    fail for a rejected one."""
    rules: tuple[str, ...]
    """The same rules as text."""
    ways: tuple[Way, ...] = ()
    """For a rejected row: all of the smallest ways to acceptance, at most as many as reasons were asked for."""
    logic: str = "dnf"

    @property
    def reason(self) -> str:
        """What decided, in words.

        Examples
        --------
        >>> Explanation("no", False, (1,), ("income > 50 or job == nurse",), logic="cnf").reason
        'not (income > 50 or job == nurse)'
        """
        if self.logic == "dnf":
            return "; ".join(self.rules) or "no rule applies"
        if self.accepted:
            return " and ".join(f"({rule})" for rule in self.rules) or "always"
        return " and ".join(f"not ({rule})" for rule in self.rules)

    def __str__(self) -> str:
        lines = [f"{visible(str(self.prediction))}: {self.reason}"]
        lines += [f"  would change with {way}" for way in self.ways]
        return "\n".join(lines)


def explain_model(
    model: Model, table: Any, *, immutable: Sequence[str] | None = None, max_reasons: int = 4
) -> list[Explanation]:
    """Explain a model's predictions.

    Parameters
    ----------
    model : Model
        The model.
    table : DataFrame
        The rows.
    immutable : sequence of str or None
        Columns that are never proposed to change; None for the sensitive ones.
    max_reasons : int
        At most so many changes in a way, and so many ways.

    Returns
    -------
    list of Explanation
        One for every row; with several classes without ways to another prediction.
    """
    predictions = model.predict(table).tolist()
    fixed = model.sensitive_columns if immutable is None else immutable
    if model.is_binary:
        known = set(model.rule_set.columns) | set(model.sensitive_columns)
        return explain_rule_set(
            model.rule_set, table, predictions, immutable=fixed, known=known, max_reasons=max_reasons
        )
    covered = [rule_set.covers(table) for rule_set in model.rule_sets]
    texts = [rule_set.texts() for rule_set in model.rule_sets]
    explanations = []
    for row, prediction in enumerate(predictions):
        number = model.classes.index(prediction)
        rule_set = model.rule_sets[number]
        accepted, fired = _decided(covered[number][row], rule_set.logic)
        shown = tuple(texts[number][position] for position in fired)
        explanations.append(Explanation(prediction, accepted, fired, shown, logic=rule_set.logic))
    return explanations


def explain_rule_set(
    rule_set: RuleSet,
    table: Any,
    predictions: Sequence[Any] | None = None,
    *,
    immutable: Sequence[str] = (),
    known: set[str] | None = None,
    max_reasons: int = 4,
) -> list[Explanation]:
    """Explain one rule set's predictions, row by row; a value is never advised to become missing.

    Parameters
    ----------
    rule_set : RuleSet
        The rules.
    table : DataFrame, dict of columns or 2-D array
        The rows.
    predictions : sequence or None
        What to call the predictions; None for truth values.
    immutable : sequence of str
        Columns that are never proposed to change.
    known : set of str or None
        Columns that may be named as immutable; None for those of the rule set.
    max_reasons : int
        At most so many changes in a way, and so many ways.

    Returns
    -------
    list of Explanation
        One for every row.

    Raises
    ------
    ConfigurationError
        When an immutable column is unknown, or no reason is wanted.

    Examples
    --------
    >>> from rulecg_core import Condition
    >>> rules = RuleSet.of([[Condition("income", ">", 50)], [Condition("job", "==", "nurse")]], outcome="approved")
    >>> print(explain_rule_set(rules, {"income": [40], "job": ["cook"]}, ["no"])[0])
    no: no rule applies
      would change with income > 50 (is 40)
      would change with job == nurse (is cook)
    """
    if isinstance(immutable, str):
        raise ConfigurationError(f"immutable must be a sequence of column names, such as [{immutable!r}].")
    if max_reasons < 1:
        raise ConfigurationError(f"max_reasons must be at least 1, not {max_reasons!r}.")
    names = set(rule_set.columns) if known is None else known
    for name in immutable:
        if name not in names:
            raise UnknownNameError("column", name, names)
    covered = rule_set.covers(table)
    decided = [_decided(row, rule_set.logic) for row in covered]
    rejected = np.array([not accepted for accepted, _ in decided], dtype=bool)
    ways = _ways(rule_set, table, rejected, frozenset(immutable), max_reasons)
    texts = rule_set.texts()
    return [
        Explanation(
            prediction=accepted if predictions is None else predictions[row],
            accepted=accepted,
            fired=fired,
            rules=tuple(texts[position] for position in fired),
            ways=ways.get(row, ()),
            logic=rule_set.logic,
        )
        for row, (accepted, fired) in enumerate(decided)
    ]


def _decided(holds: BoolArray, logic: str) -> tuple[bool, tuple[int, ...]]:
    """Whether a row is accepted, and the rules that decided: all clauses must hold in CNF, one that fails rejects."""
    accepted = bool(holds.any() if logic == "dnf" else holds.all())
    return accepted, tuple(np.flatnonzero(holds if logic == "dnf" or accepted else ~holds).tolist())


def _ways(
    rule_set: RuleSet, table: Any, rejected: BoolArray, immutable: frozenset[str], most: int
) -> dict[int, tuple[Way, ...]]:
    """For every rejected row its smallest ways; rows whose conditions hold alike are solved once."""
    rows = np.flatnonzero(rejected)
    if not len(rows) or not rule_set.conditions:
        return {}
    columns = {name: rule_set.column_of(table, name) for name in {c.column for c in rule_set.conditions}}
    holds = np.column_stack([condition.holds(columns[condition.column]) for condition in rule_set.conditions])[rows]
    patterns, pattern_of = np.unique(holds, axis=0, return_inverse=True)
    search = RecourseSearch(rule_set, immutable, most)
    found = [search.smallest(pattern) for pattern in patterns]
    values = {name: _values(column, rows) for name, column in columns.items()}
    targets = {needs: _Target.of(needs) for ways in found for _, way in ways for needs in way.values()}
    return {
        int(row): tuple(
            Way(tuple(targets[needs].change(name, values[name][place]) for name, needs in way.items()), rule)
            for rule, way in found[pattern]
        )
        for place, (row, pattern) in enumerate(zip(rows, pattern_of.reshape(-1), strict=True))
    }


def _values(column: Any, rows: Any) -> list[Any]:
    missing = is_missing(column)[rows]
    chosen = np.asarray(column.astype(object) if hasattr(column, "isna") else column)[rows].tolist()
    return [None if absent else value for value, absent in zip(chosen, missing, strict=True)]


@frozen
class _Target:
    """What one column would have to be: in words, and values that are enough."""

    needed: str
    enough: tuple[Any, ...]

    @classmethod
    def of(cls, needs: Needs) -> _Target:
        phrases = conjunction(needs)
        assert not isinstance(phrases, bool)
        enough = [value for value in candidates(needs) if all(condition.holds([value])[0] for condition in needs)]
        return cls(" and ".join(phrase_text(phrase) for phrase in phrases), tuple(enough))

    def change(self, column: str, current: Any) -> Change:
        nearest = self.enough[0]
        if isinstance(nearest, Mark) and current is not None:
            (place,) = nearest.scale.numbers([current], column)
            if np.isfinite(place):
                current = Mark(float(place), nearest.scale)
        if isinstance(current, (int, float)) and all(isinstance(value, (int, float)) for value in self.enough):
            nearest = min(self.enough, key=lambda value: abs(value - current))
        return Change(column, current, self.needed, nearest)
