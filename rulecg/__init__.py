"""Small, readable, provably good and fair Boolean rule sets, learned by column generation.

Everything is loaded when first used, so that ``import rulecg`` is quick.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rulecg_core import Condition, RulecgError, RuleSet

    from . import datasets
    from .binarizer import Binarizer
    from .classifier import RuleSetClassifier
    from .cross_validation import RuleSetClassifierCV
    from .model import Model
    from .model_file import load_model, save_model
    from .multiclass import ClassRuleSets
    from .paths import ComplexityPath, complexity_path
    from .report import build_report
    from .result import FitResult
    from .stability import alternative_rules, rule_stability

__version__ = "0.1.0"

_HOMES = {
    "Binarizer": ".binarizer",
    "ClassRuleSets": ".multiclass",
    "ComplexityPath": ".paths",
    "Condition": "rulecg_core",
    "FitResult": ".result",
    "Model": ".model",
    "RuleSet": "rulecg_core",
    "RuleSetClassifier": ".classifier",
    "RuleSetClassifierCV": ".cross_validation",
    "RulecgError": "rulecg_core",
    "alternative_rules": ".stability",
    "build_report": ".report",
    "complexity_path": ".paths",
    "load_model": ".model_file",
    "rule_stability": ".stability",
    "save_model": ".model_file",
}
_MODULES = ("datasets",)

__all__ = [
    "Binarizer",
    "ClassRuleSets",
    "ComplexityPath",
    "Condition",
    "FitResult",
    "Model",
    "RuleSet",
    "RuleSetClassifier",
    "RuleSetClassifierCV",
    "RulecgError",
    "alternative_rules",
    "build_report",
    "complexity_path",
    "datasets",
    "load_model",
    "rule_stability",
    "save_model",
]


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        found = getattr(import_module(_HOMES[name], __name__), name)
        globals()[name] = found
        return found
    if name in _MODULES:
        return import_module(f".{name}", __name__)
    raise AttributeError(f"module 'rulecg' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
