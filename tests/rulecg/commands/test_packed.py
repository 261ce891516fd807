"""``rulecg pack`` and ``rulecg fit`` on what it made."""

import pytest

from rulecg.commands.cli import main
from rulecg.model.model_file import load_model
from tests.rulecg.partitions.packed import planted

pytest.importorskip("pyarrow")


@pytest.fixture
def packed(tmp_path, capsys):
    table = planted(4_000, n_columns=8)
    table.iloc[:1_500].to_csv(tmp_path / "a.csv", index=False)
    table.iloc[1_500:].to_csv(tmp_path / "b.csv", index=False)
    words = ["--target", "y", "--sensitive", "sex", "--drop", "sex", "--partition-rows", "1000", "--quiet"]
    assert main(["pack", str(tmp_path / "a.csv"), str(tmp_path / "b.csv"), *words, "--out", str(tmp_path / "p")]) == 0
    assert "4,000 rows and 16 conditions into 4 files" in capsys.readouterr().out
    return tmp_path / "p"


def test_from_files_to_a_model_that_predicts(packed, tmp_path, capsys):
    """Files are packed, a model is learned and written, and it predicts a table like any other model."""
    words = ["--max-complexity", "10", "--max-conditions", "3", "--quiet", "--out", str(tmp_path / "m.json")]
    assert main(["fit", str(packed), *words]) == 0
    shown = capsys.readouterr().out
    assert "x0 and x2" in shown
    assert "Proven optimal" in shown
    model, table = load_model(tmp_path / "m.json"), planted(4_000, n_columns=8)
    wrong = int((model.predict(table) != table["y"]).sum())
    assert wrong == model.certificate.errors
    assert main(["check", str(tmp_path / "m.json"), str(tmp_path / "a.csv"), "--target", "y"]) == 0


def test_out_of_core_with_a_checkpoint(packed, tmp_path, capsys):
    """With little memory rounds over the partitions find the same rules, and what they know is kept."""
    words = ["--max-complexity", "10", "--max-conditions", "3", "--memory-limit", "0.0001"]
    kept = ["--checkpoint", str(tmp_path / "run.json")]
    assert main(["fit", str(packed), *words, *kept]) == 0
    first = capsys.readouterr()
    assert "they stay on disk" in first.err
    assert "x0 and x2" in first.out
    assert main(["fit", str(packed), *words, *kept, "--resume"]) == 0
    again = capsys.readouterr()
    assert "going on after round" in again.err
    assert again.out == first.out


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--target", "y"], "--target is not for packed data"),
        (["--resume"], "name it with --checkpoint"),
        (["--engine", "local", "--scheduler", "tcp://nowhere:1"], "--scheduler is for the engine dask"),
        (["--engine", "spark"], "spark"),
    ],
)
def test_options_that_do_not_fit_are_refused(packed, words, message, capsys):
    """What was decided by packing, and what belongs together, is told in a sentence."""
    assert main(["fit", str(packed), *words]) == 2
    assert message in capsys.readouterr().err


def test_options_of_packed_data_need_packed_data(tmp_path, capsys):
    """A table in a file has no engine."""
    planted(100).to_csv(tmp_path / "t.csv", index=False)
    assert main(["fit", str(tmp_path / "t.csv"), "--target", "y", "--memory-limit", "1"]) == 2
    assert "is for packed data" in capsys.readouterr().err


def test_a_folder_without_a_manifest_is_no_packed_data(tmp_path, capsys):
    """Any other folder is refused, with what to do."""
    assert main(["fit", str(tmp_path)]) == 2
    assert "rulecg pack" in capsys.readouterr().err
