"""Where an arm rests, and how it swings there."""
