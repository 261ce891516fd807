"""Search over subsets of given rules."""
