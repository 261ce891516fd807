"""How large models of other kinds are, in rules and conditions."""

from __future__ import annotations

from typing import Any

Branch = Any
"""A leaf's label, or a pair of branches."""


def tree_size(root: Branch) -> int:
    """A tree as rules: one rule per leaf of one class and one condition per question before it, for the class for
    which that is less.

    >>> tree_size((False, (False, True)))
    3
    >>> tree_size(True)
    0
    """
    sizes = {True: 0, False: 0}
    waiting: list[tuple[Branch, int]] = [(root, 0)]
    while waiting:
        branch, depth = waiting.pop()
        if isinstance(branch, tuple):
            waiting += [(child, depth + 1) for child in branch]
        else:
            sizes[bool(branch)] += 1 + depth
    return min(sizes.values())


def scikit_tree(structure: Any, node: int = 0) -> Branch:
    """A fitted scikit-learn tree (its ``tree_``) as branches."""
    left, right = int(structure.children_left[node]), int(structure.children_right[node])
    if left < 0:
        values = structure.value[node][0]
        return bool(len(values) > 1 and values[1] > values[0])
    return scikit_tree(structure, left), scikit_tree(structure, right)
