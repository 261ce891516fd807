"""Rounds of relaxation and pricing."""
