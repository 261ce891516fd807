"""The same rules, to the bit: threads, shuffled rows and columns, hash seeds and solvers.

``python -m benchmarks.repeatable`` prints the table of ``docs/benchmarks/repeatable.md``.
"""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from typing import Any

import numpy as np

SETS = ("transfusion", "tic-tac-toe", "heart", "banknote")
VARIANTS: dict[str, dict[str, Any]] = {
    "as it is": {},
    "2 threads": {"threads": 2},
    "rows shuffled": {"rows": 1},
    "rows shuffled otherwise": {"rows": 2},
    "columns shuffled": {"columns": 1},
    "another hash seed": {"hash": 77},
    "another run's chance": {"seed": 5},
    "SCIP": {"backend": "scip"},
    "CBC": {"backend": "cbc"},
}


def fingerprint(name: str, size: float, seconds: float, change: dict[str, Any]) -> dict[str, Any]:
    """Learn on one data set under one change: status, and a hash of the rules' texts, objective and errors."""
    from rulecg import RuleSetClassifier
    from rulecg.datasets import load

    X, y, _ = load(name)
    assert X is not None
    assert y is not None
    if "rows" in change:
        order = np.random.default_rng(change["rows"]).permutation(len(X))
        X, y = X.iloc[order], y.iloc[order]
    if "columns" in change:
        X = X[list(np.random.default_rng(change["columns"]).permutation(np.array(X.columns)))]
    clf = RuleSetClassifier(
        max_complexity=size, time_limit=seconds, binarizer="deciles", backend=change.get("backend"),
        n_jobs=change.get("threads", 1), random_state=change.get("seed", 0),
    ).fit(X, y)  # fmt: skip
    rules = sorted(sorted(map(str, clause)) for clause in clf.rule_set_.clauses())
    run = next(iter(clf.result_.runs.values()))
    text = json.dumps([rules, run.objective, run.errors])
    digest = hashlib.sha256(text.encode()).hexdigest()[:12]
    return {"status": str(run.status), "first": run.is_canonical, "optima": run.optima, "hash": digest}


def main() -> None:
    """Each fit in a process of its own, so that hash seeds differ."""
    size, seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 10.0, 60.0
    if len(sys.argv) > 2:
        print(json.dumps(fingerprint(sys.argv[2], size, seconds, json.loads(sys.argv[3]))))
        return
    print(f"| set | C | status | optima | {' | '.join(VARIANTS)} |")
    print("|---|---|---|---|" + "---|" * len(VARIANTS))
    for name in SETS:
        found = [_in_a_process(name, size, change) for change in VARIANTS.values()]
        first = found[0]
        cells = [_cell(each, first) for each in found]
        said = f"{size:g} | {first.get('status')} | {first.get('optima')}"
        print(f"| {name} | {said} | {' | '.join(cells)} |", flush=True)


def _in_a_process(name: str, size: float, change: dict[str, Any]) -> dict[str, Any]:
    environment = {**os.environ, "PYTHONHASHSEED": str(change.get("hash", 1))}
    command = [sys.executable, "-W", "ignore", "-m", "benchmarks.repeatable", str(size), name, json.dumps(change)]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    try:
        found: dict[str, Any] = json.loads(done.stdout.strip().splitlines()[-1])
    except (IndexError, ValueError):
        return {"status": done.stderr.strip()[-60:], "hash": ""}
    return found


def _cell(each: dict[str, Any], first: dict[str, Any]) -> str:
    if each["hash"] == first["hash"]:
        return "same" if each.get("first") else "same, not proven first"
    return f"other ({each['status']})"


if __name__ == "__main__":
    main()
