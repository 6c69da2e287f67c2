"""The recursions over sections, one quantity a file: pure mathematics in NumPy, which the engine records."""
