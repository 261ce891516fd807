"""RIPPER twice (wittgenstein's, and WEKA's JRip as in the paper), Bayesian rule sets, and sums of trees."""

from __future__ import annotations

import math
import os
import random
import re
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import pandas as pd

from .interface import Availability, Grid, Rival, without_complements

if TYPE_CHECKING:
    Literal = tuple[int, bool]
    """A column by position, and the value that it must have."""


def plain_names(X: pd.DataFrame) -> list[str]:
    """Short names without blanks, in the order of the columns: c0, c1, ..."""
    return [f"c{number}" for number in range(X.shape[1])]


class Ripper(Rival):
    """RIPPER of the package wittgenstein, with its default settings."""

    name = "RIPPER (wittgenstein)"
    source = "Cohen 1995; wittgenstein"
    needs = ("wittgenstein",)
    environment = "rules"

    def fit(self, X: pd.DataFrame, y: np.ndarray, sensitive: np.ndarray | None = None) -> Rival:
        import wittgenstein

        self._columns = without_complements(X).columns
        self._model = wittgenstein.RIPPER(random_state=0)
        self._model.fit(self._table(X), y=np.asarray(y, dtype=int), pos_class=1)
        return self

    def predict(self, X: pd.DataFrame, sensitive: np.ndarray | None = None) -> np.ndarray:
        return np.asarray(self._model.predict(self._table(X)), dtype=bool)

    def complexity(self) -> int:
        return sum(1 + len(rule.conds) for rule in self._model.ruleset_.rules)

    def _table(self, X: pd.DataFrame) -> pd.DataFrame:
        kept = X[self._columns]
        # Text, or the package would make bins of the zeros and ones.
        return pd.DataFrame(kept.to_numpy().astype(int).astype(str), columns=plain_names(kept))


class JRip(Rival):
    """WEKA's RIPPER, the paper's, with its default settings; a Java program that reads ARFF files.

    The jar is the one that ``WEKA_JAR`` names, else Debian's, else the one that the script of environments fetched.
    """

    name = "RIPPER"
    source = "Cohen 1995; WEKA's JRip"
    environment = "weka"
    _RULE = re.compile(r"^(?P<body>.*)=> label=(?P<label>[tf]) \(")
    _CONDITION = re.compile(r"\(c(\d+) = ([01])\)")

    def fit(self, X: pd.DataFrame, y: np.ndarray, sensitive: np.ndarray | None = None) -> Rival:
        self._columns = without_complements(X).columns
        jar, reason = weka_jar()
        if jar is None:
            raise RuntimeError(reason)
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "train.arff"
            path.write_text(arff(X[self._columns].to_numpy().astype(int), np.asarray(y, dtype=bool)))
            command = ["java", "-Xmx2g", "-cp", str(jar), "weka.classifiers.rules.JRip", "-t", str(path), "-no-cv"]
            run = subprocess.run(command, capture_output=True, text=True, check=False)
        if run.returncode or "JRIP rules" not in run.stdout:
            raise RuntimeError(f"JRip failed: {(run.stderr or run.stdout).strip()[-300:]}")
        self.rules_, self.default_ = self._parse(run.stdout)
        return self

    def predict(self, X: pd.DataFrame, sensitive: np.ndarray | None = None) -> np.ndarray:
        holds = X[self._columns].to_numpy().astype(bool)
        fires = np.zeros(len(holds), dtype=bool)
        for rule in self.rules_:
            own = np.ones(len(holds), dtype=bool)
            for position, value in rule:
                own &= holds[:, position] == value
            fires |= own
        return ~fires if self.default_ else fires

    def complexity(self) -> int:
        return sum(1 + len(rule) for rule in self.rules_)

    @classmethod
    def _parse(cls, text: str) -> tuple[list[list[Literal]], bool]:
        """The rules, all for the class that is not the default, and the default."""
        rules: list[list[Literal]] = []
        default = False
        for line in text.splitlines():
            match = cls._RULE.match(line)
            if match is None:
                continue
            conditions = [(int(number), value == "1") for number, value in cls._CONDITION.findall(match["body"])]
            if conditions:
                rules.append(conditions)
            else:
                default = match["label"] == "t"
                # Only the first block is the model; WEKA repeats nothing after it, but says more.
                break
        return rules, default


def arff(values: np.ndarray, labels: np.ndarray) -> str:
    """Zeros, ones and labels as WEKA reads them, labels last.

    >>> print(arff(np.array([[0, 1]]), np.array([True])))
    @relation fold
    @attribute c0 {0,1}
    @attribute c1 {0,1}
    @attribute label {f,t}
    @data
    0,1,t
    """
    head = [f"@attribute c{number} {{0,1}}" for number in range(values.shape[1])]
    rows = [
        ",".join(map(str, row)) + (",t" if label else ",f")
        for row, label in zip(values.tolist(), labels)  # noqa: B905 - Python 3.8
    ]
    return "\n".join(["@relation fold", *head, "@attribute label {f,t}", "@data", *rows])


def weka_jar() -> tuple[Path | None, str]:
    """WEKA's jar, or why there is none."""
    from .environments import home

    if shutil.which("java") is None:
        return None, "needs Java"
    found = [
        *([Path(os.environ["WEKA_JAR"])] if "WEKA_JAR" in os.environ else []),
        Path("/usr/share/java/weka.jar"),
        home() / "weka" / "usr" / "share" / "java" / "weka.jar",
    ]
    jar = next((path for path in found if path.exists()), None)
    return jar, "" if jar else "needs Debian's package weka, or WEKA_JAR set to WEKA's jar"


def jrip_availability() -> Availability:
    """Whether Java and WEKA are there."""
    jar, reason = weka_jar()
    return Availability(jar is not None, reason=reason)


class BayesianRuleSets(Rival):
    """Bayesian rule sets with the paper's parameters: conjunctions of at most 3 conditions with 5 % support among
    positives, the 5000 of them with most information, and 2 annealing chains of 500 steps.

    The package's call of FP-growth does not fit today's mlxtend, and its other way to candidates grows thousands of
    trees; so frequent conjunctions are counted here, which gives what FP-growth gives.
    """

    name = "BRS"
    source = "Wang et al. 2017; imodels, candidates counted here"
    needs = ("imodels",)
    environment = "rules"

    @classmethod
    def defaults(cls) -> dict[str, Any]:
        return {"kappa": 1.0}

    def fit(self, X: pd.DataFrame, y: np.ndarray, sensitive: np.ndarray | None = None) -> Rival:
        from imodels import BayesianRuleSetClassifier

        self._columns = without_complements(X).columns
        random.seed(0)

        class Counted(BayesianRuleSetClassifier):  # type: ignore[misc]
            """Its candidates are all frequent conjunctions."""

            def _set_pattern_space(self) -> None:
                doubled = len(set(self.attr_names_orig)) * 2
                self.pattern_space = np.array([0.0] + [math.comb(doubled, k) for k in range(1, self.maxlen + 1)])

            def _generate_rules(self, X: pd.DataFrame, y: np.ndarray, verbose: bool) -> None:
                both = np.column_stack([X.to_numpy(), 1 - X.to_numpy()]).astype(bool)
                names = [*X.columns, *(f"{name}_neg" for name in X.columns)]
                found = informative_conjunctions(both, np.asarray(y, dtype=bool), self.supp / 100, self.n_rules)
                self.rules_ = [[names[position] for position in rule] for rule in found]
                self.RMatrix = np.column_stack([both[:, sorted(rule)].all(axis=1) for rule in found]).astype(int)

        # The prior on sizes: one of kappa times as many conjunctions as there are of each length.
        sizes = [self.parameters["kappa"] * math.comb(2 * len(self._columns), k) for k in (1, 2, 3)]
        self._model = Counted(
            n_rules=5000, alpha_l=[1.0, 1.0, 1.0], beta_l=sizes, supp=5, maxlen=3, num_iterations=500, num_chains=2,
            alpha_pos=500, beta_pos=1, alpha_neg=500, beta_neg=1,
        )  # fmt: skip
        table = self._table(X)
        self._model.fit(table.to_numpy(), np.asarray(y, dtype=int), feature_names=list(table.columns))
        return self

    def predict(self, X: pd.DataFrame, sensitive: np.ndarray | None = None) -> np.ndarray:
        return np.asarray(self._model.predict(self._table(X)), dtype=bool)

    def complexity(self) -> int:
        return sum(1 + len(rule) for rule in self._model.rules_)

    def _table(self, X: pd.DataFrame) -> pd.DataFrame:
        kept = X[self._columns]
        return pd.DataFrame(kept.to_numpy().astype(int), columns=plain_names(kept))


def informative_conjunctions(
    holds: np.ndarray, labels: np.ndarray, support: float, most: int
) -> list[frozenset[int]]:
    """Conjunctions of up to three conditions that hold for a share of the positives, those with most information.

    >>> holds = np.array([[1, 1, 0], [1, 1, 1], [0, 1, 1], [1, 0, 0]], dtype=bool)
    >>> sorted(map(sorted, informative_conjunctions(holds, np.array([1, 1, 0, 0], dtype=bool), 0.6, 2)))
    [[0], [0, 1]]
    """
    positives, negatives = (holds[chosen].astype(np.float32) for chosen in (labels, ~labels))
    least, n = support * len(positives), holds.shape[1]
    found: list[tuple[float, tuple[int, ...]]] = []

    def keep(rules: list[tuple[int, ...]], true: np.ndarray, false: np.ndarray) -> None:
        """Take in those of a batch that may be among the best."""
        gains = -_conditional_entropy(true, false, len(positives), len(negatives))
        found.extend(zip(gains.tolist(), rules))  # noqa: B905 - Python 3.8
        if len(found) > 4 * most:
            found.sort(key=lambda pair: (-pair[0], pair[1]))
            del found[most:]

    singles = np.flatnonzero(positives.sum(axis=0) >= least)
    keep([(int(j),) for j in singles], positives[:, singles].sum(axis=0), negatives[:, singles].sum(axis=0))
    for i in singles:
        with_i, without_i = positives[:, [i]] * positives, negatives[:, [i]] * negatives
        true, false = with_i.T @ positives, without_i.T @ negatives
        pairs = [j for j in range(i + 1, n) if true[j, j] >= least]
        keep([(int(i), j) for j in pairs], true[pairs, pairs], false[pairs, pairs])
        for j in pairs:
            thirds = j + 1 + np.flatnonzero(true[j, j + 1 :] >= least)
            keep([(int(i), j, int(k)) for k in thirds], true[j, thirds], false[j, thirds])
    found.sort(key=lambda pair: (-pair[0], pair[1]))
    return [frozenset(rule) for _, rule in found[:most]]


def _conditional_entropy(true: np.ndarray, false: np.ndarray, n_true: int, n_false: int) -> np.ndarray:
    """Entropy of the labels that is left when one knows where each conjunction holds."""

    def entropy(first: np.ndarray, second: np.ndarray) -> np.ndarray:
        whole = np.maximum(first + second, 1e-12)
        shares = np.clip(np.stack([first, second]) / whole, 1e-12, 1.0)
        return -whole * (shares * np.log(shares)).sum(axis=0)

    return (entropy(true, false) + entropy(n_true - true, n_false - false)) / (n_true + n_false)


class SumOfTrees(Rival):
    """FIGS, a sum of small trees; the number of questions is tuned. Its size is no number of rules."""

    name = "FIGS"
    source = "Tan et al. 2022; imodels"
    needs = ("imodels",)
    environment = "rules"
    grid: ClassVar[Grid] = {"max_rules": (4, 8, 12, 20)}
    counts_rules = False

    @classmethod
    def defaults(cls) -> dict[str, Any]:
        return {"max_rules": 12}

    def fit(self, X: pd.DataFrame, y: np.ndarray, sensitive: np.ndarray | None = None) -> Rival:
        from imodels import FIGSClassifier

        self._columns = without_complements(X).columns
        self._model = FIGSClassifier(random_state=0, **self.parameters)
        self._model.fit(X[self._columns].to_numpy(dtype=np.float64), np.asarray(y, dtype=int))
        return self

    def predict(self, X: pd.DataFrame, sensitive: np.ndarray | None = None) -> np.ndarray:
        return np.asarray(self._model.predict(X[self._columns].to_numpy(dtype=np.float64)), dtype=bool)
