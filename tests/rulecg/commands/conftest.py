"""The lending data as a new user might have it, and a model learned from it on the command line."""

import gzip

import pytest

from rulecg.commands import cli

from .words import FIT


@pytest.fixture(scope="session")
def folder(tmp_path_factory, lending):
    """The lending data as a new user might have it."""
    folder = tmp_path_factory.mktemp("loans")
    table = lending.data.assign(approved=lending.target.map({True: "yes", False: "no"}))
    table.to_csv(folder / "loans.csv", index=False)
    with gzip.open(folder / "loans.csv.gz", "wt") as stream:
        table.to_csv(stream, index=False)
    table.to_parquet(folder / "loans.parquet")
    return folder


@pytest.fixture(scope="session")
def model_file(folder):
    path = folder / "model.json"
    assert cli.main(["fit", str(folder / "loans.csv"), *FIT, "--sensitive", "sex,race", "--out", str(path)]) == 0
    return path
