"""What the paper has: Algorithm 1, the modal form, energy shaping, its three experiments."""
