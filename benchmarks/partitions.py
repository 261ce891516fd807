"""Rows that stay on disk: packing and learning as the number of rows grows, with all rows out of core.

    python benchmarks/partitions.py [--rows 100000 1000000 10000000] [--folder /tmp/partitions] [--bound 1e11]
                                    [--engine local:threads=2] [--output docs/benchmarks/partitions.md]

Parquet files with 50 columns of truth values (100 conditions) are generated, ten million rows in each at most. Labels
are three planted rules of two and three conditions, of which 5 % are flipped. Tables and packed data stay in the folder
and are used again. Packing and learning each run in a process of their own, so that peak memory is that of one of them.
A memory limit forces learning out of core, whatever the size.
"""

from __future__ import annotations

import argparse
import json
import platform
import resource
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow
import pyarrow.parquet

from rulecg.packing.pack import Packing, pack
from rulecg.partitions.fit import PackedSettings, fit_packed
from rulecg.partitions.manifest import FILE, Manifest
from rulecg.partitions.open_partition import RESIDENCE
from rulecg.partitions.run import Work

PLANTED = ((3, 17), (8, 30, 41), (10, 25, 37))
N_COLUMNS = 50
FLIPPED = 0.05
FREQUENCIES = (77, 102, 128, 154)
"""Of 256: how often the columns hold."""
FILE_ROWS = 10_000_000
MEMORY_LIMIT = 30e6


def generate(folder: Path, n_rows: int) -> list[Path]:
    """Parquet files with so many rows together; those that are there are taken as they are."""
    folder.mkdir(parents=True, exist_ok=True)
    paths = [folder / f"{at}.parquet" for at in range(-(-n_rows // FILE_ROWS))]
    names = [*(f"x{at}" for at in range(N_COLUMNS)), "y", "planted"]
    schema = pyarrow.schema([(name, pyarrow.bool_()) for name in names])
    for number, path in enumerate(paths):
        if path.exists():
            continue
        rng = np.random.default_rng(100 + number)
        frequency = np.resize(FREQUENCIES, N_COLUMNS)[:, None]
        left = min(FILE_ROWS, n_rows - number * FILE_ROWS)
        unfinished = path.with_suffix(".part")
        with pyarrow.parquet.ParquetWriter(unfinished, schema) as writer:
            while left:
                size = min(1 << 18, left)
                X = rng.integers(0, 256, (N_COLUMNS, size), dtype=np.uint8) < frequency
                planted = np.logical_or.reduce([X[list(rule)].all(axis=0) for rule in PLANTED])
                y = planted ^ (rng.random(size) < FLIPPED)
                columns = [pyarrow.array(column) for column in (*X, y, planted)]
                writer.write_table(pyarrow.table(columns, schema=schema))
                left -= size
        unfinished.rename(path)
    return paths


def agreement(model: Any, tables: list[Path]) -> float:
    """Share of rows that the model predicts as the planted rules do, without what was flipped."""
    columns, right, total = [*model.columns, "planted"], 0, 0
    for path in tables:
        for batch in pyarrow.parquet.ParquetFile(path).iter_batches(batch_size=1 << 20, columns=columns):
            table = batch.to_pandas()
            right += int((model.predict(table) == table["planted"]).sum())
            total += len(table)
    return right / total


def peak() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024**2


def say(sentence: str) -> None:
    print(f"  {sentence}", file=sys.stderr, flush=True)


def one_pack(folder: Path, n_rows: int) -> dict[str, Any]:
    tables = generate(folder / "tables", n_rows)
    noted = folder / "packing.json"
    if not (folder / "packed" / FILE).exists():
        began = time.perf_counter()
        pack(tables, folder / "packed", Packing("y", drop="planted"), say=say)
        noted.write_text(json.dumps({"packing": time.perf_counter() - began, "packing_peak": peak()}))
    found: dict[str, Any] = json.loads(noted.read_text())
    return found


def one_fit(folder: Path, n_rows: int, engine: str, bound: float) -> dict[str, Any]:
    manifest = Manifest.load(folder / "packed")
    began = time.perf_counter()
    times: list[tuple[float, str]] = []

    def note(sentence: str) -> None:
        times.append((time.perf_counter() - began, sentence))
        say(f"{times[-1][0]:7.1f} s  {sentence}")

    settings = PackedSettings(
        max_complexity=15, max_conditions=4, memory_limit=MEMORY_LIMIT, work=Work(bound=bound, bound_rounds=2)
    )
    learned = fit_packed(manifest, settings, engine=engine, say=note)
    seconds, most = time.perf_counter() - began, peak()
    rules = {frozenset(map(str, clause)) for clause in learned.model.rule_set.clauses()}
    return {
        "rows": n_rows,
        "partitions": len(manifest.partitions),
        "megabytes": sum(partition.n_bytes for partition in manifest.partitions) / 1e6,
        "first": next(at for at, sentence in times if sentence.startswith("round 1:")),
        "rounds": next((at for at, sentence in reversed(times) if sentence.startswith("round")), seconds),
        "seconds": seconds,
        "peak": most,
        "resident": RESIDENCE.peak,
        "found": sum(frozenset(f"x{at}" for at in rule) in rules for rule in PLANTED),
        "agreement": agreement(learned.model, sorted((folder / "tables").glob("*.parquet"))),
        "objective": learned.result.objective,
        "gap": learned.result.gap,
    }


def report(measured: list[dict[str, Any]], engine: str, bound: float) -> str:
    lines = [
        "# Rows that stay on disk",
        "",
        f"Made by `python benchmarks/partitions.py --engine {engine} --bound {bound:.0e}`.",
        f"Python {platform.python_version()}, {platform.machine()}, {N_COLUMNS} columns of truth values, which make "
        f"{2 * N_COLUMNS} conditions, at most 4 per rule, complexity 15.",
        f"Labels: three planted rules, {FLIPPED:.0%} flipped. Rows are forced to stay on disk: a sample of 60,000",
        "distinct rows proposes, all rows decide. *First answer* is when round 1 ended, *rounds* when the last did;",
        "what follows is the bound over all rules on all rows. Peak memory is that of the whole process, mapped files",
        "included. Agreement is with the planted labels before flipping.",
        "",
        "| rows | partitions | MB packed | packing, s | packing peak, GB | first answer, s | rounds, s | all, s | "
        "peak, GB | open at once | planted found | agreement | gap |",
        "|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|",
    ]
    for one in measured:
        gap = "none" if one["gap"] is None else f"{one['gap']:.1%}"
        lines.append(
            f"| {one['rows']:,} | {one['partitions']} | {one['megabytes']:,.0f} | {one['packing']:.0f} | "
            f"{one['packing_peak']:.2f} | {one['first']:.0f} | {one['rounds']:.0f} | {one['seconds']:.0f} | "
            f"{one['peak']:.2f} | {one['resident']} | {one['found']} of 3 | {one['agreement']:.4f} | {gap} |"
        )
    return "\n".join(lines) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--rows", nargs="+", type=int, default=[100_000, 1_000_000, 10_000_000])
    parser.add_argument("--folder", type=Path, default=Path("/tmp/partitions"))
    parser.add_argument("--engine", default="local:threads=2")
    parser.add_argument("--bound", type=float, default=1e11, help="words of 64 rows to weigh for the bound")
    parser.add_argument("--output", type=Path, default=Path("docs/benchmarks/partitions.md"))
    parser.add_argument("--step", choices=("pack", "fit"), help="one step for one size, which prints JSON")
    settings = parser.parse_args()
    if settings.step:
        folder = settings.folder / str(settings.rows[0])
        if settings.step == "pack":
            print(json.dumps(one_pack(folder, settings.rows[0])))
        else:
            print(json.dumps(one_fit(folder, settings.rows[0], settings.engine, settings.bound)))
        return
    measured = []
    for n_rows in settings.rows:
        print(f"{n_rows:,} rows", flush=True)
        found: dict[str, Any] = {}
        for step in ("pack", "fit"):
            command = [sys.executable, __file__, "--step", step, "--rows", str(n_rows)]
            command += ["--folder", str(settings.folder)]
            command += ["--engine", settings.engine, "--bound", str(settings.bound)]
            run = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
            found |= json.loads(run.stdout.splitlines()[-1])
        measured.append(found)
        settings.output.write_text(report(measured, settings.engine, settings.bound))
    print(report(measured, settings.engine, settings.bound))


if __name__ == "__main__":
    main()
