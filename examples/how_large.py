"""
How large a rule set?
=====================

Larger rule sets fit the rows they are learned from better and better; on other rows they stop doing so.
Cross-validation chooses the size, here the smallest whose score is within one standard error of the best.
"""

# %%
# Breast cancer data, which scikit-learn brings.
import matplotlib.pyplot as plt
from sklearn.datasets import load_breast_cancer

from rulecg import RuleSetClassifier, RuleSetClassifierCV

data, target = load_breast_cancer(return_X_y=True, as_frame=True)
benign = (target == 1).rename("benign")
search = RuleSetClassifierCV(
    [2, 4, 6, 8, 12, 16], estimator=RuleSetClassifier(binarizer="deciles"), cv=4, choice="simplest", time_limit=4
)
search.fit(data, benign)
columns = ["max_complexity", "complexity", "status", "accuracy", "cv_accuracy", "cv_error"]
print(search.cv_results_[columns].round(3).to_string(index=False))

# %%
# The choice is marked.
search.plot()
plt.show()

# %%
# And this is the rule set.
print(search.rule_set_)
