"""Installs the package into this environment and shows how far the compiler is.

    python tools/install.py [--editable] [EXTRA]

pip is silent while it compiles, or tells everything. Here the compiler's own count is shown in one line, and everything
only where something fails.
"""

from __future__ import annotations

import re
import subprocess
import sys
import time

BUILDING = re.compile(r"\[(\d+)/(\d+)\]")


def main(arguments: list[str]) -> int:
    """The exit code of pip."""
    extras = [each for each in arguments if not each.startswith("-")]
    target = f".[{','.join(extras)}]" if extras else "."
    editable = ["--editable"] if "--editable" in arguments else []
    command = [sys.executable, "-m", "pip", "--disable-pip-version-check", "install", "--verbose", *editable, target]
    began, told = time.monotonic(), []
    show("fetching what continuarm needs")
    pipe, same = subprocess.PIPE, subprocess.STDOUT
    with subprocess.Popen(command, stdout=pipe, stderr=same, encoding="utf-8", errors="replace") as pip:
        assert pip.stdout is not None
        for line in pip.stdout:
            told.append(line)
            found = BUILDING.search(line)
            if found:
                show(f"compiling the dynamics: {found[1]} of {found[2]} files")
    seconds = time.monotonic() - began
    if pip.returncode:
        print("\n" + "".join(told[-200:]))
        print("continuarm could not be installed: the lines above say why (a C++17 compiler is needed)")
    else:
        show(f"installed in {seconds:.0f} s")
        print()
    return pip.returncode


def show(text: str) -> None:
    """In place where somebody watches, line by line elsewhere."""
    print(f"\r\x1b[K{text}" if sys.stdout.isatty() else text, end="" if sys.stdout.isatty() else "\n", flush=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
