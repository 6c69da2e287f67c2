"""The user's C compiler."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path


def compiled_c(
    sources: Sequence[Path], place: Path, what: str, *, for_this_machine: bool = False, program: bool = False
) -> None:
    """Compiles sources into a shared library, or a program; ValueError where there is no compiler or it fails.

    for_this_machine: with all instructions that its processor has, for a library that does not travel.
    """
    compiler = os.environ.get("CC") or next(filter(None, map(shutil.which, ("cc", "gcc", "clang"))), None)
    if compiler is None:
        raise ValueError(f"no C compiler found (cc, gcc, clang): {what} holds compiled code; install one or set CC")
    command = [*compiler.split(), "-std=c99", "-O2", *([] if program else ["-shared", "-fPIC"]), "-o", str(place)]
    command += ["-march=native", "-ffp-contract=fast"] if for_this_machine else ["-ffp-contract=off"]
    if sys.platform == "linux":
        command.append("-Wl,--build-id=none")  # the same bytes for the same sources
    try:
        done = subprocess.run([*command, *map(str, sources)], capture_output=True, text=True, check=False)
    except OSError as error:
        raise ValueError(f"the C compiler {compiler} cannot be run: {error.strerror}") from None
    if done.returncode:
        first = (done.stderr.strip().splitlines() or ["no reason is given"])[0]
        raise ValueError(f"the C compiler {compiler} failed: {first}")
