"""Rows kept aside from learning."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from attrs import frozen

from rulecg import RuleSetClassifier
from rulecg.commands.cli import main
from rulecg.commands.common.exit_codes import INFEASIBLE
from rulecg.estimators.fairness_path import fairness_path
from rulecg.estimators.learning import labelled_rows
from rulecg.resampling.kept_aside import Parted
from rulecg_core import ConfigurationError, Constraint, InfeasibleError, Judgement, Problem, Row, UnconfirmedError
from rulecg_fairness import EqualityOfOpportunity

BOUND = EqualityOfOpportunity(0.2, confidence=0.9)


def applicants(n: int) -> tuple[pd.DataFrame, pd.Series, pd.Series]:
    """Income decides in nine rows of ten, whatever the group."""
    rng = np.random.default_rng(0)
    table = pd.DataFrame({"income": rng.integers(0, 100, n), "age": rng.integers(18, 80, n)})
    paid = (table["income"] > 50) ^ (rng.random(n) < 0.1)
    return table, paid.rename("paid"), pd.Series(rng.choice(["f", "m"], n), name="sex")


def test_the_split_is_stratified_seeded_and_blind_to_order() -> None:
    """Half of every label and group is kept aside; the same rows in any order, others with another seed."""
    table, paid, sex = applicants(400)
    order = np.random.default_rng(1).permutation(400)
    rows, groups = labelled_rows(table, paid, None, sex)
    parted = Parted.of(rows, groups, (BOUND,), seed=0)
    cells = pd.DataFrame({"paid": paid, "sex": sex, "aside": parted.is_aside}).groupby(["paid", "sex"])["aside"]
    assert (abs(cells.sum() - cells.size() / 2) <= 0.5).all()
    assert len(parted.learned_from.table) == len(parted.learned_groups.codes) == 400 - parted.is_aside.sum()
    shuffled = Parted.of(*labelled_rows(table.iloc[order], paid.iloc[order], None, sex.iloc[order]), (BOUND,), seed=0)
    kept = [table[parted.is_aside], table.iloc[order][shuffled.is_aside]]
    ones, others = (part.sort_values(["income", "age"]).to_numpy().tolist() for part in kept)
    assert ones == others
    assert (Parted.of(rows, groups, (BOUND,), seed=1).is_aside != parted.is_aside).any()
    assert not Parted.of(rows, groups, (EqualityOfOpportunity(0.2),), seed=0).is_aside.any()


def test_a_bound_on_new_rows_is_confirmed_in_the_certificate() -> None:
    """Where rows kept aside confirm the bound, the fit says so, and by how many rows."""
    table, paid, sex = applicants(1200)
    learned = RuleSetClassifier(
        2, constraints=["equality-of-opportunity:0.2,confidence=0.9"], time_limit=10, binarizer="deciles"
    ).fit(table, paid, sensitive_features=sex)
    assert "rows kept aside every bound on groups holds with 90% confidence" in learned.result_.certificate()
    assert learned.result_.confirmed[0] in learned.model_.certificate.text
    assert learned.model_.class_weights.sum() == pytest.approx(600, abs=4)


def test_given_probabilities_of_a_teacher_follow_their_rows() -> None:
    """With rows kept aside, the probabilities given as a teacher are those of the rows that are learned from."""
    table, paid, sex = applicants(400)
    settings = {"constraints": [EqualityOfOpportunity(0.9, confidence=0.6)], "time_limit": 5, "label_weight": 0.0}
    learned = RuleSetClassifier(2, teacher=(table["income"] > 50).to_numpy(float), **settings)
    learned.fit(table, paid, sensitive_features=sex)
    assert (learned.predict(table) == (table["income"] > 50)).mean() > 0.9


def test_a_bound_that_cannot_be_confirmed_ends_in_no_solution(tmp_path, capsys) -> None:
    """Too few rows for the bound: an error of the infeasible kind that says how many; on the command line, too."""
    table, paid, sex = applicants(160)
    text = "equality-of-opportunity:0.05,confidence=0.95"
    with (
        pytest.warns(UserWarning, match="among the rows kept aside"),
        pytest.raises(UnconfirmedError, match=r"No solution found that holds on new rows\. .* kept aside"),
    ):
        RuleSetClassifier(2, constraints=[text], time_limit=5).fit(table, paid, sensitive_features=sex)
    assert issubclass(UnconfirmedError, InfeasibleError)
    table.assign(paid=paid, sex=sex).to_csv(tmp_path / "rows.csv", index=False)
    words = ["--target", "paid", "--sensitive", "sex", "--forbid", "sex", "--constraint", text, "--max-complexity", "2"]
    code = main(["fit", str(tmp_path / "rows.csv"), *words, "--time-limit", "5", "--quiet"])
    assert code == INFEASIBLE
    assert "No solution found that holds on new rows" in capsys.readouterr().err


@frozen
class Distrustful(Constraint):
    """A stranger's constraint that bounds nothing and believes no rule set."""

    kept_aside = 0.3

    def rows(self, problem: Problem) -> list[Row]:
        return []

    def judge_aside(self, aside: Problem, training: Problem, y_pred: np.ndarray) -> Judgement:
        assert (len(y_pred), aside.weights.sum() + training.weights.sum()) == (200, 200)
        assert aside.weights.sum() == pytest.approx(60, abs=2)
        return Judgement(False, "I do not believe it.")


def test_a_strangers_constraint_may_judge_by_rows_kept_aside() -> None:
    """Any constraint gets the share of rows that it asks for, and its word counts."""
    table, paid, _ = applicants(200)
    with pytest.raises(UnconfirmedError, match="I do not believe it"):
        RuleSetClassifier(2, constraints=[Distrustful()], time_limit=5).fit(table, paid)


def test_what_cannot_keep_rows_aside_says_so() -> None:
    """Several classes, a handful of rows and fairness paths are refused in a sentence."""
    table, paid, sex = applicants(60)
    with pytest.raises(ConfigurationError, match="which is for two classes"):
        RuleSetClassifier(30, constraints=[BOUND]).fit(table, np.arange(60) % 3, sensitive_features=sex)
    with pytest.raises(ConfigurationError, match="too few to keep some aside"):
        RuleSetClassifier(30, constraints=[BOUND]).fit(table[:4], [0, 1, 0, 1], sensitive_features=["f", "f", "m", "m"])
    with pytest.raises(ConfigurationError, match="leave confidence= out"):
        fairness_path(table, paid, sex, lambda eps: EqualityOfOpportunity(eps, confidence=0.9))
