"""Impact ratios and predictive values are what auditors would compute by hand."""

import numpy as np
import pytest
from scipy.stats import fisher_exact

from rulecg_fairness.audits.impact import impact_ratios, predictive_values


def rows(**groups):
    """Predictions and groups with so many selected of so many rows each."""
    predicted, names = [], []
    for name, (selected, total) in groups.items():
        predicted += [1] * selected + [0] * (total - selected)
        names += [name] * total
    return np.array(predicted), np.array(names, dtype=object)


def test_ratios_are_against_the_group_selected_most():
    """60 of 100 and 30 of 100 give a ratio of one half, with Fisher's p-value."""
    predicted, group = rows(a=(60, 100), b=(30, 100))
    table = impact_ratios(predicted, predicted, sensitive_features=group)
    assert table["impact_ratio"].tolist() == [1.0, 0.5]
    assert table.loc["b", "p_value"] == pytest.approx(fisher_exact([[60, 40], [30, 70]]).pvalue)
    assert table["finding"].tolist() == ["selected most", "below four fifths, significantly"]


def test_a_small_difference_in_few_rows_may_be_chance():
    """A ratio below four fifths in ten rows is flagged, but not called significant."""
    predicted, group = rows(a=(6, 10), b=(4, 10), c=(5, 10))
    table = impact_ratios(predicted, predicted, sensitive_features=group)
    assert table.loc["b", "finding"] == "below four fifths, perhaps by chance"
    assert table.loc["c", "finding"] == "at least four fifths"


def test_groups_under_two_percent_are_shown_and_never_the_measure():
    """One row of a thousand that is selected does not make everybody else fall behind."""
    predicted, group = rows(a=(500, 999), b=(1, 1))
    table = impact_ratios(predicted, predicted, sensitive_features=group)
    assert table.loc["a", "finding"] == "selected most"
    assert table.loc["b", "finding"].startswith("under 2 % of the rows; ")
    assert any("under 2 %" in note for note in table.attrs["notes"])


def test_rows_of_unknown_group_are_counted():
    """They are left out, and it is said how many."""
    predicted, group = rows(a=(5, 10), b=(5, 10))
    group[[0, 10, 11]] = None
    table = impact_ratios(predicted, predicted, sensitive_features=group)
    assert table["n"].sum() == 17
    assert "3 rows are left out because the group is unknown." in table.attrs["notes"]


def test_nobody_selected_is_no_ratio():
    """Nothing is divided by zero."""
    predicted, group = rows(a=(0, 10), b=(0, 10))
    table = impact_ratios(predicted, predicted, sensitive_features=group)
    assert table["finding"].tolist() == ["selected most", "nobody is selected"]


def test_predictive_values_are_shares_of_predictions():
    """Of three predicted positive two are; of one predicted negative none is positive; half of all are."""
    table = predictive_values([1, 1, 0, 0], [1, 1, 1, 0], sensitive_features=["a"] * 4)
    line = table.loc["a"]
    assert line["base_rate"] == 0.5
    assert line["positive_predictive_value"] == pytest.approx(2 / 3)
    assert line["negative_predictive_value"] == 1.0
    assert line["base_rate_low"] < 0.5 < line["base_rate_high"]
