"""Where compiled functions are kept, and which sources they follow.

The cache of numba looks at the file of a function alone: after a change in another file that the function calls, it
would still hand out the old code. Here an entry is found only while every source file that the function is made of is
the same, and so are the versions of Python, numba and llvmlite; numba itself adds the processor's name and features.
"""

from __future__ import annotations

import ast
import functools
import hashlib
import inspect
import os
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import llvmlite  # type: ignore[import-untyped]
import numba
from numba.core import caching, config
from numba.misc import appdirs

# The compiler's own modules say little about the types of what they offer.
_caching: Any = caching
_settings: Any = config
_user_folders: Any = appdirs.AppDirs

OWN_PACKAGE = __name__.partition(".")[0]


def source_stamp(module_name: str) -> str:
    """Hash everything that the functions of a module are compiled from.

    Parameters
    ----------
    module_name : str
        The name of a module that is loaded.

    Returns
    -------
    str
        Hexadecimal digits that change with the source of the module, with that of every module that it imports from
        its own top-level package or from this one (and so on), and with the versions of Python, numba and llvmlite.

    Raises
    ------
    OSError
        When a source file cannot be read.

    Examples
    --------
    >>> source_stamp("rulecg_kernels.compiler") == source_stamp("rulecg_kernels.compiler")
    True
    """
    digest = hashlib.sha256(repr((sys.version, numba.__version__, llvmlite.__version__)).encode())
    for path in _source_files(module_name):
        digest.update(path.read_bytes())
    return digest.hexdigest()


@functools.cache
def _source_files(module_name: str) -> tuple[Path, ...]:
    """The files of a module and of those that it imports, as far as they can be part of its functions."""
    packages = {module_name.partition(".")[0], OWN_PACKAGE}
    found: dict[str, Path] = {}
    waiting = [module_name]
    while waiting:
        name = waiting.pop()
        module = sys.modules.get(name)
        if name in found or module is None or name.partition(".")[0] not in packages:
            continue
        found[name] = Path(inspect.getfile(module))
        waiting.extend(_imported(module, found[name]))
    return tuple(found[name] for name in sorted(found))


def _imported(module: ModuleType, path: Path) -> Iterator[str]:
    """The names of all modules that a module may import; some are names of functions, which are no modules."""
    package = module.__name__ if hasattr(module, "__path__") else module.__name__.rpartition(".")[0]
    for node in ast.walk(ast.parse(path.read_bytes())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            parents = package.split(".")[: len(package.split(".")) - node.level + 1] if node.level else []
            base = ".".join([*parents, *([node.module] if node.module else [])])
            yield base
            yield from (f"{base}.{alias.name}" for alias in node.names)


@functools.cache
def cache_folder(source_folder: str) -> str | None:
    """Choose where compiled functions of the modules in a folder are kept.

    Parameters
    ----------
    source_folder : str
        The folder with the modules' sources.

    Returns
    -------
    str or None
        The first of these that can be written to: a folder of its own in ``NUMBA_CACHE_DIR`` if that is set,
        ``__pycache__`` beside the sources, a folder in the user's cache. None when there is no such folder: then
        functions are compiled anew in every process.
    """
    own_name = f"{os.path.basename(source_folder)}_{hashlib.sha256(source_folder.encode()).hexdigest()[:16]}"
    candidates = [
        os.path.join(source_folder, "__pycache__"),
        os.path.join(_user_folders(appname="rulecg", appauthor=False).user_cache_dir, "kernels", own_name),
    ]
    if _settings.CACHE_DIR:
        candidates.insert(0, os.path.join(_settings.CACHE_DIR, own_name))
    return next((folder for folder in candidates if _is_writable(folder)), None)


def _is_writable(folder: str) -> bool:
    try:
        os.makedirs(folder, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            return True
    except OSError:
        return False


class _Locator:
    """What numba asks about the place of one function's entries."""

    def __init__(self, folder: str, stamp: str, py_file: str) -> None:
        self._folder, self._stamp, self._py_file = folder, stamp, py_file

    def get_cache_path(self) -> str:
        return self._folder

    def ensure_cache_path(self) -> None:
        os.makedirs(self._folder, exist_ok=True)

    def get_source_stamp(self) -> str:
        return self._stamp

    def get_disambiguator(self) -> str:
        # In the name of the files: no two versions of the sources ever share one, whichever process writes first.
        return self._stamp[:16]


class _Entries(_caching.CompileResultCacheImpl):  # type: ignore[misc]
    def __init__(self, function: Any, locator: _Locator) -> None:
        self._lineno = function.__code__.co_firstlineno
        self._locator = locator
        name = f"{function.__module__.rpartition('.')[2]}.{function.__qualname__}"
        self._filename_base = self.get_filename_base(name, getattr(sys, "abiflags", ""))


class KernelCache(_caching.Cache):  # type: ignore[misc]
    """The entries of one function. Whatever goes wrong with a file, the function is compiled instead."""

    on_miss: Callable[[], bool]
    """Called when there is no entry; whether there is one now. Otherwise the compiler is about to start."""

    def __init__(self, function: Any, locator: _Locator) -> None:
        self._impl_class = lambda py_func: _Entries(py_func, locator)
        super().__init__(function)

    @classmethod
    def of(cls, function: Any) -> KernelCache | None:
        """The cache of a function; None when there is no place for it or its sources cannot be read."""
        try:
            py_file = inspect.getfile(function)
            folder = cache_folder(os.path.dirname(os.path.abspath(py_file)))
            if folder is None:
                return None
            return cls(function, _Locator(folder, source_stamp(function.__module__), py_file))
        except (OSError, SyntaxError, TypeError, ValueError):
            return None

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        found = self._found(sig, target_context)
        if found is None and self.on_miss():
            found = self._found(sig, target_context)
        return found

    def _found(self, sig: Any, target_context: Any) -> Any:
        try:
            return super().load_overload(sig, target_context)
        except Exception:  # A damaged file may fail in any way.
            return None

    def save_overload(self, sig: Any, data: Any) -> None:
        try:
            super().save_overload(sig, data)
        except Exception:  # A full disk, a folder that is gone: the compiled function works all the same.
            return
