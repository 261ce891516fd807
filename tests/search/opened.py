"""Masters and searches on them, as the tests of the search open them."""

import numpy as np

from rulecg_core import Deadline, HammingMaster, SearchLimits, View, load_registry
from rulecg_search.counted_search import CountedSearch
from rulecg_search.heuristic import LocalSearch


def master_of(problem, *constraints):
    """The Hamming master of a problem, with an empty pool."""
    return HammingMaster(problem, constraints, load_registry().backend("highs"))


def counted(master, *, count_once=False, is_large=False, relaxation=None, **settings):
    """A search in one way of counting, with changed settings of the local search."""
    view = View(master, lambda: relaxation, is_large)
    return CountedSearch(view, LocalSearch(**settings), count_once=count_once)


def improved(search, starts=(), *, restarts=30, deadline=None, seed=0):
    """The rule sets that a search comes to, evaluated; it goes on whenever it asks for a newer relaxation."""
    limits, rng = SearchLimits(deadline or Deadline(), restarts), np.random.default_rng(seed)
    found = search.improve(starts, limits, rng)
    while found.unfinished:
        found = search.improve(starts, limits, rng)
    return [search.view.evaluate(rules) for rules in found.rule_sets]
