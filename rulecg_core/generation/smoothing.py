"""Dual stabilisation: price on duals that move less from round to round than those of the linear program.

Early duals jump between extreme points, and rules that look best for one of them are of little use for the next. A
pricing problem is linear in the duals, so that a mixture of pricing problems is the pricing problem of the mixed duals.
What is found there is judged by the program's own duals: when nothing holds, pricing was misled and is repeated on the
own duals. Bounds are only ever taken from there.
"""

from __future__ import annotations

from attrs import define, evolve

from ..api.pricing import PricingProblem


@define(eq=False)
class Smoothing:
    """Exponential smoothing over the rounds of one linear program."""

    share: float
    """Weight of the duals that were priced last in those that are priced next."""
    _last: PricingProblem | None = None

    @property
    def has_begun(self) -> bool:
        return self._last is not None

    def begin(self, problem: PricingProblem) -> None:
        """Begin, or begin again after being misled, with the program's own duals."""
        self._last = problem

    def smoothed(self, problem: PricingProblem) -> PricingProblem:
        """The pricing problem of the smoothed duals, from that of the program's own."""
        assert self._last is not None
        last, own = self.share, 1.0 - self.share
        self._last = evolve(
            problem,
            sample_weights=last * self._last.sample_weights + own * problem.sample_weights,
            condition_price=last * self._last.condition_price + own * problem.condition_price,
            constant=last * self._last.constant + own * problem.constant,
        )
        return self._last
