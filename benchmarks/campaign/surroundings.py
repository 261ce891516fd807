"""What goes wrong around a run: signals, killed processes, full disks, folders without rights, closed pipes."""

from __future__ import annotations

import contextlib
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd

import rulecg
from rulecg_core import load_registry
from rulecg_core.testing.timing import slowdown

from .attempts import LONGEST, Attempt, Skipped

RULECG = [sys.executable, "-m", "rulecg"]


def write_table(path: Path, rows: int = 400, columns: int = 12) -> Path:
    """A table that keeps a fit busy: noise with a weak signal."""
    rng = np.random.default_rng(1)
    table = pd.DataFrame(rng.random((rows, columns)).round(3), columns=[f"c{at}" for at in range(columns)])
    table["y"] = (table["c0"] + table["c1"] * table["c2"] + rng.normal(0, 0.3, rows) > 0.8).astype(int)
    table.to_csv(path, index=False)
    return path


def _fit_words(folder: Path, seconds: float = 20) -> list[str]:
    table = write_table(folder / "t.csv")
    return [*RULECG, "fit", str(table), "--target", "y", "--time-limit", str(seconds), "--out", str(folder / "m.json")]


def _check_files(folder: Path, allowed: set[str]) -> None:
    """What is there is whole: a model that loads, or none; and after an orderly end no unfinished file."""
    if (folder / "m.json").exists():
        rulecg.load_model(folder / "m.json")
    left = {each.name for each in folder.iterdir()} - allowed
    assert not left, f"files left behind: {left}"


def _interrupted(seed: int, folder: Path) -> None:
    """SIGINT at a random moment: a model or none, exit code 130 (or 0 when it came too late), soon."""
    process = subprocess.Popen(_fit_words(folder), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    time.sleep(random.Random(seed).uniform(0.1, 9.0))
    process.send_signal(signal.SIGINT)
    began, slow = time.perf_counter(), slowdown()
    try:
        _, errors = process.communicate(timeout=LONGEST * slowdown())
    finally:
        process.kill()
    took = time.perf_counter() - began
    if ("KeyboardInterrupt" in errors and "rulecg" not in errors) or process.returncode == -signal.SIGINT:
        raise Skipped("the signal came before Python had loaded anything of ours, or after all was done")
    assert "Traceback" not in errors, errors[-1500:]
    assert process.returncode in (0, 130), f"exit code {process.returncode}: {errors[-500:]}"
    assert took <= 2.0 * max(slow, slowdown()) + 1.0, f"ended {took:.1f} s after Ctrl-C (slowness {slow:.1f})"
    _check_files(folder, {"t.csv", "m.json"})


def _killed(seed: int, folder: Path) -> None:
    """SIGKILL at a random moment over an older model: that one or the new one, never half of it; and the same command
    again does what it would have done."""
    words = _fit_words(folder, seconds=2)
    (folder / "m.json").write_bytes(_older_model())
    process = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    time.sleep(random.Random(seed).uniform(0.1, 7.0))
    process.kill()
    process.wait()
    rulecg.load_model(folder / "m.json")
    (folder / "m.json").unlink()
    _run(words)
    _check_files(folder, {"t.csv", "m.json"})
    assert (folder / "m.json").exists()


def _worker_killed(seed: int, folder: Path) -> None:
    """The process in which CBC works is killed at a random moment: a model all the same, or its fault in a sentence."""
    if not load_registry().entry("backend", "cbc").availability.available:
        raise Skipped("CBC is not installed")
    words = [*_fit_words(folder, seconds=6), "--backend", "cbc", "--pricer", "beam", "--pricer", "exact-ip"]
    process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        n_killed, ends = 0, time.perf_counter() + LONGEST * slowdown()
        pause = random.Random(seed).uniform(0.0, 1.0)
        while process.poll() is None and n_killed < 1 + seed % 3 and time.perf_counter() < ends:
            for worker in _workers(process.pid):
                time.sleep(pause)
                with contextlib.suppress(ProcessLookupError):
                    os.kill(worker, signal.SIGKILL)
                    n_killed += 1
            time.sleep(0.02)
        _, errors = process.communicate(timeout=LONGEST * slowdown())
    finally:
        process.kill()
    assert "Traceback" not in errors, errors[-1500:]
    if process.returncode == 4:
        assert not (folder / "m.json").exists()
        raise ValueError(errors)
    assert process.returncode == 0, f"exit code {process.returncode}: {errors[-500:]}"
    _check_files(folder, {"t.csv", "m.json"})
    assert (folder / "m.json").exists()
    if n_killed == 0:
        raise Skipped("no worker of CBC was met")


def _workers(parent: int) -> list[int]:
    """The processes in which CBC works for a process."""
    found = []
    for path in Path(f"/proc/{parent}/task").glob("*/children"):
        with contextlib.suppress(OSError):
            for child in path.read_text().split():
                if b"rulecg_backends" in Path(f"/proc/{child}/cmdline").read_bytes():
                    found.append(int(child))
    return found


def _older_model() -> bytes:
    if not _OLDER:
        import tempfile

        at = np.arange(20)
        model = rulecg.RuleSetClassifier(max_complexity=3, time_limit=10).fit(pd.DataFrame({"c0": at}), at > 9)
        with tempfile.TemporaryDirectory() as folder:
            rulecg.save_model(model, Path(folder, "m.json"))
            _OLDER.append(Path(folder, "m.json").read_bytes())
    return _OLDER[0]


_OLDER: list[bytes] = []


def _run(words: list[str], **settings: object) -> None:
    """Run a command to its end; refusals become errors with its message."""
    done = subprocess.run(  # type: ignore[call-overload]
        words, capture_output=True, text=True, timeout=LONGEST * slowdown(), check=False, **settings
    )
    assert "Traceback" not in done.stderr, done.stderr[-1500:]
    if done.returncode in (2, 3, 4):
        raise ValueError(done.stderr)
    assert done.returncode == 0, f"exit code {done.returncode}: {done.stderr[-500:]}"


def _full_disk(kilobytes: int, folder: Path) -> None:
    """A model or a report on a disk with so much room: whole, or not there and said so."""
    if os.geteuid() != 0:
        raise Skipped("mounting a tiny disk needs root")
    disk = folder / "disk"
    disk.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", f"size={kilobytes}k", "tmpfs", str(disk)], capture_output=True, check=False
    )
    if mounted.returncode != 0:
        raise Skipped("tmpfs cannot be mounted here")
    try:
        words = _fit_words(folder, seconds=1)
        words[-1] = str(disk / "m.json")
        try:
            _run(words)
        finally:
            _check_files(disk, {"m.json"})
    finally:
        subprocess.run(["umount", str(disk)], check=True)


def _device_full(folder: Path) -> None:
    words = [*RULECG, "plugins"]
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            words, stdout=full, stderr=subprocess.PIPE, text=True, timeout=LONGEST * slowdown(), check=False
        )
    assert "Traceback" not in done.stderr, done.stderr[-1500:]
    if done.returncode == 2:
        raise ValueError(done.stderr)


def _read_only(folder: Path) -> None:
    """A folder that may not be written to is told before the fit."""
    locked = folder / "locked"
    locked.mkdir()
    words = _fit_words(folder, seconds=1)
    words[-1] = str(locked / "m.json")
    locked.chmod(0o555)
    folder.chmod(0o755)
    if os.geteuid() == 0:
        raise Skipped("root may write anywhere")
    _run(words)


KERNEL = """
from rulecg_kernels import compiled
from rulecg_kernels.compiler import INT

@compiled(INT, outer=True)
def doubled(number):
    return 2 * number

assert doubled(21) == 42
"""


def _cache(kind: str, folder: Path) -> None:
    """A cache folder that cannot be used does not keep functions from being compiled and called."""
    place = folder / "cache"
    if kind == "a file":
        place.write_text("not a folder")
    elif kind == "damaged":
        place.mkdir()
        for at in range(5):
            (place / f"x{at}.nbi").write_bytes(b"\x00" * 100)
    elif kind == "no rights":
        place = Path("/proc/nowhere")
    script = folder / "kernel.py"
    script.write_text(KERNEL, encoding="utf-8")
    environ = {**os.environ, "NUMBA_CACHE_DIR": str(place)}
    _run([sys.executable, str(script)], env=environ)
    if kind == "damaged":  # what was just written, too
        for path in [each for each in place.rglob("*") if each.is_file()]:
            path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
        _run([sys.executable, str(script)], env=environ)


def _closed(stream: str, words: list[str], folder: Path) -> None:
    """Without one of the standard streams, or with a reader that has gone: no traceback, no lost model."""
    redirect = {"stdin": "<&-", "stdout": ">&-", "stderr": "2>&-", "reader": "| true"}[stream]
    line = " ".join([*RULECG, *words])
    shell = ["sh", "-c", f"{line} {redirect}"]
    done = subprocess.run(shell, capture_output=True, text=True, timeout=LONGEST * slowdown(), check=False)
    assert "Traceback" not in done.stderr, done.stderr[-1500:]
    if done.returncode == 2:
        raise ValueError(done.stderr or "no stream to say it on")
    assert done.returncode == 0, f"exit code {done.returncode}: {done.stderr[-500:]}"


def attempts(interrupts: int, kills: int, workers: int) -> Iterator[Attempt]:
    """Signals at so many random moments, and everything around a run."""
    for seed in range(workers):
        yield Attempt("killed workers of CBC", f"seed {seed}", partial(_worker_killed, seed))
    for seed in range(interrupts):
        yield Attempt("SIGINT at random moments", f"seed {seed}", partial(_interrupted, seed))
    for seed in range(kills):
        yield Attempt("SIGKILL at random moments", f"seed {seed}", partial(_killed, seed))
    yield from quick_attempts()


def quick_attempts() -> Iterator[Attempt]:
    """Disks, folders, caches and streams."""
    room = "disks, folders, caches, streams"
    for kilobytes in (4, 8, 64):
        yield Attempt(room, f"a disk with {kilobytes} KB", partial(_full_disk, kilobytes))
    yield Attempt(room, "a full device as output", _device_full)
    yield Attempt(room, "a read-only folder", _read_only)
    for kind in ("a file", "damaged", "no rights"):
        yield Attempt(room, f"a cache that is {kind}", partial(_cache, kind))
    for stream in ("stdin", "stdout", "stderr", "reader"):
        for words in (["plugins"], ["fit", "--help"], ["fit", "-", "--target", "y"]):
            if words[-1] == "y" and stream != "stdin":
                continue
            yield Attempt(room, f"{' '.join(words[:2])} without {stream}", partial(_closed, stream, words))
