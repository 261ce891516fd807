"""A table to report on, and rows that the model has not seen."""

import pytest


@pytest.fixture(scope="session")
def table(lending):
    return lending.data.assign(approved=lending.target.map({True: "yes", False: "no"}))


@pytest.fixture(scope="session")
def new_rows(table):
    """Rows that the model has not seen: other incomes."""
    return table.assign(income=table["income"] + 0.25)
