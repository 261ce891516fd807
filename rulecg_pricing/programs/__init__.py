"""Pricing by integer programs."""
