"""Small, readable, provably good and fair Boolean rule sets, learned by column generation.

Everything is loaded when first used, so that ``import rulecg`` is quick.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rulecg_core import Condition, RulecgError, RuleSet

    from . import datasets
    from .analysis.near_optimal import near_optimal
    from .analysis.stability import alternative_rules, rule_stability
    from .binarize.binarizer import Binarizer
    from .estimators.classifier import RuleSetClassifier
    from .estimators.complexity_path import ComplexityPath, complexity_path
    from .estimators.cross_validation import RuleSetClassifierCV
    from .estimators.fairness_path import fairness_path, plot_fairness_path
    from .model.model import Model
    from .model.model_file import load_model, save_model
    from .model.multiclass import ClassRuleSets
    from .model.result import FitResult
    from .report import build_report

__version__ = "0.1.0"

_HOMES = {
    "Binarizer": ".binarize.binarizer",
    "ClassRuleSets": ".model.multiclass",
    "ComplexityPath": ".estimators.complexity_path",
    "Condition": "rulecg_core",
    "FitResult": ".model.result",
    "Model": ".model.model",
    "RuleSet": "rulecg_core",
    "RuleSetClassifier": ".estimators.classifier",
    "RuleSetClassifierCV": ".estimators.cross_validation",
    "RulecgError": "rulecg_core",
    "alternative_rules": ".analysis.stability",
    "build_report": ".report",
    "complexity_path": ".estimators.complexity_path",
    "fairness_path": ".estimators.fairness_path",
    "load_model": ".model.model_file",
    "near_optimal": ".analysis.near_optimal",
    "plot_fairness_path": ".estimators.fairness_path",
    "rule_stability": ".analysis.stability",
    "save_model": ".model.model_file",
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
    "fairness_path",
    "load_model",
    "near_optimal",
    "plot_fairness_path",
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
