"""Scales: dates, durations and ordered categories as numbers, which people still read as what they are."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, Literal, get_args

import numpy as np
from attrs import frozen

from ...base.arrays import AnyArray, FloatArray
from ...base.errors import ConfigurationError

ScaleKind = Literal["date", "datetime", "duration", "order"]

_SECOND = 10**6
_DAY = 86_400 * _SECOND
_CALENDAR: dict[str, tuple[Literal["Y", "M", "D", "h", "m", "s"], ...]] = {
    "date": ("Y", "M", "D"),
    "datetime": ("Y", "M", "D", "h", "m", "s"),
}
_LENGTHS = (
    *(days * _DAY for days in (1000, 100, 10, 1)),
    *(hours * 3600 * _SECOND for hours in (6, 1)),
    *(minutes * 60 * _SECOND for minutes in (10, 1)),
    *(seconds * _SECOND for seconds in (10, 1)),
    1000,
    1,
)


@frozen
class Scale:
    """What the numbers of a column stand for.

    Parameters
    ----------
    kind : "date", "datetime", "duration" or "order"
        Days since 1970, seconds since 1970 (UTC), seconds, or the place among ordered categories.
    levels : tuple of str
        The categories from lowest to highest, for ``"order"`` alone.

    Examples
    --------
    >>> grades = Scale("order", ("low", "medium", "high"))
    >>> grades.numbers(["high", None, "low"], "grade").tolist()
    [2.0, nan, 0.0]
    >>> Scale("date").text(19_800)
    '2024-03-18'
    """

    kind: ScaleKind
    levels: tuple[str, ...] = ()

    def __attrs_post_init__(self) -> None:
        if self.kind not in get_args(ScaleKind):
            raise ConfigurationError(f"Unknown scale {self.kind!r}; use one of {', '.join(get_args(ScaleKind))}.")
        if (self.kind == "order") != bool(self.levels) or len(set(self.levels)) < len(self.levels):
            raise ConfigurationError("A scale of ordered categories, and no other, has levels, all different.")

    @property
    def step(self) -> float:
        """How far apart neighbouring numbers are at least."""
        return 1.0 if self.kind in ("date", "order") else 1e-6

    def numbers(self, column: Any, name: str) -> FloatArray:
        """Give the values of a column as numbers on the scale.

        Parameters
        ----------
        column : array, list or Series
            Dates, durations or categories, or numbers that are on the scale already.
        name : str
            What to call the column in errors.

        Returns
        -------
        float array
            NaN for missing values, and for categories that are no level.

        Raises
        ------
        ConfigurationError
            When a value is no date or duration.
        """
        array = _values(column)
        if array.dtype.kind in "iuf":
            return np.asarray(array, dtype=np.float64)
        if self.kind == "order":
            place: dict[Any, float] = {level: float(at) for at, level in enumerate(self.levels)}
            return np.array([place.get(value, math.nan) for value in array.tolist()], dtype=np.float64)
        unit, what = ("m8[us]", "durations") if self.kind == "duration" else ("M8[us]", "dates")
        try:
            if array.dtype.kind == "O":
                array = np.array([None if value != value else value for value in array], dtype=object)
            counted = array.astype(unit)
        except (TypeError, ValueError) as error:
            raise ConfigurationError(
                f"Column {name!r} held {what} when the rules were learned, but now holds another kind of value "
                f"({error}): turn it back, for example with pd.to_{'timedelta' if unit[0] == 'm' else 'datetime'}."
            ) from None
        numbers = counted.astype(np.int64) / (_DAY if self.kind == "date" else _SECOND)
        return np.where(np.isnat(counted), np.nan, numbers)

    def text(self, number: float) -> str:
        """Write a number as people write what it stands for.

        >>> Scale("duration").text(93_600), Scale("order", ("low", "high")).text(1)
        ('1 d 2 h', 'high')
        """
        if self.kind == "order":
            return self.levels[int(number)]
        if self.kind == "duration":
            return _length_text(round(number * _SECOND))
        if self.kind == "date":
            return str(np.datetime64(round(number), "D"))
        moment = str(np.datetime64(round(number * _SECOND), "us")).replace("T", " ")
        moment = moment.rstrip("0").rstrip(".") if "." in moment and not moment.endswith(".000000") else moment[:19]
        return moment[:-3] if moment.endswith(":00") and len(moment) == 19 else moment

    def simplest(self, low: float, high: float, near: float | None = None) -> Mark:
        """Find the mark t with ``low <= t < high`` that is shortest to write: a year's or month's beginning, a day, …

        Parameters
        ----------
        low, high : float
            The ends.
        near : float or None
            Of several, the nearest to this one is taken; None for ``low``.

        Returns
        -------
        Mark
            The mark.

        Examples
        --------
        >>> days = Scale("date").numbers(np.array(["2023-11-30", "2024-02-10"], dtype="M8[D]"), "day")
        >>> print(Scale("date").simplest(*days))
        2024-01-01
        """
        if self.kind == "order":
            return Mark(low, self)
        unit = _DAY if self.kind == "date" else _SECOND
        first, end = round(low * unit), round(high * unit)
        wanted = first if near is None else min(max(round(near * unit), first), end - 1)
        found = _multiple(first, end, wanted) if self.kind == "duration" else _beginning(
            first, end, wanted, _CALENDAR[self.kind]
        )
        number = low if found is None else found / unit
        return Mark(number if low <= number < high else low, self)

    def to_dict(self) -> dict[str, Any]:
        """Give what a JSON document holds of the scale."""
        return {"kind": self.kind, **({"levels": list(self.levels)} if self.levels else {})}

    @classmethod
    def from_dict(cls, entry: Any) -> Scale:
        """Read what :meth:`to_dict` gave; anything else is refused."""
        if not isinstance(entry, Mapping) or set(entry) - {"kind", "levels"}:
            raise ConfigurationError(f"Not a scale: {entry!r:.200}.")
        levels = entry.get("levels", ())
        if not isinstance(levels, (list, tuple)) or not all(isinstance(level, str) for level in levels):
            raise ConfigurationError(f"The levels of a scale must be texts, not {levels!r:.200}.")
        return cls(entry.get("kind"), tuple(levels))  # type: ignore[arg-type]


class Mark(float):
    """A number on a scale: it compares as the number that it is, and prints as what it stands for.

    >>> mark = Mark(19_800, Scale("date"))
    >>> print(mark), mark < 19_801
    2024-03-18
    (None, True)
    """

    scale: Scale

    def __new__(cls, number: float, scale: Scale) -> Mark:
        """Put a number on a scale; places among ordered categories must be there."""
        if scale.kind == "order" and not (float(number).is_integer() and 0 <= number < len(scale.levels)):
            raise ConfigurationError(f"{number!r} is no place among the {len(scale.levels)} ordered categories.")
        mark = super().__new__(cls, number)
        mark.scale = scale
        return mark

    def __getnewargs__(self) -> tuple[float, Scale]:  # type: ignore[override]
        """Pickle and copy the scale, too."""
        return float(self), self.scale

    def __str__(self) -> str:
        return self.scale.text(self)


def _values(column: Any) -> AnyArray:
    """The column as numpy holds it; zones are turned into UTC."""
    dtype = getattr(column, "dtype", None)
    if getattr(dtype, "tz", None) is not None:
        return np.asarray(column.to_numpy(dtype="M8[us]"))
    if hasattr(column, "isna") and getattr(dtype, "kind", "O") == "O":
        array: AnyArray = np.array(column.astype(object), dtype=object)
        array[np.asarray(column.isna(), dtype=bool)] = None
        return array
    if isinstance(column, (list, tuple)) and not all(isinstance(value, (int, float)) for value in column):
        return np.array(column, dtype=object)
    return np.asarray(column)


def _length_text(microseconds: int) -> str:
    sign, left = ("-" if microseconds < 0 else ""), abs(microseconds)
    parts = []
    for size, word in ((_DAY, "d"), (3600 * _SECOND, "h"), (60 * _SECOND, "min")):
        count, left = divmod(left, size)
        if count:
            parts.append(f"{count} {word}")
    if left or not parts:
        parts.append(f"{left / _SECOND:.6f}".rstrip("0").rstrip(".") + " s")
    return sign + " ".join(parts)


def _beginning(first: int, end: int, wanted: int, units: tuple[Any, ...]) -> int | None:
    """The beginning of a year, month, … in the interval, nearest to the wanted moment; all in microseconds."""
    for unit in units:
        low = np.datetime64(first, "us").astype(f"M8[{unit}]").astype(np.int64)
        low += int(_in_microseconds(low, unit) < first)
        high = np.datetime64(end - 1, "us").astype(f"M8[{unit}]").astype(np.int64)
        if low <= high:
            near = np.datetime64(wanted, "us").astype(f"M8[{unit}]").astype(np.int64)
            places = {int(np.clip(near + more, low, high)) for more in (0, 1)}
            return min((_in_microseconds(place, unit) for place in sorted(places)), key=lambda at: abs(at - wanted))
    return None


def _in_microseconds(place: int, unit: Any) -> int:
    return int(np.datetime64(int(place), unit).astype("M8[us]").astype(np.int64))


def _multiple(first: int, end: int, wanted: int) -> int | None:
    if first <= 0 < end:
        return 0
    for unit in _LENGTHS:
        low, high = -(-first // unit), (end - 1) // unit
        if low <= high:
            return min(max(round(wanted / unit), low), high) * unit
    return None
