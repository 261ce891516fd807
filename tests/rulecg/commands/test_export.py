"""The command line writes models for other systems, and predict gives reasons."""

import csv
import io

import pytest

from rulecg.commands.cli import main
from rulecg.model.model_file import save_model
from tests.rulecg.exports.conftest import drawn_model, drawn_table


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """A model file and a CSV file with rows for it."""
    folder = tmp_path_factory.mktemp("export")
    save_model(drawn_model("dnf"), folder / "model.json")
    drawn_table(30, seed=2).to_csv(folder / "new.csv", index=False)
    return folder


@pytest.mark.parametrize("to", ["pmml", "applied-json", "python", "sql"])
def test_texts_go_to_standard_output(files, to, capsys):
    """Each is what the library writes."""
    from rulecg.exports import to_applied_json, to_pmml, to_python, to_sql
    from rulecg.model.model_file import load_model

    words = ["--table", "s.t", "--reasons", "--dialect", "sqlite"] if to == "sql" else []
    assert main(["export", str(files / "model.json"), "--to", to, *words]) == 0
    model = load_model(files / "model.json")
    wanted = {
        "pmml": to_pmml,
        "applied-json": to_applied_json,
        "python": to_python,
        "sql": lambda found: to_sql(found, "s.t", dialect="sqlite", reasons=True) + "\n",
    }[to](model)
    assert capsys.readouterr().out == wanted


def test_onnx_goes_into_a_file(files, capsys):
    """It is no text, and a sentence says so."""
    onnx = pytest.importorskip("onnx")
    assert main(["export", str(files / "model.json"), "--to", "onnx"]) == 2
    assert "--out" in capsys.readouterr().err
    assert main(["export", str(files / "model.json"), "--to", "onnx", "--out", str(files / "model.onnx")]) == 0
    outputs = onnx.load(files / "model.onnx").graph.output
    assert [output.name for output in outputs] == ["label", "probabilities", "rule"]


def test_predict_gives_reasons(files, capsys):
    """Dates, durations and levels are read from the CSV file as what they are, and rejected rows get their reasons."""
    from rulecg.analysis.reasons import reasoned

    assert main(["predict", str(files / "model.json"), str(files / "new.csv"), "--reasons"]) == 0
    found = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    expected = reasoned(drawn_model("dnf"), drawn_table(30, seed=2))
    assert [row["prediction"] for row in found] == expected["decision"].tolist()
    assert [row["reasons"] for row in found] == expected["reasons"].map("; ".join).tolist()
    assert [row["rule"] or None for row in found] == expected["rule"].tolist()
