"""The commands as processes, for the tests of the command line."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import Any


def environment(**changes: str) -> dict[str, str]:
    """This process's, but buffered as a user's is: output that fails then fails late."""
    return os.environ | {"PYTHONPATH": os.pathsep.join(sys.path), "PYTHONUNBUFFERED": "", "PYTHONUTF8": "1"} | changes


def run(*arguments: str, **options: Any) -> subprocess.CompletedProcess[str]:
    """A command as a process of its own, as a user starts it."""
    defaults = {"env": environment(), "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "encoding": "utf-8"}
    return subprocess.run([sys.executable, "-m", "continuarm", *arguments], **defaults | options)
