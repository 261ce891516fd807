"""Proofs as values that a file can hold: whole prices, the list that they leave, and the nodes of its search."""
