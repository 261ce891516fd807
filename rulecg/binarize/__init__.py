"""From columns to conditions."""
