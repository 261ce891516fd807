"""What somebody knows that the rows do not say: which rules may be, must be, and rather should not be."""
