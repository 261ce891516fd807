"""What fit prints says what the rules are worth."""

import re

from rulecg.commands import cli

from ..words import FIT


def test_fit_without_a_file_shows_the_rules(folder, capsys):
    """--out is a wish, not a duty: the rules are printed, and that they are not kept."""
    assert cli.main(["fit", str(folder / "loans.csv"), *FIT]) == 0
    shown = capsys.readouterr().out
    assert "approved is yes if\n" in shown
    assert "Model: not kept" in shown


def test_fit_says_what_the_accuracy_is_worth(folder, lending, capsys):
    """Beside saying always the same; with recall and precision; the gaps after --constraint; the unit of the bound."""
    words = ["--sensitive", "sex", "--constraint", "equalized-odds:0.1"]
    assert cli.main(["fit", str(folder / "loans.csv"), *FIT, *words]) == 0
    shown = capsys.readouterr().out
    share = max(lending.target.mean(), 1 - lending.target.mean())
    common = "yes" if lending.target.mean() > 0.5 else "no"
    assert re.search(rf"Training accuracy: \d+\.\d% of 600 rows \(always saying {common}: {share:.1%}\)", shown)
    assert re.search(r"  yes: recall \d+\.\d% of \d+ rows, precision \d+\.\d%", shown)
    assert re.search(r"  equalized-odds:0.1: .* is 0?\.?\d+.*, at most 0\.1 allowed", shown)
    assert "objective below" in shown
    assert "The objective counts, on the training rows, every missed positive row once" in shown


def test_sensitive_columns_in_the_rules_are_the_first_thing_said(tmp_path, capsys):
    """A rule on sex is told before the rule itself, with what forbids it."""
    lines = ["sex,age,y"] + [f"{'f' if k % 2 else 'm'},{k % 7},{k % 2}" for k in range(40)]
    (tmp_path / "people.csv").write_text("\n".join(lines) + "\n")
    words = ["fit", str(tmp_path / "people.csv"), "--target", "y", "--sensitive", "sex", "--time-limit", "1", "--quiet"]
    assert cli.main(words) == 0
    assert capsys.readouterr().out.startswith(
        "ATTENTION: the rules decide by the sensitive column sex; --forbid sex forbids it.\n"
    )
    assert cli.main([*words, "--forbid", "sex"]) == 0
    assert "ATTENTION" not in capsys.readouterr().out
