"""Compiled descents and annealing over packed samples."""
