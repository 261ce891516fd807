"""The house rules that keep the parts apart: imports point one way, modules stay small, hooks are documented."""

import ast
import inspect
from pathlib import Path

import pytest

from rulecg_core.plugins import hookspecs

ROOT = Path(__file__).parents[1]
PACKAGES = (
    "rulecg_core",
    "rulecg_kernels",
    "rulecg_backends",
    "rulecg_pricing",
    "rulecg_search",
    "rulecg_fairness",
    "rulecg",
)
MAY_IMPORT = {
    "rulecg_core": {"rulecg_search"},
    "rulecg_kernels": {"rulecg_core"},
    "rulecg_search": {"rulecg_core", "rulecg_kernels"},
    "rulecg_backends": {"rulecg_core"},
    "rulecg_pricing": {"rulecg_core", "rulecg_kernels"},
    "rulecg_fairness": {"rulecg_core"},
    "rulecg": {"rulecg_core", "rulecg_kernels"},
}
CORE_DEPENDENCIES = {"attrs", "numpy", "pluggy", "tomli", "tomllib"}
MODULES = [path for package in PACKAGES for path in sorted((ROOT / package).rglob("*.py"))]


def imported(path):
    """Top-level names of everything that a module imports, wherever in the file."""
    names = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
            names.add(node.module.split(".")[0])
    return names


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(ROOT)))
def test_imports_point_from_plugins_to_core_and_never_back(path):
    """A package imports of ours only what the design allows; the core only its three libraries, and the
    compiler in one room."""
    package = path.relative_to(ROOT).parts[0]
    names = imported(path)
    assert names & set(PACKAGES) - {package} <= MAY_IMPORT[package]
    if package == "rulecg_core":
        import sys

        allowed = CORE_DEPENDENCIES | {package, "rulecg_search"} | set(sys.stdlib_module_names)
        if "testing" in path.parts:
            allowed |= {"pytest"}
        assert names <= allowed


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(ROOT)))
def test_modules_stay_small_and_say_what_they_are_for(path):
    """At most a few hundred lines, and a first line that tells a newcomer what lives here."""
    text = path.read_text(encoding="utf-8")
    assert len(text.splitlines()) <= 500
    assert not text.strip() or ast.get_docstring(ast.parse(text))


def test_every_hook_is_documented():
    """Each hook has a docstring and stands in the page for plugin authors."""
    page = (ROOT / "docs" / "plugins.md").read_text(encoding="utf-8")
    hooks = [f for name, f in inspect.getmembers(hookspecs, inspect.isfunction) if name.startswith("rulecg_")]
    assert len(hooks) == 6
    for hook in hooks:
        assert inspect.getdoc(hook)
        assert hook.__name__ in page
