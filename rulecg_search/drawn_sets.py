"""Rule sets drawn from the relaxation: starts for local search where bounds on samples make good sets hard to reach.

Adding rules one by one to a set that must stay within tight bounds on groups gets stuck early. A set drawn by the
relaxation's weights breaks such bounds at first, but only by a little, and the search mends that.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from rulecg_core import Master, Rule


def drawn_rule_sets(master: Master, rng: np.random.Generator, n_sets: int) -> list[list[Rule]]:
    """Rule sets within the bounds on size, of rules with weight in the last relaxation, the heavier rather first."""
    weights = master.rule_weights()
    if weights is None or master.counts_only_size:
        return []
    used = np.flatnonzero(weights > 1e-6)
    drawn = []
    for _ in range(n_sets):
        order = used[np.argsort(-weights[used] * np.sqrt(rng.random(len(used))), kind="stable")]
        drawn.append(within_size(master, [master.pool.rules[at] for at in order]))
    return drawn


def within_size(master: Master, rules: Iterable[Rule]) -> list[Rule]:
    """Of rules in this order those that fit, with the ones before, within the bounds on size."""
    size_rows = [row for row in master.rows if row.bounds_size]
    chosen: list[Rule] = []
    length = 0.0
    for rule in rules:
        longer = length + master.problem.length(rule)
        values = [row.form.value(np.zeros(0), np.zeros(0), longer, len(chosen) + 1.0) for row in size_rows]
        if all(value <= row.hi for value, row in zip(values, size_rows, strict=True)):
            chosen.append(rule)
            length = longer
    return chosen
