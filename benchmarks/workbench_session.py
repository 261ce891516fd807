"""A recorded session with the workbench on lending and on adult: ten edits each, in the terminal's words and again
through the local page; seconds per answer, and every figure counted again from the texts of the rules.

    RULECG_DATA=... python benchmarks/workbench_session.py            # writes docs/benchmarks/workbench.md
    RULECG_DATA=... python benchmarks/workbench_session.py lending    # one data set, prints

What is counted again shares no code with rulecg: texts are evaluated with pandas. At the end of each terminal session
the optimiser is waited for, and no completion may have been better than a proven bound, no bound above a completion
found later.
"""

from __future__ import annotations

import argparse
import http.client
import json
import os
import re
import shutil
import subprocess
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from rulecg import RuleSetClassifier
from rulecg.datasets import load
from rulecg.workbench.answer import Answer
from rulecg.workbench.bench import Workbench
from rulecg.workbench.dialogue import Dialogue
from rulecg.workbench.web import EditServer

PAGE = Path(__file__).parents[1] / "docs" / "benchmarks" / "workbench.md"
PICTURE = Path(__file__).parents[1] / "docs" / "images" / "workbench.png"
SESSIONS = {
    "lending": [
        "keep 1", "ban race", "ban sex", 'add "income > 60 and late_payments <= 1"', "drop 2", "accept",
        "ban region", "undo", 'edit 1 "income > 55 and debt_ratio <= 0.35"', "accept",
    ],
    "adult": [
        "keep 1", "ban race", "ban sex", "ban relationship", 'add "education-num > 12 and hours-per-week > 45"',
        "accept", "ban native-country", "undo", 'edit 1 "age > 30 and education-num > 12"', "accept",
    ],
}  # fmt: skip


def holds(text: str, table: pd.DataFrame) -> np.ndarray[Any, Any]:
    """Which rows a rule's text covers."""
    covered = np.ones(len(table), dtype=bool)
    for condition in text.split(" and "):
        found = re.fullmatch(r"(.+?) (<=|>|==|!=) (.+)", condition)
        assert found is not None, condition
        column, operator, value = found.groups()
        values = table[column]
        if operator in ("<=", ">"):
            held = values <= float(value) if operator == "<=" else values > float(value)
        else:
            equal = values.map(str) == value if values.dtype.kind not in "if" else values == float(value)
            held = equal if operator == "==" else ~equal
        covered &= held.to_numpy()
    return covered


def counted(rules: tuple[str, ...], table: pd.DataFrame, y: np.ndarray[Any, Any]) -> tuple[float, float, float]:
    """Objective (Hamming loss), errors and complexity of rules, from their texts alone."""
    covers = np.array([holds(rule, table) for rule in rules]).reshape(len(rules), len(table))
    once = covers.any(axis=0)
    objective = float((y & ~once).sum() + covers[:, ~y].sum())
    complexity = float(sum(1 + len(rule.split(" and ")) for rule in rules))
    return objective, float((once != y).sum()), complexity


def check(answer: Answer, table: pd.DataFrame, y: np.ndarray[Any, Any]) -> int:
    """Count everything that an answer says anew; how many figures there were."""
    found = counted(answer.rules, table, y)
    draft = answer.draft
    assert (draft.objective, draft.errors, draft.complexity) == found, (draft, found)
    assert abs(draft.accuracy - (1 - draft.errors / len(y))) < 1e-12
    if answer.completion is None or answer.completed is None:
        return 4
    done = answer.completed
    assert (done.objective, done.errors, done.complexity) == counted(answer.completion, table, y)
    assert answer.bound is None or answer.bound <= done.objective + 1e-6
    return 8


def terminal(name: str, seconds: float) -> tuple[list[str], int, list[str]]:
    """One session in the terminal's words; its lines, how many figures were counted again, and what the end says."""
    data, target, _ = load(name)
    y = np.asarray(target, dtype=bool)
    began = time.perf_counter()
    classifier = RuleSetClassifier(10, binarizer="deciles", time_limit=seconds, random_state=0).fit(data, y)
    fitted = time.perf_counter() - began
    began = time.perf_counter()
    lines, figures, runs = [], 0, []
    with Workbench(data, y, model=classifier, folds=5, time_limit=seconds) as bench:
        opened = time.perf_counter() - began
        dialogue = Dialogue(bench)
        bench.optimum.wait()
        for _ in range(600):
            if bench.look().expected is not None:
                break
            time.sleep(0.2)
        folds = time.perf_counter() - began
        for number, line in enumerate(SESSIONS[name], 1):
            started = time.perf_counter()
            dialogue.say(line)
            took = time.perf_counter() - started
            answer = bench.look()
            figures += check(answer, data, y)
            runs.append((line, bench.completion, answer))
            lines.append(f"| {number} | `{line}` | {took:.2f} | {_cells(answer)} |")
        end = []
        for line, run, answer in runs:
            if run.was_stopped or not run.is_final:
                continue
            assert run.bound is None or answer.bound is None or run.bound >= answer.bound
            assert answer.completed is None or run.objective <= answer.completed.objective
            assert answer.bound is None or answer.bound <= run.objective
            end.append(f"`{line}`: {run.objective:g}, {'proven best' if run.is_optimal else f'bound {run.bound}'}")
        final = bench.look(wait=True)
        figures += check(final, data, y)
        prices = bench.prices(seconds=min(10.0, seconds))
        end.append(f"after waiting: objective {final.completed.objective:g}, bound {final.bound}")  # type: ignore[union-attr]
        end += [f"price of `{what}`: {least:g} to {most:g}" for what, least, most in prices.itertuples(index=False)]
    notes = [
        f"{name}: {len(data)} rows, {len(bench.prepared.problem.conditions)} conditions, C = 10; the first fit took "
        f"{fitted:.1f} s ({classifier.result_.status}), opening the workbench {opened:.2f} s, first run and folds "
        f"{folds:.1f} s."
    ]
    return [*notes, "", *HEAD, *lines, "", *(f"* {each}" for each in end)], figures, lines


HEAD = [
    "| # | edit | s | draft: objective, errors | best completion | bound | state | cost | to expect |",
    "|---|---|---|---|---|---|---|---|---|",
]


def _cells(answer: Answer) -> str:
    done = answer.completed
    state = "proven best" if answer.is_optimal else ("final" if answer.is_final else "so far")
    cells = [
        f"{answer.draft.objective:g}, {answer.draft.errors:g}",
        "none yet" if done is None else f"{done.objective:g}, {done.errors:g}",
        "none yet" if answer.bound is None else f"{answer.bound:g}",
        state,
        "" if answer.cost is None else str(answer.cost),
        "" if answer.expected is None else f"{answer.expected:.1%}",
    ]
    return " | ".join(cells)


def page(name: str, seconds: float) -> tuple[list[str], int]:
    """The same edits through the local page's own requests; at the end a browser shows the page."""
    data, target, _ = load(name)
    y = np.asarray(target, dtype=bool)
    classifier = RuleSetClassifier(10, binarizer="deciles", time_limit=seconds, random_state=0).fit(data, y)
    took, figures = [], 0
    with Workbench(data, y, model=classifier, folds=5, time_limit=seconds) as bench, EditServer(
        Dialogue(bench, may_write=False)
    ) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        bench.optimum.wait()
        for line in SESSIONS[name]:
            started = time.perf_counter()
            connection = http.client.HTTPConnection("127.0.0.1", server.server_port, timeout=60)
            headers = {"Content-Type": "application/json", "Origin": server.origin}
            connection.request("POST", f"/{server.token}/say", json.dumps({"line": line}), headers)
            reply = json.loads(connection.getresponse().read())
            took.append(time.perf_counter() - started)
            assert reply["problem"] is None, reply
            rules = tuple(reply["answer"]["rules"])
            draft = reply["answer"]["draft"]
            assert (draft["objective"], draft["errors"], draft["complexity"]) == counted(rules, data, y)
            figures += 3
        chromium = shutil.which("chromium")
        if chromium and name == "lending":
            command = [
                chromium, "--headless", "--no-sandbox", "--disable-gpu", "--window-size=1100,1000",
                "--virtual-time-budget=4000", f"--screenshot={PICTURE}", server.address,
            ]  # fmt: skip
            subprocess.run(command, check=True, capture_output=True, timeout=60)
        server.shutdown()
    line = (
        f"Through the page, {name}: the ten answers took {', '.join(f'{each:.2f}' for each in took)} s "
        f"(longest {max(took):.2f})."
    )
    return [line], figures


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sets", nargs="*", choices=[*SESSIONS, []], help="data sets; both when none is named")
    parser.add_argument("--seconds", type=float, default=30.0, help="time limit of each run (30)")
    arguments = parser.parse_args()
    text = [
        "# A session with the workbench",
        "",
        "Made by `benchmarks/workbench_session.py`. Ten edits each on lending and on adult, first in the terminal's",
        "words, then through the local page's requests. Seconds are from the edit to the answer; the machine had two",
        "cores and much other work to do. Objectives are Hamming losses on the training rows. Every objective, error",
        "count and complexity in these tables was counted again from the texts of the rules, with pandas alone, and",
        "every bound held against whatever was found later.",
        "",
    ]
    figures = 0
    for name in arguments.sets or SESSIONS:
        lines, n, _ = terminal(name, arguments.seconds)
        more, m = page(name, arguments.seconds)
        figures += n + m
        text += [f"## {name}", "", *lines, "", *more, ""]
        print("\n".join(text[-len(lines) - 6 :]), flush=True)
    text += [
        f"{figures} figures were counted again; all were as the workbench had said. The machine's load average was "
        f"{os.getloadavg()[1]:.0f} on {os.cpu_count()} processors."
    ]
    if not arguments.sets:
        text += ["", "![The page after the session on lending](../images/workbench.png)"]
        PAGE.write_text("\n".join(text) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
