"""Environments to learn in, as Gymnasium has them: arms that reach, track, hold and throw.

Importing this registers "continuarm/Reach-v0", "continuarm/Track-v0", "continuarm/Hold-v0" and "continuarm/Throw-v0";
`gymnasium.make("continuarm.learning:continuarm/Reach-v0")` imports it by itself. `gymnasium.make_vec` steps all arms
together in native code.

Needs the package gymnasium: pip install 'continuarm[learning]'.
"""

from __future__ import annotations

try:
    import gymnasium as _gymnasium  # noqa: F401 - whether it is there
except ImportError:
    raise ImportError("continuarm.learning needs the package gymnasium: pip install 'continuarm[learning]'") from None

from continuarm.learning.randomization import randomized_arms
from continuarm.learning.registration import register_environments
from continuarm.learning.single_env import ArmEnv
from continuarm.learning.tasks import Hold, Reach, Task, Track
from continuarm.learning.throwing import Throw
from continuarm.learning.vector_env import ArmVectorEnv

__all__ = ["ArmEnv", "ArmVectorEnv", "Hold", "Reach", "Task", "Throw", "Track", "randomized_arms"]

register_environments()
