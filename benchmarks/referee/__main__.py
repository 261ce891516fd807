"""Judge many pairs of a random small problem and a configuration: ``python -m benchmarks.referee --pairs 100000``."""

from __future__ import annotations

import argparse
import time
import traceback
import warnings
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from typing import Any

from .cases import Coverage
from .runs import faults_of, registry


def judge_some(seed: int, pairs: int, seconds: float, backends: tuple[str, ...]) -> tuple[Counter[str], list[str], Any]:
    """Judge pairs until there are enough or the time is over: counts, disagreements and the pairs of levels tried."""
    warnings.simplefilter("ignore")
    coverage, counts, faults = Coverage(seed, backends), Counter[str](), []
    ends = time.monotonic() + seconds
    for number in range(pairs):
        if time.monotonic() > ends:
            break
        config = coverage.next()
        case_seed = seed * 10_000_000 + number
        try:
            status, wrong = faults_of(config, case_seed)
        except Exception:
            status, wrong = "error", [traceback.format_exc(limit=-3)]
        counts[status] += 1
        counts[f"backend {config['backend']}"] += 1
        counts[f"pricers {config['pricers']}"] += 1
        faults += [f"seed {case_seed}: {config}: {each}" for each in wrong]
    return counts, faults, coverage.tried


def main() -> None:
    """Read the command line, judge in several processes, print what came of it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pairs", type=int, default=1_000)
    parser.add_argument("--seconds", type=float, default=3_600.0)
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--backends", default="")
    given = parser.parse_args()
    available = [name for name in ("highs", "scip", "cbc", "gurobi") if _is_available(name)]
    backends = tuple(given.backends.split(",")) if given.backends else tuple(available)
    began, total, faults = time.monotonic(), Counter[str](), []
    each = -(-given.pairs // given.processes)
    tried: Counter[Any] = Counter()
    with ProcessPoolExecutor(given.processes) as pool:
        asked = [
            pool.submit(judge_some, given.seed + 1_000 * at, each, given.seconds, backends)
            for at in range(given.processes)
        ]
        for one in asked:
            counts, wrong, pairs_tried = one.result()
            total.update(counts)
            faults += wrong
            tried.update(pairs_tried)
    statuses = {name: n for name, n in total.items() if not name.startswith(("backend", "pricers"))}
    for name, n in sorted(total.items()):
        print(f"{name}: {n}")
    coverage = Coverage(0, backends)
    coverage.tried = tried
    print(f"pairs of levels covered: {coverage.share:.1%}")
    print(f"{sum(statuses.values())} pairs in {time.monotonic() - began:.0f} s, {len(faults)} disagreements")
    for fault in faults[:50]:
        print(fault)


def _is_available(name: str) -> bool:
    try:
        return bool(registry().backend(name))
    except Exception:
        return False


if __name__ == "__main__":
    main()
