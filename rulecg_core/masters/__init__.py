"""Master problems over a pool of rules: Hamming loss, 0-1 loss, and bounds on size."""
