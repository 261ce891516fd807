"""Commands on packed data."""
