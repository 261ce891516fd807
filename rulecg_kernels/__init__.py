"""How functions are compiled, and compiled bit primitives."""
