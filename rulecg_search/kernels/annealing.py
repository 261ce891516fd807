"""Annealing: every condition in turn is drawn anew from all that could stand in its place, the better ones rather.

One pass over the bits tells what each of them would be worth. At a temperature T a condition that makes the rule set
worse by x is drawn exp(-x / T) times as often as the best one; as T falls, only the best are left.
"""

# Arguments of compiled functions have the types that the compiler is given.
# mypy: allow-untyped-defs

from __future__ import annotations

import numpy as np

from rulecg_kernels.compiler import F1, F2, I2, INT, U1, F, compiled, summing

from .descent import BEAM, grow, new_scratch
from .passes import random_below, weigh
from .records import COOLING, FOUND, JUDGE, LAYOUT, SCRATCH, SETTING, STATE
from .rule_values import breaks_size, copy_without, is_allowed, is_known, narrow, residual, rule_length, set_rule

BLOCK = np.uint64(32)
"""Features that are looked at together."""
POWER = 256.0
"""How exactly an exponential is taken: as a power with this exponent."""
LARGEST = 8.0
"""The base of this power is at most so large: the power must stay finite."""
GROWN = 16
"""After so many sweeps a further rule is looked for."""
OVERHEAD = 2_000
"""As many words could be looked at in the time that drawing takes by itself."""
FRACTION = 1.0 / (1 << 50)


@summing(U1)
def _uniform(random):
    """A number from 0 to 1."""
    return np.float64(random_below(random, 1 << 50)) * FRACTION


@summing(F, F)
def _chance(gain, rate):
    """About exp(gain / temperature), where the rate is 1 / temperature through a power of two; without a call, so that
    many are taken at a time."""
    power = 1.0 + gain * rate
    power = power if power > 0.0 else 0.0
    power = power if power < LARGEST else LARGEST
    power *= power
    power *= power
    power *= power
    power *= power
    power *= power
    power *= power
    power *= power
    return power * power


@summing(F2, F, F, F, U1, F1)
def _drawn(energies, without, now, temperature, random, chances):
    """The feature that is drawn, -1 for none, which has the energy ``without``; ``now`` is the energy as it is."""
    rate = 1.0 / (temperature * POWER)
    of_none = _chance(now - without, rate) if without < np.inf else 0.0
    total = of_none
    # Unsigned, or the compiler would look at each position whether it counts from the end.
    for block in range(np.uint64(chances.shape[0])):
        of_block = 0.0
        for feature in range(block * BLOCK, min((block + np.uint64(1)) * BLOCK, np.uint64(energies.shape[1]))):
            of_block += _chance(now - energies[0, feature], rate)
        chances[block] = of_block
        total += of_block
    rest = _uniform(random) * total - of_none
    if rest < 0.0:
        return -1
    last = -1
    for block in range(chances.shape[0]):
        if rest >= chances[block]:
            rest -= chances[block]
            continue
        for feature in range(block * BLOCK, min((block + 1) * BLOCK, energies.shape[1])):
            chance = _chance(now - energies[0, feature], rate)
            if chance > 0.0:
                last = feature
                rest -= chance
                if rest < 0.0:
                    return feature
    return last


@summing(LAYOUT, JUDGE, F1, I2, INT, F, F2)
def _forbid(layout, judge, base, stems, length, size, energies):
    """Features that do not belong beside those of the stem, or for which there is no room, have no finite energy."""
    for at in range(length):
        chain = layout.chains[stems[0, at]]
        for place in range(layout.chain_starts[chain], layout.chain_starts[chain + 1]):
            energies[0, layout.chain_members[place]] = np.inf
    if breaks_size(layout, judge, base, size + layout.largest_cost, 0.0):
        for feature in range(energies.shape[1]):
            if breaks_size(layout, judge, base, size + layout.costs[feature], 0.0):
                energies[0, feature] = np.inf


@summing(STATE, F, FOUND)
def _keep(state, objective, found):
    found.objective[0] = objective
    found.counts[0] = state.counts[0]
    for rule in range(state.counts[0]):
        found.lengths[rule] = state.lengths[rule]
        for at in range(state.lengths[rule]):
            found.conditions[rule, at] = state.conditions[rule, at]


@summing(SETTING, STATE, FOUND, SCRATCH, F1, INT, F)
def _redraw(setting, state, found, scratch, chances, rule, temperature):
    """Draw conditions of a rule anew, as many times as it has some."""
    layout, judge = setting.layout, setting.judge
    opened, inside, stems = scratch.opened, scratch.inside, scratch.stems
    energies, base = scratch.sums, scratch.base
    most = state.conditions.shape[1]
    residual(layout, state, rule, opened, inside, base)
    for _ in range(state.lengths[rule] + 1):
        length = state.lengths[rule]
        # The last position is that of a further condition.
        position = random_below(state.random, length + 1)
        if position == most:
            continue
        kept = copy_without(state, rule, position, stems, 0)
        for word in range(opened.shape[0]):
            inside[0, word] = opened[word]
        narrow(layout, inside, 0, stems, 0, kept)
        size = rule_length(layout, stems, 0, kept)
        if breaks_size(layout, judge, base, size + layout.least_cost, 0.0):
            continue
        without = weigh(layout, setting.memory, scratch, 0, kept)
        if layout.per_length[0] != 0.0:
            for feature in range(energies.shape[1]):
                energies[0, feature] += layout.per_length[0] * layout.costs[feature]
        now = energies[0, state.conditions[rule, position]] if position < length else without
        _forbid(layout, judge, base, stems, kept, size, energies)
        if kept == 0 or is_known(state, rule, stems, 0, kept):
            without = np.inf
        feature = _drawn(energies, without, now, temperature, state.random, chances)
        if feature < 0 and without == np.inf:
            continue
        energy = without
        if feature >= 0:
            energy = energies[0, feature]
            stems[0, kept] = feature
            kept += 1
            if is_known(state, rule, stems, 0, kept):
                continue
        if not is_allowed(layout, stems, 0, kept, 0):
            continue
        state.lengths[rule] = kept
        for at in range(kept):
            state.conditions[rule, at] = stems[0, at]
        objective = base[0] + layout.per_rule[0] + layout.per_length[0] * size + energy
        if objective < found.objective[0] - 1e-9 * max(1.0, abs(objective)):
            _keep(state, objective, found)
    set_rule(layout, state, rule, state.conditions, rule, state.lengths[rule], inside)


@compiled(SETTING, STATE, FOUND, COOLING, outer=True, allocates=True)
def anneal(setting, state, found, cooling):
    """One sweep over all rules at each temperature, beginning with the one at a position; the position to go on from.

    All rows must bound nothing but size, and hold at the beginning."""
    n_conditions, n_words = setting.layout.features.shape
    most, room = state.conditions.shape[1], state.conditions.shape[0]
    scratch = new_scratch(setting.layout, state)
    chances = np.empty(-(-n_conditions // np.int64(BLOCK)))
    sweep, spent = cooling.sweep, 0
    while sweep < cooling.temperatures.shape[0] and spent < cooling.budget:
        for rule in range(state.counts[0]):
            spent += (state.lengths[rule] + 1) * (n_words * n_conditions + OVERHEAD)
            _redraw(setting, state, found, scratch, chances, rule, cooling.temperatures[sweep])
        sweep += 1
        if sweep % GROWN == 0 and state.counts[0] < room:
            spent += BEAM * most * n_words * n_conditions
            grow(setting, state, scratch)
    return sweep
