"""The report: one self-contained HTML page about a model on a table, for people who decide whether to use it."""

from .build import Supplements, build_report
from .metadata import Metadata, read_metadata

__all__ = ["Metadata", "Supplements", "build_report", "read_metadata"]
