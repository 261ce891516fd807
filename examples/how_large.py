"""
How large a rule set?
=====================

Larger rule sets fit the rows they are learned from better and better; on other rows they stop doing so.
Cross-validation chooses the size, here the smallest whose score is within one standard error of the best.
"""

# %%
# Three hundred loan applications.
import matplotlib.pyplot as plt

from rulecg import RuleSetClassifier, RuleSetClassifierCV, datasets

data, target, _ = datasets.lending(n_rows=300)
search = RuleSetClassifierCV(
    [2, 4, 6, 8, 12, 16, 24], estimator=RuleSetClassifier(binarizer="deciles"), cv=4, choice="simplest", time_limit=4
)
search.fit(data, target)
columns = ["max_complexity", "complexity", "status", "accuracy", "cv_accuracy", "cv_error"]
print(search.cv_results_[columns].round(3).to_string(index=False))

# %%
# The choice is marked.
search.plot()
plt.show()

# %%
# And this is the rule set.
print(search.rule_set_)
