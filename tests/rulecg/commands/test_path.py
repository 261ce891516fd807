"""``rulecg path`` with bounds between groups."""

import pandas as pd
import pytest

from rulecg.commands import cli
from rulecg.commands.common import exit_codes

TASK = ["--target", "approved", "--positive", "yes"]


def test_a_path_between_groups_has_a_rule_set_for_every_pair_of_bounds(folder, tmp_path):
    """The table has complexities × gaps, each within its bounds, with rules as text; the plot is written."""
    out, plot = tmp_path / "path.csv", tmp_path / "path.png"
    words = ["path", str(folder / "loans.csv"), *TASK, "--sensitive", "sex", "--fairness", "equalized-odds"]
    words += ["--eps", "0,0.1", "--complexities", "4,8", "--first-eps", "0.1", "--first-complexities", "8"]
    words += ["--start", "forest", "--pricing-time-limit", "2", "--time-limit", "4"]
    assert cli.main([*words, "--out", str(out), "--plot", str(plot)]) == exit_codes.OK
    table = pd.read_csv(out)
    assert len(table) == 4
    assert (table["gap"] <= table["eps"] + 1e-9).all()
    assert table["rule_set"].str.startswith(("approved is yes if", "never")).all()
    assert plot.stat().st_size > 1000


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (["--fairness", "equalized-odds"], "--sensitive"),
        (["--eps", "0.1"], "--fairness"),
        (["--fairness", "equalized-odds", "--sensitive", "sex", "--folds", "3"], "--folds"),
        (["--fairness", "equalised-odds", "--sensitive", "sex"], "equalized-odds"),
    ],
)
def test_options_that_do_not_fit_are_named(folder, capsys, options, told):
    """What is missing or too much is said in a sentence with the option's name."""
    assert cli.main(["path", str(folder / "loans.csv"), *TASK, *options]) == exit_codes.WRONG_INPUT
    assert told in capsys.readouterr().err
