"""What is at stake with every row: costs of errors, weights of classes, and a teacher's probabilities."""
