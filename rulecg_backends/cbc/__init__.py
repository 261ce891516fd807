"""CBC, in a process of its own."""
