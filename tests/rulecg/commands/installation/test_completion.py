"""Completion scripts know every command, option and choice, and work in the shells themselves."""

import shutil
import subprocess

import pytest

from rulecg.commands import cli, completion


@pytest.mark.parametrize("shell", completion.SHELLS)
def test_completion_scripts_know_every_command_and_option(shell, tmp_path):
    """Generated from the parser; the shell itself accepts the script where it is installed."""
    parser = cli.build_parser()
    script = completion.script(shell, parser)
    assert set(parser.commands) >= {"fit", "predict", "completion"}
    for name, subparser in parser.commands.items():
        assert name in script
        for option in subparser.options:
            for word in option.names:
                assert word.lstrip("-") in script
    if shutil.which(shell):
        path = tmp_path / "script"
        path.write_text(script)
        subprocess.run([shell, "-n", str(path)], check=True, timeout=20)


def test_bash_completes_commands_options_choices_and_files(tmp_path):
    """Tried in bash itself."""
    bash = shutil.which("bash")
    if bash is None:
        pytest.skip("no bash here")
    path = tmp_path / "script"
    path.write_text(completion.script("bash", cli.build_parser()))
    (tmp_path / "loans.csv").write_text("")
    function = next(line.split()[-2] for line in path.read_text().splitlines() if line.startswith("complete "))
    ask = f'source "$0"; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); {function}; echo "${{COMPREPLY[@]}}"'
    for words, expected in [
        (["fi"], "fit"),
        (["fit", "--time"], "--time-limit"),
        (["export", "--to", "sq"], "sql"),
        (["fit", "--config", "loa"], "loans.csv"),
    ]:
        command = [bash, "-c", ask, path, "rulecg", *words]
        out = subprocess.run(command, capture_output=True, text=True, timeout=20, cwd=tmp_path)
        assert out.stdout.split() == [expected]


def test_fish_completes_commands_and_options(tmp_path):
    """Tried in fish itself."""
    fish = shutil.which("fish")
    if fish is None:
        pytest.skip("no fish here")
    path = tmp_path / "script"
    path.write_text(completion.script("fish", cli.build_parser()))
    asked = {"rulecg fi": "fit", "rulecg fit --time": "--time-limit", "rulecg export --to sq": "sql"}
    for line, expected in asked.items():
        command = [fish, "--no-config", "-c", f"source {path}; complete -C '{line}'"]
        out = subprocess.run(command, capture_output=True, text=True, timeout=30)
        assert [answer.split("\t")[0] for answer in out.stdout.splitlines()] == [expected]
