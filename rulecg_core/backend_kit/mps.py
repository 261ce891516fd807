"""Mixed-integer programs as MPS files, for the maintainers of a solver that erred."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np

from ..api.backend import MIPModel


def mps_text(model: MIPModel) -> str:
    """Write a program in free MPS format, to the last digit.

    Parameters
    ----------
    model
        The program.

    Returns
    -------
    str
        What every solver reads; the offset stands, negated, as the right-hand side of the objective.

    Examples
    --------
    >>> from rulecg_core import SparseVectors
    >>> model = MIPModel(
    ...     costs=np.ones(1), lower=np.zeros(1), upper=np.ones(1), integer=np.array([True]),
    ...     row_lower=np.array([1.0]), row_upper=np.array([np.inf]), rows=SparseVectors.from_dense(np.ones((1, 1))),
    ... )
    >>> print(mps_text(model).splitlines()[3])
     G r0
    """
    lines = ["NAME rulecg", "ROWS", " N cost"]
    ranges: list[str] = []
    sides: list[str] = [f" RHS cost {-model.offset!r}"] if model.offset else []
    for at, (lo, hi) in enumerate(zip(model.row_lower.tolist(), model.row_upper.tolist(), strict=True)):
        kind = "E" if lo == hi else "G" if math.isfinite(lo) else "L" if math.isfinite(hi) else "N"
        lines.append(f" {kind} r{at}")
        side = lo if kind in "EG" else hi
        if kind != "N" and side:
            sides.append(f" RHS r{at} {side!r}")
        if kind == "G" and math.isfinite(hi):
            ranges.append(f" RNG r{at} {hi - lo!r}")
    owners, columns = model.rows.owners(), model.rows.indices
    by_column = np.argsort(columns, kind="stable")
    starts = np.searchsorted(columns[by_column], np.arange(model.n_columns + 1))
    lines.append("COLUMNS")
    for column in range(model.n_columns):
        if model.integer[column] != (column > 0 and model.integer[column - 1]):
            lines.append(f" M{column} 'MARKER' '{'INTORG' if model.integer[column] else 'INTEND'}'")
        lines.append(f" x{column} cost {float(model.costs[column])!r}")
        for entry in by_column[starts[column] : starts[column + 1]]:
            lines.append(f" x{column} r{owners[entry]} {float(model.rows.values[entry])!r}")
    lines += ["RHS", *sides, *(["RANGES", *ranges] if ranges else []), "BOUNDS"]
    for at, (lo, hi) in enumerate(zip(model.lower.tolist(), model.upper.tolist(), strict=True)):
        lines.append(f" MI BND x{at}" if lo == -math.inf else f" LO BND x{at} {lo!r}")
        lines.append(f" PL BND x{at}" if hi == math.inf else f" UP BND x{at} {hi!r}")
    return "\n".join([*lines, "ENDATA", ""])


def write_mps(model: MIPModel, folder: Path) -> Path:
    """Write a program into a folder; the file it is in."""
    path = folder / "program.mps"
    path.write_text(mps_text(model), encoding="ascii")
    return path
