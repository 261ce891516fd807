"""A constraint for rulecg, as a package of its own."""

from .error_balance import ErrorBalance

__all__ = ["ErrorBalance"]
