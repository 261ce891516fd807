"""
The price of a smaller gap
==========================

One rule set for every pair of a gap allowed between groups and a size, scored on rows kept aside as well. Rules are
generated at four points and chosen at all of them.
"""

# %%
import matplotlib.pyplot as plt
from sklearn.model_selection import train_test_split

from rulecg import RuleSetClassifier, datasets, fairness_path

data, target, sensitive = datasets.load("lending")
split = train_test_split(data, target, sensitive["sex"], test_size=0.3, random_state=0)
X_train, X_new, y_train, y_new, sex_train, sex_new = split
front = fairness_path(
    X_train, y_train, sex_train, "equalized-odds",
    eps_grid=[0.01, 0.02, 0.03, 0.05, 0.08, 0.12, 0.2, 1.0], complexities=[6, 10, 14],
    first_eps_grid=[0.02, 1.0], first_complexities=[6, 14],
    estimator=RuleSetClassifier(start="forest", forbid=["sex", "race"]), time_limit=15,
    new_rows=(X_new, y_new, sex_new),
)  # fmt: skip
print(front[["max_complexity", "eps", "accuracy", "gap", "new_accuracy", "new_gap"]].round(3).to_string(index=False))

# %%
# On the training rows every bound holds. On new rows the gap is what it is: an estimate from few people.
figure, axes = plt.subplots(1, 2, figsize=(8.5, 3.6), layout="constrained", sharey=True)
for axis, (gap, accuracy, rows) in zip(
    axes, [("gap", "accuracy", "training rows"), ("new_gap", "new_accuracy", "rows kept aside")], strict=True
):
    for size, own in front.groupby("max_complexity"):
        own = own.sort_values(gap)
        axis.plot(own[gap], own[accuracy], "o-", markersize=4, label=f"complexity ≤ {size:g}")
    axis.set(xlabel="true gap between women and men", title=rows)
axes[0].set_ylabel("accuracy")
axes[0].legend(frameon=False)
plt.show()
assert (front["gap"] <= front["eps"] + 1e-9).all()
