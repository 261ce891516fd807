"""Every system that the paper compares with, and those a user would pick today, behind one small interface.

    python -m benchmarks.rivals                 # who there is, what they need, who can be run here
    python -m benchmarks.rivals.environments    # make environments for those that need their own

>>> rival("CART")(min_samples_leaf=5).parameters
{'min_samples_leaf': 5}
"""

from __future__ import annotations

from .decision_sets import DecisionSets
from .fair_lists import FairCorels
from .fairlearners import FairTrees, Hardt, HardtFairlearn
from .interface import Availability, Rival, Unsuitable
from .mistreatment import Zafar
from .recent import BooleanRuleCG, FoldRpp, Gosdt, Rug, Streed
from .rule_learners import BayesianRuleSets, JRip, Ripper, SumOfTrees, jrip_availability
from .standard import Cart, Forest, Logistic, SupportVectors
from .two_level import AlternatingMinimization, BlockDescent

__all__ = ["FAIR", "RIVALS", "Availability", "Rival", "Unsuitable", "availability", "rival"]

RIVALS: dict[str, type[Rival]] = {
    kind.name: kind
    for kind in (
        *(BayesianRuleSets, AlternatingMinimization, BlockDescent, DecisionSets, JRip, Ripper),
        *(Cart, Forest, Logistic, SupportVectors),
        *(BooleanRuleCG, Rug, SumOfTrees, Streed, Gosdt, FoldRpp),
        *(Zafar, Hardt, HardtFairlearn, FairTrees, FairCorels),
    )
}
"""By name: first the paper's, then today's, then the fair ones."""
FAIR = (Zafar.name, Hardt.name, HardtFairlearn.name, FairTrees.name, FairCorels.name)
"""Those that take a sensitive column."""


def rival(name: str) -> type[Rival]:
    """The rival of that name."""
    if name not in RIVALS:
        raise KeyError(f"There is no rival {name!r}; there are {', '.join(RIVALS)}.")
    return RIVALS[name]


def availability(kind: type[Rival]) -> Availability:
    """Whether the rival can be run here or in its environment, and if not, why not."""
    if kind is JRip:
        return jrip_availability()
    missing = kind.missing()
    if not missing:
        return Availability(True)
    if kind.environment is None:
        return Availability(False, reason=f"needs {', '.join(missing)}")
    # Not at the top: the module of environments is also a program of its own.
    from .environments import interpreter

    python, reason = interpreter(kind.environment)
    if python is None:
        return Availability(False, reason=f"needs {', '.join(missing)}: {reason}")
    return Availability(True, interpreter=str(python))
