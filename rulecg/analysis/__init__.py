"""Explanations, recourse and stability of a model."""
