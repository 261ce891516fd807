"""The workbench: an expert and the optimiser edit one rule set together."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable
from typing import Any

import pandas as pd
from attrs import evolve

from rulecg_core import Condition, ConfigurationError, Rule, RuleSet

from ..estimators.classifier import RuleSetClassifier
from ..inputs.table import as_frame
from ..knowledge.condition_text import read_condition, read_rules
from ..model.edits import Edit
from ..model.model import Model
from .answer import Answer, Figures, Price, texts_of
from .completion import Completion, price_of
from .draft_model import model_of_draft, rule_set_of
from .optimism import optimism_of
from .prepared import Prepared, prepare
from .standing import Clause, Standing

MOST_POOL = 5_000
"""So many rules of earlier runs are known to the next one."""


class Workbench:
    """Edit a rule set with the optimiser beside: every step says what it costs.

    The draft is the rule set on the table. What is kept and banned bounds the *completion*, the best rule set that has
    every kept rule and nothing banned; it and its bound go on improving in the background.

    Parameters
    ----------
    X : DataFrame, array or list of rows
        The training rows.
    y : sequence of labels
        What to predict; with a model, truth values or its classes.
    model : Model, fitted RuleSetClassifier or None
        What to begin with; None learns a rule set first.
    sample_weight, sensitive_features
        As for ``RuleSetClassifier.fit``.
    patience : float
        How many seconds an edit waits for the optimiser at most before it answers with what is known so far.
    folds : int
        From how many folds the accuracy to expect is computed, once and in the background; 0 for none.
    **settings
        Parameters of ``RuleSetClassifier``, such as ``max_complexity``; with a model they replace its own.

    Examples
    --------
    >>> rows = pd.DataFrame({"x": [1, 2, 3, 4] * 10, "z": [0, 1, 0, 1] * 10})
    >>> with Workbench(rows, rows["x"] > 2, max_complexity=4, folds=0) as bench:
    ...     answer = bench.ban("x", wait=True)
    >>> answer.completion, answer.is_optimal, str(answer.cost)
    ((), True, '20')
    """

    # Rows, what to begin with, and how patient to be: settings go to the estimator.
    def __init__(
        self,
        X: Any,
        y: Any,
        *,
        model: Model | RuleSetClassifier | None = None,
        sample_weight: Any = None,
        sensitive_features: Any = None,
        patience: float = 1.0,
        folds: int = 5,
        **settings: Any,
    ) -> None:
        groups = {"sample_weight": sample_weight, "sensitive_features": sensitive_features}
        source = RuleSetClassifier(**settings).fit(X, y, **groups) if model is None else model
        self.prepared: Prepared = prepare(source, as_frame(X), y, **groups, changes=None if model is None else settings)
        self.patience = patience
        self.edits: list[Edit] = list(self.prepared.model.edits)
        self._past: list[tuple[Standing, Completion]] = []
        self._runs: list[Completion] = []
        self._known: list[tuple[Clause, ...]] = [tuple(self.prepared.model.rule_set.clauses())]
        self._written: dict[Condition, None] = {}
        self._optimism: float | None = None
        self._closed = threading.Event()
        self.standing = Standing(rules=self._known[0])
        self.completion = self._begin(self.standing)
        self.optimum = self.completion
        """The run without anything kept or banned."""
        self.completion.wait(patience)
        if folds:
            threading.Thread(target=self._learn_optimism, args=(folds,), name="rulecg-folds", daemon=True).start()

    def __enter__(self) -> Workbench:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        """End everything that goes on in the background."""
        self._closed.set()
        for run in self._runs:
            run.stop()
        for run in self._runs:
            run.wait(5.0)

    # Edits --------------------------------------------------------------------------------------------------------

    def look(self, *, wait: bool = False) -> Answer:
        """Answer anew, with what the background found since; with ``wait`` when nothing more will come."""
        began = time.perf_counter()
        self.completion.wait(None if wait else 0.0)
        return self._answer("look", began)

    def keep(self, rule: int | str, *, wait: bool = False) -> Answer:
        """Keep a rule of the draft, by its number from 1 or its text: every completion has it."""
        return self._go(f"keep {rule}", lambda: self.standing.keeping(self._clause(rule)), wait)

    def release(self, rule: int | str, *, wait: bool = False) -> Answer:
        """Keep a rule no longer."""
        return self._go(f"release {rule}", lambda: self.standing.released(self._clause(rule)), wait)

    def drop(self, rule: int | str, *, wait: bool = False) -> Answer:
        """Take a rule out of the draft. A completion may have it again, unless what it is made of is banned."""
        return self._go(f"drop {rule}", lambda: self.standing.without(self._clause(rule)), wait)

    def add(self, text: str, *, wait: bool = False) -> Answer:
        """Add a rule, such as ``"age > 30 and smoker"``, and keep it."""
        return self._go(f'add "{text}"', lambda: self.standing.keeping(self._read(text)), wait)

    def edit(self, rule: int | str, text: str, *, wait: bool = False) -> Answer:
        """Put another rule in the place of one, and keep it."""

        def edited() -> Standing:
            old, new = self._clause(rule), self._read(text)
            rules = tuple(new if each == old else each for each in self.standing.rules)
            without = self.standing.without(old)
            return evolve(without, rules=rules).keeping(new)

        return self._go(f'edit {rule} "{text}"', edited, wait)

    def ban(self, name: str, *, wait: bool = False) -> Answer:
        """Ban a column or a condition."""
        return self._go(f"ban {name}", lambda: self._banning(name), wait)

    def allow(self, name: str, *, wait: bool = False) -> Answer:
        """Lift a ban."""
        return self._go(f"allow {name}", lambda: self.standing.allowing(self._name(name)), wait)

    def accept(self, *, wait: bool = False) -> Answer:
        """Make the best completion the draft."""
        rules = self.completion.rules
        if rules is None:
            raise ConfigurationError("There is no completion to accept yet.")
        return self._go("accept", lambda: evolve(self.standing, rules=rules), wait)

    def undo(self) -> Answer:
        """Take the last edit back."""
        began = time.perf_counter()
        if not self._past:
            raise ConfigurationError("There is nothing to undo.")
        self.standing, self.completion = self._past.pop()
        if self.completion.was_stopped:
            self.completion = self._begin(self.standing)
            self.completion.wait(max(0.1, self.patience - (time.perf_counter() - began)))
        return self._note(self._answer("undo", began))

    def _go(self, command: str, change: Callable[[], Standing], wait: bool) -> Answer:
        began = time.perf_counter()
        standing = change()
        for rule in standing.kept:
            if any(map(standing.is_banned, rule)):
                text = texts_of((rule,), self.logic)[0]
                raise ConfigurationError(f"The rule {text!r} is kept, but something in it is banned: release it first.")
        before = self.standing, self.completion
        if self._write_down(standing):
            # What is kept and banned is to be compared with the best over the same conditions.
            self.optimum = self._begin(Standing(rules=standing.rules))
        alike = (standing.kept, standing.banned) == (before[0].kept, before[0].banned)
        knows = all(self.completion.rule(rule) is not None for rule in standing.rules)
        if not (alike and knows):
            if self.completion is not self.optimum:
                # What is proven without anything kept or banned goes on: it serves every later step.
                self.completion.stop()
            self.completion = self._begin(standing)
        self.standing = standing
        self._past.append(before)
        # What was spent on making the problem is not waited for once more.
        spent = time.perf_counter() - began
        self.completion.wait(None if wait else max(0.1, self.patience - spent))
        return self._note(self._answer(command, began))

    # Prices -------------------------------------------------------------------------------------------------------

    def price(self, command: str, name: str, *, seconds: float = 10.0) -> Price:
        """Say what an edit would cost, without making it.

        Parameters
        ----------
        command : "ban", "keep" or "add"
            The edit: ``ban`` a column or condition, ``keep`` a rule of the draft, ``add`` a rule.
        name : str
            What it is about, as the edit would take it.
        seconds : float
            How long to wait for proofs.

        Returns
        -------
        Price
            Objectives with the edit, less those without.
        """
        changes: dict[str, Callable[[], Standing]] = {
            "ban": lambda: self._banning(name),
            "keep": lambda: self.standing.keeping(self._clause(name)),
            "add": lambda: self.standing.keeping(self._read(name)),
        }
        if command not in changes:
            raise ConfigurationError(f"There are prices of: {', '.join(changes)}; not of {command!r}.")
        standing = changes[command]()
        if self._write_down(standing):
            self.optimum = self._begin(Standing(rules=self.standing.rules))
            self.completion = self._begin(self.standing)
        run = self._begin(standing)
        run.wait(seconds)
        self.completion.wait(seconds)
        run.stop()
        return price_of(run, self.completion, self._bounds(self.completion, run))

    def prices(self, *, seconds: float = 10.0) -> pd.DataFrame:
        """Say what every kept rule, every ban and every bound costs by itself.

        Parameters
        ----------
        seconds : float
            How long to wait for each.

        Returns
        -------
        DataFrame
            One line each: ``what``, ``least``, ``most``; the price is proven where both are one.
        """
        standing = self.standing
        lines: list[tuple[str, Completion]] = []
        for rule in standing.kept:
            text = texts_of((rule,), self.logic)[0]
            lines.append((f"keep {text}", self._begin(standing.released(rule))))
        for name in standing.banned:
            lines.append((f"ban {name}", self._begin(standing.allowing(name))))
        for constraint in self.prepared.recipe.constraints[1:]:
            without = tuple(each for each in self.prepared.recipe.constraints if each is not constraint)
            prepared = evolve(self.prepared, recipe=evolve(self.prepared.recipe, constraints=without))
            lines.append((repr(constraint), self._begin(standing, prepared)))
        found = []
        self.completion.wait(seconds)
        for what, run in lines:
            run.wait(seconds)
            run.stop()
            price = price_of(self.completion, run, self._bounds(run, self.completion))
            found.append((what, price.least, price.most))
        return pd.DataFrame(found, columns=["what", "least", "most"])

    # What comes of it ---------------------------------------------------------------------------------------------

    @property
    def logic(self) -> str:
        """An OR of ANDs, or an AND of ORs."""
        return str(self.prepared.problem.logic)

    @property
    def rule_set(self) -> RuleSet:
        """The draft."""
        return rule_set_of(self.prepared, self.standing.rules)

    def to_model(self) -> Model:
        """Make a model of the draft, with its history.

        Returns
        -------
        Model
            It has a certificate where the draft is the completion and its run has ended; that is about rule sets with
            what was kept, and without what was banned.
        """
        return model_of_draft(self.prepared, self.standing, self.completion, self.edits)

    # Helpers ------------------------------------------------------------------------------------------------------

    def _begin(self, standing: Standing, prepared: Prepared | None = None) -> Completion:
        """Begin to look for the best completion, with all that is known from before."""
        earlier = [run for run in self._runs if run.rules is not None]
        known = [run.rules for run in earlier if run.rules is not None]
        pool = dict.fromkeys(clause for run in earlier[-3:] for clause in run.pool)
        sets = [standing.kept, standing.rules, *reversed(known), *self._known]
        run = Completion(prepared or self.prepared, standing, list(pool)[:MOST_POOL], sets, self._written)
        if prepared is None:
            bounds = [each.bound for each in self._runs if self._bounds(each, run)]
            run.bound = max((bound for bound in [run.bound, *bounds] if bound is not None), default=None)
        self._runs.append(run)
        run.start()
        return run

    def _bounds(self, earlier: Completion, run: Completion) -> bool:
        """Whether every completion of a run is one of an earlier run: bounds of that hold for this."""
        if earlier.prepared is not run.prepared or not run.standing.is_part_of(earlier.standing):
            return False
        kept = [earlier.rule(rule) for rule in run.standing.kept if not earlier.standing.is_kept(rule)]
        rules: list[Rule] = [rule for rule in kept if rule is not None]
        fits = all(len(rule) <= earlier.problem.max_conditions for rule in rules)
        conditions = set(run.problem.conditions) <= set(earlier.problem.conditions)
        return len(rules) == len(kept) and fits and conditions and bool(earlier.goal.allows(rules).all())

    def _write_down(self, standing: Standing) -> bool:
        """Let all rules use the conditions that were written by hand; whether there are new ones."""
        known = {*self.prepared.training.conditions, *self._written}
        new = [condition for rule in standing.rules for condition in rule if condition not in known]
        self._written.update(dict.fromkeys(new))
        return bool(new)

    def _clause(self, rule: int | str) -> Clause:
        """A rule of the draft by its number or text."""
        rules = self.standing.rules
        if str(rule).isdigit():
            if not 1 <= int(rule) <= len(rules):
                raise ConfigurationError(f"The draft has rules 1 to {len(rules)}; there is no rule {rule}.")
            return rules[int(rule) - 1]
        return self._read(str(rule))

    def _read(self, text: str) -> Clause:
        rules = read_rules([text], self.prepared.table, self.logic)
        return tuple(rules[0])

    def _name(self, name: str) -> str | Condition:
        """A column, or a condition."""
        table = self.prepared.table
        return name if name in table else read_condition(name, table)

    def _banning(self, name: str) -> Standing:
        return self.standing.banning(self._name(name))

    def _figures(self, rules: Iterable[Clause]) -> Figures:
        run = self.completion
        found = [run.rule(clause) for clause in rules]
        judged = run.goal.evaluate([rule for rule in found if rule is not None])
        unit, total = run.problem.unit, float(run.problem.weights.sum())
        broken = []
        for row, (counted, true) in zip(run.goal.rows, run.goal.row_values(judged.rules).values(), strict=True):
            if row.violation(true) > 1e-9:
                broken.append(f"{row.name}: {true:.4g} in true counts, beyond {row.lo:g} to {row.hi:g}")
            elif row.violation(counted) > 1e-6:
                broken.append(f"{row.name}: {counted:.4g} as the solver counts, beyond {row.lo:g} to {row.hi:g}")
        return Figures(
            judged.objective * unit, judged.errors * unit, 1.0 - judged.errors / total, judged.complexity, tuple(broken)
        )

    def _answer(self, command: str, began: float) -> Answer:
        run, standing = self.completion, self.standing
        is_final = run.is_final
        completed = None if run.rules is None else self._figures(run.rules)
        draft = self._figures(standing.rules)
        has_cost = completed is not None and (standing.kept or standing.banned)
        return Answer(
            command=command,
            rules=texts_of(standing.rules, self.logic),
            kept=tuple(map(standing.is_kept, standing.rules)),
            banned=tuple(map(str, standing.banned)),
            draft=draft,
            completion=None if run.rules is None else texts_of(run.rules, self.logic),
            completed=completed,
            bound=run.bound,
            is_final=is_final,
            is_optimal=is_final and run.is_optimal,
            cost=price_of(run, self.optimum, self._bounds(self.optimum, run)) if has_cost else None,
            expected=None if self._optimism is None else draft.accuracy - self._optimism,
            seconds=time.perf_counter() - began,
            failure=run.failure if run.rules is None else None,
        )

    def _note(self, answer: Answer) -> Answer:
        best = None if answer.completed is None else answer.completed.objective
        self.edits.append(
            Edit(answer.command, answer.rules, answer.draft.errors, answer.draft.objective, best, answer.bound)
        )
        return answer

    def _learn_optimism(self, folds: int) -> None:
        """When the first run has ended, learn from folds how much accuracy is lost between training and new rows."""
        while not self._closed.is_set() and not self.optimum.wait(0.2):
            continue
        if not self._closed.is_set():
            self._optimism = optimism_of(self.prepared, folds, self._closed)

