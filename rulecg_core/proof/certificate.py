"""What a proven relaxation is kept for: proofs over all rules begin from it."""

from __future__ import annotations

from attrs import frozen

from ..api.relaxation import Relaxation


@frozen(eq=False)
class Certificate:
    """The relaxation that exact pricing proved, and the bound that its duals prove over all rules."""

    relaxation: Relaxation
    bound: float
    who: str = ""
    """Whose word it is that no rule has a reduced cost below 0."""
