"""
Several classes
===============

With more than two classes each gets a rule set against the rest. Where two claim a row, the rule that was right more
often decides; where none does, the most frequent class among such rows.
"""

# %%
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from sklearn.datasets import load_iris

from rulecg import RuleSetClassifier

iris = load_iris(as_frame=True)
data = iris.data[["petal length (cm)", "petal width (cm)"]]
kinds = pd.Series(iris.target_names[iris.target], name="kind")
classifier = RuleSetClassifier(max_complexity=5, time_limit=6).fit(data, kinds)
print(classifier.rule_set_)
print(f"\n{classifier.score(data, kinds):.1%} of the rows are right")

# %%
# What the rules say everywhere on the plane.
names = list(classifier.classes_)
across = np.linspace(0.5, 7.5, 141)
up = np.linspace(0.0, 2.8, 113)
grid = pd.DataFrame([(a, b) for b in up for a in across], columns=data.columns)
said = np.array([names.index(kind) for kind in classifier.predict(grid)]).reshape(len(up), len(across))
figure, axis = plt.subplots(figsize=(6.2, 4), layout="constrained")
axis.contourf(across, up, said, levels=[-0.5, 0.5, 1.5, 2.5], colors=["C0", "C1", "C2"], alpha=0.25)
for number, name in enumerate(names):
    own = kinds == name
    axis.scatter(*data[own].to_numpy().T, s=14, color=f"C{number}", label=name)
axis.set(xlabel="petal length in cm", ylabel="petal width in cm")
axis.legend(frameon=False, loc="upper left")
plt.show()
