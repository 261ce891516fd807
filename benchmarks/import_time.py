"""How long a cold ``import rulecg`` takes: the median and the worst of several fresh interpreters.

Run: python benchmarks/import_time.py [--runs 10]
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import time

LIMIT = 0.5
IMPORT = "import time; began = time.perf_counter(); import rulecg; print(time.perf_counter() - began)"


def measure(statement: str) -> tuple[float, float]:
    """Seconds for the import alone, and for the whole process with interpreter start."""
    began = time.perf_counter()
    finished = subprocess.run([sys.executable, "-c", statement], capture_output=True, text=True, check=True)
    return float(finished.stdout), time.perf_counter() - began


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=10)
    runs = [measure(IMPORT) for _ in range(parser.parse_args().runs)]
    imports, processes = zip(*runs, strict=True)
    print(f"import rulecg: median {statistics.median(imports):.3f} s, worst {max(imports):.3f} s (limit {LIMIT} s)")
    print(f"whole process: median {statistics.median(processes):.3f} s, worst {max(processes):.3f} s")
    return 0 if statistics.median(imports) < LIMIT else 1


if __name__ == "__main__":
    sys.exit(main())
