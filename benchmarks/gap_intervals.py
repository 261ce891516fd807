"""How often intervals of gaps hold the true gap, and how often verdicts are right, in samples of known populations.

    python benchmarks/gap_intervals.py [--draws 20000] [--verdicts 400] [--output docs/benchmarks/gap-intervals.md]

Groups have as many positives as negatives, drawn anew in every sample. The bootstrap is the percentile interval that
one would try first (1000 resamples, over fewer samples because it is slow).
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from attrs import frozen

from rulecg_core import FloatArray
from rulecg_fairness import EqualizedOdds, held_out_verdict
from rulecg_fairness.metrics.gaps import GAPS

CONFIDENCE = 0.95
BOOTSTRAP_SAMPLES = 400
RESAMPLES = 1000


@frozen(eq=False)
class Population:
    """The true and false positive rates of groups, and how many positives and negatives a sample has of each."""

    words: str
    gap: str
    true_positive: tuple[float, ...]
    false_positive: tuple[float, ...]
    n: int

    @property
    def truth(self) -> float:
        rates = np.array([self.false_positive, self.true_positive]).T
        return float(GAPS[self.gap].value(_counts(rates * self.n, self.n)))

    def samples(self, draws: int, rng: np.random.Generator) -> FloatArray:
        """Samples × groups × (TN, FP, FN, TP)."""
        rates = np.array([self.false_positive, self.true_positive]).T
        return _counts(rng.binomial(self.n, rates, size=(draws, *rates.shape)).astype(float), self.n)


def _counts(selected: FloatArray, n: int) -> FloatArray:
    negatives, positives = selected[..., 0], selected[..., 1]
    return np.stack([n - negatives, negatives, n - positives, positives], axis=-1)


def populations() -> Iterator[Population]:
    for groups in (2, 4, 8):
        for n in (20, 50, 200, 2000):
            same, one_less = (0.7,) * groups, (0.7,) * (groups - 1) + (0.65,)
            yield Population("no gap", "equalized_odds_difference", same, (0.2,) * groups, n)
            yield Population("one group 0.05 apart", "equalized_odds_difference", one_less, (0.2,) * groups, n)
            spread = tuple(np.linspace(0.5, 0.8, groups))
            yield Population("spread over 0.3", "equal_opportunity_difference", spread, (0.2,) * groups, n)
            yield Population("no gap", "demographic_parity_difference", (0.5,) * groups, (0.5,) * groups, n)
            four_fifths = (0.5,) * (groups - 1) + (0.4,)
            yield Population("four fifths", "demographic_parity_ratio", four_fifths, four_fifths, n)
            rare = (0.05,) * (groups - 1) + (0.04,)
            yield Population("four fifths, rarely selected", "demographic_parity_ratio", rare, rare, n)


def coverage(population: Population, draws: int, rng: np.random.Generator) -> tuple[float, float]:
    """The share of samples whose interval holds the true gap, and the median width."""
    low, high = GAPS[population.gap].interval(population.samples(draws, rng), confidence=CONFIDENCE)
    return _held(low, high, population.truth), float(np.median(high - low))


def bootstrap_coverage(population: Population, rng: np.random.Generator) -> float:
    """The same for percentile intervals of resampled rows."""
    samples = population.samples(BOOTSTRAP_SAMPLES, rng)
    ends = []
    for counts in samples:
        rows = counts.ravel()
        drawn = rng.multinomial(int(rows.sum()), rows / rows.sum(), size=RESAMPLES).reshape(RESAMPLES, *counts.shape)
        gaps = GAPS[population.gap].value(drawn.astype(float))
        defined = gaps[~np.isnan(gaps)] if not np.isnan(gaps).all() else np.array([np.nan])
        ends.append(np.quantile(defined, [(1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2]))
    low, high = np.array(ends).T
    return _held(low, high, population.truth)


def _held(low: FloatArray, high: FloatArray, truth: float) -> float:
    return float(np.mean((low <= truth + 1e-9) & (truth - 1e-9 <= high)))


def verdicts(rates: dict[str, tuple[float, float]], n: int, eps: float, draws: int) -> dict[str, float]:
    """How often each answer is given about equalized odds."""
    groups = np.repeat(list(rates), 2 * n)
    y_true = np.tile(np.repeat([True, False], n), len(rates))
    chance = np.array([rates[g][0 if y else 1] for g, y in zip(groups, y_true, strict=True)])
    answers = []
    for seed in range(draws):
        y_pred = np.random.default_rng(seed).random(len(y_true)) < chance
        answers.append(held_out_verdict(EqualizedOdds(eps), y_true, y_pred, sensitive_features=groups).verdict)
    return {answer: answers.count(answer) / draws for answer in ("holds", "violated", "not enough data")}


def coverage_table(draws: int) -> Iterator[str]:
    rng = np.random.default_rng(0)
    yield "| gap | population | groups | positives and negatives of each | true gap | held | width | bootstrap held |"
    yield "|---|---|---|---|---|---|---|---|"
    for population in populations():
        held, width = coverage(population, draws, rng)
        words = population.gap.replace("_", " ")
        groups = len(population.true_positive)
        yield (
            f"| {words} | {population.words} | {groups} | {population.n} | {population.truth:.2f} | {held:.1%} | "
            f"{width:.3f} | {bootstrap_coverage(population, rng):.1%} |"
        )


def verdict_table(draws: int) -> Iterator[str]:
    same: dict[str, Any] = dict.fromkeys("abcd", (0.7, 0.2))
    yield "| four groups | positives and negatives of each | bound | holds | violated | not enough data |"
    yield "|---|---|---|---|---|---|"
    for words, rates, eps in (
        ("no gap", same, 0.05),
        ("one group exactly at the bound", {**same, "d": (0.65, 0.2)}, 0.05),
        ("two groups exactly at the bound, both rates", {**same, "c": (0.65, 0.2), "d": (0.7, 0.25)}, 0.05),
        ("one group beyond the bound", {**same, "d": (0.6, 0.2)}, 0.05),
    ):
        for n in (200, 2000):
            said = verdicts(rates, n, eps, draws)
            yield f"| {words} | {n} | {eps} | " + " | ".join(f"{share:.1%}" for share in said.values()) + " |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--draws", type=int, default=20_000, help="samples of each population")
    parser.add_argument("--verdicts", type=int, default=400, help="samples for each line of verdicts")
    parser.add_argument("--output", type=Path)
    options = parser.parse_args()
    text = "\n".join(
        [
            "# Intervals of gaps",
            "",
            f"How often 95 % intervals hold the true gap, in {options.draws} samples of known populations (percentile "
            f"bootstrap: {BOOTSTRAP_SAMPLES} samples), and how wide they are. Made by `benchmarks/gap_intervals.py`; "
            "[Fairness](../explanation/fairness.md) tells how the intervals are computed.",
            "",
            *coverage_table(options.draws),
            "",
            "## Verdicts",
            "",
            f"What `held_out_verdict` says about equalized odds, in {options.verdicts} samples.",
            "",
            *verdict_table(options.verdicts),
            "",
        ]
    )
    if options.output is None:
        print(text)
    else:
        options.output.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
