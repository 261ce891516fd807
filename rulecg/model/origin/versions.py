"""With which releases a model was learned: what has to be the same for the same fit to give the same rules."""

from __future__ import annotations

import platform
from importlib.metadata import PackageNotFoundError, version

PACKAGES = ("rulecg", "numpy", "numba", "pandas", "scikit-learn", "highspy", "pyscipopt", "gurobipy", "cylp")
"""Whose release may matter: ours, what numbers go through, and solvers."""


def made_with() -> list[str]:
    """List the releases in use here, solvers among them, and the kind of processor.

    Returns
    -------
    list of str
        Such as ``"numpy 2.1.0"``; packages that are not installed are left out.

    Examples
    --------
    >>> any(entry.startswith("numpy ") for entry in made_with())
    True
    """
    found = [f"python {platform.python_version()}", f"processor {platform.machine()}"]
    for package in PACKAGES:
        try:
            found.append(f"{package} {version(package)}")
        except PackageNotFoundError:
            continue
    return found
