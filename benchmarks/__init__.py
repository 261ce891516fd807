"""Measurements: the paper's tables and figures, rival learners, and how fast and how well rulecg works."""

from .clock import choose_clock

choose_clock()
