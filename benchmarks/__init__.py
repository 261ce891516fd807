"""Measurements: the paper's tables and figures, rival learners, and how fast and how well rulecg works."""
