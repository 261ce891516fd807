"""From tables of any size to partition files of packed bits."""
