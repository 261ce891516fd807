"""Options are read within their bounds."""

import os

import pytest

from rulecg.commands import cli
from rulecg.commands.common import task

WRONG_OPTIONS = [
    ["--jobs", "0"], ["--jobs", "100000"], ["--seed", "-1"], ["--seed", "4294967296"], ["--seed", "9" * 400],
    ["--max-conditions", "0"], ["--max-complexity", "nan"], ["--time-limit", "-1"], ["--quantiles", "1"],
]  # fmt: skip


@pytest.mark.parametrize("words", WRONG_OPTIONS, ids=lambda words: " ".join(words)[:30])
def test_options_out_of_bounds_are_told_before_anything_is_read(words, capsys):
    """Exit code 2 and the bounds, whether or not the table is there."""
    with pytest.raises(SystemExit) as left:
        cli.main(["fit", "nothing.csv", "--target", "x", *words])
    assert left.value.code == 2
    assert f"argument {words[0]}: " in capsys.readouterr().err


def test_no_more_threads_than_processors_are_used():
    """A thousand threads on two processors only wait for each other."""
    assert task.useful_threads(1000) == os.cpu_count()
    assert task.useful_threads(-1) == -1
    assert task.useful_threads(None) is None
