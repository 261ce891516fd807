"""How rows are dealt to folds."""

import numpy as np
import pandas as pd
import pytest

from rulecg import RuleSetClassifier, RuleSetClassifierCV
from rulecg.choosing.folds import checked_groups, dealt_folds, most_folds
from rulecg.model.scored_rule_sets import LabelledRows
from rulecg_core import ConfigurationError, Groups


def sorted_rows(n_rows: int) -> tuple[LabelledRows, Groups]:
    """A table sorted by its only column and by the label, and two groups."""
    table = pd.DataFrame({"x": np.arange(n_rows)})
    codes = (np.arange(n_rows) >= n_rows // 2).astype(int)
    sex = np.where(np.arange(n_rows) % 3 == 0, "f", "m")
    return LabelledRows(table, np.array([0, 1]), codes, np.ones(n_rows)), Groups.encode(sex, n_rows)


def test_every_fold_has_its_share_of_every_label_and_group() -> None:
    """No cell has two rows more in one fold than in another, and a sorted table is shuffled."""
    rows, sensitive = sorted_rows(200)
    folds = dealt_folds(rows, sensitive, 5, 0, None)
    for label in (0, 1):
        for group in (0, 1):
            counts = np.bincount(folds[(rows.codes == label) & (sensitive.codes[:, 0] == group)], minlength=5)
            assert counts.max() - counts.min() <= 1
    assert np.abs(np.corrcoef(folds, rows.table["x"])[0, 1]) < 0.2


def test_folds_depend_on_contents_and_seed_and_not_on_order() -> None:
    """Shuffled rows fall into the same folds; another seed gives others."""
    rows, sensitive = sorted_rows(60)
    order = np.random.default_rng(3).permutation(60)
    shuffled = LabelledRows(rows.table.iloc[order], rows.classes, rows.codes[order], rows.weights[order])
    folds = dealt_folds(rows, sensitive, 4, 7, None)
    assert np.array_equal(dealt_folds(shuffled, sensitive.take(order), 4, 7, None), folds[order])
    assert not np.array_equal(dealt_folds(rows, sensitive, 4, 8, None), folds)


def test_rows_that_belong_together_stay_together() -> None:
    """Every group of rows is in one fold, and folds are of like size and labels."""
    rows, sensitive = sorted_rows(300)
    together = np.random.default_rng(0).integers(0, 60, 300)
    folds = dealt_folds(rows, sensitive, 5, 0, together)
    assert all(len(np.unique(folds[together == group])) == 1 for group in np.unique(together))
    sizes = np.bincount(folds, minlength=5)
    assert sizes.min() >= 40
    shares = [rows.codes[folds == number].mean() for number in range(5)]
    assert max(shares) - min(shares) < 0.25


def test_most_folds_counts_what_can_be_split() -> None:
    """Never more folds than the rarest class has rows, or groups of rows."""
    codes = np.array([0] * 50 + [1] * 3)
    assert most_folds(codes, None, 5) == 3
    assert most_folds(codes, np.arange(53) // 10, 5) == 1


def test_groups_are_checked() -> None:
    """One label per row is needed; rows without weight have none."""
    assert checked_groups(["a", "b", "a"], [1, 0, 1], 2).tolist() == [0, 0]
    with pytest.raises(ConfigurationError, match="groups must be one label for each row"):
        checked_groups(["a", "b"], None, 3)


def test_cross_validation_shuffles_its_folds() -> None:
    """On a table sorted by its column, a number of folds finds the limit that shuffled rows need, from 0 upward."""
    table = pd.DataFrame({"x": np.arange(200)})
    y = (np.arange(200) // 50) % 2 == 1
    search = RuleSetClassifierCV([0, 3, 8], estimator=RuleSetClassifier(time_limit=2.0), cv=3, time_limit=6.0)
    search.fit(table, y)
    assert search.best_complexity_ > 0
    assert search.cv_results_["cv_accuracy"].iloc[0] == pytest.approx(0.5)
    assert search.cv_results_["cv_accuracy"].max() > 0.9
    assert all(fitted.get_params()["time_limit"] <= 2.0 for fitted in search.path_.classifiers.values())
