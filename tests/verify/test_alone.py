"""The checker needs numpy and nothing else, and is short enough to be read."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np

import rulecg_verify

from .small_tables import certified, random_table

PACKAGE = Path(rulecg_verify.__file__).parent


def test_the_checker_runs_where_nothing_but_numpy_is_installed(tmp_path):
    """In a Python without site packages, with numpy and the checker alone on the path, a certificate is verified."""
    _, proof, table = certified(tmp_path, *random_table(4))
    alone = tmp_path / "alone"
    alone.mkdir()
    (alone / "rulecg_verify").symlink_to(PACKAGE)
    for part in Path(np.__file__).parents[1].glob("numpy*"):
        (alone / part.name).symlink_to(part)
    code = (
        f"import sys\nsys.path.insert(0, {str(alone)!r})\n"
        "from rulecg_verify.__main__ import main\n"
        "assert not any(name.startswith(('pandas', 'rulecg_core', 'rulecg.')) for name in sys.modules)\n"
        f"sys.exit(main([{str(proof)!r}, {str(table)!r}]))"
    )
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", code], capture_output=True, text=True, check=False, env={**os.environ}
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "PROVEN." in done.stdout


def test_the_checker_is_short():
    """At most six hundred lines with all that stands in its files, so that one can read it in an hour."""
    assert sum(path.read_bytes().count(b"\n") for path in PACKAGE.glob("*.py")) <= 600
