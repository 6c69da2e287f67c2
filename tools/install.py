"""Installs the package into this environment and shows how far the compiler is.

    python tools/install.py           # the package, editable
    python tools/install.py dev       # what its extra "dev" names, without compiling again

pip is silent while it compiles, or tells everything. Here the compiler's own count is shown in one line, and everything
only where something fails.
"""

from __future__ import annotations

import platform
import re
import subprocess
import sys
import time
import tomllib
from pathlib import Path

PROCESSORS_ONLY = [
    "torch==2.13.0+cpu",
    "--no-deps",
    "--retries",
    "1",
    "--index-url",
    "https://download.pytorch.org/whl/cpu",
]
"""torch for Linux without its gigabytes for graphics processors, which what PyPI has would bring; the rest finds it.
Where it cannot be had PyPI's is taken."""

BUILDING = re.compile(r"\[(\d+)/(\d+)\]")
PROJECT = Path(__file__).parent.parent / "pyproject.toml"


def main(extras: list[str]) -> int:
    """The exit code of pip."""
    known = tomllib.loads(PROJECT.read_text(encoding="utf-8"))["project"]["optional-dependencies"]
    wanted = [each for extra in extras for each in known[extra]] or ["--verbose", "--editable", str(PROJECT.parent)]
    began = time.monotonic()
    show(f"fetching what continuarm needs{' for ' + ', '.join(extras) if extras else ''}")
    linux = sys.platform == "linux" and platform.machine() == "x86_64"
    if linux and any(each.startswith("torch") for each in wanted):
        installed(PROCESSORS_ONLY, needed=False)
    code = installed(wanted)
    if not code:
        show(f"installed in {time.monotonic() - began:.0f} s")
        print(end="\n" if sys.stdout.isatty() else "")
    return code


def installed(wanted: list[str], needed: bool = True) -> int:
    """The exit code of pip for some packages or options; all that it said where it failed and they are needed."""
    command = [sys.executable, "-m", "pip", "--disable-pip-version-check", "install", *wanted]
    told = []
    pipe, same = subprocess.PIPE, subprocess.STDOUT
    with subprocess.Popen(command, stdout=pipe, stderr=same, encoding="utf-8", errors="replace") as pip:
        assert pip.stdout is not None
        for line in pip.stdout:
            told.append(line)
            found = BUILDING.search(line)
            if found:
                show(f"compiling the dynamics: {found[1]} of {found[2]} files")
    if pip.returncode and needed:
        print("\n" + "".join(told[-200:]))
        print("continuarm could not be installed: the lines above say why (a C++17 compiler is needed)")
    return pip.returncode


def show(text: str) -> None:
    """In place where somebody watches, line by line elsewhere."""
    print(f"\r\x1b[K{text}" if sys.stdout.isatty() else text, end="" if sys.stdout.isatty() else "\n", flush=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
