"""Where a model comes from: its rows, the programs that made it."""
