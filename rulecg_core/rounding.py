"""Rule sets drawn from the relaxation: starts for local search where bounds on samples make good sets hard to reach.

Adding rules one by one to a set that must stay within tight bounds on groups gets stuck early. A set drawn by the
relaxation's weights breaks such bounds at first, but only by a little, and the search mends that.
"""

from __future__ import annotations

import numpy as np

from .master import Master
from .rules import Rule


def drawn_rule_sets(master: Master, rng: np.random.Generator, n_sets: int) -> list[list[Rule]]:
    """Rule sets within the bounds on size, of rules with weight in the last relaxation, the heavier rather first."""
    weights = master.rule_weights()
    if weights is None or master.counts_only_size:
        return []
    size_rows = [row for row in master.rows if row.bounds_size]
    used = np.flatnonzero(weights > 1e-6)
    drawn = []
    for _ in range(n_sets):
        order = used[np.argsort(-weights[used] * np.sqrt(rng.random(len(used))), kind="stable")]
        chosen: list[Rule] = []
        length = 0.0
        for at in order:
            longer = length + master.problem.length(master.pool.rules[at])
            values = [row.form.value(np.zeros(0), np.zeros(0), longer, len(chosen) + 1.0) for row in size_rows]
            if all(value <= row.hi for value, row in zip(values, size_rows, strict=True)):
                chosen.append(master.pool.rules[at])
                length = longer
        drawn.append(chosen)
    return drawn
