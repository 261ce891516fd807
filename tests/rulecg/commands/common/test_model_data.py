"""Models and tables from files mean what they meant in training, or are refused."""

import re

import pytest

import rulecg
from rulecg.commands import cli


def test_truth_values_mean_the_same_whatever_else_stands_in_the_column(tmp_path, capsys):
    """Learned on True and False; then some rows say unknown, or all say yes and no."""
    member = [k % 3 != 0 for k in range(60)]
    rows = "".join(f"{m},{k % 5},{int(m)}\n" for k, m in enumerate(member))
    (tmp_path / "train.csv").write_text("member,age,y\n" + rows)
    fit = ["fit", str(tmp_path / "train.csv"), "--target", "y", "--time-limit", "1", "--quiet"]
    assert cli.main([*fit, "--out", str(tmp_path / "m.json")]) == 0
    capsys.readouterr()
    for spelled in ("True,False,True,unknown", "yes,no,Y,unknown", "t,f,1,unknown"):
        text = "member,age\n" + "".join(f"{word},1\n" for word in spelled.split(","))
        (tmp_path / "new.csv").write_text(text)
        assert cli.main(["predict", str(tmp_path / "m.json"), str(tmp_path / "new.csv")]) == 0
        shown = capsys.readouterr()
        assert shown.out.split()[1:4] == ["1", "0", "1"]
        assert "1 value of column 'member'" in shown.err


MODELS = {
    "a number beyond all bounds": lambda text: text.replace('"seconds": ', '"seconds": 1e999, "x": ', 1),
    "a null in its history": lambda text: re.sub(r'("relaxation"): [0-9.]+', r"\1: null", text),
    "empty objects without end": lambda text: "[" + "{}," * 3_000_000 + "{}]",
    "an integer of 5000 digits": lambda text: text.replace('"version": ', '"version": ' + "9" * 5000, 1),
}


@pytest.mark.parametrize("what", MODELS)
def test_hostile_model_files_are_answered_in_one_message(what, folder, model_file, capsys):
    """Whatever stands in the file, every command that reads it says that it cannot be used."""
    bad = folder / "bad.json"
    bad.write_text(MODELS[what](model_file.read_text()))
    for command in (["predict", str(bad), str(folder / "loans.csv")], ["export", str(bad), "--to", "sql"]):
        assert cli.main(command) == 2
        assert capsys.readouterr().err.startswith("rulecg: ")


@pytest.mark.parametrize("name", ["loans.csv", "loans.csv.gz", "loans.parquet"])
def test_predictions_are_the_same_from_every_kind_of_file(name, model_file, folder, lending, capsys):
    """CSV, gzip and Parquet."""
    pytest.importorskip("pyarrow")
    assert cli.main(["predict", str(model_file), str(folder / name), "--proba"]) == 0
    lines = capsys.readouterr().out.splitlines()
    model = rulecg.load_model(model_file)
    assert lines[0] == "prediction,probability of no,probability of yes"
    assert [line.split(",")[0] for line in lines[1:]] == model.predict(lending.data).tolist()
