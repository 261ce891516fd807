"""Constraints between groups."""
