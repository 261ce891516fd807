"""The linear programs behind the masters' relaxations."""
