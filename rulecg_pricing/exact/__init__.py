"""Exact search over conjunctions, compiled."""
