"""Where the paper's data sets come from: a folder of CSV files, or OpenML."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd
from attrs import frozen

from rulecg_core import ConfigurationError

DATA_VARIABLE = "RULECG_DATA"


@frozen
class OpenML:
    """A data set of OpenML: its number, and what its columns and labels are called in the published files."""

    data_id: int
    columns: Sequence[str] | None = None
    """Names of the inputs in OpenML's order; None when OpenML has the published names."""
    labels: Mapping[str, Any] | None = None
    missing: str | None = None
    """The published marker for what OpenML leaves empty."""


def data_folder() -> Path | None:
    """The folder that RULECG_DATA names; None when the variable is not set."""
    named = os.environ.get(DATA_VARIABLE, "").strip()
    if not named:
        return None
    folder = Path(named).expanduser()
    if not folder.is_dir():
        raise ConfigurationError(
            f"The environment variable {DATA_VARIABLE} names {named!r}, which is not a folder. Set it to the folder "
            "that holds the data sets' CSV files, or unset it."
        )
    return folder


def find_file(stems: Sequence[str]) -> Path | None:
    """Find the first ``<stem>.csv`` or ``<stem>.csv.gz`` that exists in the data folder.

    Parameters
    ----------
    stems
        Names without their endings, the best first.

    Returns
    -------
    Path or None
        The file; None when there is none, or no folder.
    """
    folder = data_folder()
    if folder is None:
        return None
    candidates = (folder / f"{stem}{suffix}" for stem in stems for suffix in (".csv.gz", ".csv"))
    return next((path for path in candidates if path.is_file()), None)


def read_csv(path: Path, empty_is_missing: bool) -> pd.DataFrame:
    """Read a table of the data folder.

    Parameters
    ----------
    path
        The file.
    empty_is_missing
        Whether nothing between two commas, and words such as NA, are missing values.

    Returns
    -------
    pandas.DataFrame
        The table.

    Raises
    ------
    ConfigurationError
        When it cannot be read.
    """
    try:
        return pd.read_csv(path, keep_default_na=empty_is_missing)
    except (OSError, ValueError) as error:
        raise ConfigurationError(f"Cannot read {path} as a comma-separated table: {error}.") from error


def fetch(name: str, source: OpenML, label: str) -> pd.DataFrame:
    """Fetch a data set from OpenML, with the published column names and the label last.

    Parameters
    ----------
    name
        What it is called here.
    source
        Which one it is there, and how it differs from the published files.
    label
        The name of the label column.

    Returns
    -------
    pandas.DataFrame
        The table.

    Raises
    ------
    ConfigurationError
        When it cannot be fetched or has changed there.
    """
    from sklearn.datasets import fetch_openml

    try:
        bunch = fetch_openml(data_id=source.data_id, as_frame=True)
    except Exception as error:  # no network, a changed server, a broken cache: all mean the same to the user
        raise ConfigurationError(
            f"Data set {name!r} could not be fetched from OpenML (number {source.data_id}): {error}. Save it as "
            f"{name}.csv with the label {label!r} as last column, and set {DATA_VARIABLE} to its folder."
        ) from error
    inputs = bunch.data.copy()
    if source.columns is not None:
        if inputs.shape[1] != len(source.columns):
            raise ConfigurationError(
                f"OpenML's data set {source.data_id} has {inputs.shape[1]} inputs where {name!r} has "
                f"{len(source.columns)}: it has changed there. Save the data as {name}.csv and set {DATA_VARIABLE}."
            )
        inputs.columns = pd.Index(source.columns)
    if source.missing is not None:
        inputs = inputs.apply(lambda column: _fill(column, source.missing))
    target = bunch.target
    if source.labels is not None:
        target = target.astype(str).map(dict(source.labels))
    return inputs.assign(**{label: target})


def _fill(column: pd.Series[Any], marker: str | None) -> pd.Series[Any]:
    return column.astype(object).fillna(marker) if column.isna().any() else column
