"""Every option of the classifier and of ``rulecg fit``, with wrong and with extreme values."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import rulecg
from rulecg.commands import cli

from .attempts import Attempt, command

ODD_VALUES: list[Any] = [
    None, True, False, 0, -1, 1, 2, 10**9, 2**64, -(2**70), 0.0, 0.5, 1e-300, 1e300, float("nan"), float("inf"),
    -float("inf"), "", " ", "auto", "none", "nonsense", "é", "\x00", b"bytes", (), [], {}, [None], [""], ["a", "a"],
    ("a", 1), {"a": 1}, object, len, 1j, np.zeros(3), np.float64(3), np.int8(3), pd.NA, range(3), "equalized-odds",
    "equalized-odds:nan", ["complexity:3"], ["equalized-odds:0.1"],
]  # fmt: skip
ODD_WORDS = [
    "", " ", "0", "-1", "1", "2", "1.5", "1e300", "1e-300", "nan", "inf", "-inf", "99999999999999999999", "none",
    "auto", "nonsense", "a", "y", "a,b", ",", "é", "\t", "\\t", "../..", "/", "complexity:3", "equalized-odds:0.1",
    "equalized-odds:x", ":", "%s", "--", "x" * 3000,
]  # fmt: skip


def _table() -> tuple[pd.DataFrame, np.ndarray]:
    at = np.arange(40)
    return pd.DataFrame({"a": at % 7, "b": np.where(at % 3, "x", "z")}), at % 7 > 3


WRITES = ("--certificate", "--checkpoint")
"""Options that name a file to write, besides the model's."""


def _with_option(name: str, value: Any, folder: Path) -> None:
    X, y = _table()
    settings = {"max_complexity": 4, "time_limit": 10, "random_state": 0, name: value}
    model = rulecg.RuleSetClassifier(**settings).fit(X, y)
    wrong = int(np.sum(model.predict(X) != y))
    assert wrong == model.result_.errors, f"{wrong} errors by predictions, {model.result_.errors} by the result"
    run, limit = next(iter(model.result_.runs.values())), settings["max_complexity"]
    assert sum(1 + len(rule) for rule in run.rules) <= limit, "more complex than allowed"


def _fit_argument(name: str, value: Any, folder: Path) -> None:
    X, y = _table()
    model = rulecg.RuleSetClassifier(max_complexity=4, time_limit=10).fit(X, y, **{name: value})
    assert len(model.predict(X)) == len(y)


def _with_word(option: str, word: str, folder: Path) -> None:
    X, y = _table()
    X.assign(y=y.astype(int)).to_csv(folder / "t.csv", index=False)
    words = ["fit", str(folder / "t.csv"), "--target", "y", "--max-complexity", "4", "--time-limit", "10", "--quiet"]
    out = folder / "m.json"
    if option == "--out":
        out = folder / word.replace("/", "_") if word else Path("")
    elif option in WRITES and word:
        word = str(folder / word.replace("/", "_"))
    command(*words, "--out", out, *([] if option == "--out" else [f"{option}={word}"]))
    model = rulecg.load_model(out)
    known = {"t.csv", out.name, Path(word).name if option in WRITES else ""}
    left = [each.name for each in folder.iterdir() if each.name not in known]
    assert not left, f"files left behind: {left}"
    assert len(model.predict(X)) == len(X)


def words_of_fit() -> list[str]:
    """The options of ``rulecg fit`` that take a value."""
    parser = cli.build_parser()
    actions = parser.commands["fit"]._actions
    return [each.option_strings[-1] for each in actions if each.option_strings and each.nargs != 0]


def attempts() -> Iterator[Attempt]:
    """Every option with every odd value."""
    for name in inspect.signature(rulecg.RuleSetClassifier).parameters:
        for value in ODD_VALUES:
            yield Attempt("settings: classifier", f"{name}={value!r:.40}", partial(_with_option, name, value))
    for name in ("sample_weight", "sensitive_features"):
        for value in [*ODD_VALUES, np.zeros(40), np.ones(40), np.full(40, 1e-8), np.full(40, 1e300), np.arange(40.0)]:
            yield Attempt("settings: classifier", f"fit {name}={value!r:.40}", partial(_fit_argument, name, value))
    for option in words_of_fit():
        for word in ODD_WORDS:
            yield Attempt("settings: command line", f"{option}={word!r:.40}", partial(_with_word, option, word))
