"""
Writing a constraint
====================

A bound of one's own in a few lines, which no solver and no pricer needs to know about. The bound here: a regulator
wants the rules to accept no more than a given share of all applicants, in every group of a sensitive column.
"""

from __future__ import annotations

# %%
# A constraint makes rows out of forms that the problem offers.
from collections.abc import Sequence

import matplotlib.pyplot as plt
import pandas as pd
from attrs import field, frozen

from rulecg import RuleSetClassifier, datasets
from rulecg_core import Constraint, Problem, Row, settings


@frozen
class AtMostSelected(Constraint):
    """In every group of the sensitive columns at most this share is accepted."""

    share: float = field(validator=settings.share)

    def rows(self, problem: Problem) -> Sequence[Row]:
        return [
            (problem.selection_rate(group) <= self.share).named(f"selected {group}")
            for column in problem.sensitive_groups.columns
            for group in problem.sensitive_groups.of_column(column)
        ]


# %%
# It is given to the classifier like one of rulecg's own.
data, target, sensitive = datasets.load("lending")
shares = {}
for share in (1.0, 0.2):
    classifier = RuleSetClassifier(max_complexity=12, time_limit=3, constraints=[AtMostSelected(share)])
    classifier.fit(data, target, sensitive_features=sensitive)
    selected = sensitive.assign(selected=classifier.predict(data)).groupby("sex")["selected"].mean()
    shares[f"at most {share:.0%}"] = selected
    accuracy = classifier.score(data, target)
    print(f"== at most {share:.0%}: accuracy {accuracy:.1%}, selected {selected.round(3).to_dict()}")
    print(classifier.rule_set_, "\n")
    assert (selected <= share + 1e-9).all()
    # The rows speak in the units they were written in: what they report is what was counted here.
    reported = classifier.result_.constraints.set_index("row")["true_value"]
    assert all(abs(reported[f"selected {group}"] - selected[group]) < 1e-9 for group in selected.index)

# %%
# Who is selected, without and with the bound.
axis = pd.DataFrame(shares).plot.bar(rot=0, figsize=(5, 3), ylabel="share that is selected")
axis.axhline(0.2, color="black", linewidth=0.8, linestyle="--")
plt.show()
