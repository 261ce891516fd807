"""
What errors cost
================

Costs move a rule set along the trade-off between false alarms and misses: one proven rule set for each price.
"""

# %%
import matplotlib.pyplot as plt
import pandas as pd
from sklearn.metrics import precision_score, recall_score

from rulecg import RuleSetClassifier, datasets

data, target, _ = datasets.load("lending")
lines = []
for price in (0.2, 0.5, 1, 2, 5, 10):
    model = RuleSetClassifier(max_complexity=8, costs={"fp": 1, "fn": price}, time_limit=3).fit(data, target)
    predicted = model.predict(data)
    lines.append(
        {
            "a miss costs": price, "recall": recall_score(target, predicted),
            "precision": precision_score(target, predicted), "approved": predicted.mean(),
            "rules": len(model.rule_set_), "status": model.result_.status,
        }
    )  # fmt: skip
table = pd.DataFrame(lines)
print(table.round(3).to_string(index=False))

# %%
# From careful to generous.
figure, axis = plt.subplots(figsize=(5.5, 3.8), layout="constrained")
axis.plot(table["recall"], table["precision"], "o-")
for _, line in table.iterrows():
    axis.annotate(
        f"{line['a miss costs']:g}", (line["recall"], line["precision"]), xytext=(6, 4), textcoords="offset points"
    )
axis.set(xlabel="recall", ylabel="precision", title="numbers say what a miss costs, in false alarms")
plt.show()
