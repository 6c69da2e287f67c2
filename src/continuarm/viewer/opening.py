"""Files that come from a browser, opened in a process of their own: whatever is in them, the viewer goes on."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import sys
import tempfile
from pathlib import Path
from typing import Any

from continuarm.arms.arm import Arm
from continuarm.arms.arm_file import load_arm, save_arm
from continuarm.common.text import printable
from continuarm.simulation.inputs import PressureSignal
from continuarm.simulation.motion_file import load_motion
from continuarm.viewer.html import playback_content
from continuarm.viewer.http_requests import Refusal
from continuarm.viewer.server import Exchange

LARGEST = {".nc": 20_000_000, ".csv": 5_000_000}
"""Bytes of a file, by its suffix: a motion, and a table of pressures."""
MOST_ROWS = 100_000
"""Of pressures that a live arm plays."""
MOST_AT_ONCE = 2
"""Files that are received and opened at a time."""
TIME_LIMIT = 60.0
"""Seconds for opening a file."""
MEMORY = 4 * 1024**3
"""Bytes of address space for opening a file, where the system can bound it."""
COMMAND = "from continuarm.viewer.opening import main; main()"


class Opener:
    """Receives files and opens them, each in a process of its own; the answer is what it holds, or one sentence.

    arm: whose muscles a table of pressures names; without one, files are motions to be shown.
    """

    def __init__(self, arm: Arm | None = None) -> None:
        self.arm, self._busy = arm, 0

    async def open(self, exchange: Exchange) -> str:
        """What is in the file that is being sent, as JSON."""
        name = printable(exchange.request.query.get("name", ""))[:100] or "the file"
        suffix = Path(name).suffix.lower()
        allowed = tuple(LARGEST) if self.arm is not None else (".nc",)
        if suffix not in allowed:
            raise Refusal(400, f"{name}: the suffix must be {' or '.join(allowed)}")
        if self._busy >= MOST_AT_ONCE:
            raise Refusal(503, f"{name}: other files are being opened, try again")
        self._busy += 1
        try:
            with tempfile.TemporaryDirectory(prefix="continuarm-") as folder:
                place = os.path.join(folder, f"sent{suffix}")
                await exchange.save_body(place, LARGEST[suffix])
                if self.arm is not None:
                    save_arm(self.arm, os.path.join(folder, "arm.toml"))
                return await _opened(place, name)
        finally:
            self._busy -= 1


async def _opened(place: str, name: str) -> str:
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", COMMAND, place, name),
        env=os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path)), "OPENBLAS_NUM_THREADS": "1"},
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
    )
    try:
        async with asyncio.timeout(TIME_LIMIT):
            out, _ = await process.communicate()
    except TimeoutError:
        raise Refusal(400, f"{name}: takes longer than {TIME_LIMIT:g} s to open") from None
    finally:
        with contextlib.suppress(ProcessLookupError):
            process.kill()
    kind, _, text = out.decode("utf-8", "replace").partition("\n")
    if kind != "good" or not text:
        raise Refusal(400, text if kind == "bad" else f"{name}: cannot be opened")
    return text


def main() -> None:
    """Opens a file (place, name) and prints what is in it, or why that is not possible."""
    place, name = sys.argv[1:]
    with contextlib.suppress(ImportError, ValueError, OSError):  # there is no such bound on some systems
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    try:
        text, kind = found(place, name), "good"
    except ValueError as error:
        text, kind = str(error).replace(place, name), "bad"
    except MemoryError:
        text, kind = f"{name}: there is not enough memory for it", "bad"
    sys.stdout.buffer.write(f"{kind}\n{text}".encode())


def found(place: str, name: str) -> str:
    """What is in a file, as JSON: the content of a page, or times and pressures where there is an arm beside it."""
    arm_file = Path(place).with_name("arm.toml")
    if not arm_file.exists():
        return playback_content([load_motion(place)], [name]).as_json()
    arm = load_arm(arm_file)
    if place.endswith(".csv"):
        signal: Any = PressureSignal.read(place, arm)
    else:
        motion = load_motion(place)
        if motion.arm.muscle_names != arm.muscle_names:
            raise ValueError(f"{name}: is a motion of {motion.arm.name!r}, which has other muscles than {arm.name!r}")
        signal = PressureSignal(motion.t - motion.t[:1], motion.pressures)
    if not len(signal.times) <= MOST_ROWS:
        raise ValueError(f"{name}: has {len(signal.times)} rows: must be at most {MOST_ROWS}")
    try:
        signal.drive(arm)
    except ValueError as error:
        raise ValueError(f"{name}: {error}") from None
    return json.dumps({"times": signal.times.tolist(), "pressures": signal.pressures.tolist()})
