"""Rules to begin with from the leaves of a random forest, the paper's warm start."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np

from rulecg_core import Problem, Rule, UnknownNameError

Starter: TypeAlias = Callable[[Problem], tuple[Rule, ...]]
"""Makes rules to begin with for a problem."""


def starter_of(start: str | None) -> Starter | None:
    """Find who makes the rules that learning begins with.

    Parameters
    ----------
    start : "forest" or None
        The estimator's setting.

    Returns
    -------
    function from Problem to rules, or None
        None for nobody.

    Raises
    ------
    UnknownNameError
        When there is no such start.

    Examples
    --------
    >>> starter_of(None) is None, starter_of("forest").__name__
    (True, 'forest_leaves')
    """
    starters: dict[str, Starter] = {"forest": forest_leaves}
    if start is None:
        return None
    if not isinstance(start, str) or start not in starters:
        raise UnknownNameError("start", str(start), starters)
    return starters[start]


def forest_leaves(problem: Problem, *, n_trees: int = 20, seed: int = 0) -> tuple[Rule, ...]:
    """Take rules from the leaves of a random forest where positives are more frequent than overall.

    A step "condition is false" becomes the condition that is its exact opposite on the data; where there is none, the
    step is left out and the rule covers more than the leaf.

    Parameters
    ----------
    problem : Problem
        What to learn.
    n_trees : int
        How many trees.
    seed : int
        Seed of the forest.

    Returns
    -------
    tuple of Rule
        The paths to such leaves, each once, for ``generate_columns(start=...)``.

    Examples
    --------
    >>> problem = Problem.from_arrays([[1], [1], [0], [0]] * 9, [1, 1, 0, 0] * 9)
    >>> forest_leaves(problem, n_trees=20)
    (Rule(features=(0,)),)
    """
    from sklearn.ensemble import RandomForestClassifier

    forest = RandomForestClassifier(n_trees, max_depth=problem.max_conditions, random_state=seed)
    forest.fit(problem.X, problem.y, sample_weight=problem.sizes)
    opposite = _opposites(problem)
    overall = float(problem.sizes[problem.y].sum() / problem.sizes.sum())
    rules: dict[Rule, None] = {}
    for estimator in forest.estimators_:
        tree = estimator.tree_
        paths: list[tuple[int, tuple[int, ...]]] = [(0, ())]
        while paths:
            node, path = paths.pop()
            if tree.children_left[node] == -1:
                shares = tree.value[node, 0] / tree.value[node, 0].sum()
                if path and len(shares) == 2 and shares[1] > overall:
                    rules[Rule(path)] = None
                continue
            feature = int(tree.feature[node])
            without = opposite[feature]
            paths.append((tree.children_left[node], path if without < 0 else (*path, int(without))))
            paths.append((tree.children_right[node], (*path, feature)))
    return tuple(rules)


def _opposites(problem: Problem) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """For every feature, one that holds exactly where it does not; -1 where there is none."""
    packed = problem.packed_conditions
    mask = np.packbits(np.ones(problem.n_samples, dtype=bool))
    place = {column.tobytes(): number for number, column in enumerate(packed)}
    return np.array([place.get((~column & mask).tobytes(), -1) for column in packed], dtype=np.int64)
