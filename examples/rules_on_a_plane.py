"""
Rules on a plane
================

With two columns a rule is a rectangle, and a rule set is what its rectangles cover together. So one can see what the
bound on complexity does.
"""

# %%
# Two noisy patches of positives.
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.patches import Rectangle

from rulecg import RuleSetClassifier

rng = np.random.default_rng(3)
X = pd.DataFrame(rng.uniform(0, 10, (500, 2)).round(1), columns=["width", "height"])
inside = (X["width"].between(1, 5) & X["height"].between(4, 8)) | ((X["width"] > 6) & (X["height"] < 3))
y = (inside ^ (rng.random(len(X)) < 0.04)).rename("good")

# %%
# A small and a larger rule set.
models = {size: RuleSetClassifier(max_complexity=size, time_limit=5).fit(X, y) for size in (3, 8)}
for size, model in models.items():
    print(f"== at most {size}: {model.score(X, y):.1%} of the rows right, {model.result_.status}")
    print(model.rule_set_, "\n")

# %%
# Every rule drawn as the rectangle that it is.
figure, axes = plt.subplots(1, len(models), figsize=(8, 4), layout="constrained", sharey=True)
for axis, model in zip(axes, models.values(), strict=True):
    for number, rule in enumerate(model.rule_set_.rules):
        ends = {"width": [0.0, 10.0], "height": [0.0, 10.0]}
        for condition in (model.rule_set_.conditions[at] for at in rule):
            low, high = ends[condition.column]
            ends[condition.column] = [low, condition.value] if condition.operator == "<=" else [condition.value, high]
        (left, right), (bottom, top) = ends["width"], ends["height"]
        axis.add_patch(
            Rectangle((left, bottom), right - left, top - bottom, color=f"C{number}", alpha=0.3, linewidth=0)
        )
    axis.scatter(X["width"][y], X["height"][y], s=9, color="black", label="good")
    axis.scatter(X["width"][~y], X["height"][~y], s=9, color="grey", marker="x", linewidths=0.6, label="not good")
    axis.set(xlim=(0, 10), ylim=(0, 10), xlabel="width", title=f"complexity {model.rule_set_.complexity}")
axes[0].set_ylabel("height")
axes[0].legend(loc="upper right", framealpha=0.9)
plt.show()
