"""Functions that tests sweep: worker processes import them by name."""

import os
import signal
import time
from pathlib import Path

import numpy as np


def product(a, b):
    return a * b


def noted(a, folder):
    """Leaves a file for each time that it is called."""
    Path(folder, f"{a}-{os.getpid()}-{time.monotonic_ns()}").touch()
    return a**2


def slow(a, folder):
    time.sleep(0.1)
    return noted(a, folder)


def endless(a, folder):
    """Works for a minute at one of the points, after it has left the number of its process."""
    if a == 1:
        Path(folder, str(os.getpid())).touch()
        time.sleep(60)
    while not list(Path(folder).iterdir()):
        time.sleep(0.01)
    return a


def noisy(a, rng):
    return {"sum": a + rng.normal(), "several": rng.uniform(size=(2, 3))}


def noisy_rows(a, rng):
    return {"sum": a + np.array([each.normal() for each in rng])}


def picky(a, b):
    if b == 2:
        raise ValueError(f"no such b,\nof a = {a}")
    return {"x": a + b, "two": [a, b]}


def picky_rows(a, b):
    if (b == 2).any():
        raise ValueError("no such b")
    return {"x": a + b}


def of_other_shape(a):
    return np.zeros(2 if a == 5 else 3)


def of_other_names(a):
    return {"one" if a < 5 else "two": a}


def deadly(a):
    """Kills its process at some points."""
    if a in (3, 11):
        os.kill(os.getpid(), signal.SIGKILL)
    return a


def always_deadly(a):
    os.kill(os.getpid(), signal.SIGKILL)


def deadly_once(a, folder):
    """Kills its process the first time that it comes to one of the points."""
    mark = Path(folder, "killed")
    if a == 5 and not mark.exists():
        mark.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return slow(a, folder)


def leaving(a):
    raise SystemExit(3)
