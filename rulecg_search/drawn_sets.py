"""Rule sets drawn from the relaxation: starts for local search where bounds on samples make good sets hard to reach.

Adding rules one by one to a set that must stay within tight bounds on groups gets stuck early. A set drawn by the
relaxation's weights breaks such bounds at first, but only by a little, and the search mends that.
"""

from __future__ import annotations

import numpy as np

from rulecg_core import Rule, View

DRAWN = 12
"""How many rule sets a search starts from at most."""


def drawn_rule_sets(view: View, rng: np.random.Generator, n_sets: int) -> list[list[Rule]]:
    """Draw rule sets within the bounds on size, of rules with weight in the relaxation, the heavier rather first."""
    relaxation = view.relaxation
    if relaxation is None or view.goal.counts_only_size:
        return []
    rules, weights = view.rules, relaxation.weights
    used = np.flatnonzero(weights > 1e-6)
    drawn = []
    for _ in range(min(n_sets, DRAWN)):
        order = used[np.argsort(-weights[used] * np.sqrt(rng.random(len(used))), kind="stable")]
        drawn.append(view.goal.within_size(rules[at] for at in order))
    return drawn
