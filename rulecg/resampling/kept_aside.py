"""Rows kept aside from learning, for constraints that are to hold on new rows."""

from __future__ import annotations

import numpy as np
import pandas as pd
from attrs import evolve, frozen

from rulecg_core import (
    ConfigurationError,
    Constraint,
    Groups,
    Problem,
    UnconfirmedError,
    checked_judgement,
    share_kept_aside,
)
from rulecg_core.base.arrays import BoolArray, IntArray

from ..model.model import Model
from ..model.scored_rule_sets import LabelledRows


@frozen(eq=False)
class Parted:
    """Labelled rows in two parts: those to learn from and those kept aside."""

    rows: LabelledRows
    groups: Groups
    is_aside: BoolArray
    constraints: tuple[Constraint, ...]
    """Those that will judge by the rows kept aside."""

    @classmethod
    def of(cls, rows: LabelledRows, groups: Groups, constraints: tuple[Constraint, ...], seed: int) -> Parted:
        """Keep rows aside if a constraint asks for it, in the same share of every label and group.

        Which rows they are depends on the seed and on what the rows hold, not on their order.

        Parameters
        ----------
        rows : LabelledRows
            All rows.
        groups : Groups
            Their sensitive groups.
        constraints : tuple of Constraint
            Whatever the learner was given.
        seed : int
            Seed of the split.

        Returns
        -------
        Parted
            The parts; without such a constraint nothing is kept aside.

        Raises
        ------
        ConfigurationError
            When there are more than two classes, or too few rows to keep any aside.
        """
        asking = tuple(constraint for constraint in constraints if share_kept_aside((constraint,)))
        is_aside = np.zeros(len(rows.table), dtype=bool)
        if not asking:
            return cls(rows, groups, is_aside, ())
        if len(rows.classes) > 2:
            raise ConfigurationError(
                f"{type(asking[0]).__name__} judges rule sets by rows kept aside, which is for two classes, and y has "
                f"{len(rows.classes)}. Learn one class against the rest."
            )
        is_aside[_stratified(rows, groups, share_kept_aside(asking), seed)] = True
        if not is_aside.any():
            raise ConfigurationError(
                f"{len(rows.table)} rows are too few to keep some aside and confirm a bound on new rows by them: give "
                "more rows, or leave the confidence out."
            )
        return cls(rows, groups, is_aside, asking)

    @property
    def learned_positions(self) -> IntArray | None:
        """Which rows are learned from; None for all."""
        return np.flatnonzero(~self.is_aside) if self.is_aside.any() else None

    @property
    def learned_from(self) -> LabelledRows:
        """The rows to learn from."""
        rows, kept = self.rows, self.learned_positions
        if kept is None:
            return rows
        return evolve(rows, table=rows.table.iloc[kept], codes=rows.codes[kept], weights=rows.weights[kept])

    @property
    def learned_groups(self) -> Groups:
        """Their sensitive groups."""
        kept = self.learned_positions
        return self.groups if kept is None else self.groups.take(kept)

    def confirm(self, model: Model) -> tuple[str, ...]:
        """Let constraints judge a learned model by the rows kept aside.

        Parameters
        ----------
        model : Model
            What was learned from the other rows.

        Returns
        -------
        tuple of str
            What they say.

        Raises
        ------
        UnconfirmedError
            When one of them says that it does not hold.
        """
        if not self.constraints:
            return ()
        predicted = model.decide(self.rows.table) == 1
        samples = Problem.from_arrays(
            predicted[:, None], self.rows.codes == 1, sensitive_groups=self.groups, merge=False
        )
        aside = evolve(samples, weights=np.where(self.is_aside, self.rows.weights, 0.0))
        training = evolve(samples, weights=np.where(self.is_aside, 0.0, self.rows.weights))
        said = []
        for constraint in self.constraints:
            judgement = checked_judgement(constraint, aside, training, predicted)
            if not judgement.holds:
                raise UnconfirmedError(f"No solution found that holds on new rows. {judgement.text}")
            said.append(judgement.text)
        return tuple(dict.fromkeys(text for text in said if text))


def _stratified(rows: LabelledRows, groups: Groups, share: float, seed: int) -> IntArray:
    """Rows to keep aside: of every label and group the same share, drawn by the seed."""
    cells = pd.DataFrame({"label": rows.codes, **{str(at): codes for at, codes in enumerate(groups.codes.T)}})
    cell = cells.groupby(list(cells.columns), sort=True).ngroup().to_numpy()
    contents = pd.util.hash_pandas_object(rows.table, index=False).to_numpy()
    order = np.lexsort([contents, cell])
    rng = np.random.default_rng(seed)
    aside: list[IntArray] = []
    for members in np.split(order, np.flatnonzero(np.diff(cell[order])) + 1):
        aside.append(rng.permutation(members)[: int(share * len(members))])
    return np.concatenate(aside)
