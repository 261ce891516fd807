"""Data sets that need no file: all tic-tac-toe end games, synthetic lending decisions, breast cancer."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from rulecg_core import Condition, RuleSet

from .dataset import Dataset

_SQUARES = tuple(f"{row}-{column}" for row in ("top", "middle", "bottom") for column in ("left", "middle", "right"))
_LINES = ((0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6))


def tic_tac_toe() -> Dataset:
    """Every board on which a game of tic-tac-toe can end when x moves first; positive when x has three in a row."""
    boards = sorted(_end_games(("b",) * 9, "x", {}))
    data = pd.DataFrame(boards, columns=[f"{square}-square" for square in _SQUARES])
    target = pd.Series([_wins(board, "x") for board in boards], name="x wins")
    return Dataset("tic-tac-toe", data, target)


def _wins(board: tuple[str, ...], player: str) -> bool:
    return any(all(board[square] == player for square in line) for line in _LINES)


def _end_games(board: tuple[str, ...], player: str, seen: dict[tuple[str, ...], set[Any]]) -> set[tuple[str, ...]]:
    if board in seen:
        return seen[board]
    if _wins(board, "x") or _wins(board, "o") or "b" not in board:
        return {board}
    other = "o" if player == "x" else "x"
    ends: set[tuple[str, ...]] = set()
    for square, mark in enumerate(board):
        if mark == "b":
            ends |= _end_games((*board[:square], player, *board[square + 1 :]), other, seen)
    seen[board] = ends
    return ends


LENDING_RULES = RuleSet.of(
    [
        [Condition("income", ">", 50), Condition("debt_ratio", "<=", 0.45), Condition("late_payments", "<=", 1)],
        [Condition("years_at_job", ">", 5), Condition("late_payments", "<=", 0)],
        [Condition("savings", ">", 14), Condition("job", "!=", "unemployed")],
    ],
    outcome="qualified",
)
"""The rules that decide in the lending data who is qualified."""

LENDING_NOISE = 0.02
LENDING_DENIED_WOMEN = 0.20
LENDING_DENIED_MINORITY = 0.15


def lending(n_rows: int = 2000, seed: int = 0) -> Dataset:
    """Synthetic loan decisions with known rules and a known bias.

    Who is qualified follows ``LENDING_RULES``. The recorded decision ``approved`` departs from that in two ways:

    * bias: a qualified woman was denied in 20 % of the cases and a qualified member of the minority in 15 % (a woman
      of the minority meets both), while unqualified applicants are treated alike;
    * noise: 2 % of all decisions, whoever the applicant, were flipped.

    Besides, the groups differ in circumstances: women have lower incomes but more savings, the minority has
    shorter times at a job. About one in twelve applicants does not state savings, and then the rule on savings does
    not apply; ``purpose`` and ``region`` have nothing to do with the decision.

    Parameters
    ----------
    n_rows
        How many applicants.
    seed
        For chance: equal seeds give equal tables.

    Returns
    -------
    Dataset
        Applicants, decisions, and the columns sex and race.

    Examples
    --------
    >>> lending(n_rows=100).data.shape
    (100, 11)
    """
    rng = np.random.default_rng(seed)
    woman = rng.random(n_rows) < 0.45
    minority = rng.random(n_rows) < 0.3
    income = 5.0 * np.round(np.clip(rng.gamma(5.0, 10.0, n_rows) - 8.0 * woman, 10, 150) / 5)
    debt_ratio = np.round(rng.beta(2.2, 3.2, n_rows) * 20) / 20
    late_payments = rng.poisson(0.9, n_rows)
    years_at_job = np.floor(np.clip(rng.exponential(6.0 - 2.0 * minority, n_rows), 0, 40)).astype(int)
    savings = 2.0 * np.round(np.clip(rng.exponential(7.0 + 3.0 * woman, n_rows), 0, 120) / 2)
    data = pd.DataFrame(
        {
            "income": income,
            "debt_ratio": debt_ratio,
            "late_payments": late_payments,
            "years_at_job": years_at_job,
            "savings": np.where(rng.random(n_rows) < 1 / 12, np.nan, savings),
            "job": rng.choice(["employed", "self-employed", "unemployed", "retired"], n_rows, p=[0.6, 0.2, 0.1, 0.1]),
            "home": rng.choice(["owned", "rented", "mortgage"], n_rows, p=[0.25, 0.45, 0.3]),
            "purpose": rng.choice(["car", "education", "home", "business"], n_rows),
            "region": rng.choice(["north", "south", "east", "west"], n_rows),
            "sex": np.where(woman, "female", "male"),
            "race": np.where(minority, "minority", "majority"),
        }
    )
    qualified = LENDING_RULES.predict(data)
    denied = (woman & (rng.random(n_rows) < LENDING_DENIED_WOMEN)) | (
        minority & (rng.random(n_rows) < LENDING_DENIED_MINORITY)
    )
    approved = (qualified & ~denied) ^ (rng.random(n_rows) < LENDING_NOISE)
    return Dataset("lending", data, pd.Series(approved, name="approved"), data[["sex", "race"]].copy())


def breast_cancer() -> Dataset:
    """The Wisconsin diagnostic data that scikit-learn brings; positive when the tumour is malignant."""
    from sklearn.datasets import load_breast_cancer

    bunch = load_breast_cancer(as_frame=True)
    malignant = list(bunch.target_names).index("malignant")
    target = (bunch.target == malignant).rename("malignant")
    return Dataset("breast-cancer", bunch.data, target, source="scikit-learn")
