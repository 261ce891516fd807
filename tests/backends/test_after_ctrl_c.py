"""After a Ctrl-C that a caller survives, the session goes on as if nothing had happened."""

import subprocess
import sys

import pytest

PROGRAM = """
import signal, sys, threading
from rulecg_core import load_registry
from rulecg_core.testing.backends.instances import covering_program, optimality_violation

signal.signal(signal.SIGINT, signal.default_int_handler)
program = covering_program(seed=0, n_rows=1050, n_columns=900, density=0.2)
for delay in (0.1, 0.05, 0.02, 0.01, 0.005):  # sooner on machines that are done before
    with program.open(load_registry().backend(sys.argv[1])) as session:
        timer = threading.Timer(delay, signal.raise_signal, [signal.SIGINT])
        timer.start()
        try:
            session.solve()
            timer.cancel()
            timer.join()
        except KeyboardInterrupt:
            answer = session.solve()
            print("solved after all", answer.is_optimal and optimality_violation(program, answer) <= 1e-6)
            break
else:
    print("not interrupted")
"""


@pytest.mark.parametrize("backend", ["highs", "cbc", "gurobi", "scip"])
def test_a_linear_program_is_solved_after_ctrl_c(backend):
    """The interrupted solve is lost, the program and the session are not."""
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, backend], capture_output=True, text=True, timeout=120, check=False
    )
    assert done.stdout.strip() == "solved after all True", done.stderr
