"""Arrays, errors, limits, events and statuses: what everything else is written with."""
