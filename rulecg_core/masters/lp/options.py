"""How a master's linear relaxation is solved."""

from __future__ import annotations

from attrs import frozen


@frozen
class RelaxationOptions:
    """What makes relaxations fast, each part of which can be switched off.

    None of it changes what is proven; all but ``linked_positives`` leave the relaxation's value as it is and only
    change how soon it is known. ``benchmarks/ablation.py`` measures what each part brings.
    """

    dual_form: bool | None = None
    """Solve the dual, where rules are rows and positives are bounded variables; None decides by the rows."""
    merge_rows: bool = True
    """Positives that the same rules cover share one row, until a new rule tells them apart."""
    put_aside: bool = False
    """Rules that were of no use for a long time leave the linear program, and come back when they price in."""
    linked_positives: int = 3_000
    """With more positives than this the relaxation does without link rows: a little weaker, just as valid, far
    quicker."""
