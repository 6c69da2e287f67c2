"""The compiled module, where it is built."""

from __future__ import annotations

import importlib
import os
from typing import Any

try:
    native: Any = importlib.import_module("continuarm.engine._native")
except ImportError:  # an unbuilt source tree: quantities and plants are then those of NumPy
    native = None

PROCESSORS = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
"""How many processors this program may use."""

NOT_BUILT = "the compiled module is not built; install the package to build it"
