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
for price in (0.2, 0.5, 1, 1.5, 2, 4):
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
for place, own in table.groupby(["recall", "precision"]):
    text = ", ".join(f"{price:g}" for price in own["a miss costs"])
    axis.annotate(text, place, xytext=(6, 4), textcoords="offset points")
axis.margins(0.12)
axis.set(xlabel="recall", ylabel="precision", title="numbers say what a miss costs, in false alarms")
plt.show()
