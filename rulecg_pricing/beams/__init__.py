"""Beam searches, and the neighbours of rules in use."""
