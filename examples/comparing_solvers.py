"""
Comparing solvers
=================

The same problem with every installed backend: proven results must agree.
"""

# %%
import matplotlib.pyplot as plt

from rulecg import RuleSetClassifier, datasets
from rulecg_core import load_registry

data, target, _ = datasets.load("tic-tac-toe")
registry = load_registry()
proven, seconds = set(), {}
for name in registry.names("backend"):
    found = registry.entry("backend", name).availability
    if not found.available:
        print(f"{name:8} not installed: {found.install}")
        continue
    result = RuleSetClassifier(max_complexity=32, backend=name, time_limit=20).fit(data, target).result_
    print(f"{name:8} objective {result.objective:g}, {result.status}, {result.seconds:.1f} s")
    seconds[name] = result.seconds
    if result.status == "optimal":
        proven.add(result.objective)
assert len(proven) <= 1, "two solvers proved different optima"

# %%
# How long each took here; on another machine, and on other data, it may be otherwise.
figure, axis = plt.subplots(figsize=(6, 2.4), layout="constrained")
axis.barh(list(seconds), list(seconds.values()))
axis.set(xlabel="seconds for the whole fit")
plt.show()
