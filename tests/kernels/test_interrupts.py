"""Ctrl-C while compiled code is loaded is never lost, and never raised where it would be."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from rulecg_kernels.interrupts import not_lost


class Forgetful:
    """Python prints and forgets what is raised in a finalizer."""

    def __init__(self, seen: list[str]) -> None:
        self.seen = seen

    def __del__(self) -> None:
        signal.raise_signal(signal.SIGINT)
        for _ in range(4):
            time.sleep(0.05)
        self.seen.append("finished")


def test_an_interrupt_waits_until_a_finalizer_is_left() -> None:
    """It is not raised where it would be forgotten, but as soon as that has come to its end."""
    seen: list[str] = []

    def work() -> None:
        Forgetful(seen)
        time.sleep(20)
        seen.append("not interrupted")

    before = signal.getsignal(signal.SIGINT)
    with pytest.raises(KeyboardInterrupt), not_lost():
        work()
    assert seen == ["finished"]
    assert signal.getsignal(signal.SIGINT) is before


def test_elsewhere_an_interrupt_comes_at_once() -> None:
    """Python code around the library passes exceptions on."""
    with pytest.raises(KeyboardInterrupt), not_lost():
        signal.raise_signal(signal.SIGINT)


CALLED_BACK = """
import signal, time
from numba.core.codegen import CPUCodeLibrary
from rulecg_kernels import compiled
from rulecg_kernels.compiler import INT

notify = CPUCodeLibrary._object_compiled_hook.__func__

pressed = iter([True])

def interrupted(cls, module, data):
    if next(pressed, False):
        signal.raise_signal(signal.SIGINT)
    return notify(cls, module, data)

CPUCodeLibrary._object_compiled_hook = classmethod(interrupted)

@compiled(INT, outer=True)
def doubled(number):
    return 2 * number

try:
    doubled(1)
    time.sleep(30)
except KeyboardInterrupt:
    print("heard")
"""


def test_a_real_call_back_from_the_compiler_neither_prints_nor_forgets_an_interrupt(tmp_path: Path) -> None:
    """LLVM tells Python that a function is compiled: a Ctrl-C there is heard a moment later, without a traceback."""
    script = tmp_path / "called_back.py"
    script.write_text(CALLED_BACK, encoding="utf-8")
    environ = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path / "cache")}
    command = [sys.executable, str(script)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False, env=environ)
    assert (done.stdout, done.stderr) == ("heard\n", "")
