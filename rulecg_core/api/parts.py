"""The parts that make column generation fast, each with a name, each of them to be switched off.

None of them changes what is proven or which value the relaxation has; they only change how soon. The benchmark
``benchmarks/ablation.py`` measures what each of them brings.
"""

from __future__ import annotations

from attrs import frozen


@frozen
class MasterParts:
    """How the master's linear relaxation is solved."""

    dual_form: bool | None = None
    """Solve the dual, where rules are rows and positives are bounded variables; None decides by the rows."""
    merge_rows: bool = True
    """Positives that the same rules cover share one row, until a new rule tells them apart."""
    put_aside: bool = False
    """Rules that were of no use for a long time leave the linear program, and come back when they price in."""
    stabilise: bool = False
    """Price on duals that are smoothed over the rounds."""


@frozen
class SearchParts:
    """How rule sets are searched for while rules are generated."""

    during_generation: bool = True
    """Local search before and between the rounds, not only after them."""
    condition_moves: bool = True
    """Change chosen rules condition by condition; otherwise choose among the generated rules only."""
    subset_moves: bool = True
    """Choose among the generated rules: greedily, then adding, dropping and swapping whole rules."""
    mixtures: bool = True
    """Go on from mixtures of the best rule sets met, too."""
    annealing: bool = True
    """On large data, let conditions change at random, at first also for the worse."""
    unions: bool = True
    """On large data, solve an integer program over the rules of all local optima met, now and then."""
    tight_first: bool = True
    """On large data, begin with tighter bounds on size."""
