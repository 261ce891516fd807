"""Every Python code block in the README and the docs runs as it stands, and what pages name is there."""

import argparse
import importlib
import inspect
import os
import re
import subprocess
import sys
from pathlib import Path

import attrs
import pytest

from rulecg.commands.cli import build_parser
from rulecg_core import load_registry
from scripts import reference

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")), *sorted((ROOT / "docs").glob("*/*.md"))]
BLOCK = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
SETTINGS = re.compile(r"^`([\w.-]+\.toml)`:\n\n```toml\n(.*?)^```$", re.MULTILINE | re.DOTALL)
WITH_CODE = [page for page in PAGES if BLOCK.search(page.read_text(encoding="utf-8"))]


@pytest.mark.parametrize("page", WITH_CODE, ids=lambda page: str(page.relative_to(ROOT)))
def test_code_blocks_run_in_order(page, tmp_path, monkeypatch):
    """The blocks of one page run one after the other in one namespace, beside the TOML files that it shows."""
    monkeypatch.chdir(tmp_path)
    namespace = {"__name__": "docs"}
    text = page.read_text(encoding="utf-8")
    for name, settings in SETTINGS.findall(text):
        (tmp_path / name).write_text(settings, encoding="utf-8")
    for block in BLOCK.findall(text):
        exec(compile(block, str(page), "exec"), namespace)


def test_readme_shows_both_ways_in():
    """The README has the estimator, a fairness bound and the composition by hand."""
    assert len(BLOCK.findall((ROOT / "README.md").read_text(encoding="utf-8"))) == 3


def test_links_between_pages_lead_somewhere():
    """Relative links in the README and the docs name files that exist."""
    for page in PAGES:
        for target in re.findall(r"\]\((?!https?:)([^)#]+)", page.read_text(encoding="utf-8")):
            assert (page.parent / target).exists(), f"{page.name} links to {target}"


BASES = {
    "heuristic": "Heuristic",
    "pricer": "Pricer",
    "constraint": "Constraint",
    "backend": "Backend",
    "master": "PoolMaster",
    "engine": "Engine",
}


@pytest.mark.parametrize("kind", BASES)
def test_the_table_of_plugins_counts_the_lines_of_each_example(kind):
    """The table of what a plugin takes has the number of lines of the example that the plugin's page shows."""
    table = (ROOT / "docs" / "plugins.md").read_text(encoding="utf-8")
    (told,) = re.findall(rf"^\| \[{kind}\]\(plugins/{kind}\.md\) \|.*\| (\d+) \|$", table, re.MULTILINE)
    blocks = BLOCK.findall((ROOT / "docs" / "plugins" / f"{kind}.md").read_text(encoding="utf-8"))
    (example,) = (block for block in blocks if re.search(rf"^class \w+\({BASES[kind]}\):", block, re.MULTILINE))
    assert int(told) == len(example.splitlines())


OWN_FOLDERS = "rulecg|rulecg_core|rulecg_kernels|rulecg_backends|rulecg_pricing|rulecg_search|rulecg_fairness"
OWN_FOLDERS += "|rulecg_engines"
NAMED_PATH = re.compile(rf"`((?:{OWN_FOLDERS}|benchmarks|examples|scripts|tests|docs)/[\w/.-]*)`")
NAMED_IN_PYTHON = re.compile(rf"`((?:{OWN_FOLDERS})(?:\.\w+)+)(?:\([^`]*\))?`")
NOT_PYTHON = {"rulecg.toml", "rulecg.kernels"}
"""A file of settings, and a group of entry points."""


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_files_and_names_that_pages_speak_of_exist(page):
    """A path into the repository leads to a file or folder, and a dotted name of ours to a module or what it has."""
    text = page.read_text(encoding="utf-8")
    # A page that builds a package of its own has files and tests of that package's.
    shown = set(re.findall(r"^`([\w./]+)`:$", text, re.MULTILINE))
    missing = [path for path in NAMED_PATH.findall(text) if path not in shown and not (ROOT / path).exists()]
    assert missing == []
    named = set(NAMED_IN_PYTHON.findall(text)) - NOT_PYTHON
    assert [name for name in sorted(named) if not _is_there(name)] == []


def _is_there(name):
    """Whether a dotted name is a module, or something that one has."""
    module, *rest = name.split(".")
    found = importlib.import_module(module)
    for at, part in enumerate(rest, start=1):
        if not hasattr(found, part):
            try:
                importlib.import_module(".".join([module, *rest[:at]]))
            except ImportError:
                return False
        found = getattr(found, part)
    return True


def _options(parser, path="rulecg"):
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for name, inner in action.choices.items():
                yield from _options(inner, f"{path} {name}")
        else:
            yield f"{path} {'/'.join(action.option_strings) or action.dest}", action.help


def test_every_option_and_plugin_says_what_it_is_for():
    """No option of any command is without help, and no registered plugin without a sentence."""
    assert [name for name, said in _options(build_parser()) if not said] == []
    registry = load_registry()
    silent = [
        f"{kind} {name}"
        for kind in ("backend", "master", "pricer", "heuristic", "constraint", "audit")
        for name in registry.names(kind)
        if not inspect.getdoc(registry.entry(kind, name).factory)
    ]
    assert silent == []


@pytest.mark.parametrize("package", ["rulecg", "rulecg_fairness"])
def test_every_parameter_of_a_public_name_is_documented(package):
    """Classes and functions of the front doors have docstrings that name each of their parameters."""
    missing = []
    for name in reference.public_names(package):
        found = getattr(importlib.import_module(package), name)
        if not callable(found):
            continue
        said = inspect.getdoc(found) or ""
        if not said:
            missing.append(name)
        if attrs.has(found) or not said or issubclass(found if inspect.isclass(found) else object, BaseException):
            continue
        for parameter in inspect.signature(found).parameters:
            if not re.search(rf"\b{parameter}\b", said):
                missing.append(f"{name}({parameter})")
    assert missing == []


def test_the_site_builds_strictly_and_has_every_page(tmp_path):
    """``make docs`` builds without a warning, offline; every page is reached from the menu, every public name has a
    place in the reference."""
    command = [sys.executable, "-m", "sphinx", "-W", "--keep-going", "-q", "-b", "html", "docs", str(tmp_path)]
    # The examples run in a test of their own.
    quick = {**os.environ, "RULECG_DOCS_GALLERY": "0"}
    run = subprocess.run(command, cwd=ROOT, env=quick, capture_output=True, text=True, check=False, timeout=400)
    assert run.returncode == 0, run.stdout + run.stderr
    for page in PAGES[1:]:
        assert (tmp_path / page.relative_to(ROOT / "docs").with_suffix(".html")).exists()
    names = (tmp_path / "reference" / "generated" / "names.html").read_text(encoding="utf-8")
    for package in reference.PACKAGES:
        for name in reference.public_names(package):
            assert name in names, f"{package}.{name} is not in the reference"
