"""What loading a data set gives."""

from __future__ import annotations

from collections.abc import Iterator

import pandas as pd
from attrs import frozen


@frozen(eq=False)
class Dataset:
    """A table, its labels, and the sensitive columns if there are any; unpacks as data, target, sensitive."""

    name: str
    data: pd.DataFrame
    target: pd.Series[bool]
    """True for the positive class; its name says in words what is predicted."""
    sensitive: pd.DataFrame | None = None
    """Sensitive columns. They are among the inputs too, as in the paper; forbid keeps them out of rules."""
    source: str = "generated"

    def __iter__(self) -> Iterator[pd.DataFrame | pd.Series[bool] | None]:
        return iter((self.data, self.target, self.sensitive))

    def __str__(self) -> str:
        groups = f", sensitive: {', '.join(self.sensitive.columns)}" if self.sensitive is not None else ""
        return (
            f"{self.name}: {len(self.data)} rows, {self.data.shape[1]} columns, "
            f"{self.target.mean():.1%} {self.target.name}{groups} ({self.source})"
        )
