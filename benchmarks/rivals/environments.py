"""Environments of their own for rivals whose packages clash with ours or need another Python.

    python -m benchmarks.rivals.environments            # make all that are not there
    python -m benchmarks.rivals.environments rules      # make one
    python -m benchmarks.rivals.environments --list     # what there is, and what is missing

They lie in the folder that RULECG_RIVALS names, by default ~/.cache/rulecg/rivals. What cannot be made leaves a note
why, which the tables show.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Sequence  # noqa: UP035 - Python 3.8

HOME_VARIABLE = "RULECG_RIVALS"
SECONDS = 1800
"""Longest time for one step."""


@dataclass(frozen=True)
class Environment:
    """A virtual environment: which Python, and what pip is asked for, step by step."""

    name: str
    steps: tuple[tuple[str, ...], ...]
    python: str | None = None
    """Version that it needs, such as 3.8; None for the one that runs this."""


ENVIRONMENTS: dict[str, Environment] = {
    environment.name: environment
    for environment in (
        Environment(
            "rules",
            (("imodels", "six", "wittgenstein", "ruleopt", "foldrpp", "pystreed", "gosdt", "scikit-learn", "pandas"),),
        ),
        Environment("aix360", (("aix360[rbm]==0.3.0", "ecos"),)),
        Environment(
            "faircorels",
            (
                ("numpy<1.22", "cython", "setuptools<60", "wheel", "joblib", "pandas", "scikit-learn", "tqdm"),
                ("--no-build-isolation", "--no-deps", "faircorels==1.0"),
            ),
            python="3.8",
        ),
    )
}
WEKA = "weka"
"""No Python at all: the jar out of Debian's package, unpacked without being installed."""


def home() -> Path:
    """The folder of all environments."""
    return Path(os.environ.get(HOME_VARIABLE) or Path.home() / ".cache" / "rulecg" / "rivals")


def interpreter(name: str) -> tuple[Path | None, str]:
    """The environment's Python, or why there is none."""
    folder = home() / name
    failure = folder / "failed.txt"
    if failure.exists():
        return None, failure.read_text(encoding="utf-8").strip()
    python = folder / "bin" / "python"
    if not (folder / "ready").exists() or not python.exists():
        return None, f"not made yet: python -m benchmarks.rivals.environments {name}"
    return python, ""


def make(environment: Environment) -> str:
    """Make the environment; an empty text, or why it could not be made (which is also left in its folder)."""
    folder = home() / environment.name
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    python = _python(environment.python)
    if python is None:
        return _failed(folder, f"needs Python {environment.python}, which was not found")
    commands: list[Sequence[str]] = [[python, "-m", "venv", str(folder)]]
    pip = [str(folder / "bin" / "python"), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    commands += [[*pip, *step] for step in environment.steps]
    for command in commands:
        reason = _run(command)
        if reason:
            return _failed(folder, reason)
    (folder / "ready").touch()
    return ""


def make_weka() -> str:
    """Fetch Debian's package and unpack it; an empty text, or why that could not be done."""
    folder = home() / WEKA
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    if shutil.which("apt-get") is None or shutil.which("dpkg") is None:
        return _failed(folder, "needs Debian's package tools, or WEKA_JAR set to WEKA's jar")
    reason = _run(["apt-get", "download", "weka"], folder)
    packages = sorted(folder.glob("weka_*.deb"))
    if reason or not packages:
        return _failed(folder, reason or "apt-get fetched no package weka")
    return _run(["dpkg", "-x", str(packages[-1]), str(folder)])


def _python(version: str | None) -> str | None:
    """An interpreter of that version that really runs (a shim may only pretend)."""
    if version is None:
        return sys.executable
    candidates = [shutil.which(f"python{version}")]
    candidates += [str(path) for path in sorted(Path.home().glob(f".pyenv/versions/{version}.*/bin/python"))]
    return next((found for found in candidates if found and not _run([found, "-c", "import venv"])), None)


def _run(command: Sequence[str], folder: Path | None = None) -> str:
    try:
        run = subprocess.run(command, capture_output=True, text=True, check=False, timeout=SECONDS, cwd=folder)
    except subprocess.TimeoutExpired:
        return f"{' '.join(command[:4])} took more than {SECONDS} s"
    except OSError as error:
        return str(error)
    if run.returncode == 0:
        return ""
    lines = [line for line in run.stderr.splitlines() if "error" in line.lower()] or run.stderr.splitlines()
    return lines[-1][:300] if lines else f"{command[0]} failed"


def _failed(folder: Path, reason: str) -> str:
    (folder / "failed.txt").write_text(reason + "\n", encoding="utf-8")
    return reason


def main(arguments: Sequence[str] | None = None) -> None:
    """Make or list environments."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join([*ENVIRONMENTS, WEKA])}")
    parser.add_argument("--list", action="store_true", help="say what there is")
    parser.add_argument("--again", action="store_true", help="make anew what is there")
    settings = parser.parse_args(arguments)
    unknown = set(settings.names) - {*ENVIRONMENTS, WEKA}
    if unknown:
        parser.error(f"no environment {', '.join(sorted(unknown))}; there are {', '.join([*ENVIRONMENTS, WEKA])}")
    for name in settings.names or [*ENVIRONMENTS, WEKA]:
        if name == WEKA:
            from .rule_learners import weka_jar

            jar, reason = weka_jar()
            if jar is None and not settings.list:
                reason = make_weka()
        else:
            python, reason = interpreter(name)
            if not settings.list and (python is None or settings.again):
                print(f"{name}: making it", flush=True)
                reason = make(ENVIRONMENTS[name])
        print(f"{name}: {reason or 'ready'}", flush=True)


if __name__ == "__main__":
    main()
