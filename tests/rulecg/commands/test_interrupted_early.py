"""Ctrl-C before the work has begun: one word and the exit code of an interrupt, no traceback of what was imported."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

AS_IF_PRESSED = """
import signal, sys

class Pressed:
    def find_spec(self, name, path=None, target=None):
        if name == {module!r}:
            signal.raise_signal(signal.SIGINT)

sys.meta_path.insert(0, Pressed())
sys.argv = ["rulecg", "plugins"]
from rulecg.__main__ import main
sys.exit(main())
"""


@pytest.mark.skipif(os.name != "posix", reason="signals are sent as POSIX does")
@pytest.mark.parametrize("module", ["rulecg.commands", "numpy", "rulecg.commands.installation.plugins"])
def test_ctrl_c_while_modules_are_imported(module: str) -> None:
    """Whichever module is being imported when it comes."""
    code = AS_IF_PRESSED.format(module=module)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120, check=False)
    assert (done.returncode, done.stderr) == (130, "rulecg: interrupted\n")


FORGOTTEN = """
import signal, sys, time

class Forgetful:
    def find_spec(self, name, path=None, target=None):
        if name == "pandas":
            try:
                signal.raise_signal(signal.SIGINT)
            except KeyboardInterrupt:
                pass
            time.sleep(60)

sys.meta_path.insert(0, Forgetful())
sys.argv = ["rulecg", "fit", "table.csv", "--target", "y"]
from rulecg.__main__ import main
sys.exit(main())
"""


def test_a_ctrl_c_that_a_module_forgets_comes_again(tmp_path: Path) -> None:
    """Compiled code of others may swallow the exception while it is imported: the command ends all the same."""
    (tmp_path / "table.csv").write_text("a,y\n1,0\n2,1\n", encoding="utf-8")
    environ = {**os.environ, "PYTHONPATH": os.pathsep.join(path or os.getcwd() for path in sys.path)}
    command = [sys.executable, "-c", FORGOTTEN]
    done = subprocess.run(
        command, capture_output=True, text=True, timeout=120, check=False, cwd=tmp_path, env=environ
    )
    assert (done.returncode, done.stderr) == (130, "rulecg: interrupted\n")


def test_the_command_and_the_module_are_the_same() -> None:
    """``python -m rulecg`` is for where scripts are not on the path."""
    command = [sys.executable, "-m", "rulecg", "--version"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert done.stdout.startswith("rulecg ")
