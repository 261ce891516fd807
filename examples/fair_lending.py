"""
Fair lending
============

The same size of rule set with and without a bound on the gap between groups, and what the bound costs. The lending
data were made with a known bias: qualified women and members of the minority were denied more often.
"""

# %%
# Neither sex nor race may stand in a rule. That alone does not make the rules fair.
import matplotlib.pyplot as plt
import numpy as np

from rulecg import RuleSetClassifier, datasets
from rulecg_fairness import equalized_odds_difference, group_table

data, target, sensitive = datasets.load("lending")
settings = {"max_complexity": 14, "time_limit": 8, "forbid": ["sex", "race"]}
plain = RuleSetClassifier(**settings).fit(data, target)
fair = RuleSetClassifier(**settings, constraints=["equalized-odds:0.1"]).fit(data, target, sensitive_features=sensitive)
learned = {"without a bound": plain, "equalized odds within 0.1": fair}
for name, classifier in learned.items():
    gap = equalized_odds_difference(target, classifier.predict(data), sensitive_features=sensitive)
    print(f"== {name}: training accuracy {classifier.score(data, target):.1%}, gap {gap:.3f}")
    print(classifier.rule_set_, "\n")

# %%
# Who among the qualified is approved, group by group.
figure, axis = plt.subplots(figsize=(6.5, 3.2), layout="constrained")
for at, (name, classifier) in enumerate(learned.items()):
    approved = np.asarray(classifier.predict(data))[np.asarray(target)]
    rates = sensitive[np.asarray(target)].assign(approved=approved).groupby(["sex", "race"])["approved"].mean()
    places = np.arange(len(rates)) + 0.4 * at
    axis.bar(places, rates, width=0.38, label=name)
axis.set_xticks(np.arange(len(rates)) + 0.2, [f"{sex}\n{race}" for sex, race in rates.index])
axis.set_ylabel("share of the qualified\nthat is approved")
axis.legend(frameon=False, loc="lower right")
plt.show()

# %%
# The duals of the bounds say what each of them costs: the loss per 0.01, from the relaxation.
prices = fair.result_.constraints.set_index("row")["dual"].astype(float).abs()
print((0.01 * prices[prices > 1e-7]).round(3).sort_values(ascending=False).head(5).to_string())

# %%
# All rates of all groups, as auditors want them.
group_table(target, fair.predict(data), sensitive_features=sensitive).round(3)
