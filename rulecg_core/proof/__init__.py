"""Proofs over all rules: listing, search over the list, branch and price."""
