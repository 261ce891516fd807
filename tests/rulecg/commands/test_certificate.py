"""``rulecg fit --certificate``: a file that the checker accepts for the very table that was read."""

from rulecg.commands import cli
from rulecg_verify import verify
from rulecg_verify.__main__ import main as check

from .words import FIT

FAIR = ["--sensitive", "sex", "--constraint", "equalized-odds:0.1"]
PLAIN = ["--target", "approved", "--positive", "yes", "--max-complexity", "5", "--max-conditions", "2", "--quiet"]


def test_the_certificate_is_about_the_file_that_was_read(folder, tmp_path, capsys):
    """Target, positive value and separator are those of the command line; the checker finds the claim true."""
    proof, table = tmp_path / "proof.json.gz", folder / "loans.csv"
    assert cli.main(["fit", str(table), *PLAIN, "--certificate", str(proof), "--time-limit", "60"]) == 0
    assert f"Certificate: {proof}" in capsys.readouterr().out
    assert "has a loss below" in verify(proof, table).claim
    assert check([str(proof), str(table)]) == 0


def test_what_is_not_covered_is_refused_before_the_fit(folder, tmp_path, capsys):
    """Bounds on groups are not covered yet: a sentence says so, and no file is written."""
    proof = tmp_path / "proof.json.gz"
    assert cli.main(["fit", str(folder / "loans.csv"), *FIT, *FAIR, "--certificate", str(proof)]) != 0
    assert "bounds on complexity only" in capsys.readouterr().err
    assert not proof.exists()
