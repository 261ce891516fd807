"""The loss is chosen by name: at the estimator, on the command line, in model files and reports."""

import json

import pytest

from rulecg import RuleSetClassifier
from rulecg.commands.cli import main
from rulecg.datasets import load


@pytest.fixture(scope="module")
def table():
    data, target, _ = load("tic-tac-toe")
    return data.iloc[::3], target.iloc[::3]


@pytest.mark.parametrize("logic", ["dnf", "cnf"])
@pytest.mark.parametrize("loss", ["01", "01:formulation=aggregated", "01:formulation=disaggregated"])
def test_zero_one_loss_makes_no_more_errors_than_hamming_loss(table, loss, logic):
    """The objective is the number of wrong rows, no more than the Hamming optimum leaves, and the bound is below."""
    data, target = table
    fits = [
        RuleSetClassifier(max_complexity=10, max_conditions=3, logic=logic, loss=name, time_limit=5.0).fit(data, target)
        for name in ("hamming", loss)
    ]
    hamming, exact = (fit.result_ for fit in fits)
    wrong = int((fits[1].predict(data) != target).sum())
    assert exact.objective == exact.errors == wrong
    assert exact.errors <= hamming.errors
    assert exact.lower_bound is None or exact.lower_bound <= exact.errors


def test_command_line_model_file_and_report_know_the_loss(table, tmp_path, capsys):
    """``--loss 01`` reaches the fit; the model file records it and the report says what it counts."""
    data, target = table
    path = tmp_path / "games.csv"
    data.assign(won=target).to_csv(path, index=False)
    model, report = tmp_path / "model.json", tmp_path / "report.html"
    options = ["--target", "won", "--max-complexity", "6", "--max-conditions", "2", "--time-limit", "2", "--quiet"]
    assert main(["fit", str(path), *options, "--loss", "01", "--out", str(model)]) == 0
    assert json.loads(model.read_text())["settings"]["loss"] == "01"
    assert main(["report", str(model), str(path), "--out", str(report)]) == 0
    assert "once, however many rules cover it" in report.read_text()
