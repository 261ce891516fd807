"""The paper's data sets: which rows it uses, what it predicts, and which column is sensitive.

After the appendix "Data sets and Data Processing" of Lawless, Dash, Günlük and Wei.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import Any

import pandas as pd
from attrs import frozen

from rulecg_core import ConfigurationError

from .dataset import Dataset
from .files import DATA_VARIABLE, OpenML, fetch, find_file, read_csv


@frozen
class PaperData:
    """How one data set of the paper is read."""

    name: str
    label: str
    positive: Callable[[pd.Series[Any]], pd.Series[bool]]
    outcome: str
    """The positive class in words."""
    n_rows: int
    """How many rows the paper uses."""
    sensitive: str | None = None
    categories: Sequence[str] = ()
    """Columns of numbers that are codes."""
    prepare: Callable[[pd.DataFrame], pd.DataFrame] | None = None
    """The paper's row filters and repairs."""
    openml: OpenML | None = None
    files: Sequence[str] = ()
    """Further names under which the file may lie in the folder."""
    empty_is_missing: bool = False
    advice: str = ""
    """Where to get the data when OpenML does not have it."""


def load_paper_data(spec: PaperData) -> Dataset:
    """Read the file of a data set, or fetch it from OpenML, and prepare it as the paper does.

    Parameters
    ----------
    spec
        How it is read.

    Returns
    -------
    Dataset
        Inputs, target and the sensitive column.

    Raises
    ------
    ConfigurationError
        When it cannot be had; the message says where to get it.
    """
    path = find_file((spec.name, *spec.files))
    if path is not None:
        table, source = read_csv(path, spec.empty_is_missing), path.name
    elif spec.openml is not None:
        table, source = fetch(spec.name, spec.openml, spec.label), f"OpenML {spec.openml.data_id}"
    else:
        raise ConfigurationError(
            f"Data set {spec.name!r} was not found. {spec.advice} Save it as {spec.name}.csv, with the label column "
            f"{spec.label!r}, in a folder and set the environment variable {DATA_VARIABLE} to that folder."
        )
    if spec.label not in table.columns:
        raise ConfigurationError(
            f"{source} has no column {spec.label!r}, which is the label of {spec.name!r}. Its columns are "
            f"{', '.join(map(str, table.columns[:10]))}{' …' if table.shape[1] > 10 else ''}."
        )
    if spec.prepare is not None:
        table = spec.prepare(table)
    table = table.reset_index(drop=True)
    if len(table) != spec.n_rows:
        warnings.warn(
            f"{spec.name!r} from {source} has {len(table)} rows after preparation; the paper has {spec.n_rows}.",
            stacklevel=3,
        )
    target = spec.positive(table.pop(spec.label)).astype(bool).rename(spec.outcome)
    for column in spec.categories:
        table[column] = table[column].astype("category")
    sensitive = None if spec.sensitive is None else table[[spec.sensitive]].copy()
    return Dataset(spec.name, table, target, sensitive, source)


def _equals(value: Any) -> Callable[[pd.Series[Any]], pd.Series[bool]]:
    return lambda label: label == value


def _above(value: float) -> Callable[[pd.Series[Any]], pd.Series[bool]]:
    return lambda label: label.astype(float) > value


def _prepare_heart(table: pd.DataFrame) -> pd.DataFrame:
    table = table[~table["ca"].astype(str).isin(["?", "nan"])].copy()
    for column in ("ca", "thal"):
        table[column] = table[column].astype(str).str.removesuffix(".0")
    for column in table.columns.difference(["oldpeak", "ca", "thal", "num"]):
        if pd.api.types.is_float_dtype(table[column]):
            table[column] = table[column].astype(int)
    return table


_OTHER_RACES = ["Asian", "Hispanic", "Native_American", "Other"]


def _prepare_compas(table: pd.DataFrame) -> pd.DataFrame:
    return table[(table[_OTHER_RACES] == 0).all(axis=1)].drop(columns=_OTHER_RACES)


def _prepare_fico(table: pd.DataFrame) -> pd.DataFrame:
    """Special values as in the paper: -9 no record, -8 not applicable, -7 never happened."""
    inputs = table.columns.drop("RiskPerformance")
    numbers = table[inputs].apply(pd.to_numeric)
    kept = ~(numbers == -9).all(axis=1)
    numbers, labels = numbers[kept].astype(float), table.loc[kept, "RiskPerformance"]
    for column in inputs:
        numbers.loc[numbers[column] == -7, column] = numbers[column].max() + 1
    numbers = numbers.mask(numbers.isin([-8, -9]))
    delinquency = "MaxDelq2PublicRecLast12M"
    numbers[delinquency] = numbers[delinquency].clip(upper=7)
    return numbers.assign(RiskPerformance=labels)


def _musk_inputs(table: pd.DataFrame) -> pd.DataFrame:
    identifiers = {"id", "molecule", "molecule_name", "conformation_name"}
    return table.drop(columns=[name for name in table.columns if str(name).lower() in identifiers])


def _names(text: str) -> tuple[str, ...]:
    return tuple(text.split())


_WDBC = [
    f"{measure}_{statistic}"
    for statistic in ("mean", "se", "worst")
    for measure in _names(
        "radius texture perimeter area smoothness compactness concavity concave_points symmetry fractal_dimension"
    )
]
_MUSHROOM = _names(
    "cap-shape cap-surface cap-color bruises odor gill-attachment gill-spacing gill-size gill-color stalk-shape "
    "stalk-root stalk-surface-above-ring stalk-surface-below-ring stalk-color-above-ring stalk-color-below-ring "
    "veil-type veil-color ring-number ring-type spore-print-color population habitat"
)
_DEFAULT = [
    *("LIMIT_BAL", "SEX", "EDUCATION", "MARRIAGE", "AGE"),
    *(f"PAY_{month}" for month in (0, 2, 3, 4, 5, 6)),
    *(f"BILL_AMT{month}" for month in range(1, 7)),
    *(f"PAY_AMT{month}" for month in range(1, 7)),
]
_HEART = _names("age sex cp trestbps chol fbs restecg thalach exang oldpeak slope ca thal")
_PIMA = _names("Pregnancies Glucose BloodPressure SkinThickness Insulin BMI DiabetesPedigreeFunction Age")
_MAGIC = _names("fLength fWidth fSize fConc fConc1 fAsym fM3Long fM3Trans fAlpha fDist")
_TRANSFUSION = ("Recency (months)", "Frequency (times)", "Monetary (c.c. blood)", "Time (months)")
_ILPD = ("Age", "Gender", "TB", "DB", "Alkphos", "Sgpt", "Sgot", "TP", "ALB", "A/G Ratio")

_SPECS = (
    PaperData(
        "banknote",
        "class",
        _equals(1),
        "forged",
        1372,
        openml=OpenML(1462, ("variance", "skewness", "curtosis", "entropy"), {"1": 0, "2": 1}),
    ),
    PaperData(
        "heart",
        "num",
        _above(0),
        "heart disease",
        299,
        categories=("cp", "restecg", "slope", "ca", "thal"),
        prepare=_prepare_heart,
        openml=OpenML(194, _HEART, missing="?"),
    ),
    PaperData(
        "ilpd",
        "Selector",
        _equals(1),
        "liver patient",
        579,
        prepare=pd.DataFrame.dropna,
        openml=OpenML(1480, _ILPD, {"1": 1, "2": 2}),
        empty_is_missing=True,
    ),
    PaperData("ionosphere", "class", _equals("g"), "good radar return", 351, openml=OpenML(59)),
    PaperData("bupa", "drinks", _above(2), "more than 2 drinks", 345, openml=OpenML(8)),
    PaperData(
        "pima",
        "Outcome",
        _equals(1),
        "diabetes",
        768,
        openml=OpenML(37, _PIMA, {"tested_negative": 0, "tested_positive": 1}),
    ),
    PaperData("wdbc", "diagnosis", _equals("M"), "malignant", 569, openml=OpenML(1510, _WDBC, {"1": "B", "2": "M"})),
    PaperData(
        "transfusion",
        "donated",
        _equals(1),
        "donated blood",
        748,
        openml=OpenML(1464, _TRANSFUSION, {"1": 0, "2": 1}),
    ),
    PaperData(
        "adult",
        "income",
        _equals(">50K"),
        "income above 50K",
        48842,
        sensitive="sex",
        openml=OpenML(1590, missing="?"),
    ),
    PaperData(
        "bank-mkt",
        "y",
        _equals("yes"),
        "subscribed",
        41188,
        advice="It is the file bank-additional-full of UCI's Bank Marketing (convert its semicolons to commas).",
    ),
    PaperData(
        "gas",
        "class",
        _above(3),
        "acetaldehyde, acetone or toluene",
        13910,
        openml=OpenML(1476),
    ),
    PaperData(
        "gas-partial",
        "class",
        _above(3),
        "acetaldehyde, acetone or toluene",
        6697,
        advice="It is eight of the ten batches of UCI's Gas Sensor Array Drift; 'gas' loads the full set.",
    ),
    PaperData("magic", "class", _equals("g"), "gamma", 19020, openml=OpenML(1120, _MAGIC)),
    PaperData("mushroom", "class", _equals("p"), "poisonous", 8124, openml=OpenML(24, _MUSHROOM, missing="?")),
    PaperData(
        "musk", "class", _equals(1), "musk", 6598, prepare=_musk_inputs, openml=OpenML(1116, labels={"0": 0, "1": 1})
    ),
    PaperData(
        "compas",
        "Two_yr_Recidivism",
        _equals(1),
        "recidivism",
        5278,
        sensitive="African_American",
        prepare=_prepare_compas,
        advice="It is the table 'propublica data for fair machine learning' on Kaggle, made from ProPublica's data.",
    ),
    PaperData(
        "default",
        "default payment next month",
        _equals(1),
        "default",
        30000,
        sensitive="SEX",
        categories=("SEX", "EDUCATION", "MARRIAGE"),
        openml=OpenML(42477, _DEFAULT, {"0": 0, "1": 1}),
    ),
    PaperData(
        "fico",
        "RiskPerformance",
        _equals("Good"),
        "good risk",
        9871,
        prepare=_prepare_fico,
        files=("heloc", "heloc_dataset_v1"),
        advice="FICO's HELOC data may not be passed on: request your own copy (heloc_dataset_v1.csv) from FICO.",
    ),
)

PAPER_DATA: dict[str, PaperData] = {spec.name: spec for spec in _SPECS}
"""The paper's data sets by name (tic-tac-toe is generated instead)."""
