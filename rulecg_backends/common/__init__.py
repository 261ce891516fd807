"""What backends share: options, availability, interruption, honest results."""
