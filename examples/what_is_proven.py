"""
What is proven, size by size
============================

Two numbers close in on the best rule set there is: the best one found comes from above, what is proven about *all* rule
sets from below. Where they meet, the answer is optimal.
"""

# %%
# Tic-tac-toe: 958 final boards, and whether x has won. Every rule has at most three conditions.
import matplotlib.pyplot as plt

from rulecg import RuleSetClassifier, complexity_path, datasets

data, target, _ = datasets.load("tic-tac-toe")
path = complexity_path(
    data, target, [4, 8, 12, 16, 20, 24, 28, 32], estimator=RuleSetClassifier(max_conditions=3), time_limit=20
)
table = path.table
print(table[["max_complexity", "n_rules", "objective", "lower_bound", "status"]].to_string(index=False))

# %%
# No rule set lies in the shaded part. With 32 rules and conditions there is room for all eight lines of the board.
figure, axis = plt.subplots(figsize=(7, 3.8), layout="constrained")
sizes = table["max_complexity"]
axis.fill_between(sizes, 0, table["lower_bound"], alpha=0.2, label="proven: no rule set here")
axis.plot(sizes, table["objective"], "o-", label="best rule set found")
axis.set(xlabel="rules and conditions together, at most", ylabel="Hamming loss", ylim=(0, None))
axis.legend(frameon=False)
plt.show()

# %%
# The same in words, as reports and model files have it.
print(path[8].result_.certificate())
print(path[32].rule_set_)
