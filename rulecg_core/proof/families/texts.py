"""How many texts a cover has: the rules that cover exactly these samples and from which no condition can be left out.

A rule covers exactly a cover when its conditions hold on all of it and each other sample lacks one of them: its
conditions hit the set of conditions that each other sample lacks. Texts are the minimal ways to hit all of these sets.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ...base.arrays import BoolArray
from ...data.problem import Problem

MOST_TEXTS = 2_000
"""Of one cover no more texts than these are looked for."""


def texts_of(problem: Problem, cover: BoolArray) -> tuple[list[tuple[int, ...]], bool]:
    """List the shortest ways to say a cover: rules with it that have no condition too many.

    Parameters
    ----------
    problem : its conditions, and how many a rule may have
    cover : which samples are covered; some rule must cover exactly these

    Returns
    -------
    The conditions of each rule, and whether these are all.
    """
    features = np.flatnonzero(problem.X[cover].all(axis=0))
    lacking = np.unique(np.packbits(~problem.X[~cover][:, features], axis=1, bitorder="little"), axis=0)
    edges = _minimal([int.from_bytes(line.tobytes(), "little") for line in lacking])
    found: list[tuple[int, ...]] = []
    for hitting in _minimal_hits(edges, len(features), problem.max_conditions):
        if len(found) == MOST_TEXTS:
            return found, False
        found.append(tuple(int(features[place]) for place in sorted(hitting)))
    return sorted(found, key=lambda text: (len(text), text)), True


def _minimal(edges: list[int]) -> list[int]:
    """Sets, as bits, that contain no other one."""
    kept: list[int] = []
    for edge in sorted(set(edges), key=int.bit_count):
        if not any(smaller & edge == smaller for smaller in kept):
            kept.append(edge)
    return kept


def _minimal_hits(edges: list[int], n_places: int, most: int) -> Iterator[list[int]]:
    """Minimal sets of up to so many places that have a place of every edge (Murakami and Uno's search).

    Every place chosen must be the only one to hit some edge, and that never comes back once it is lost.
    """
    hits = [sum(1 << number for number, edge in enumerate(edges) if edge >> place & 1) for place in range(n_places)]

    def extend(chosen: list[int], alone: list[int], open_: int, allowed: int) -> Iterator[list[int]]:
        if not open_:
            yield chosen
            return
        if len(chosen) == most:
            return
        still_open = (number for number in range(len(edges)) if open_ >> number & 1)
        edge = min((edges[number] & allowed for number in still_open), key=int.bit_count)
        allowed &= ~edge
        for place in range(n_places):
            if not edge >> place & 1:
                continue
            left = [own & ~hits[place] for own in alone]
            if all(left):
                yield from extend([*chosen, place], [*left, open_ & hits[place]], open_ & ~hits[place], allowed)
            allowed |= 1 << place

    yield from extend([], [], (1 << len(edges)) - 1, (1 << n_places) - 1)
