"""Keeps every test of a contract bounded in time, whatever the backend under test does."""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable
from typing import Any, TypeVar

SECONDS = 120.0
"""What one test may take on a busy machine; a backend that hangs fails here instead of holding up the others."""

Class = TypeVar("Class", bound="type[Any]")


def bounded(contract: Class) -> Class:
    """Decorate a class: each of its tests runs in a thread of its own and fails when it takes too long."""
    for name, test in list(vars(contract).items()):
        if name.startswith("test_"):
            setattr(contract, name, _bounded_test(test))
    return contract


def _bounded_test(test: Callable[..., None]) -> Callable[..., None]:
    @functools.wraps(test)
    def run(*args: Any, **options: Any) -> None:
        failure: list[BaseException] = []

        def work() -> None:
            try:
                test(*args, **options)
            except BaseException as error:
                failure.append(error)

        thread = threading.Thread(target=work, name=test.__name__, daemon=True)
        thread.start()
        thread.join(SECONDS)
        if thread.is_alive():
            raise AssertionError(
                f"The backend did not come back within {SECONDS:g} s: every call must end by itself, by its time limit "
                "or when should_stop says so."
            )
        if failure:
            raise failure[0]

    return run
