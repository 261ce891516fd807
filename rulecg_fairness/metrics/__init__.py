"""Rates by group and gaps between groups, with their uncertainty."""
