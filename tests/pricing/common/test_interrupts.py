"""Ctrl-C is heard soon, whatever compiled search is running."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time

import pytest

SEARCH = """
import sys, time
import numpy as np
from rulecg_core import PricingLimits, PricingProblem, load_registry

registry = load_registry()
pricer = registry.pricer(sys.argv[1], registry.backend())
rng = np.random.default_rng(0)
n_samples, n_conditions = (4000, 150) if sys.argv[1] == "exact-search" else (300_000, 200)
X = rng.random((n_samples, n_conditions)) < 0.7
problem = PricingProblem(X, rng.normal(size=n_samples) - 0.05, 0.1, 0.1, 8)
pricer.prepare()
print("begins", flush=True)
try:
    while True:
        pricer.price(problem, PricingLimits(threads=int(sys.argv[2])), rng)
except KeyboardInterrupt:
    print("heard", flush=True)
"""
PATIENCE = 15.0
"""Seconds: kernels come back within some tenths of one, on a busy machine later. The searches take minutes."""


@pytest.mark.skipif(os.name != "posix", reason="signals to other processes are sent otherwise elsewhere")
@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("pricer", ["exact-search", "wide-beam"])
def test_a_long_search_ends_soon_after_an_interrupt(pricer: str, threads: int) -> None:
    """A search without a deadline, on data for minutes, ends with KeyboardInterrupt once it is interrupted."""
    command = [sys.executable, "-c", SEARCH, pricer, str(threads)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "begins\n"
        time.sleep(1.0)
        began = time.perf_counter()
        process.send_signal(signal.SIGINT)
        assert process.stdout.readline() == "heard\n"
        assert time.perf_counter() - began < PATIENCE
