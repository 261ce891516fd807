"""The interfaces that plugins implement: backend, master, pricer, heuristic, constraint."""
