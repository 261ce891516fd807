"""The whole journey of a new user on the lending data: table, model, report, query, as the guide tells it."""

import sqlite3
import subprocess
import sys

import pandas as pd

from rulecg import datasets, load_model


def test_from_a_table_to_rules_a_report_and_a_query(tmp_path):
    """Every command of the guide works on the full data set, and the query decides as the model does."""
    lending = datasets.load("lending")
    table = lending.data.assign(approved=lending.target.map({True: "yes", False: "no"}))
    table.to_csv(tmp_path / "loans.csv", index=False)

    def rulecg(*words):
        command = [sys.executable, "-m", "rulecg.commands.cli", *words]
        return subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True, timeout=100).stdout

    shown = rulecg(
        "fit", "loans.csv", "--target", "approved", "--positive", "yes", "--sensitive", "sex,race", "--constraint",
        "equalized-odds:0.1", "--max-complexity", "15", "--backend", "highs", "--time-limit", "4", "--out",
        "model.json",
    )  # fmt: skip
    assert "approved is yes" in shown
    assert "Certificate: " in shown
    rulecg("report", "model.json", "loans.csv", "--out", "report.html")
    page = (tmp_path / "report.html").read_text()
    assert "equalized odds difference" in page
    assert "The price of the constraints" in page
    query = rulecg("export", "model.json", "--to", "sql", "--table", "loans", "--column", "decision")
    connection = sqlite3.connect(":memory:")
    table.to_sql("loans", connection, index=False)
    decided = pd.read_sql(query, connection)["decision"].tolist()
    assert decided == load_model(tmp_path / "model.json").predict(table).tolist()
    assert rulecg("predict", "model.json", "loans.csv").split()[1:] == decided
