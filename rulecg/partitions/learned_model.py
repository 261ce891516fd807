"""From sums over partitions to a model: scores of rules, what was proven, and what was counted on the rows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from attrs import evolve, frozen

from rulecg_core import Result, Rule
from rulecg_core.base.arrays import IntArray

from ..model.certificate import Certificate, plain
from ..model.model import Model
from ..model.origin.fingerprint import Fingerprint
from ..model.result import FitResult
from ..model.scored_rule_sets import Learned
from ..model.scores import RuleScores
from ..monitoring.baseline import Baseline
from .checkpoint import task_key
from .manifest import Manifest
from .questions import Context
from .samples import PartitionedSamples


@frozen(eq=False)
class RuleCounts:
    """What the rules of one rule set decide, in weight, cell by cell."""

    each: IntArray
    """Rules × cells: what each rule decides."""
    once: IntArray
    """What any rule decides."""


def model_from(
    result: Result, rules: tuple[Rule, ...], samples: PartitionedSamples, settings: Mapping[str, Any]
) -> Learned:
    """Make the model of a fit on packed data.

    Parameters
    ----------
    result : Result
        What was found and proven.
    rules : tuple of Rule
        Its rules, by the conditions of the manifest.
    samples : PartitionedSamples
        The rows.
    settings : mapping
        The learner's parameters.

    Returns
    -------
    Learned
        The model with its most important rules first, and the result.
    """
    manifest = samples.manifest
    each, once = samples.covered([rules])[0]
    decided = manifest.labels if samples.logic == "dnf" else ~manifest.labels
    signs = np.where(decided, 1, -1)
    order = np.argsort(-(each @ signs), kind="stable")
    rules, each = tuple(rules[at] for at in order), each[order]
    rule_set = evolve(result.rule_set.reordered(order.tolist()))
    silent = manifest.weights - once
    share = (float(silent[decided].sum()) + 1) / (float(silent.sum()) + 2)
    support, right = each.sum(axis=1).astype(np.float64), each[:, decided].sum(axis=1).astype(np.float64)
    by_class = [float(manifest.weights[manifest.labels == label].sum()) for label in (False, True)]
    fit = FitResult.of({labels_of(manifest)[1]: result}, float(result.errors))
    model = Model(
        rule_sets=(rule_set,),
        classes=labels_of(manifest),
        scores=(RuleScores(support, right, share),),
        class_weights=np.array(by_class),
        target=manifest.target,
        sensitive=manifest.sensitive,
        conditions=manifest.conditions,
        settings={**settings, "na_values": list(manifest.na_values)},
        fingerprint=Fingerprint(manifest.columns, manifest.n_rows, task_key(manifest, {})),
        certificate=Certificate.of(fit),
        baseline=_baseline(samples, RuleCounts(each, once)),
    )
    return Learned(model, fit).saying((), manifest.cuts)


def labels_of(manifest: Manifest) -> tuple[Any, Any]:
    """The negative and the positive label as the table has them: numbers and truth values as such."""
    return _label(manifest.negative), _label(manifest.positive)


def _label(text: str) -> Any:
    if text in ("True", "False"):
        return text == "True"
    try:
        return plain(int(text))
    except ValueError:
        return text


def _baseline(samples: PartitionedSamples, counts: RuleCounts) -> Baseline | None:
    """What later checks compare new rows with; None where rows were weighted, since checks count rows."""
    manifest = samples.manifest
    if int(manifest.weights.sum()) != manifest.n_rows:
        return None
    plainly = PartitionedSamples(manifest, samples.engine)
    held = plainly.extensions([Context(())], tuple(range(len(manifest.conditions))))[0].sum(axis=1)
    decided = manifest.labels if samples.logic == "dnf" else ~manifest.labels
    right = counts.each[:, decided].sum(axis=1)
    accepted = counts.once if samples.logic == "dnf" else manifest.weights - counts.once
    rejected = manifest.weights - accepted
    n_right = int(accepted[manifest.labels].sum() + rejected[~manifest.labels].sum())
    groups: dict[tuple[str | None, ...], list[int]] = {}
    for at, cell in enumerate(manifest.cells):
        names = tuple(
            None if code < 0 else labels[code] for code, labels in zip(cell.groups, manifest.group_labels, strict=True)
        )
        four = groups.setdefault(names, [0, 0, 0, 0])
        four[2 * cell.label] += int(rejected[at])
        four[2 * cell.label + 1] += int(accepted[at])
    return Baseline(
        n_rows=manifest.n_rows,
        conditions=tuple(held.tolist()),
        fired=(tuple(counts.each.sum(axis=1).tolist()),),
        right=(tuple(right.tolist()),),
        n_right=n_right,
        sensitive=manifest.sensitive,
        groups=tuple((names, tuple(four)) for names, four in groups.items()) if manifest.sensitive else (),  # type: ignore[misc]
    )


