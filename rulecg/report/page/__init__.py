"""What pages are made of: markup and charts."""
