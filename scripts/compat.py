"""Install rulecg with the lowest and the highest versions of what it depends on, on every Python that can be had, and
run the tests that a user's first day would.

    python -m scripts.compat                  every Python, lowest and highest versions
    python -m scripts.compat --smoke          this Python, lowest versions, one fit: what CI runs
    python -m scripts.compat --python 3.13    one Python

The lowest versions are the floors of ``pyproject.toml``, taken literally: a floor that does not work is to be raised.
A Python that cannot be found is listed as not tried.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = Path(__file__).parent.parent
PYTHONS = ("3.10", "3.11", "3.12", "3.13", "3.14")
FIRST_WITH_WHEELS = {
    "3.12": {"numpy": "1.26", "pandas": "2.1.1", "scipy": "1.11.2", "highspy": "1.12", "msgspec": "0.19"},
    "3.13": {
        "numpy": "2.1",
        "pandas": "2.2.3",
        "scipy": "1.14.1",
        "numba": "0.61",
        "msgspec": "0.19",
        "scikit-learn": "1.6",
    },
    "3.14": {
        "numpy": "2.3.2",
        "pandas": "2.3.3",
        "scipy": "1.16.1",
        "numba": "0.63",
        "msgspec": "0.20",
        "scikit-learn": "1.7.2",
    },
}
"""On newer Pythons the floors have no wheels: the first versions that have."""
TESTED_WITH = ("pytest", "hypothesis", "jsonschema")
TESTS = (
    "tests/core/base",
    "tests/core/data",
    "tests/core/plugins",
    "tests/rulecg/binarize",
    "tests/rulecg/estimators/test_classifier.py",
    "tests/rulecg/inputs",
    "tests/rulecg/model",
)
NEWEST_ONLY = "tests/rulecg/model/test_model_file.py::test_saved_models_keep_the_published_schema"
"""The published schema is written in the words of the newest msgspec."""
SMOKE = (
    "import rulecg; from rulecg.datasets import lending; "
    "data = lending(n_rows=300); "
    "model = rulecg.RuleSetClassifier(max_complexity=5, time_limit=5).fit(data.data, data.target); "
    "print(model.result_.status)"
)


def interpreter(version: str) -> str | None:
    """Find a Python of a version, on the path or among those that pyenv or uv keep; None where there is none."""
    if version == f"{sys.version_info[0]}.{sys.version_info[1]}":
        return sys.executable
    homes = (Path.home() / ".pyenv/versions", Path.home() / ".local/share/uv/python")
    kept = sorted(str(path) for home in homes for path in home.glob(f"*{version}*/bin/python{version}"))
    for candidate in (*reversed(kept), shutil.which(f"python{version}")):
        if candidate and subprocess.run([candidate, "--version"], capture_output=True, check=False).returncode == 0:
            return candidate
    return None


def floors(version: str) -> list[str]:
    """The lowest versions that rulecg says it works with, as requirements; on newer Pythons the first with wheels."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    first = FIRST_WITH_WHEELS.get(version, {})
    lowest = []
    for requirement in project["dependencies"]:
        bare, _, marker = requirement.partition(";")
        name, _, floor = bare.strip().partition(">=")
        floor = max(floor.split(",")[0], first.get(name, "0"), key=_as_numbers)
        lowest.append(f"{name}=={floor}" + (f"; {marker.strip()}" if marker else ""))
    return lowest


def _as_numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split("."))


def try_out(python: str, version: str, is_lowest: bool, is_smoke: bool) -> str:
    """Install and test in an environment of its own.

    Returns
    -------
    str
        The last line that the tests print, or what went wrong.
    """
    with tempfile.TemporaryDirectory(prefix="rulecg-compat-") as folder:
        own = str(Path(folder, "bin" if sys.platform != "win32" else "Scripts", "python"))
        install = [own, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        pinned = floors(version) if is_lowest else []
        test = ["-c", SMOKE] if is_smoke else ["-m", "pytest", "-q", "-p", "no:cacheprovider", *TESTS]
        if is_lowest and not is_smoke:
            test += ["--deselect", NEWEST_ONLY]
        for step in (
            [python, "-m", "venv", folder],
            [*install, *pinned, str(ROOT), *(() if is_smoke else TESTED_WITH)],
            [own, *test],
        ):
            done = subprocess.run(step, cwd=ROOT, capture_output=True, text=True, check=False)
            if done.returncode != 0:
                lines = [line for line in (done.stdout + done.stderr).splitlines() if line.strip()]
                return "FAILED: " + " | ".join(line[:150] for line in lines[-8:])
        return done.stdout.strip().splitlines()[-1]


def wanted(arguments: argparse.Namespace) -> Iterator[tuple[str, bool]]:
    """The Pythons and whether lowest or highest versions are tried: the oldest with the lowest first."""
    if arguments.smoke:
        yield f"{sys.version_info[0]}.{sys.version_info[1]}", True
        return
    for version in [arguments.python] if arguments.python else PYTHONS:
        yield version, True
        yield version, False


def main() -> int:
    """Try every combination; print a line for each; 1 when one of them failed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--smoke", action="store_true", help="this Python, lowest versions, one fit")
    parser.add_argument("--python", choices=PYTHONS, help="this version only")
    arguments = parser.parse_args()
    has_failed = False
    for version, is_lowest in wanted(arguments):
        python = interpreter(version)
        said = "not tried: no such Python here"
        if python is not None:
            said = try_out(python, version, is_lowest, arguments.smoke)
        has_failed |= said.startswith("FAILED")
        print(f"Python {version}, {'lowest' if is_lowest else 'highest'} versions: {said}", flush=True)
    return int(has_failed)


if __name__ == "__main__":
    sys.exit(main())
