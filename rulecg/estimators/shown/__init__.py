"""What is shown while rules are learned."""
