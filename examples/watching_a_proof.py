"""
Watching a proof
================

Two numbers close in on the best rule set there is: the best one found so far comes from above, what is proven about all
rule sets from below. Where they meet, the answer is optimal.
"""

# %%
# Every round of column generation leaves a line in the history.
import matplotlib.pyplot as plt

from rulecg import RuleSetClassifier, datasets

data, target, _ = datasets.load("tic-tac-toe")
classifier = RuleSetClassifier(max_complexity=16, time_limit=20)
result = classifier.fit(data, target).result_
history = result.history
print(history[["iteration", "relaxation", "lower_bound", "incumbent", "pool_size"]].tail(5).to_string(index=False))
print(f"\n{result.status}: objective {result.objective:g}, lower bound {result.lower_bound:g}")

# %%
# The relaxation falls as rules join; the bound is valid whenever pricing was exact.
figure, axis = plt.subplots(figsize=(7, 3.6), layout="constrained")
rounds = history["iteration"]
axis.plot(rounds, history["relaxation"], ".-", label="relaxation over the rules so far")
axis.step(rounds, history["lower_bound"].cummax(), where="post", label="proven: no rule set is below")
axis.axhline(result.objective, color="black", linewidth=0.8, linestyle="--", label="best rule set in the end")
axis.set(xlabel="round", ylabel="Hamming loss", ylim=(0, 1.6 * result.objective))
axis.legend(frameon=False)
plt.show()

# %%
# In words, as reports and model files have it.
print(result.certificate())
