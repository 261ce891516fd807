"""A conversation with the optimiser: keep, ban, edit and add rules, and see at once what that costs."""
