"""How long and how often: the paper's protocol, a reduced one that two cores do in about two hours, and a brief one for
machines that do other things as well."""

from __future__ import annotations

from attrs import frozen

LARGE_ROWS = 10_000
"""Above so many rows a path gets the longer time."""


@frozen
class Protocol:
    """Folds, splits and limits."""

    name: str
    outer_folds: int
    inner_folds: int
    path_seconds: float
    """For one path of rule sets over all bounds on complexity (the paper: 120 s for each of them)."""
    large_path_seconds: float
    front_seconds: float
    """For one path of an accuracy-simplicity front (the paper: 300 s for each bound)."""
    pricing_seconds: float | None
    """Longest time for one pricing problem (the paper: 30 s and 45 s)."""
    splits: int
    """Random splits of Hamming beside 0-1 loss."""
    program_seconds: float
    """For one integer program over a given pool."""
    phase_seconds: float
    """For generating rules at one point of the first grid of the fair tables."""
    threads: int = 1
    clock: str = "wall"
    """Whose seconds they are: the wall's, or the processor's where others use the machine, too."""

    def seconds(self, n_rows: int) -> float:
        """For one path on data of that size."""
        return self.path_seconds if n_rows <= LARGE_ROWS else self.large_path_seconds

    def rival_seconds(self, n_rows: int) -> float:
        """What a rival gets for tuning and fitting: as much as all our paths of one outer fold."""
        return (self.inner_folds + 1) * self.seconds(n_rows)


FULL = Protocol("full", 10, 10, 1200.0, 1200.0, 3000.0, 30.0, 100, 300.0, 300.0)
REDUCED = Protocol("reduced", 5, 5, 5.0, 30.0, 5.0, None, 10, 5.0, 5.0)
BRIEF = Protocol("brief", 3, 3, 3.0, 10.0, 3.0, None, 3, 20.0, 2.0, clock="processor")
"""Integer programs end by the clock on the wall, whatever else runs: so they are allowed more."""
