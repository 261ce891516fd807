"""``rulecg warm-up``: everything is compiled ahead."""

from __future__ import annotations

import pytest

from rulecg.commands import cli
from rulecg_kernels.kernel import announced_kernels


def test_warm_up_leaves_nothing_to_compile(capsys: pytest.CaptureFixture[str]) -> None:
    """Afterwards every kernel is loaded, and the command says so."""
    assert cli.main(["warm-up", "--quiet"]) == 0
    assert capsys.readouterr().out.startswith("Everything is compiled")
    assert all(kernel._is_loaded for kernel in announced_kernels())
