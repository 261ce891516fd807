"""Programs as MPS files: another reader solves the same program."""

import numpy as np
import pytest

from rulecg_core import MIPModel, SparseVectors, load_registry
from rulecg_core.backend_kit.mps import write_mps


@pytest.mark.parametrize("seed", range(5))
def test_a_written_program_has_the_same_optimum(seed, tmp_path):
    """HiGHS reads the file by itself and ends at the optimum of the program in memory, its offset included."""
    highspy = pytest.importorskip("highspy")
    rng = np.random.default_rng(seed)
    n, m = 6, 4
    rows = rng.integers(-2, 4, (m, n)).astype(float)
    lower = rng.choice([-np.inf, 1.0, 0.25], m)
    model = MIPModel(
        costs=rng.normal(size=n), lower=np.where(rng.random(n) < 0.2, -1.5, 0.0), upper=rng.choice([1.0, 3.0], n),
        integer=rng.random(n) < 0.6, row_lower=lower, row_upper=np.where(rng.random(m) < 0.5, 5.0, np.inf),
        rows=SparseVectors.from_dense(rows), offset=2.5,
    )  # fmt: skip
    expected = load_registry().backend("highs").solve_mip(model)
    solver = highspy.Highs()
    solver.setOptionValue("output_flag", False)
    solver.readModel(str(write_mps(model, tmp_path)))
    solver.run()
    assert solver.getInfo().objective_function_value == pytest.approx(expected.best.objective, abs=1e-5)
