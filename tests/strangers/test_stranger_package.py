"""Strangers' packages: installed with pip into a fresh environment, they work by name, in Python and on the command
line."""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

EXAMPLES = Path(__file__).parents[2] / "docs" / "examples"
PACKAGES = ("rulecg-parity", "rulecg-drop-add")
SCRIPTS = "Scripts" if os.name == "nt" else "bin"


def run(*command: str | Path) -> str:
    environ = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1", "PIP_DISABLE_PIP_VERSION_CHECK": "1"}
    done = subprocess.run(
        [str(part) for part in command], env=environ, capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def python(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The interpreter of a fresh environment that sees what is installed here, with the strangers' packages in it."""
    folder = tmp_path_factory.mktemp("stranger")
    run(sys.executable, "-m", "venv", "--without-pip", folder / "env")
    fresh = folder / "env" / SCRIPTS / ("python.exe" if os.name == "nt" else "python")
    site = Path(run(fresh, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))").strip())
    here = {sysconfig.get_path("purelib"), sysconfig.get_path("platlib")}
    (site / "what_is_installed_here.pth").write_text(
        "".join(f"import site; site.addsitedir({path!r})\n" for path in sorted(here))
    )
    ignored = shutil.ignore_patterns("__pycache__", ".*")
    sources = [shutil.copytree(EXAMPLES / name, folder / name, ignore=ignored) for name in PACKAGES]
    # Without hatchling at hand pip fetches it for the build.
    isolation = ["--no-build-isolation"] if importlib.util.find_spec("hatchling") else []
    run(sys.executable, "-m", "pip", "--python", fresh, "install", "--quiet", "--no-deps", *isolation, *sources)
    return fresh


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three hundred people; being male helps more than it should."""
    rng = np.random.default_rng(0)
    male, skill = rng.random(300) < 0.5, rng.random(300)
    path = tmp_path_factory.mktemp("data") / "people.csv"
    hired = skill + 0.3 * male + 0.2 * rng.random(300) > 0.7
    pd.DataFrame({"sex": np.where(male, "male", "female"), "skill": skill.round(2), "hired": hired}).to_csv(
        path, index=False
    )
    return path


@pytest.mark.parametrize("package", PACKAGES)
def test_it_is_installed_there_and_not_here(python: Path, package: str) -> None:
    """The fresh environment has the distribution; the one that runs the tests does not need it."""
    shown = run(python, "-c", f"from importlib.metadata import version; print(version({package!r}))")
    assert shown.strip() == "0.1.0"


def test_by_name_from_python(python: Path, table: Path) -> None:
    """The estimator takes the constraint by its name, and the bound holds on the training data."""
    script = f"""
import pandas as pd
from rulecg import RuleSetClassifier
people = pd.read_csv({str(table)!r})
inputs, hired = people[["sex", "skill"]], people["hired"]
classifier = RuleSetClassifier(30, constraints=["error-balance:0.05"], time_limit=4, pricers=["beam"])
y_pred = classifier.fit(inputs, hired, sensitive_features=people["sex"]).predict(inputs)
print((pd.Series(y_pred).groupby(people["sex"]).mean() - hired.groupby(people["sex"]).mean()).abs().max())
"""
    assert float(run(python, "-W", "ignore", "-c", script)) <= 0.05


def test_by_name_from_the_command_line(python: Path, table: Path, tmp_path: Path) -> None:
    """``rulecg plugins`` lists the constraint with its distribution, and ``rulecg fit`` takes it."""
    listed = run(python, "-m", "rulecg.commands.cli", "plugins")
    line = next(line for line in listed.splitlines() if "error-balance" in line)
    assert "rulecg-parity" in line
    model = tmp_path / "model.json"
    options = "--target hired --sensitive sex --constraint error-balance:0.05 --pricer beam --time-limit 4 --quiet"
    printed = run(python, "-m", "rulecg.commands.cli", "fit", table, *options.split(), "--out", model)
    assert "hired" in printed
    assert model.is_file()


def test_a_heuristic_by_name_in_a_run_of_the_core(python: Path) -> None:
    """The registry finds the heuristic beside our own, and a run takes in the rule sets that it proposes."""
    script = """
from rulecg_core import Complexity, HammingMaster, Limits, generate_columns, load_registry
from rulecg_core.base.events import IncumbentFound
from rulecg_core.testing.random_problems import planted_problem
registry = load_registry()
assert not registry.faults, registry.faults
assert {"drop-add", "local-search"} <= set(registry.names("heuristic"))
assert "drop-add" not in registry.defaults("heuristic", is_large=True)
backend = registry.backend("highs")
sources = []
result = generate_columns(
    HammingMaster(planted_problem(4), [Complexity(12)], backend),
    [("beam", registry.pricer("beam", backend))],
    Limits(seconds=10),
    heuristics=[(name, registry.heuristic(name)) for name in ["drop-add"]],
    on_event=lambda event: sources.append(event.source) if isinstance(event, IncumbentFound) else None,
)
print(result.objective, "drop-add" in sources, registry.entry("heuristic", "drop-add").distribution)
"""
    assert run(python, "-W", "ignore", "-c", script).split() == ["0.0", "True", "rulecg-drop-add"]


def test_its_tests_by_name_pass_where_it_is_installed(python: Path) -> None:
    """What could not be tried from its own folder; pytest fails when there is no such test."""
    tests = EXAMPLES / "rulecg-drop-add" / "tests"
    run(python, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-k", "by_name", tests)


def test_the_command_line_lists_the_heuristic(python: Path) -> None:
    """With the distribution that it came from."""
    listed = run(python, "-m", "rulecg.commands.cli", "plugins")
    assert "rulecg-drop-add" in next(line for line in listed.splitlines() if "drop-add" in line)
