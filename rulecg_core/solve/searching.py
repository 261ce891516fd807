"""The run's heuristics: when they search, from what, and what becomes of what they find."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from attrs import define, field, frozen

from ..api.heuristic import Found, Heuristic, Search, View
from ..api.provenance import describe, fault_of
from ..base.errors import RulecgError
from ..base.limits import Deadline, SearchLimits, is_counting, now
from ..data.goal import Candidate
from ..data.rules import Rule
from .run import Run


@frozen(eq=False)
class _Opened:
    """A heuristic, the name it goes by, and its search on this run."""

    name: str
    heuristic: Heuristic = field(repr=False)
    search: Search = field(repr=False)


@define(eq=False)
class Searching:
    """Calls heuristics as the schedule says. They only propose: rule sets are counted anew, and rules enter the master
    by way of the run."""

    run: Run
    heuristics: Sequence[tuple[str, Heuristic]]
    _opened: list[_Opened] | None = None
    _view: View = field(init=False)
    _spent: float = 0.0
    _large_share: float = field(init=False)

    def __attrs_post_init__(self) -> None:
        run = self.run
        self._large_share = run.schedule.search.large_share
        # Where data is small, what one thread finds in no time would only be found twice.
        threads = run.limits.threads if run.is_large else 1
        self._view = View(run.master, lambda: run.guidance, run.is_large, threads)

    @property
    def setup_seconds(self) -> float:
        """How long it takes until the first search can begin."""
        return max(map(self._setup_seconds, list(self._open())), default=0.0)

    # When -----------------------------------------------------------------------------------------------------------

    def first(self, deadline: Deadline) -> None:
        """On large data, good rule sets grow without any relaxation; their rules are a start for it."""
        run, turn = self.run, self.run.schedule.search.first_turn
        while run.is_large and run.schedule.search.during_generation and not deadline.passed and self._open():
            before = run.incumbents.best
            self._search(deadline.within(turn), None, self._own_counts)
            if before is not None and before.rules and run.incumbents.best is before:
                return
            turn *= 2

    def briefly(self, deadline: Deadline) -> None:
        """A quick search now and then, so that there is a good answer at any time."""
        run, policy, elapsed = self.run, self.run.schedule.search, self.run.now()
        share, turn, restarts = policy.share, policy.share, policy.restarts if not run.is_large else None
        if run.is_large:
            share, turn = self._large_share, policy.large_turn
        if not policy.during_generation or elapsed <= policy.moment or self._spent > share * elapsed:
            return
        before = run.incumbents.best
        self._search(deadline.within(max(0.1, turn * elapsed)), restarts, self._own_counts)
        fallen = max(policy.least_large_share, policy.large_fall * self._large_share)
        self._large_share = policy.large_share if run.incumbents.best is not before else fallen

    def thoroughly(self, deadline: Deadline) -> None:
        """A longer search, first with every cover counted, then with every covered sample counted once: one of both is
        the objective, the other finds rule sets that are good for it too."""
        run, policy = self.run, self.run.schedule.selection
        size = len(run.master.pool) * run.problem.n_samples
        restarts: int | None = int(np.clip(size // policy.entries_per_restart, *policy.restarts))
        if deadline.is_finite and run.is_large:
            restarts = None
        elif deadline.is_finite and not run.goal.counts_only_size:
            # Bounds on samples leave gaps that no proof closes: here, too, it is the search that finds most.
            restarts = int(np.clip(size // policy.entries_per_restart_with_samples, *policy.restarts_with_samples))
        self._search(deadline, restarts, (False, True))

    def deeply(self, deadline: Deadline) -> Candidate | None:
        """Search for the least objective until the deadline; the best rule set known then."""
        self._search(deadline, None, self._own_counts)
        return self.run.incumbents.best

    # What -----------------------------------------------------------------------------------------------------------

    @property
    def _own_counts(self) -> tuple[bool, ...]:
        return (self.run.goal.counts_once,)

    def _open(self) -> list[_Opened]:
        if self._opened is None:
            self._opened = []
            for name, heuristic in self.heuristics:
                try:
                    self._opened.append(_Opened(name, heuristic, heuristic.open(self._view)))
                except Exception as error:
                    self._leave_out(name, heuristic, error)
        return self._opened

    def _setup_seconds(self, opened: _Opened) -> float:
        """How long a search's preparations take; one that fails to say is left out."""
        if is_counting():
            # How long it takes is the machine's own; prepare() was called before the count began.
            return 0.0
        try:
            return float(opened.search.setup_seconds)
        except Exception as error:
            self._leave_out(opened.name, opened.heuristic, error)
            return 0.0

    def _leave_out(self, name: str, heuristic: Heuristic, error: Exception) -> None:
        """A heuristic that fails is named and takes no further part; errors that rulecg raises on purpose go on."""
        if isinstance(error, RulecgError):
            raise error
        self.run.note(f"{fault_of('heuristic', name, heuristic, error)}; it takes no further part")
        self._opened = [each for each in self._opened or [] if each.heuristic is not heuristic]

    def _search(self, deadline: Deadline, restarts: int | None, counts: tuple[bool, ...]) -> None:
        """One search for each way of counting covered samples: once (True) or once for each rule (False)."""
        began, policy = now(), self.run.schedule.search
        for number, true_counts in enumerate(counts):
            is_last = number == len(counts) - 1
            share = deadline if is_last else deadline.within(deadline.remaining * policy.first_count_share)
            opened = list(self._open())
            for at, each in enumerate(opened):
                turn = share if at == len(opened) - 1 else share.within(share.remaining / (len(opened) - at))
                takes = self._setup_seconds(each)
                if each in self._open() and takes <= max(policy.most_setup, turn.remaining):
                    limits = SearchLimits(turn, restarts, true_counts, self._view.threads)
                    self._improve(each, limits)
        self._spent += now() - began

    def _improve(self, opened: _Opened, limits: SearchLimits) -> None:
        """Call a search until it has nothing more to ask; take in what it finds."""
        run = self.run
        while True:
            known = run.incumbents.choose() if limits.true_counts else run.incumbents.best
            starts = [known.rules] if known is not None and known.rules and known.has_conditions else []
            try:
                found = self._allowed(opened.search.improve(starts, limits, run.rng), opened)
                candidates = [self._view.evaluate(rules) for rules in found.rule_sets]
            except Exception as error:
                self._leave_out(opened.name, opened.heuristic, error)
                return
            run.master.add_rules([rule for candidate in candidates for rule in candidate.rules if len(rule)])
            run.take(candidates, opened.name)
            run.price_in(found.rules, run.schedule.search.priced_in)
            if not found.unfinished or limits.deadline.passed:
                return
            self._relax_with(found.rules, limits.deadline)

    def _allowed(self, found: Found, opened: _Opened) -> Found:
        """What a search found, as far as it is allowed: the rest is left out with a word."""
        problem, goal, known = self.run.problem, self.run.goal, self.run.incumbents.known
        if not isinstance(found, Found):
            raise TypeError(f"improve() must return a Found, not {found!r}")
        every_rule = [*found.rules, *(rule for rules in found.rule_sets for rule in rules)]
        if any(not 0 <= at < problem.n_conditions for rule in every_rule for at in rule.features):
            raise ValueError("improve() returned a rule with a condition that the problem does not have")

        def fits(rule: Rule) -> bool:
            return 1 <= len(rule) <= problem.max_conditions and bool(goal.allows([rule])[0])

        # What a run was started with may be longer.
        sets = [tuple(rules) for rules in found.rule_sets if frozenset(rules) in known or all(map(fits, rules))]
        rules = tuple(filter(fits, found.rules))
        if len(sets) < len(found.rule_sets) or len(rules) < len(found.rules):
            self.run.note(
                f"the heuristic {describe(opened.name, opened.heuristic)} returned rules with no or too many "
                f"conditions{', or that break a bound on single rules' if goal.rule_bounds else ''}; they were left out"
            )
        return Found(tuple(sets), rules, found.unfinished)

    def _relax_with(self, rules: Sequence[Rule], deadline: Deadline) -> None:
        """Solve the relaxation with those of the rules that it lacks, so that the search can go on from it."""
        run, policy = self.run, self.run.schedule.search
        allowed = max(policy.repricing_seconds, policy.repricing_share * run.now())
        deadline = deadline.within(allowed)
        for _ in range(policy.repricings):
            run.price_in(rules, policy.repriced_in)
            if not run.guidance_lacks_rules or run.relax(run.guide, deadline) is None:
                return

    def close(self) -> None:
        for each in self._opened or []:
            try:
                each.search.close()
            except Exception as error:
                self._leave_out(each.name, each.heuristic, error)
        self._opened = []
