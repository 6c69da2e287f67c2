"""What drives an arm, how its motion is computed, and the motion: files and figures."""
