"""The paper's tables and figures, each by one command: ``python -m benchmarks.paper TABLE``."""
