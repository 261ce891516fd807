"""Say who there is, what they need, and who can be run here."""

from __future__ import annotations

from . import RIVALS, availability

for name, kind in RIVALS.items():
    found = availability(kind)
    where = "here" if found.interpreter is None else f"in the environment {kind.environment}"
    print(f"{name:22} {kind.source:75} {where if found.is_there else 'not here: ' + found.reason}")
