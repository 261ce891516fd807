"""All optima, and all rule sets that are nearly as good; which of them comes first."""
