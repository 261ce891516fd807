"""What a run found and what it proved."""

from __future__ import annotations

import math

from attrs import field, frozen

from ..api.relaxation import Relaxation
from ..base.events import RoundFinished
from ..base.status import Status, Stop
from ..data.rules import Rule, RuleSet
from ..proof.certificate import Certificate


def relative_gap(objective: float, lower_bound: float) -> float:
    """By what share of itself an objective may be above the optimum: 0 is proven optimal.

    >>> relative_gap(10.0, 8.0)
    0.2
    """
    return 0.0 if objective <= lower_bound else (objective - lower_bound) / abs(objective)


@frozen(eq=False)
class Result:
    """The chosen rule set, the best objective found, and the certificate that goes with it."""

    rules: tuple[Rule, ...]
    """The chosen rules, as features of the problem."""
    rule_set: RuleSet
    best_rules: tuple[Rule, ...]
    """The rules with the best objective; others than the chosen ones when Pool Select preferred fewer errors."""
    objective: float
    """The best objective value found (for the Hamming master: the Hamming loss) among rule sets that keep every bound,
    as the master counts and in true counts; what the lower bound is about."""
    selected_objective: float
    """The chosen rule set's own objective: another one when a set with fewer errors was preferred."""
    errors: float
    """The chosen rule set's true 0-1 loss, by the labels."""
    cost: float
    """What the chosen rule set costs by the problem's stakes, each sample counted once: its errors, unless stakes were
    given."""
    lower_bound: float | None
    """No rule set over all rules that keeps the rows as the master counts has an objective below this; None when
    nothing was proven."""
    status: Status
    stop: Stop
    relaxation: float | None
    """Last value of the linear relaxation."""
    seconds: float
    pool_size: int
    history: tuple[RoundFinished, ...] = field(repr=False)
    pool: tuple[Rule, ...] = field(repr=False)
    """Every rule generated: a start for further runs."""
    rules_listed: int | None = None
    """How many rules the proof of optimality had to look at; None when there was no such proof."""
    row_values: dict[str, tuple[float, float]] = field(factory=dict)
    """For every constraint row: its value as the master counts, and in true counts."""
    row_duals: dict[str, float] = field(factory=dict)
    """Loss per unit of each constraint row's bound, from the last relaxation."""
    counts_truly: bool = True
    """Whether the master counts every row as it truly is; a Hamming proxy counts a sample once for each rule."""
    keeps_proxy: bool = True
    """Whether the chosen rule set keeps every row as the master counts (in true counts it always does)."""

    closed_by: tuple[str, ...] = ()
    """The solvers whose integer program over a list of rules the proof rests on; none where it rests on none."""
    optima: int | None = None
    """With status *optimal*: how many rule sets have this objective, one shortest rule for each cover; the one shown is
    the first of them in the order of ties (fewest errors, least complex, by text). None when they were not counted."""
    objective_name: str = "errors"
    """What is minimised, in words: the meaning of the problem's stakes."""
    claimed_by: tuple[str, ...] = ()
    """Plugins that are not trusted and say that no rule set is better."""
    guidance: Relaxation | None = field(default=None, repr=False)
    """The last relaxation that led to good rules: a start for whoever goes on from here."""
    proof: Certificate | None = field(default=None, repr=False)
    """The relaxation that was proven over all rules, in the problem's own unit: where
    :func:`rulecg_core.near_optimal_sets` begins."""
    near_best: tuple[tuple[Rule, ...], ...] = field(default=(), repr=False)
    """Rule sets that were met and keep every bound in true counts, the least cost first: at most fifty."""
    chosen_for: str = ""
    """Why somebody chose another rule set than the core would, such as "because resamples agree on it"."""
    notes: tuple[str, ...] = ()
    """What a person should know: groups left out, rows without a group, an answer that treats all alike."""

    @property
    def is_canonical(self) -> bool:
        """Whether the rules shown are the first of all optima in the order of ties: the same on any machine, with any
        solver, number of threads and order of samples."""
        return self.status == Status.OPTIMAL and self.optima is not None

    @property
    def gap(self) -> float | None:
        """``(objective - lower_bound) / objective``: 0 is proven optimal; None without a bound."""
        if self.lower_bound is None:
            return None
        return relative_gap(self.objective, self.lower_bound)

    @property
    def _merit(self) -> str:
        """What Pool Select chose the rule set for."""
        if self.objective_name == "errors":
            return f"fewer errors ({_number(self.errors)})"
        return f"lower {self.objective_name} ({_number(self.cost)}) with each row counted once"

    def certificate(self) -> str:
        """What was proven, in plain words."""
        best, bound = _number(self.objective), self.lower_bound
        # Errors are the default and need no name.
        objective = "an objective" if self.objective_name == "errors" else f"an objective ({self.objective_name})"
        # Not "is": a copy may hold the words alone.
        if self.status == Status.OPTIMAL:
            text = f"Proven optimal: no rule set within the limits has {objective} below {best}."
            text += self._says() + self._among_optima()
        elif self.status == Status.LP_OPTIMAL and bound is not None:
            text = (
                f"The linear relaxation over all rules is solved: no rule set can have {objective} below "
                f"{_number(bound)}; the best "
                f"one found has {best} (gap {self.gap:.1%})."
            )
        elif self.status == Status.CLAIMED:
            text = (
                f"Claimed optimal, not proven: {' and '.join(self.claimed_by)} says that no rule set has {objective} "
                f"below {best}; rulecg has not confirmed it."
            )
        elif bound is not None:
            text = (
                f"No rule set can have {objective} below {_number(bound)}; the best one found has {best} "
                f"(gap {self.gap:.1%})."
            )
        else:
            text = f"The best objective{objective[12:]} found is {best}; nothing was proven about how good it is."
        if not self.counts_truly:
            text += (
                " This is about rule sets that keep every bound also when a sample counts once for each rule that "
                "covers it."
            )
        if not self.keeps_proxy:
            text += (
                " The one shown keeps every bound in true counts but is not of that kind; it was chosen for its "
                f"{self._merit}, and nothing was proven about it."
            )
        elif self.selected_objective > self.objective * (1 + 1e-9):
            why = self.chosen_for or f"for its {self._merit}"
            text += (
                f" Among the good rule sets met, the one shown was chosen {why}; its own objective is "
                f"{_number(self.selected_objective)}."
            )
        return text

    def _says(self) -> str:
        """On whose integer program the proof rests, as a sentence that follows another."""
        if not self.closed_by:
            return ""
        if len(self.closed_by) == 1:
            return f" The last step of the proof is an integer program that {self.closed_by[0]} alone solved."
        return f" The last step of the proof is an integer program on which {' and '.join(self.closed_by)} agree."

    def _among_optima(self) -> str:
        """Which of several optima is shown, as a sentence that follows another."""
        if self.selected_objective > self.objective * (1 + 1e-9):
            return ""
        if self.optima is None:
            return " There may be several such rule sets; this is one of them."
        if self.optima == 1:
            return ""
        return f" Of {self.optima} such rule sets it is the first by errors, complexity and text."

    def __str__(self) -> str:
        return f"{self.rule_set}\n{self.certificate()}"


def _number(value: float) -> str:
    is_whole = value == 0 or (abs(value) >= 0.5 and math.isclose(value, round(value), rel_tol=1e-9))
    return str(round(value)) if is_whole else f"{value:.6g}"
