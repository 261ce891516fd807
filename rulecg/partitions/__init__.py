"""Learning from partition files: sums over all rows, asked of an engine."""
