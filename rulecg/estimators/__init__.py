"""Estimators for scikit-learn users, and what they do step by step."""
