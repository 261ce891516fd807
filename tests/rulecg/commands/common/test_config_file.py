"""Options from TOML files."""

import pytest

import rulecg
from rulecg.commands import cli


def test_options_come_from_a_file_and_the_command_line_overrides_them(folder, capsys):
    """The same names; a table for each command; what is typed wins."""
    config = folder / "fit.toml"
    config.write_text(
        'target = "approved"\npositive = "yes"\nquiet = true\n[fit]\nmax_complexity = 99\ntime-limit = 1\n'
        'forbid = ["sex", "race"]\n[report]\ntitle = "not for fit"\n'
    )
    out = folder / "configured.json"
    words = ["fit", str(folder / "loans.csv"), "--config", str(config), "--max-complexity", "6", "--out", str(out)]
    assert cli.main(words) == 0
    settings = rulecg.load_model(out).settings
    assert (settings["max_complexity"], settings["time_limit"]) == (6, 1)
    assert settings["forbid"] == ["sex", "race"]
    config.write_text("max-complexty = 3\n")
    assert cli.main(words) == 2
    assert "Did you mean 'max-complexity'?" in capsys.readouterr().err


CONFIGURATIONS = {
    "a number for a command": ("fit = 1", "must be a table"),
    "a list of tables for a command": ("[[fit]]\nseed = 1", "must be a table"),
    "lists without end": ("seed = " + "[" * 5000 + "]" * 5000, "nested too deeply"),
    "a number without end": ("seed = " + "9" * 5000, "not a TOML file"),
    "a date": ("seed = 2020-01-01", "must be text, a number"),
}


@pytest.mark.parametrize("what", CONFIGURATIONS)
def test_wrong_configuration_files_are_answered_in_one_message(what, folder, capsys):
    """Whatever stands in the TOML file."""
    text, message = CONFIGURATIONS[what]
    (folder / "wrong.toml").write_text(text)
    assert cli.main(["fit", str(folder / "loans.csv"), "--config", str(folder / "wrong.toml")]) == 2
    assert message in capsys.readouterr().err
