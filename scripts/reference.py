"""Write the reference pages of the site from the code: every public name, hook, event, command, plugin and setting.

The pages are made whenever the site is built, so that nothing public can be missing from them.
"""

from __future__ import annotations

import argparse
import ast
import inspect
import shutil
import textwrap
from collections.abc import Iterable, Iterator
from importlib import import_module
from itertools import pairwise
from pathlib import Path

import attrs

from rulecg.commands.cli import build_parser
from rulecg.commands.common import exit_codes
from rulecg_core import Event, Schedule, load_registry
from rulecg_core.base import events
from rulecg_core.plugins.hookspecs import API
from rulecg_core.plugins.kinds import KINDS

PACKAGES = {
    "rulecg": "For people with a table: estimators, model files, reports.",
    "rulecg_fairness": "Constraints between groups, fairness metrics and audits.",
    "rulecg_core": "For plugin authors and researchers: the problem, its masters, and the loop.",
    "rulecg_core.testing": "Contracts that a plugin's own tests inherit.",
    "rulecg_kernels": "Compiled functions with a cache that follows its sources.",
}


def write(folder: Path) -> None:
    """Write all pages into a folder, which holds nothing else."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    pages = {
        "names": names_page(),
        "command-line": commands_page(),
        "plugins": plugins_page(),
        "hooks": hooks_page(),
        "events": events_page(),
        "schedule": schedule_page(),
        "exit-codes": exit_codes_page(),
    }
    for name, text in pages.items():
        (folder / f"{name}.rst").write_text(text, encoding="utf-8")


def _heading(text: str, line: str = "=") -> str:
    return f"{text}\n{line * len(text)}\n\n"


def _literal(lines: Iterable[str], language: str = "text") -> str:
    return f".. code-block:: {language}\n\n" + "".join(f"   {line}".rstrip() + "\n" for line in lines) + "\n"


def public_names(package: str) -> list[str]:
    """The names that a package offers, in its own order, modules left out."""
    module = import_module(package)
    return [name for name in module.__all__ if not inspect.ismodule(getattr(module, name))]


def names_page() -> str:
    """List every public name of every package, each with a page of its own where it has a docstring of its own."""
    text = _heading("Public names")
    for package, what in PACKAGES.items():
        text += _heading(package, "-") + f"{what}\n\n"
        with_pages, elsewhere, others = [], [], []
        for name in public_names(package):
            found = getattr(import_module(package), name)
            if not (inspect.isclass(found) or inspect.isroutine(found)):
                others.append(name)
            elif _home(found) != package:
                elsewhere.append(f":obj:`{name} <{_home(found)}.{name}>`")
            else:
                with_pages.append(name)
        text += f".. currentmodule:: {package}\n\n.. autosummary::\n   :toctree: api\n   :nosignatures:\n\n"
        text += "".join(f"   {name}\n" for name in with_pages) + "\n"
        if elsewhere:
            text += "Also offered here: " + ", ".join(elsewhere) + ".\n\n"
        if others:
            text += "Types and values: " + ", ".join(f"``{name}``" for name in others) + ".\n\n"
    return text


def _home(found: object) -> str:
    """The package that a class or function is shown under: the deepest of ours that it was defined in."""
    module = getattr(found, "__module__", "")
    return max((package for package in PACKAGES if module.startswith(package)), key=len, default="")


def _commands(parser: argparse.ArgumentParser) -> Iterator[tuple[str, argparse.ArgumentParser]]:
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            yield from action.choices.items()


def commands_page() -> str:
    """Show the help of every command."""
    parser = build_parser()
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    text = _heading("Commands and options") + _literal(parser.format_help().splitlines())
    for name, command in _commands(parser):
        text += _heading(f"rulecg {name}", "-") + _literal(command.format_help().splitlines())
    return text


def plugins_page() -> str:
    """List every registered plugin with its settings."""
    registry = load_registry()
    text = (
        _heading("Plugins")
        + "What an installation without further packages offers; ``rulecg plugins`` lists yours.\n\n"
    )
    for kind in KINDS.values():
        text += _heading(f"{kind.name.capitalize()}s", "-")
        for name in registry.names(kind.name):
            made = registry.entry(kind.name, name).factory
            text += f"``{name}``\n   {_first_sentence(made)}\n\n"
            settings = _settings(made)
            if settings:
                text += "   Settings: " + ", ".join(settings) + ".\n\n"
    return text


def _first_sentence(made: object) -> str:
    said = inspect.getdoc(made) or ""
    return " ".join(said.split("\n\n")[0].split())


def _settings(made: object) -> list[str]:
    if not callable(made):
        return []
    shown = []
    for name, parameter in inspect.signature(made).parameters.items():
        if parameter.kind in (parameter.VAR_KEYWORD, parameter.VAR_POSITIONAL):
            continue
        given = parameter.default
        is_plain = isinstance(given, (bool, int, float, str, type(None)))
        shown.append(f"``{name}``" + (f" = ``{given!r}``" if is_plain and given is not parameter.empty else ""))
    return shown


def hooks_page() -> str:
    """List the hooks that a plugin may implement."""
    text = _heading("Hooks") + f"The number of this set of hooks and interfaces is {API} (``RULECG_API``).\n\n"
    for kind in KINDS.values():
        contract = f" Its contract: ``rulecg_core.testing.{kind.contract}``." if kind.contract else ""
        text += f"``{kind.hook}(register)``\n   {kind.help}{contract}\n\n"
    return text + "``rulecg_on_event(event)``\n   Hear every event of every run; see :doc:`events`.\n"


def events_page() -> str:
    """List the events of a run with their fields."""
    text = _heading("Events") + "What a run tells its observers, in the module ``rulecg_core.base.events``.\n\n"
    for name, event in vars(events).items():
        if inspect.isclass(event) and issubclass(event, Event):
            fields = ", ".join(f"``{field.name}``" for field in attrs.fields(event))
            text += f"``{name}``\n   {_first_sentence(event)} Fields: {fields}.\n\n"
    return text


def schedule_page() -> str:
    """Show every setting of the schedule with its default and its meaning, as the TOML file that would set it."""
    plain, sections = _settings_of(Schedule()), []
    for field in attrs.fields(Schedule):
        value = getattr(Schedule(), field.name)
        if attrs.has(type(value)):
            what = _comment(inspect.getdoc(type(value)) or "")
            sections += ["", *what, f"[{field.name}]", *_settings_of(value)]
    return _heading("The schedule's settings") + _literal([*plain, *sections], "toml")


def _settings_of(section: object) -> list[str]:
    """A section's own settings as lines of TOML; what is said after one or several of them stands before them."""
    source = ast.parse(textwrap.dedent(inspect.getsource(type(section)))).body[0]
    assert isinstance(source, ast.ClassDef)
    lines, waiting = [], []
    for node in source.body:
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            value = getattr(section, node.target.id)
            waiting += [] if attrs.has(type(value)) else [f"{node.target.id} = {_toml(value)}"]
        elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and waiting:
            lines += [*_comment(str(node.value.value)), *waiting]
            waiting = []
    return lines + waiting


def _comment(said: str) -> list[str]:
    return [f"# {line}" for line in textwrap.wrap(" ".join(said.split()), 96)]


def exit_codes_page() -> str:
    """List the exit codes of the command line."""
    text = _heading("Exit codes") + "What ``rulecg`` ends with (``rulecg.commands.common.exit_codes``).\n\n"
    body = ast.parse(inspect.getsource(exit_codes)).body
    for node, after in pairwise(body):
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name) and isinstance(after, ast.Expr):
            name = node.targets[0].id
            text += f"``{getattr(exit_codes, name)}`` (``{name}``)\n   {ast.literal_eval(after.value)}\n\n"
    return text


def _toml(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, (tuple, list, frozenset)):
        return "[" + ", ".join(map(_toml, value)) + "]"
    return f'"{value}"' if isinstance(value, str) else repr(value)
