"""The loop that composes a run, its phases, and its result."""
