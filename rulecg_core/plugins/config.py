"""Settings that live outside the code: the default backend and the options of each backend.

Looked for, first found wins: ``rulecg.toml``, then ``[tool.rulecg]`` in ``pyproject.toml``, in the working directory
and then its parents. The environment variable ``RULECG_BACKEND`` overrides the file's backend.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from attrs import field, frozen

from ..base.errors import ConfigurationError

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

DEFAULT_BACKEND = "highs"
BACKEND_VARIABLE = "RULECG_BACKEND"


@frozen
class Config:
    """The settings in force and where they came from."""

    backend: str = DEFAULT_BACKEND
    backend_options: Mapping[str, Mapping[str, Any]] = field(factory=dict)
    source: str = "built-in defaults"

    def options_for(self, backend: str) -> dict[str, Any]:
        return dict(self.backend_options.get(backend, {}))


def load_config(directory: Path | None = None, environ: Mapping[str, str] | None = None) -> Config:
    """Read the nearest configuration file and the environment."""
    environ = os.environ if environ is None else environ
    section, source = _nearest_section(Path.cwd() if directory is None else directory)
    if not isinstance(section, dict):
        raise ConfigurationError(f"{source} must be a table of settings, not {section!r}.")
    unknown = set(section) - {"backend", "backends"}
    if unknown:
        raise ConfigurationError(
            f"Unknown setting {sorted(unknown)[0]!r} in {source}; known: backend, backends.<name>.<option>."
        )
    backend = environ.get(BACKEND_VARIABLE, "").strip() or section.get("backend", DEFAULT_BACKEND)
    options = section.get("backends", {})
    if not isinstance(backend, str):
        raise ConfigurationError(f"The setting 'backend' in {source} must be a name, not {backend!r}.")
    if not isinstance(options, dict) or not all(isinstance(value, dict) for value in options.values()):
        raise ConfigurationError(f"The setting 'backends' in {source} must hold one table of options per backend.")
    return Config(backend, options, source)


def _nearest_section(directory: Path) -> tuple[Any, str]:
    for folder in (directory, *directory.parents):
        own = folder / "rulecg.toml"
        if own.is_file():
            return _parse(own), str(own)
        project = folder / "pyproject.toml"
        if project.is_file():
            tools = _parse(project).get("tool", {})
            if isinstance(tools, dict) and "rulecg" in tools:
                return tools["rulecg"], f"[tool.rulecg] in {project}"
    return {}, "built-in defaults"


def _parse(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, OSError) as error:
        raise ConfigurationError(f"Cannot read the settings in {path}: {error}.") from None
