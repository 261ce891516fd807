"""What a constraint module is: a pure function from a problem to rows."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence

import numpy as np

from ..base.arrays import BoolArray
from ..base.errors import PluginError, RulecgError
from ..data.bounds.rule_bound import RuleBound
from ..data.goal import KEPT
from ..data.linear_form import ImpossibleRowError, LinearForm, Row
from ..data.problem import Problem
from ..data.rules import Rule
from .kept_aside import Judgement


class Constraint(ABC):
    """A restriction on rule sets. Subclasses are frozen attrs classes; they keep no state and see no solver.

    Only :meth:`rows` must be written. Masters do not call it directly but through :func:`checked_rows`, which refuses
    rows that no solver could use and names the constraint.

    Examples
    --------
    >>> from attrs import frozen
    >>> @frozen
    ... class AtMostRules(Constraint):
    ...     most: int
    ...
    ...     def rows(self, problem):
    ...         return [(LinearForm(rule=1.0) <= self.most).named("number of rules")]
    >>> problem = Problem.from_arrays([[True], [False]], [True, False])
    >>> [(row.name, row.hi) for row in AtMostRules(3).rows(problem)]
    [('number of rules', 3.0)]
    """

    @abstractmethod
    def rows(self, problem: Problem) -> Sequence[Row]:
        """Make the rows of the master that express the restriction.

        Parameters
        ----------
        problem
            The data. Forms of rates are its methods, such as ``problem.selection_rate(group)``, and groups come from
            ``problem.sensitive_groups``.

        Returns
        -------
        Sequence of Row
            Rows with different names, each with at least one finite bound, in units that a person understands.

        Raises
        ------
        ConfigurationError
            When the constraint means nothing on this data; the message says what to do.
        """

    def objective(self, problem: Problem) -> LinearForm | None:
        """Give a term to add to the objective, or None; its auxiliary variables must be those of the rows."""
        return None

    def max_rules(self, problem: Problem) -> float:
        """Say how many rules a feasible rule set can have at most; infinite when this constraint does not know."""
        return math.inf

    def rule_bounds(self, problem: Problem) -> Sequence[RuleBound]:
        """Make bounds that every single rule must keep, such as how many rows it covers at least.

        A constraint of this kind alone has no rows: its :meth:`rows` returns an empty list.
        """
        return ()

    def max_columns(self, problem: Problem) -> float:
        """Say on how many columns of the table the conditions of all rules together may be; infinite for any number.

        No row can say this, because what a column costs depends on the rules that use it already: the integer program
        has a variable for every column, and the linear relaxation leaves the bound out.
        """
        return math.inf

    def kept_rules(self, problem: Problem) -> Sequence[Rule]:
        """Give rules that must be in the rule set; the others are chosen beside them (see :meth:`Goal.keeping`)."""
        return ()

    def notes(self, problem: Problem) -> Sequence[str]:
        """Say what a person should know about how the constraint applies to this data, such as groups left out.

        Each note is a sentence; a fit shows it as a warning and keeps it in its result.
        """
        return ()

    def measure(self, problem: Problem, y_pred: BoolArray) -> dict[str, float]:
        """Measure the true 0-1 value of every row that is about predictions.

        The rows' covers count a sample once however many rules cover it, so a Hamming proxy becomes the truth.

        Parameters
        ----------
        problem
            The data.
        y_pred
            Predictions of the original labels, one for each sample of the problem.

        Returns
        -------
        dict
            By row name, values in the units of that row's bounds; further names may be added and are only reported.
        """
        return {
            row.name: prediction_value(row.form, problem, y_pred)
            for row in self.rows(problem)
            if not row.form.beyond_predictions
        }

    @property
    def kept_aside(self) -> float:
        """Which share of the rows, from 0 to 0.9, is to be kept aside from learning for :meth:`judge_aside`.

        With 0, the default, every row is learned from. Otherwise the estimator splits the rows before it learns, with a
        seed and stratified by label and groups, and returns the rule set only if :meth:`judge_aside` says that it may.
        A class attribute ``kept_aside = 0.3`` will do.
        """
        return 0.0

    def judge_aside(self, aside: Problem, training: Problem, y_pred: BoolArray) -> Judgement:
        """Judge a learned rule set by rows that it was not learned from; asked only where ``kept_aside`` is above 0.

        Unless overridden, a rule set holds when every row about predictions is within its bounds there.

        Parameters
        ----------
        aside
            All samples; those that were learned from have weight 0.
        training
            The same samples; those that were kept aside have weight 0.
        y_pred
            The rule set's predictions of the original labels, one for each sample.

        Returns
        -------
        Judgement
            Whether the rule set may be returned, and why.
        """
        measured = self.measure(aside, y_pred)
        rows = [row for row in self.rows(aside) if row.name in measured]
        broken = [row for row in rows if row.violation(measured[row.name]) > KEPT]
        shown = ", ".join(f"{row.name} is {measured[row.name]:.4g}" for row in broken or rows)
        return Judgement(not broken, f"On the rows kept aside {shown or 'nothing is bounded'}.")


def prediction_value(form: LinearForm, problem: Problem, y_pred: BoolArray) -> float:
    """Compute the form's value when covers are counted once: a true rate instead of its Hamming proxy."""
    covered = y_pred if problem.logic == "dnf" else ~np.asarray(y_pred)
    missed = (~covered).astype(np.float64)
    return form.value(missed, covered.astype(np.float64), 0.0, 0.0)


def checked_rows(constraint: Constraint, problem: Problem) -> list[Row]:
    """Ask a constraint for its rows and refuse those that no solver could use.

    Parameters
    ----------
    constraint
        The constraint, which may be anybody's.
    problem
        The data.

    Returns
    -------
    list of Row
        The rows: of type Row, with finite coefficients for every sample of the problem.

    Raises
    ------
    ConfigurationError
        As the constraint itself says.
    PluginError
        When the constraint fails or gives something else than usable rows; the message names constraint and row.
    """
    who = _who(constraint)
    try:
        rows = list(constraint.rows(problem))
    except ImpossibleRowError as error:
        raise PluginError(f"The {who} made a row that cannot be used. {error}", _package(constraint)) from error
    except RulecgError:
        raise
    except Exception as error:  # a stranger's code: anything may come
        raise PluginError(
            f"The {who} could not make its rows: {type(error).__name__}: {error}.", _package(constraint)
        ) from error
    for row in rows:
        if not isinstance(row, Row):
            raise PluginError(f"The {who} made a {type(row).__name__} where a Row belongs.", _package(constraint))
        _refuse_faults(row.form, problem, f"The row {row.name!r} of the {who}", constraint)
    return rows


def checked_max_rules(constraint: Constraint, problem: Problem) -> float:
    """Ask a constraint how many rules there can be at most, and refuse what is no such number.

    Raises
    ------
    PluginError
        When the constraint fails or gives something else than a number of at least 0; the message names it.
    """
    who = _who(constraint)
    try:
        most = float(constraint.max_rules(problem))
    except RulecgError:
        raise
    except Exception as error:  # a stranger's code: anything may come
        raise PluginError(
            f"The {who} could not say how many rules there can be: {type(error).__name__}: {error}.",
            _package(constraint),
        ) from error
    if not most >= 0:
        raise PluginError(
            f"The {who} says that there can be {most} rules: give at least 0, or inf.", _package(constraint)
        )
    return most


def checked_objective(constraint: Constraint, problem: Problem) -> LinearForm | None:
    """Ask a constraint for its term of the objective and refuse one that no solver could use.

    Parameters
    ----------
    constraint
        The constraint, which may be anybody's.
    problem
        The data.

    Returns
    -------
    LinearForm or None
        The term, with finite coefficients for every sample of the problem.

    Raises
    ------
    ConfigurationError
        As the constraint itself says.
    PluginError
        When the constraint fails or gives something else than a usable form; the message names the constraint.
    """
    who = _who(constraint)
    try:
        term = constraint.objective(problem)
    except RulecgError:
        raise
    except Exception as error:  # a stranger's code: anything may come
        raise PluginError(
            f"The {who} could not make its term of the objective: {type(error).__name__}: {error}.",
            _package(constraint),
        ) from error
    if term is None:
        return None
    if not isinstance(term, LinearForm):
        raise PluginError(f"The {who} adds a {type(term).__name__} to the objective: give a LinearForm or None.")
    _refuse_faults(term, problem, f"The objective's term of the {who}", constraint)
    return term


def checked_rule_bounds(constraint: Constraint, problem: Problem) -> list[RuleBound]:
    """Ask a constraint for its bounds on single rules and refuse those that nobody could use.

    Parameters
    ----------
    constraint
        The constraint, which may be anybody's.
    problem
        The data.

    Returns
    -------
    list of RuleBound
        The bounds, with finite coefficients for every sample of the problem.

    Raises
    ------
    ConfigurationError
        As the constraint itself says.
    PluginError
        When the constraint fails or gives something else than usable bounds; the message names constraint and bound.
    """
    who = _who(constraint)
    try:
        bounds = list(constraint.rule_bounds(problem))
    except RulecgError:
        raise
    except Exception as error:  # a stranger's code: anything may come
        raise PluginError(
            f"The {who} could not make its bounds on rules: {type(error).__name__}: {error}.", _package(constraint)
        ) from error
    for bound in bounds:
        if not isinstance(bound, RuleBound):
            raise PluginError(
                f"The {who} made a {type(bound).__name__} where a RuleBound belongs.", _package(constraint)
            )
        _refuse_faults(bound.form, problem, f"The bound {bound.name!r} on rules of the {who}", constraint)
    return bounds


def _refuse_faults(form: LinearForm, problem: Problem, what: str, constraint: Constraint) -> None:
    fault = form.fault(problem.n_samples)
    if fault is not None:
        raise PluginError(
            f"{what} cannot be used: {fault}. Build forms from the problem they are for, with finite numbers.",
            _package(constraint),
        )


def _who(constraint: Constraint) -> str:
    return f"constraint {type(constraint).__name__} ({type(constraint).__module__})"


def _package(constraint: Constraint) -> str:
    return type(constraint).__module__.partition(".")[0]
