"""A compiled function that is loaded, or compiled, when it is first needed."""

from __future__ import annotations

import gc
import hashlib
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any

import numba
from numba.core.compiler import Compiler
from numba.core.compiler_lock import global_compiler_lock
from numba.core.errors import NumbaWarning
from numba.extending import typeof_impl

from rulecg_core import RulecgError

from .beside import kernel_modules, started
from .cache import KernelCache
from .interrupts import not_lost

# The compiler's own modules say little about the types of what they offer.
_njit: Any = numba.njit
_Compiler: Any = Compiler

Listener = Callable[[str], None]
"""Hears one sentence before the compiler starts."""

_listeners: list[Listener] = []
_kernels: list[Kernel] = []


class KernelError(RulecgError):
    """A function could not be compiled; says which, why, and what to do."""

    def __init__(self, name: str, cause: BaseException, folder: str | None) -> None:
        remedy = f"Remove the folder {folder} and try again. " if folder else ""
        super().__init__(
            f"The function {name} could not be compiled: {type(cause).__name__}: {cause}. {remedy}If it fails again, "
            f"reinstall numba ({numba.__version__} now) and llvmlite."
        )
        self.name, self.folder = name, folder


class Kernel:
    """A function that is compiled for one kind of arguments, at its first call in an empty cache.

    Made by :func:`rulecg_kernels.compiled` and :func:`rulecg_kernels.summing`. Kernels may call kernels.

    Parameters
    ----------
    function : callable
        The function, in the part of Python that numba compiles.
    arguments : tuple of numba types
        What it is compiled for; other arguments are converted or refused.
    is_outer : bool
        Whether Python may call it; else it is a part of those that do.
    options : dict
        Further options of ``numba.njit``.
    """

    def __init__(self, function: Callable[..., Any], arguments: Any, is_outer: bool, options: dict[str, Any]) -> None:
        self.function, self.arguments, self.is_outer = function, arguments, is_outer
        self.name = f"{function.__module__}.{function.__name__}"
        self.key = f"{self.name}-{hashlib.sha256(repr(arguments).encode()).hexdigest()[:8]}"
        """Its name among all kernels: one function may be compiled for several kinds of arguments."""
        self.__doc__ = function.__doc__
        more: dict[str, Any] = {} if is_outer else {"pipeline_class": _PartCompiler}
        self._dispatcher: Any = _njit(no_cpython_wrapper=not is_outer, **more, **options)(function)
        self._is_loaded = False
        self._call: Callable[..., Any] = self._load_and_call
        _kernels.append(self)

    def __call__(self, *arguments: Any) -> Any:
        return self._call(*arguments)

    def __repr__(self) -> str:
        return f"<kernel {self.name}>"

    def _load_and_call(self, *arguments: Any) -> Any:
        return self.load()(*arguments)

    def load(self) -> Any:
        """Load the compiled function from the cache, or compile it.

        Returns
        -------
        callable
            The compiled function; what numba calls a dispatcher.

        Raises
        ------
        KernelError
            When it cannot be compiled.
        """
        if not self._is_loaded:
            # The compiler's own lock, since kernels are also loaded while it compiles those that call them.
            with global_compiler_lock, warnings.catch_warnings(), _without_garbage_collection(), not_lost():
                warnings.simplefilter("ignore", NumbaWarning)
                if not self._is_loaded:
                    self._make()
                    # From now on other types are converted to those of the arguments, never compiled anew.
                    self._dispatcher.disable_compile()
                    self._is_loaded, self._call = True, self._dispatcher
        return self._dispatcher

    def _make(self) -> None:
        cache = KernelCache.of(self.function) if self.is_outer else None
        try:
            if cache is not None:
                cache.on_miss = self._wait_or_announce
                self._dispatcher._cache = cache
            elif self.is_outer:
                self._announce()
            self._dispatcher.compile(self.arguments)
        except KernelError:
            raise
        except Exception as error:
            raise KernelError(self.name, error, None if cache is None else cache.cache_path) from error

    def _wait_or_announce(self) -> bool:
        """Let the process beside this one finish the kernel, if it is about to: whether it has."""
        self._announce()
        other = started()
        if other is None or other.claim(self.key):
            return False
        other.wait_for(self.key)
        return True

    def _announce(self) -> None:
        for listener in tuple(_listeners):
            listener(f"compiling {self.name} (once)")


class _WithoutMachineCode:
    """A code generator that makes no machine code: what is only a part of other functions needs none."""

    def __init__(self, generator: Any) -> None:
        self._generator = generator

    def __getattr__(self, name: str) -> Any:
        return getattr(self._generator, name)

    def _add_module(self, module: Any) -> None:
        return

    def set_env(self, name: str, environment: Any) -> None:
        return


class _PartCompiler(_Compiler):  # type: ignore[misc]
    """Compiles a part of other functions. It is optimised there, together with what calls it, and becomes machine code
    there; doing both here, too, took half of all the time of the compiler."""

    def define_pipelines(self) -> Any:
        library = self.state.targetctx.codegen().create_library(self.state.func_id.func_qualname)
        # Where another version of numba goes about it in other steps, parts are made like whole functions, which only
        # takes longer.
        if all(hasattr(library, step) for step in ("_codegen", "_optimize_final_module", "_finalize_specific")):
            library._codegen = _WithoutMachineCode(library._codegen)
            library._optimize_final_module = library._finalize_specific = lambda: None
            library.get_pointer_to_function = lambda name: library._ensure_finalized() or 0
        self.state.library = library
        return super().define_pipelines()


@typeof_impl.register(Kernel)
def _type_of_kernel(kernel: Kernel, context: Any) -> Any:
    """How the compiler sees a kernel that another one calls."""
    return numba.types.Dispatcher(kernel.load())


@contextmanager
def _without_garbage_collection() -> Iterator[None]:
    """The compiler makes many objects that live until it is done: looking for garbage among them only takes time."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


@contextmanager
def listening(listener: Listener) -> Iterator[None]:
    """Hear, while the block runs, whenever the compiler is about to start.

    Parameters
    ----------
    listener : callable
        Called with one sentence such as ``"compiling rulecg_search.kernels.descent.descend (once)"``, on the thread
        that needs the function.

    Examples
    --------
    >>> with listening(print):
    ...     pass
    """
    _listeners.append(listener)
    try:
        yield
    finally:
        _listeners.remove(listener)


def announced_kernels() -> list[Kernel]:
    """All kernels of announced modules and of what those import that Python may call, in the order of making."""
    modules = kernel_modules()
    for module in modules:
        import_module(module)
    packages = {module.partition(".")[0] for module in modules}
    return [kernel for kernel in _kernels if kernel.is_outer and kernel.name.partition(".")[0] in packages]


def warm_up(say: Listener | None = None) -> float:
    """Load or compile every kernel of every installed distribution.

    A distribution announces modules with kernels by entry points in the group ``rulecg.kernels``.

    Parameters
    ----------
    say : callable, optional
        Called with one sentence before each function that is compiled; not for those in the cache.

    Returns
    -------
    float
        How many seconds it took.

    Raises
    ------
    KernelError
        When a function cannot be compiled.

    Examples
    --------
    >>> warm_up(print) >= 0.0  # doctest: +SKIP
    True
    """
    began = time.perf_counter()
    with listening(say or (lambda sentence: None)):
        for kernel in announced_kernels():
            kernel.load()
    return time.perf_counter() - began
