"""What a backend need not write itself: availability, a pool of checked solutions, one honest integer solve."""
