"""Writing a certificate: what a fit has proven, with everything that others need to check it."""

from __future__ import annotations

import gzip
import hashlib
import json
import math
from fractions import Fraction
from typing import Any

import numpy as np
from attrs import frozen

from rulecg_core import Backend, Condition, ConfigurationError, Deadline, Pricer, Result, Rule, Stakes, Status
from rulecg_core.base.arrays import BoolArray, FloatArray, IntArray
from rulecg_core.certificates.exact_problem import ExactProblem
from rulecg_core.certificates.priced_list import SCALE, NoCertificateError
from rulecg_core.certificates.proof_parts import ProofParts, proof_parts

from ..exports.output_files import write_bytes
from ..model.scored_rule_sets import LabelledRows
from .described_table import LARGEST_WEIGHT, CertificateFile, Target, described_columns, described_conditions

LARGEST_STAKE = 2**20


@frozen(eq=False)
class Learned:
    """A fit whose proof is to be written down."""

    rows: LabelledRows
    """The rows, without those of no weight."""
    features: BoolArray
    """Rows × conditions."""
    conditions: tuple[Condition, ...]
    stakes: Stakes | None
    settings: dict[str, Any]
    """The estimator's."""
    label_name: str
    weight_name: str | None
    """The column of the table with the weights of the rows; None when each is 1."""


NOT_COVERED = (
    "max_rules", "max_columns", "min_rule_support", "min_rule_precision", "keep", "require", "condition_costs",
)  # fmt: skip
"""Settings of an estimator that change what is proven in a way that files do not describe."""


def _is_given(value: Any) -> bool:
    return value is not None and (not hasattr(value, "__len__") or len(value) > 0)


def check_covered(settings: dict[str, Any], n_classes: int | None = None) -> None:
    """Refuse, before any work is done, what certificates do not cover.

    Parameters
    ----------
    settings : dict
        The estimator's parameters.
    n_classes : int or None
        How many classes there are; None when not known yet.

    Raises
    ------
    ConfigurationError
        With a sentence that says what is not covered.

    Examples
    --------
    >>> check_covered({"loss": "01", "constraints": ()})
    Traceback (most recent call last):
    ...
    rulecg_core.base.errors.ConfigurationError: Certificates as files cover the Hamming loss only, not loss='01' yet.
    """
    reason = None
    if settings["loss"] != "hamming":
        reason = f"the Hamming loss only, not loss={settings['loss']!r}"
    elif len(_listed(settings["constraints"])):
        reason = "bounds on complexity only, not other constraints"
    elif any(_is_given(settings.get(name)) for name in NOT_COVERED):
        named = next(name for name in NOT_COVERED if _is_given(settings.get(name)))
        reason = f"bounds on complexity and conditions left out by forbid or monotone only, not {named}"
    elif settings.get("teacher") is not None and settings.get("label_weight") != 1:
        reason = "stakes that the table shows, not a teacher's probabilities"
    elif n_classes is not None and n_classes > 2:
        reason = f"two classes only, not {n_classes}"
    if reason:
        raise ConfigurationError(f"Certificates as files cover {reason} yet.")


def _listed(constraints: Any) -> list[Any]:
    return list(constraints) if isinstance(constraints, (list, tuple)) else [constraints]


def write_certificate(
    file: CertificateFile, learned: Learned, result: Result, backend: Backend, lister: Pricer, deadline: Deadline
) -> None:
    """Find everything that shows what a run has proven, and write it.

    Parameters
    ----------
    file : CertificateFile
        Where to, and how the table is written.
    learned : Learned
        What the run was about.
    result : Result
        What it found and proved.
    backend : Backend
        Solves linear programs.
    lister : Pricer
        Lists rules.
    deadline : Deadline
        When to give up.

    Raises
    ------
    ConfigurationError
        When data or settings are not covered.
    NoCertificateError
        When nothing was proven, or the proof does not fit into a file; nothing is written then.
    """
    document = _Document.of(file, learned)
    problem = document.problem
    bound = proven_bound(problem, result, document.per_unit)
    parts = proof_parts(problem, bound, backend, lister, result.pool, deadline)
    content = document.content(result, parts)
    text = json.dumps(content, separators=(",", ":"), ensure_ascii=True)
    write_bytes(file.path, gzip.compress(text.encode("ascii"), 6, mtime=0))


def proven_bound(problem: ExactProblem, result: Result, per_unit: Fraction) -> int:
    """Give what a run proved, in the certificate's whole units: the optimum's loss, or its bound rounded up."""
    if result.status == Status.OPTIMAL:
        return loss_of(problem, result.best_rules)
    if result.lower_bound is None:
        raise NoCertificateError("No certificate: nothing was proven. Give more time, or a smaller complexity.")
    in_units = result.lower_bound * float(per_unit)
    return max(0, math.ceil(in_units - 1e-6 * max(1.0, abs(in_units))))


def loss_of(problem: ExactProblem, rules: tuple[Rule, ...]) -> int:
    """Count the Hamming loss of a rule set in whole units."""
    covers = [rule.covers(problem.holds) for rule in rules]
    missed = ~np.logical_or.reduce([np.zeros(len(problem.miss), dtype=bool), *covers])
    return int(problem.miss[missed].sum()) + sum(int(problem.cover[covered].sum()) for covered in covers)


@frozen(eq=False)
class _Document:
    described: dict[str, Any]
    problem: ExactProblem
    miss: IntArray
    """Of every row."""
    cover: IntArray
    per_unit: Fraction
    """How many of the certificate's units a stake of 1 is."""

    @classmethod
    def of(cls, file: CertificateFile, learned: Learned) -> _Document:
        settings, rows = learned.settings, learned.rows
        positive = rows.codes == 1
        target = file.target or _target_of(learned)
        weights = _whole_weights(rows.weights)
        fn, fp, per_unit = _stakes_per_class(learned.stakes, positive, rows.weights)
        holds, miss, cover = learned.features, positive * weights * fn, ~positive * weights * fp
        if settings["logic"] == "cnf":
            holds, miss, cover = ~holds, cover, miss
        most = math.floor(settings["max_complexity"])
        problem = ExactProblem.of(holds, miss, cover, settings["max_conditions"], most)
        described = {
            "table": {
                "separator": "\t" if file.separator == "\\t" else file.separator,
                "columns": described_columns(rows.table, learned.conditions, target, settings["na_values"]),
            },
            "conditions": described_conditions(learned.conditions),
            "target": target.described(),
            "weight": [] if learned.weight_name is None else [learned.weight_name],
            "problem": {
                "logic": settings["logic"],
                "max_conditions": settings["max_conditions"],
                "max_complexity": most,
                "false_negative": fn,
                "false_positive": fp,
            },
        }
        return cls(described, problem, miss, cover, per_unit)

    def content(self, result: Result, parts: ProofParts) -> dict[str, Any]:
        return {
            "format": "rulecg-certificate",
            "version": 1,
            "described": self.described,
            "hash": self.digest(),
            "claim": {
                "rules": [list(rule.features) for rule in result.rules],
                "loss": loss_of(self.problem, result.rules),
                "best": [list(rule.features) for rule in result.best_rules],
                "best_loss": loss_of(self.problem, result.best_rules),
                "bound": parts.bound,
            },
            "root": {"scale": SCALE, "positives": parts.root.positives.tolist(), "size": parts.root.per_size},
            "list": [list(rule.features) for rule in parts.listed.rules],
            "dominated": [{"rule": list(rule.features), "by": by} for rule, by in parts.listed.dominated],
            "nodes": [
                {
                    "sizes": list(node.sizes),
                    "chosen": list(node.chosen),
                    "positives": node.positives.tolist(),
                    "prices": node.prices.tolist(),
                    "own": node.own,
                }
                for node in parts.nodes
            ],
        }

    def digest(self) -> str:
        """Hash the description, and rows in any order."""
        total = 0
        known: dict[bytes, int] = {}
        for key, miss, cover in zip(self.problem.keys, self.miss.tolist(), self.cover.tolist(), strict=True):
            row = key.tobytes() + miss.to_bytes(8, "big") + cover.to_bytes(8, "big")
            if row not in known:
                known[row] = int.from_bytes(hashlib.sha256(row).digest(), "big")
            total += known[row]
        words = json.dumps(self.described, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
        return hashlib.sha256(words.encode("ascii") + (total % 2**256).to_bytes(32, "big")).hexdigest()


def _target_of(learned: Learned) -> Target:
    import pandas as pd

    rows = learned.rows
    labels = pd.Series(rows.classes[rows.codes], name=learned.label_name)
    return Target(labels, rows.codes == 1)


def _whole_weights(weights: FloatArray) -> IntArray:
    if not np.all(weights == np.round(weights)) or weights.max() > LARGEST_WEIGHT:
        raise ConfigurationError(
            f"Certificates take whole sample weights up to {LARGEST_WEIGHT}: multiply or round them."
        )
    return weights.astype(np.int64)


def _stakes_per_class(
    stakes: Stakes | None, positive: BoolArray, weights: FloatArray
) -> tuple[int, int, Fraction]:
    """What a false negative and a false positive cost in whole units, and how many units a stake of 1 is."""
    if stakes is None:
        return 1, 1, Fraction(1)
    fn, fp = (np.unique(costs / each) for costs, each in (
        (stakes.miss[positive], weights[positive]), (stakes.cover[~positive], weights[~positive])
    ))  # fmt: skip
    other = float(stakes.cover[positive].sum() + stakes.miss[~positive].sum())
    if len(fn) != 1 or len(fp) != 1 or other != 0:
        raise ConfigurationError("Certificates as files cover stakes that are the same for all rows of a class only.")
    exact = Fraction(float(fn[0])), Fraction(float(fp[0]))
    per_unit = Fraction(math.lcm(exact[0].denominator, exact[1].denominator))
    per_unit /= math.gcd(*(int(cost * per_unit) for cost in exact))
    whole = [int(cost * per_unit) for cost in exact]
    if max(whole) > LARGEST_STAKE:
        raise ConfigurationError(f"Certificates take costs that are whole multiples, up to {LARGEST_STAKE}, of a unit.")
    return whole[0], whole[1], per_unit


