"""The environments by their ids."""

from __future__ import annotations

import gymnasium

LONGEST = {"Reach": 100, "Track": 200, "Hold": 100, "Throw": 100}
"""Actions after which episodes are truncated."""


def register_environments() -> None:
    """Makes "continuarm/Reach-v0" and the others known to `gymnasium.make` and `gymnasium.make_vec`."""
    for name, longest in LONGEST.items():
        gymnasium.register(
            f"continuarm/{name}-v0",
            entry_point="continuarm.learning.single_env:ArmEnv",
            vector_entry_point="continuarm.learning.vector_env:ArmVectorEnv",
            max_episode_steps=longest,
            kwargs={"task": name.lower()},
        )
