"""What a search over given rules looks at: which rules, what each adds to every form, and a table of their covers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from rulecg_core import FloatArray, Goal, IntArray, Rule, View, reduced_costs

from ..conditions.sample_bits import SampleBits
from ..scoring import Scorer
from .cover_state import CoverTable

LEAST_RULES = 200
"""So many rules are looked at, however many samples there are."""


class RuleTables:
    """Tables over rules of one goal; what rules add to each form is kept from call to call."""

    def __init__(
        self, view: View, goal: Goal, score: Scorer, bits: SampleBits, *, count_once: bool, entries: int
    ) -> None:
        self.view, self.goal, self.score, self.bits = view, goal, score, bits
        self.count_once = count_once
        self.entries = entries
        """Rules × samples that one table holds; beyond it there are fewer rules and a part of the samples."""
        self._per_rule: dict[Rule, FloatArray] = {}

    def promising(self, among: Sequence[Rule], starts: Iterable[Sequence[Rule]]) -> list[Rule]:
        """All rules, or those with the least reduced cost when there are too many; the starts' rules always."""
        wanted = list(dict.fromkeys(rule for start in starts for rule in start))
        rules = list(among)
        most = max(LEAST_RULES, self.entries // max(1, self.view.problem.n_samples))
        if len(rules) > most:
            costs = self._costs(rules)
            rules = [rules[at] for at in np.argsort(costs, kind="stable")[:most]]
        return list(dict.fromkeys([*wanted, *rules]))

    def _costs(self, rules: Sequence[Rule]) -> FloatArray:
        """By the duals of the latest relaxation; before the first one, what each rule alone would bring."""
        relaxation = self.view.relaxation
        if relaxation is None:
            sizes = self.bits.per_length[0] * self.view.problem.lengths(rules) + self.bits.per_rule[0]
            return sizes + np.array([self.bits.sums(self.bits.covers(rule.features)[None])[0, 0] for rule in rules])
        return reduced_costs(self.view.problem, relaxation.pricing, rules)

    def relaxed_weights(self, rules: Sequence[Rule]) -> FloatArray:
        """The weights of some rules in the latest relaxation."""
        weights, relaxation = np.zeros(len(rules)), self.view.relaxation
        if relaxation is not None:
            place = {rule: at for at, rule in enumerate(rules)}
            pool = self.view.rules
            for at in np.flatnonzero(relaxation.weights > 1e-6):
                position = place.get(pool[at])
                if position is not None:
                    weights[position] = relaxation.weights[at]
        return weights

    def form_values(self, rules: Sequence[Rule]) -> FloatArray:
        """Forms × rules: what each rule adds to each form, whatever else is chosen."""
        bits = self.bits
        new = [rule for rule in rules if rule not in self._per_rule]
        lengths = self.view.problem.lengths(new)
        values = np.multiply.outer(bits.per_length, lengths) + bits.per_rule[:, None]
        for at, rule in enumerate(new):
            values[:, at] += bits.sums((bits.covers(rule.features) & bits.always)[None])[0]
        self._per_rule.update(zip(new, values.T, strict=True))
        return np.array([self._per_rule[rule] for rule in rules]).reshape(len(rules), len(self.goal.forms)).T

    def table(self, rules: Sequence[Rule], rng: np.random.Generator) -> CoverTable:
        """The covers of some rules, over all samples or a part of them."""
        problem = self.view.problem
        packed = problem.packed_covers(rules)
        samples = np.arange(problem.n_samples)
        share = 1.0
        if len(rules) * problem.n_samples > 2 * self.entries:
            # A part of the samples, eight neighbours at a time: this is how covers are packed.
            n_bytes = max(1, self.entries // (8 * len(rules)))
            drawn = np.sort(rng.choice(packed.shape[1], size=min(n_bytes, packed.shape[1]), replace=False))
            packed = packed[:, drawn]
            samples = (drawn[:, None] * 8 + np.arange(8)).ravel()
            share = packed.shape[1] * 8 / problem.n_samples
        covers = np.unpackbits(packed, axis=1).view(np.bool_)
        inside = samples < problem.n_samples
        covers, samples = covers[:, : len(samples)][:, inside], samples[inside]
        uncovered, constant = self._uncovered(samples)
        return CoverTable.merged(
            covers,
            uncovered / share,
            self.form_values(rules),
            constant,
            problem.lengths(rules) + 1.0,
            self.score,
            rng,
        )

    def _uncovered(self, samples: IntArray) -> tuple[FloatArray, FloatArray]:
        """Forms × samples: what each sample adds while uncovered; and the constants of the forms."""
        forms = self.goal.forms
        uncovered = np.zeros((len(forms), len(samples)))
        constant = np.zeros(len(forms))
        for at, form in enumerate(forms):
            constant[at] = form.const
            if form.missed is not None:
                uncovered[at] = form.missed[samples]
            if self.count_once and form.cover is not None:
                uncovered[at] -= form.cover[samples]
                constant[at] += form.cover.sum()
        return uncovered, constant
