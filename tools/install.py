"""Installs the package and its tools into this environment, in the exact versions of the lock.

    python tools/install.py              # the package, editable, and what it runs and builds with: locks/run.txt
    python tools/install.py dev          # what tests, checks and pages need: locks/dev.txt
    python tools/install.py torch        # the CPU build of torch, with what its tests need; not in the lock
    python tools/install.py all-sets     # the package again, compiled for every instruction set
    python tools/install.py system       # programs that tests call, by apt-get; needs no package of Python
    python tools/install.py lock         # resolves the locks again

--latest takes the newest releases that pyproject.toml allows in place of the locks; --cuda takes the registry's
build of torch, with its gigabytes of CUDA libraries, where there is no CPU build. pip either is silent while it
compiles or prints everything: here progress takes one line, and everything is printed only after a failure.
"""

from __future__ import annotations

import os
import platform
import re
import shutil
import subprocess
import sys
import time
import tomllib
from pathlib import Path

ROOT = Path(__file__).parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
LOCKS = {"run": [], "dev": ["dev", "docs"]}
"""Extras in each lock, beside the package's own requirements and those of its build."""

BUILD = [*PROJECT["build-system"]["requires"], "cmake>=3.19", "ninja>=1.10"]
"""Installed beside the package, because an isolated build would fetch whatever is newest."""

TORCH_CPU = ["torch==2.13.0+cpu", "--index-url", "https://download.pytorch.org/whl/cpu", "--retries", "1"]
TORCH_TESTS = "stable-baselines3>=2.7"

TOOLS = {
    "arm-none-eabi-gcc": "gcc-arm-none-eabi libnewlib-arm-none-eabi",
    "chromium": "chromium",
    "clang": "clang",
    "cmake": "cmake",
    "cppcheck": "cppcheck",
    "g++": "g++",
    "gcc": "gcc",
    "node": "nodejs",
    "qemu-system-arm": "qemu-system-arm",
    "valgrind": "valgrind",
}
"""Programs that tests call, with the Debian packages that have them."""

OTHER_NAMES = {"chromium": ["chromium-browser", "google-chrome"], "g++": ["c++", "clang++"], "gcc": ["cc"]}
COMPILED = re.compile(r"\[(\d+)/(\d+)\]")


def main(arguments: list[str]) -> int:
    """Installs one part and returns the exit code of pip."""
    options = {argument for argument in arguments if argument.startswith("--")}
    (part,) = [argument for argument in arguments if argument not in options] or ["run"]
    if part in ("lock", "system"):
        return lock() if part == "lock" else install_tools()
    began = time.monotonic()
    show(f"fetching {part if part != 'run' else 'what continuarm needs'}")
    code = install(part, options)
    if not code:
        show(f"{part} installed in {time.monotonic() - began:.0f} s")
        print(end="\n" if sys.stdout.isatty() else "")
    return code


def install(part: str, options: set[str]) -> int:
    """Installs one part and returns the exit code of pip."""
    if part == "torch":
        return install_torch("--cuda" in options)
    if part == "all-sets":
        return install_package("--config-settings=cmake.define.CONTINUARM_INSTRUCTION_SETS=all")
    if "--latest" in options:
        code = pip("--upgrade", "--upgrade-strategy", "eager", *requirements(part))
    else:
        code = pip("--require-hashes", "-r", str(ROOT / "locks" / f"{part}.txt"))
    return code or (install_package() if part == "run" else 0)


def install_package(*settings: str) -> int:
    """Compiles the package, editable, with the tools that are installed."""
    return pip("--verbose", "--no-deps", "--no-build-isolation", *settings, "--editable", str(ROOT))


def install_torch(cuda: bool) -> int:
    """Installs torch and what its tests need; nothing else moves, and no CUDA library comes unless asked for."""
    cpu = sys.platform == "linux" and platform.machine() == "x86_64"
    registry = ["torch"] if cuda or not cpu else []  # elsewhere the registry's build is the one for CPUs
    if cpu and not pip(*TORCH_CPU, "--no-deps", "--quiet", needed=False):
        registry = ["torch==2.13.0"]
    if not registry:
        print(
            "\nno CPU build of torch 2.13.0 could be found for this Python; "
            "make test-torch CUDA=1 takes the registry's build, several gigabytes with its CUDA libraries"
        )
        return 1
    return pip(*registry, TORCH_TESTS)


def find_tool(name: str) -> str | None:
    """Finds a program of `TOOLS`, under any of its names."""
    return next(filter(None, map(shutil.which, [name, *OTHER_NAMES.get(name, [])])), None)


def install_tools() -> int:
    """Installs the missing programs; returns 1, and names them with their packages, if any is missing afterwards."""
    packages = [package for name in TOOLS if not find_tool(name) for package in TOOLS[name].split()]
    if packages and shutil.which("apt-get"):
        admin = ["sudo"] if os.geteuid() and shutil.which("sudo") else []
        environment = {"DEBIAN_FRONTEND": "noninteractive", **os.environ}
        for words in (["update"], ["install", "--yes", "--no-install-recommends", *packages]):
            command = [*admin, "apt-get", "--quiet", *words]
            subprocess.run(command, env=environment, stdin=subprocess.DEVNULL, capture_output=True, check=False)
    missing = [name for name in TOOLS if not find_tool(name)]
    if missing:
        needed = " ".join(TOOLS[name] for name in missing)
        print(f"tests need {', '.join(missing)}, which could not be installed: apt-get install {needed}")
    return 1 if missing else 0


def requirements(part: str) -> list[str]:
    """Lists what a lock resolves, as pyproject.toml has it."""
    extras = PROJECT["project"]["optional-dependencies"]
    return [*BUILD, *PROJECT["project"]["dependencies"], *(each for extra in LOCKS[part] for each in extras[extra])]


def lock() -> int:
    """Resolves both locks for every supported Python and system, the small one to the versions of the large one."""
    for part, constraints in (("dev", []), ("run", ["--constraint", "locks/dev.txt"])):
        command = ["uv", "pip", "compile", "-", "--output-file", f"locks/{part}.txt", "--upgrade", "--quiet"]
        command += ["--universal", "--python-version", "3.11", "--generate-hashes", "--no-annotate"]
        command += ["--custom-compile-command", "make lock", *constraints]
        text = "\n".join(requirements(part))
        code = subprocess.run(
            [sys.executable, "-m", *command], input=text, cwd=ROOT, text=True, stdout=subprocess.DEVNULL
        ).returncode
        if code:
            return code
    return 0


def pip(*arguments: str, needed: bool = True) -> int:
    """Runs pip install and returns its exit code; prints what it said if it failed and was needed."""
    command = [sys.executable, "-m", "pip", "--disable-pip-version-check", "install", *arguments]
    lines = []
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, encoding="utf-8", errors="replace"
    ) as process:
        assert process.stdout is not None
        for line in process.stdout:
            lines.append(line)
            count = COMPILED.search(line)
            if count:
                show(f"compiling the dynamics: {count[1]} of {count[2]} files")
    if process.returncode and needed:
        print("\n" + "".join(lines[-200:]))
        print("continuarm could not be installed: the lines above say why (a C++17 compiler is needed)")
    return process.returncode


def show(text: str) -> None:
    """Prints progress: in place on a terminal, line by line elsewhere."""
    print(f"\r\x1b[K{text}" if sys.stdout.isatty() else text, end="" if sys.stdout.isatty() else "\n", flush=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
