"""A heuristic for rulecg, as a package of its own."""

from .drop_add import DropAdd

__all__ = ["DropAdd"]
