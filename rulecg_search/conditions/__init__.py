"""Descent by single conditions, over samples as bits."""
