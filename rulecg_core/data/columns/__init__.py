"""What the values of columns stand for."""
