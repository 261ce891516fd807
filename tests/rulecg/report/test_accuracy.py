"""Accuracy is said for the rows it was counted on."""

import re

import pandas as pd

from rulecg import datasets
from rulecg.report import Supplements, build_report

from .pages import Page


def test_training_and_new_rows_stand_side_by_side(model, table, new_rows):
    """With the training rows at hand, every share is shown for both."""
    text = Page(build_report(model, new_rows, supplements=Supplements(training=table))).text
    right = float((model.predict(table) == table["approved"]).mean())
    assert "600 training rows beside 600 rows here" in text
    assert re.search(rf"accuracy rows predicted as recorded .*? {right:.1%}", text)


def test_new_rows_are_told_from_training_rows(model, table):
    """Only held-out rows can say how good the rules are; half of the training rows, in another order, are not new."""
    fresh = datasets.lending(n_rows=300, seed=77)
    assert "These are not the rows that the rules were learned from." in build_report(model, fresh.data)
    some = table.sample(300, random_state=0)
    assert "These are the rows that the rules were learned from." in build_report(model, some)
    mixed = pd.concat([table, fresh.data])
    assert "Of these rows 66.7% are rows that the rules were learned from." in build_report(model, mixed)
