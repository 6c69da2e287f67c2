"""What `continuarm bench` measures."""
