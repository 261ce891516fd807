"""Pricers: beam search, the exact and the subsampled integer program, and exact search."""
