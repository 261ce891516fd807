"""Compiled passes over bits: the only room of the core that knows the compiler, loaded when it is first needed."""
