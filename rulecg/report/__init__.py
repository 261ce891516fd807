"""The report: one self-contained HTML page about a model on a table, for people who decide whether to use it."""

from .build import build_report

__all__ = ["build_report"]
