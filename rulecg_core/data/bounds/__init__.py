"""Bounds on single rules."""
