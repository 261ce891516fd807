"""The local search as a plugin: its settings, and one search for each way of counting covered samples."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from attrs import frozen

from rulecg_core import Found, Heuristic, Rule, Search, SearchLimits, View

if TYPE_CHECKING:
    from .column_search import ColumnSearch
    from .counted_search import CountedSearch


@frozen
class LocalSearch(Heuristic):
    """Local search over rules and conditions, walks, annealing, and integer programs over what they find.

    Parameters
    ----------
    condition_moves : bool
        Change chosen rules condition by condition; otherwise choose among the generated rules only.
    subset_moves : bool
        Choose among the generated rules: greedily, then adding, dropping and swapping whole rules.
    mixtures : bool
        Go on from mixtures of the best rule sets met, too.
    annealing : bool
        On large data, let conditions change at random, at first also for the worse.
    unions : bool
        On large data, solve an integer program over the rules of all local optima met, now and then.
    annealed_samples : int
        With more samples a sweep takes too long for the many that annealing needs.
    table_entries : int
        Rules × samples that one search over given rules looks at; beyond it the most promising rules and a part of the
        samples are taken.

    Examples
    --------
    >>> from rulecg_core import Complexity, HammingMaster, Problem, Rule, SearchLimits, View, load_registry
    >>> problem = Problem.from_arrays([[1, 0], [1, 1], [0, 1]], [True, True, False])
    >>> master = HammingMaster(problem, [Complexity(4)], load_registry().backend("highs"))
    >>> search = LocalSearch().open(View(master))
    >>> search.improve([], SearchLimits(restarts=1), np.random.default_rng(0)).rule_sets[0]
    (Rule(features=(0,)),)
    """

    counts_work: ClassVar[bool] = True

    condition_moves: bool = True
    subset_moves: bool = True
    mixtures: bool = True
    annealing: bool = True
    unions: bool = True
    annealed_samples: int = 1 << 18
    table_entries: int = 40_000_000

    def prepare(self) -> None:
        if self.condition_moves:
            from .conditions.moves import prepare

            prepare()

    def open(self, view: View) -> Search:
        return _BothCounts(view, self)


class _BothCounts(Search):
    """One search for each way of counting; each keeps its own memory."""

    def __init__(self, view: View, settings: LocalSearch) -> None:
        from .column_search import ColumnSearch
        from .counted_search import CountedSearch

        self._searches: tuple[CountedSearch | ColumnSearch, ...]
        if np.isfinite(view.goal.max_columns):
            self._searches = tuple(ColumnSearch(view, count_once=once) for once in (False, True))
        else:
            self._searches = tuple(CountedSearch(view, settings, count_once=once) for once in (False, True))
        self._counts_once: bool = view.goal.counts_once

    @property
    def setup_seconds(self) -> float:
        return self._searches[self._counts_once].setup_seconds

    def prepare(self) -> None:
        self._searches[self._counts_once].prepare()

    def improve(self, starts: Sequence[Sequence[Rule]], limits: SearchLimits, rng: np.random.Generator) -> Found:
        return self._searches[limits.true_counts or self._counts_once].improve(starts, limits, rng)
