"""Tables of evidence about predictions, for reports."""
