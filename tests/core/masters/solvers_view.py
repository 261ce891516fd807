"""What a master's pricing formula says, compared with what the solver was really given."""

from __future__ import annotations

import numpy as np
import pytest

from rulecg_core import Deadline
from rulecg_core.testing.brute_force import all_rules
from rulecg_core.testing.master_contract import small_problem
from rulecg_core.testing.recording import RecordingBackend


class SeenBySolvers:
    """For masters over one linear program, beside their contract: mix it into the contract's subclass."""

    def solvers_reduced_costs(self, session):
        """Reduced costs of all columns, from the recorded matrix and duals."""
        return session.reduced_costs()

    @pytest.mark.parametrize("logic", ["dnf", "cnf"])
    @pytest.mark.parametrize("which", [0, 1, 2])
    def test_pricing_formula_equals_the_solvers_reduced_cost_for_every_column(self, backend, logic, which):
        """For every rule in the master, the pricing formula gives the reduced cost that the solver sees."""
        for seed in range(5):
            recording = RecordingBackend(backend)
            problem = small_problem(seed, logic)
            master = self.make_master(problem, self.constraint_sets[which], recording)
            master.solve_relaxation(Deadline())
            rules = all_rules(problem)[seed::3]
            for at in range(0, len(rules), 4):
                master.add_rules(rules[at : at + 4])
                relaxation = master.solve_relaxation(Deadline())
                assert relaxation is not None
            program = master.linear._opened
            columns = program.rule_column
            if master.linear.dual_form:
                columns = program.session._row_of_column[columns]
            solvers = self.solvers_reduced_costs(recording.sessions[-1])[columns]
            formula = np.array([relaxation.pricing.reduced_cost(rule) for rule in master.pool.rules])
            np.testing.assert_allclose(formula, solvers, atol=1e-6)
