"""What fitted estimators have in common."""
