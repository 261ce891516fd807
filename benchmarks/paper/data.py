"""The paper's data sets, folds of them, and why some are not there."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
from attrs import frozen
from sklearn.model_selection import StratifiedKFold, train_test_split

from rulecg import Binarizer
from rulecg.datasets import Dataset, load
from rulecg.datasets.files import find_file

from ..rivals.jobs import Samples

Rows = npt.NDArray[np.intp]
SMALL = ("banknote", "heart", "ilpd", "ionosphere", "bupa", "pima", "tic-tac-toe", "transfusion", "wdbc")
LARGE = ("adult", "bank-mkt", "gas", "fico", "magic", "mushroom", "musk")
FAIR = ("adult", "compas", "default")

_OWN_FILES = {
    "fico": (
        ("fico", "heloc", "heloc_dataset_v1"),
        "FICO's terms do not allow passing it on: put your own heloc_dataset_v1.csv into the folder RULECG_DATA",
    ),
    "gas": (("gas",), "only the full set can be compared: put gas.csv (13910 rows) into the folder RULECG_DATA"),
}


def absence(name: str) -> str:
    """Why a data set cannot be used; empty if it can."""
    files, reason = _OWN_FILES.get(name, ((), ""))
    return reason if files and find_file(files) is None else ""


@lru_cache(maxsize=4)
def dataset(name: str) -> Dataset:
    """The data set; kept, because the cells of one fold come one after the other."""
    return load(name)


@frozen(eq=False)
class Fold:
    """Some rows of a data set to learn from, others to test on."""

    data: pd.DataFrame
    target: npt.NDArray[np.bool_]
    groups: npt.NDArray[Any] | None
    train: Rows
    test: Rows

    @classmethod
    def of(cls, name: str, number: int, n_folds: int) -> Fold:
        """One of so many stratified folds, shuffled with seed 0."""
        data, target = dataset(name).data, np.asarray(dataset(name).target, dtype=bool)
        splits = list(StratifiedKFold(n_folds, shuffle=True, random_state=0).split(data, target))
        return cls(data, target, _groups(name), *splits[number])

    @classmethod
    def split(cls, name: str, seed: int) -> Fold:
        """A random tenth to test on, as in the paper's comparison of losses."""
        data, target = dataset(name).data, np.asarray(dataset(name).target, dtype=bool)
        train, test = train_test_split(np.arange(len(target)), test_size=0.1, random_state=seed, stratify=target)
        return cls(data, target, _groups(name), train, test)

    def part(self, n_folds: int, number: int) -> Fold:
        """One inner fold of the training rows."""
        splits = list(StratifiedKFold(n_folds, shuffle=True, random_state=1).split(self.train, self.target[self.train]))
        train, test = splits[number]
        return Fold(self.data, self.target, self.groups, self.train[train], self.train[test])

    def samples(self) -> Samples:
        """With the paper's conditions (deciles of the training rows), for rivals."""
        binarizer = Binarizer().fit(self.data.iloc[self.train])
        columns = pd.MultiIndex.from_tuples(
            [(c.column, c.operator, c.value) for c in binarizer.conditions_], names=["column", "operator", "value"]
        )
        train, test = (
            pd.DataFrame(np.asarray(binarizer.transform(self.data.iloc[rows])).astype(np.uint8), columns=columns)
            for rows in (self.train, self.test)
        )
        groups = (None, None) if self.groups is None else (self.groups[self.train], self.groups[self.test])
        return Samples(train, test, self.target[self.train], *groups)

    def accuracies(self, predicted: npt.NDArray[np.bool_]) -> dict[str, float]:
        """Share of right predictions among training and among test rows, given predictions for all rows."""
        right = np.asarray(predicted, dtype=bool) == self.target
        return {"train": float(right[self.train].mean()), "test": float(right[self.test].mean())}

    def joined(self, train: npt.NDArray[np.bool_], test: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
        """Predictions for all rows from those of either part."""
        predicted = np.zeros(len(self.target), dtype=bool)
        predicted[self.train], predicted[self.test] = train, test
        return predicted

    def rates(self, predicted: npt.NDArray[np.bool_], part: str) -> dict[str, float]:
        """True and false positive rates of the two groups among the rows of a part, and the gaps between them."""
        if self.groups is None:
            raise ValueError("rates by group need a sensitive column")
        rows = self.train if part == "train" else self.test
        first, second = sorted(set(self.groups.tolist()))
        found: dict[str, float] = {}
        for kind, label in (("tpr", True), ("fpr", False)):
            for place, value in enumerate((first, second), 1):
                chosen = rows[(self.groups[rows] == value) & (self.target[rows] == label)]
                found[f"{part} {kind} {place}"] = float(np.mean(predicted[chosen])) if len(chosen) else 0.0
        true = abs(found[f"{part} tpr 1"] - found[f"{part} tpr 2"])
        false = abs(found[f"{part} fpr 1"] - found[f"{part} fpr 2"])
        return found | {f"{part} opportunity": true, f"{part} odds": max(true, false)}


def _groups(name: str) -> npt.NDArray[Any] | None:
    sensitive = dataset(name).sensitive
    return None if sensitive is None else sensitive.iloc[:, 0].astype(str).to_numpy()
