"""Heuristics that look for rule sets beside column generation."""
