"""Certificates as files: data set × C × bound × size × seconds to write and to verify × memory × mutations.

    python benchmarks/certificate_files.py                       # the ten small sets, C = 10
    python benchmarks/certificate_files.py heart --complexities 20 --seconds 200 --mutations 0

Data sets are read from the folder that RULECG_DATA names; each is written as a CSV file with its label as last column.
Verifying runs in a process of its own, ``python -m rulecg_verify``. Mutations change one thing in a certificate, or in
the table, and recompute the hash; each must be refused, or prove a claim that is true.
"""

from __future__ import annotations

import argparse
import copy
import gzip
import json
import os
import subprocess
import sys
import tempfile
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from certificates import SETS
from composed import run

from rulecg import RuleSetClassifier
from rulecg.certificates import fitted
from rulecg.datasets import load
from rulecg_core import Limits
from rulecg_core.certificates.exact_problem import ExactProblem
from rulecg_verify import Refused, checking
from rulecg_verify.certificate_file import read_certificate
from rulecg_verify.table import Samples, merged, read_texts

HEAD = (
    "| data set | D | C | loss | bound | listed | nodes | size (kB) | write (s) | verify (s) | of it CPU (s) "
    "| memory (MB) | mutants | refused | accepted, true | not judged | **false** |\n"
    "|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|\n"
)
LABEL = "the label"


def written(name: str, complexity: int, seconds: float, folder: Path) -> tuple[Path, Path, float]:
    """Fit, write certificate and table; how long the certificate took."""
    data, target, _ = load(name)
    proof, table = folder / f"{name}-{complexity}.json.gz", folder / f"{name}.csv"
    data.assign(**{LABEL: list(target)}).to_csv(table, index=False)
    took = []
    write = fitted.write_certificate

    def timed(*parts: Any) -> None:
        began = time.perf_counter()
        write(*parts)
        took.append(time.perf_counter() - began)

    fitted.write_certificate = timed
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            RuleSetClassifier(
                max_complexity=complexity, max_conditions=SETS[name], binarizer="deciles", time_limit=seconds, n_jobs=2
            ).fit(data, pd.Series(list(target), name=LABEL), certificate=str(proof))
    finally:
        fitted.write_certificate = write
    return proof, table, took[0] if took else float("nan")


def verified(proof: Path, table: Path) -> tuple[bool, float, float, float]:
    """Whether the checker accepts; its seconds, seconds of the processor and megabytes, in a process of its own."""
    code = (
        "import sys, time, resource\nfrom rulecg_verify.__main__ import main\nbegan = time.perf_counter()\n"
        "code = main(sys.argv[1:])\nused = resource.getrusage(resource.RUSAGE_SELF)\n"
        # Not ru_maxrss: a process inherits it from the one that started it.
        "peak = next(line for line in open('/proc/self/status') if line.startswith('VmHWM')).split()[1]\n"
        "print(time.perf_counter() - began, used.ru_utime + used.ru_stime, int(peak) / 1024)\nsys.exit(code)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(proof), str(table)], capture_output=True, text=True, check=False,
        cwd=Path(__file__).parents[1],
    )  # fmt: skip
    seconds, processor, megabytes = map(float, done.stdout.strip().splitlines()[-1].split())
    return done.returncode == 0, seconds, processor, megabytes


# Mutations ------------------------------------------------------------------------------------------------------------


def mutated(content: dict[str, Any], rng: np.random.Generator) -> dict[str, Any]:
    """One thing changed somewhere in a certificate: a number, a text, an entry dropped, doubled or moved."""
    content = copy.deepcopy(content)
    part: Any = content
    kind = str(rng.choice(["described", "claim", "root", "list", "dominated", "nodes"]))
    holder, key = content, kind
    while True:
        part = holder[key]
        is_deep = isinstance(part, (dict, list)) and len(part) > 0
        if not is_deep or (isinstance(part, list) and rng.random() < 0.15):
            break
        holder, key = part, (str(rng.choice(sorted(part))) if isinstance(part, dict) else int(rng.integers(len(part))))
    if isinstance(part, list):
        act = rng.integers(3)
        if part and act == 0:
            del part[int(rng.integers(len(part)))]
        elif part and act == 1:
            part.insert(int(rng.integers(len(part))), copy.deepcopy(part[int(rng.integers(len(part)))]))
        elif len(part) > 1:
            at = int(rng.integers(len(part) - 1))
            part[at], part[at + 1] = part[at + 1], part[at]
        else:
            part.append(0)
    elif isinstance(part, int):
        holder[key] = int(rng.choice([part + 1, part - 1, part // 2, 2 * part + 1, 0, part + 1024, -part - 1]))
    elif isinstance(part, str):
        holder[key] = _other_text(part, rng)
    return content


def _other_text(text: str, rng: np.random.Generator) -> str:
    swaps = {"<=": ">", ">": "<=", "==": "!=", "!=": "==", "dnf": "cnf", "cnf": "dnf", "number": "category"}
    if text in swaps:
        return swaps[text]
    try:
        return repr(float(rng.choice([float(text) + 1, float(text) - 1, float(text) * 1.1])))
    except ValueError:
        return str(rng.choice([text + "x", text[:-1]]))


def mutated_table(lines: list[str], rng: np.random.Generator) -> list[str]:
    """One row dropped or doubled, or one cell replaced by that of another row."""
    lines = list(lines)
    at, other = (int(place) for place in rng.integers(1, len(lines), 2))
    act = rng.integers(3)
    if act == 0:
        del lines[at]
    elif act == 1:
        lines.insert(at, lines[other])
    else:
        cells, others = lines[at].split(","), lines[other].split(",")
        column = int(rng.integers(len(cells)))
        cells[column] = others[column] if len(others) == len(cells) else cells[column]
        lines[at] = ",".join(cells)
    return lines


def written_content(content: dict[str, Any], path: Path) -> Path:
    path.write_bytes(gzip.compress(json.dumps(content).encode(), 1))
    return path


def is_true(
    content: dict[str, Any], samples: Samples, of: dict[str, Any], original: Samples, seconds: float
) -> bool | None:
    """Whether no rule set is below the claimed bound; None when that could not be found out in time."""
    problem, bound, optimum = content["described"]["problem"], content["claim"]["bound"], of["claim"]["bound"]
    limits = of["described"]["problem"]["max_complexity"], of["described"]["problem"]["max_conditions"]
    pairs = [(samples.holds, original.holds), (samples.miss, original.miss), (samples.cover, original.cover)]
    # Of the same samples under the same limits the optimum is known, and tighter limits only raise it.
    is_tight = problem["max_complexity"] <= limits[0] and problem["max_conditions"] <= limits[1]
    if is_tight and bound <= optimum and all(np.array_equal(one, other) for one, other in pairs):
        return True
    exact = ExactProblem.of(
        samples.holds, samples.miss, samples.cover, problem["max_conditions"], problem["max_complexity"]
    )
    result = run(exact.learned, problem["max_complexity"], Limits(seconds=seconds, threads=1))
    if result.objective < bound:
        return False
    return True if result.lower_bound is not None and result.lower_bound > bound - 1 else None


class Checker:
    """The checker on many mutants: the table is parsed once, and what was enumerated is not enumerated again."""

    def __init__(self, table: Path, separator: str) -> None:
        self.table, self.separator, self.texts = table, separator, read_texts(table, separator)
        self.samples: dict[str, Samples] = {}
        self.enumerated: dict[str, int | Refused] = {}

    def samples_of(self, described: dict[str, Any]) -> Samples:
        """Read a table as a certificate describes it; not everything that a mutant says of one can be kept."""
        words = json.dumps(described, sort_keys=True)
        if words not in self.samples:
            separator = described["table"]["separator"]
            texts = self.texts if separator == self.separator else read_texts(self.table, separator)
            found = merged(described, texts)
            if self.samples:
                return found
            self.samples[words] = found
        return self.samples[words]

    def accept(self, content: dict[str, Any], path: Path) -> Samples:
        """Check a mutant whose hash is recomputed: what it is about, or Refused."""
        content = read_certificate(written_content(content, path))
        samples = self.samples_of(content["described"])
        check_list = checking.check_list

        def once(content: dict[str, Any], samples: Samples) -> int:
            # Its nodes are nothing to the enumeration.
            read = {"digest": samples.digest, "bound": content["claim"]["bound"]}
            read |= {name: content[name] for name in ("root", "list", "dominated")}
            words = json.dumps(read, sort_keys=True)
            if words not in self.enumerated:
                self.enumerated[words] = check_list(content, samples)
            return self.enumerated[words]

        checking.check_list = once
        try:
            checking.check({**content, "hash": samples.digest}, samples)
        finally:
            checking.check_list = check_list
        return samples


def mutate(proof: Path, table: Path, count: int, seed: int, seconds: float) -> dict[str, int]:
    """Verify mutants, for at most so many seconds; what became of them."""
    content, lines = read_certificate(proof), table.read_text(encoding="utf-8").splitlines()
    checker = Checker(table, content["described"]["table"]["separator"])
    original = checker.samples_of(content["described"])
    found = {"mutants": 0, "refused": 0, "true": 0, "not judged": 0, "false": 0}
    began = time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        for number in range(count):
            if time.perf_counter() - began > seconds:
                break
            rng = np.random.default_rng([seed, number])
            other, its_checker = content, checker
            if rng.random() < 0.2:
                its_table = Path(folder, "mutant.csv")
                its_table.write_text("\n".join(mutated_table(lines, rng)) + "\n", encoding="utf-8")
                its_checker = Checker(its_table, checker.separator)
            else:
                other = mutated(content, rng)
            if other == content and its_checker is checker:
                continue
            found["mutants"] += 1
            try:
                samples = its_checker.accept(other, Path(folder, "mutant.json.gz"))
            except Refused:
                found["refused"] += 1
                continue
            truth = is_true(other, samples, content, original, 20.0)
            found["not judged" if truth is None else "true" if truth else "false"] += 1
            if truth is not True:
                print(f"{proof.name}: mutant {number} of seed {seed} was accepted; true: {truth}", flush=True)
    return found


def dropped(proof: Path, table: Path, most: int, seed: int) -> dict[str, tuple[int, int]]:
    """For list entries, nodes and data rows: how many were dropped, one at a time, and how many of these refused."""
    content, lines = read_certificate(proof), table.read_text(encoding="utf-8").splitlines()
    checker = Checker(table, content["described"]["table"]["separator"])
    rng, counts = np.random.default_rng(seed), {}
    with tempfile.TemporaryDirectory() as folder:
        path, its_table = Path(folder, "mutant.json.gz"), Path(folder, "mutant.csv")
        for kind in ("list", "nodes", "rows"):
            entries = lines[1:] if kind == "rows" else content[kind]
            chosen = rng.permutation(len(entries))[:most].tolist()
            refused = 0
            for at in chosen:
                left = entries[:at] + entries[at + 1 :]
                try:
                    if kind == "rows":
                        its_table.write_text("\n".join([lines[0], *left]), encoding="utf-8")
                        checking.verify(proof, its_table)
                    else:
                        checker.accept(without(content, kind, at), path)
                except Refused:
                    refused += 1
            counts[kind] = len(chosen), refused
    return counts


def without(content: dict[str, Any], kind: str, at: int) -> dict[str, Any]:
    """Drop a node or a list entry; places beyond the entry move, so that nothing else is wrong with the file."""
    content = copy.deepcopy(content)
    del content[kind][at]
    if kind == "list":
        moved = {place: place - (place > at) for place in range(len(content["list"]) + 1) if place != at}
        content["dominated"] = [
            {**entry, "by": moved[entry["by"]]} for entry in content["dominated"] if entry["by"] != at
        ]
        content["nodes"] = [node for node in content["nodes"] if at not in node["chosen"]]
        for node in content["nodes"]:
            node["chosen"] = [moved[place] for place in node["chosen"]]
            node["own"] = [moved[place] for place in node["own"] if place != at]
    return content


# The page -------------------------------------------------------------------------------------------------------------


def measured(name: str, complexity: int, arguments: argparse.Namespace, folder: Path) -> str:
    proof, table, write_seconds = written(name, complexity, arguments.seconds, folder)
    if not proof.exists():
        return f"| {name} | {SETS[name]} | {complexity} | none written |" + " |" * 13
    accepted, seconds, processor, megabytes = verified(proof, table)
    content = read_certificate(proof)
    found = mutate(proof, table, arguments.mutations, arguments.seed, arguments.mutation_seconds)
    if arguments.drops:
        print(f"{name}: dropped (so many, so many refused): {dropped(proof, table, arguments.drops, arguments.seed)}")
    cells = [
        name, SETS[name], complexity, content["claim"]["best_loss"], content["claim"]["bound"], len(content["list"]),
        len(content["nodes"]), f"{proof.stat().st_size / 1000:.1f}", f"{write_seconds:.1f}",
        f"{seconds:.1f}" if accepted else "**refused**", f"{processor:.1f}", f"{megabytes:.0f}", *found.values(),
    ]  # fmt: skip
    return "| " + " | ".join(map(str, cells)) + " |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sets", nargs="*", help="data sets; all ten when none is named")
    parser.add_argument("--complexities", type=int, nargs="*", default=[10])
    parser.add_argument("--seconds", type=float, default=200.0, help="for a fit, and again for its certificate")
    parser.add_argument("--mutations", type=int, default=1000)
    parser.add_argument("--mutation-seconds", type=float, default=600.0, help="mutants stop after so long")
    parser.add_argument("--drops", type=int, default=0, help="list entries, nodes and rows dropped one at a time")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--folder", help="where to keep certificates and tables; a temporary one if not given")
    arguments = parser.parse_args()
    os.environ.setdefault("OMP_NUM_THREADS", "2")
    print(HEAD, end="", flush=True)
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(arguments.folder or temporary)
        folder.mkdir(parents=True, exist_ok=True)
        for name in arguments.sets or SETS:
            for complexity in arguments.complexities:
                print(measured(name, complexity, arguments, folder), flush=True)


if __name__ == "__main__":
    main()
