"""What rules may, must and rather should not be made of: options of the problem, not of a solver.

They are worked into the matrix before anything is learned, so that every master, pricer and search obeys them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from difflib import get_close_matches
from typing import Any, Literal, TypeAlias, get_args

import numpy as np
from attrs import field, frozen

from ..base.arrays import BoolArray, FloatArray
from ..base.errors import ConfigurationError
from .conditions import Condition

Direction: TypeAlias = Literal["increasing", "decreasing"]
_AGAINST: dict[str, tuple[str, ...]] = {
    "increasing": ("<=", "false", "==", "!="),
    "decreasing": (">", "true", "==", "!="),
}
"""Conditions that a prediction which only rises (falls) with the column cannot use."""


def _several(value: str | Condition | Iterable[str | Condition]) -> tuple[str | Condition, ...]:
    return (value,) if isinstance(value, (str, Condition)) else tuple(value)


def _pairs(value: Mapping[str, Any] | Iterable[tuple[str, Any]]) -> tuple[tuple[str, Any], ...]:
    return tuple(sorted(dict(value).items()))


@frozen
class ProblemOptions:
    """What rules may be made of. Names are those of columns, or conditions as they print (``"age <= 25"``).

    * ``forbid``: columns or conditions that no rule may use.
    * ``require``: conditions that every rule must have; given to all, they count neither as complexity nor towards
      ``max_conditions``.
    * ``monotone``: columns with which the prediction may only rise (``"increasing"``: only ``column > value``) or only
      fall (``"decreasing"``: only ``column <= value``). Whether a value is missing has no direction and stays usable.
    * ``costs``: what each condition on a column, or one condition, adds to the length of a rule; 1 unless given.

    >>> options = ProblemOptions(forbid=["race"], monotone={"income": "increasing"}, costs={"blood test": 3})
    """

    forbid: tuple[str | Condition, ...] = field(default=(), converter=_several)
    require: tuple[str | Condition, ...] = field(default=(), converter=_several)
    monotone: tuple[tuple[str, Direction], ...] = field(default=(), converter=_pairs)
    costs: tuple[tuple[str, float], ...] = field(default=(), converter=_pairs)

    def __attrs_post_init__(self) -> None:
        for column, direction in self.monotone:
            if direction not in get_args(Direction):
                raise ConfigurationError(
                    f"The direction of {column!r} must be {' or '.join(map(repr, get_args(Direction)))}, "
                    f"not {direction!r}."
                )

    def apply(self, X: BoolArray, conditions: Sequence[Condition], logic: str) -> Restricted:
        """The features that are left, with what is required already in them."""
        required = [self._one(condition, conditions) for condition in self.require]
        kept = self._allowed(conditions)
        for feature in required:
            if not kept[feature]:
                raise ConfigurationError(f"The condition {str(conditions[feature])!r} is both required and forbidden.")
        costs = np.ones(len(conditions))
        for name, cost in self.costs:
            costs[_matching(name, conditions)] = cost
        if required:
            # In CNF a clause holds where one of its conditions does; in DNF a rule where all of them do.
            joined = np.logical_and if logic == "dnf" else np.logical_or
            X = joined(X, joined.reduce(X[:, required], axis=1)[:, None])
            costs[required] = 0.0
        if not kept.any():
            raise ConfigurationError("No condition is left that rules may use: forbid less.")
        left = np.flatnonzero(kept).tolist()
        return Restricted(
            np.ascontiguousarray(X[:, left]),
            tuple(conditions[feature] for feature in left),
            costs[left],
            tuple(conditions[feature] for feature in dict.fromkeys(required)),
        )

    def _allowed(self, conditions: Sequence[Condition]) -> BoolArray:
        kept = np.ones(len(conditions), dtype=bool)
        for name in self.forbid:
            kept[_matching(name, conditions)] = False
        for column, direction in self.monotone:
            of_column = [at for at in _matching(column, conditions) if conditions[at].column == column]
            ordered = [at for at in of_column if conditions[at].operator in ("<=", ">", "true", "false")]
            if not ordered:
                raise ConfigurationError(
                    f"The column {column!r} has no condition with an order, so predictions cannot be monotone in it: "
                    "forbid it instead, or binarize it by thresholds."
                )
            kept[[at for at in of_column if conditions[at].operator in _AGAINST[direction]]] = False
        return kept

    def _one(self, condition: str | Condition, conditions: Sequence[Condition]) -> int:
        found = [at for at, known in enumerate(conditions) if condition in (known, str(known))]
        if not found:
            raise _unknown(condition, [str(known) for known in conditions])
        return found[0]


@frozen(eq=False)
class Restricted:
    """Features, what they mean and cost, and the conditions that every rule has besides."""

    X: BoolArray
    conditions: tuple[Condition, ...]
    costs: FloatArray
    required: tuple[Condition, ...]


def _matching(name: str | Condition, conditions: Sequence[Condition]) -> list[int]:
    """Features of the column of that name, or the one condition that prints so."""
    found = [at for at, known in enumerate(conditions) if name in (known.column, known, str(known))]
    if not found:
        raise _unknown(name, [*dict.fromkeys(known.column for known in conditions), *map(str, conditions)])
    return found


def _unknown(name: str | Condition, known: Sequence[str]) -> ConfigurationError:
    near = get_close_matches(str(name), known, n=3)
    hint = f" Did you mean {' or '.join(map(repr, near))}?" if near else ""
    return ConfigurationError(f"No condition of the problem is, or is on, {str(name)!r}.{hint}")
