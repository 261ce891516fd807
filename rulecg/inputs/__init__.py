"""Tables, labels and weights as people give them."""
