"""Every rule set whose objective is within a tolerance: a listing of rules, and a search over their families."""
