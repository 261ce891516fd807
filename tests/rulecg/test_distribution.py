"""What people install: the source archive, the wheel that is built from it, and rulecg out of that wheel."""

from __future__ import annotations

import os
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest

pytest.importorskip("hatchling")

ROOT = Path(__file__).parents[2]
FIT = """
import rulecg, rulecg_core
from rulecg.datasets import lending
data, target, _ = lending(n_rows=200)
# What needs no compiled kernel: compiling them anew would take longer than all the rest.
settings = {"pricers": ["exact-ip"], "heuristics": (), "binarizer": "deciles", "time_limit": 10}
model = rulecg.RuleSetClassifier(max_complexity=2, max_conditions=1, **settings).fit(data[["income"]], target)
print(rulecg.__file__, rulecg_core.load_registry().names("pricer"), model.result_.status)
"""


def _run(*words: object, folder: Path, **environment: str) -> str:
    run = subprocess.run(
        list(map(str, words)), cwd=folder, capture_output=True, text=True, check=False, timeout=300,
        env={**os.environ, **environment},
    )  # fmt: skip
    assert run.returncode == 0, run.stdout + run.stderr
    return run.stdout


def test_rulecg_works_out_of_a_wheel_that_is_built_from_the_source_archive(tmp_path: Path) -> None:
    """The archive holds all that the wheel needs, and the wheel all that a fit needs, plugins included."""
    build = f"from hatchling.build import build_sdist; print(build_sdist({str(tmp_path)!r}))"
    archive = _run(sys.executable, "-c", build, folder=ROOT).split()[-1]
    with tarfile.open(tmp_path / archive) as packed:
        packed.extractall(tmp_path, filter="data")
    source = tmp_path / archive.removesuffix(".tar.gz")
    assert (source / "CITATION.cff").exists()
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "-q"]
    _run(*pip, "wheel", source, "--no-deps", "--no-build-isolation", "-w", tmp_path / "wheels", folder=tmp_path)
    (wheel,) = (tmp_path / "wheels").glob("rulecg-*.whl")
    _run(*pip, "install", "--no-deps", "--target", tmp_path / "there", wheel, folder=tmp_path)
    told = _run(sys.executable, "-c", FIT, folder=tmp_path, PYTHONPATH=str(tmp_path / "there"))
    assert str(tmp_path / "there") in told
    assert "exact-search" in told
    assert (tmp_path / "there" / "rulecg" / "report" / "templates").is_dir()
