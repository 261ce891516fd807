"""From a fitted classifier to its certificate."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rulecg_core import ConfigurationError, Deadline, Result, RulecgWarning
from rulecg_core.certificates.priced_list import NoCertificateError

from ..exports.output_files import check_writable
from ..model.scored_rule_sets import LabelledRows
from .described_table import CertificateFile
from .write import Learned, check_covered, write_certificate

if TYPE_CHECKING:
    from ..binarize.binarizer import Binarizer
    from ..estimators.learning import LearningTask

DEFAULT_LABEL, DEFAULT_WEIGHT = "target", "weight"
"""What the columns of labels and of weights are called in the table when y and sample_weight have no name."""


def checked_file(certificate: CertificateFile | Path | str | None, settings: dict[str, Any]) -> CertificateFile | None:
    """Check, before any work is done, that a certificate can be written.

    Parameters
    ----------
    certificate : CertificateFile, path or None
        Where to write it.
    settings : dict
        The estimator's parameters.

    Returns
    -------
    CertificateFile or None
        The same with what was left out.

    Raises
    ------
    ConfigurationError
        When the settings are not covered, or the file cannot be written.
    """
    if certificate is None:
        return None
    file = certificate if isinstance(certificate, CertificateFile) else CertificateFile(certificate)
    check_covered(settings)
    check_writable(file.path)
    return file


# One argument for each thing that a fit made on its way; they are together nowhere else.
def write_fitted(
    file: CertificateFile,
    task: LearningTask,
    rows: LabelledRows,
    binarizer: Binarizer,
    runs: Mapping[Any, Result],
    sample_weight: Any,
    settings: dict[str, Any],
) -> None:
    """Write the certificate of a fit; where its proof does not fit into a file, warn and write nothing.

    Parameters
    ----------
    file : CertificateFile
        Where to write it.
    task : LearningTask
        What was learned with.
    rows : LabelledRows
        What was learned from.
    binarizer : Binarizer
        The conditions.
    runs : mapping from label to Result
        What was found.
    sample_weight : sequence of numbers or None
        As it was given.
    settings : dict
        The estimator's parameters.

    Raises
    ------
    ConfigurationError
        When data or settings are not covered.
    """
    check_covered(settings, len(rows.classes))
    lister = next((part.plugin for part in task.recipe.pricers if part.plugin.can_list), None)
    if lister is None:
        raise ConfigurationError(
            "A certificate needs a pricer that lists rules, such as exact-search: add it to pricers."
        )
    weight_name = None if sample_weight is None else str(getattr(sample_weight, "name", None) or DEFAULT_WEIGHT)
    result = next(iter(runs.values()))
    learned = Learned(
        rows=rows,
        features=binarizer.transform(rows.table[list(binarizer.column_names_)]),
        conditions=tuple(binarizer.conditions_),
        stakes=None if task.objective is None else task.objective.stakes(1),
        settings=settings,
        label_name=str(task.label_name if task.label_name is not None else DEFAULT_LABEL),
        weight_name=weight_name,
    )
    limit = task.limits.seconds
    try:
        write_certificate(file, learned, result, task.recipe.backend, lister, Deadline.after(limit))
    except NoCertificateError as reason:
        warnings.warn(str(reason), RulecgWarning, stacklevel=3)
