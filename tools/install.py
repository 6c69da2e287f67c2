"""Installs the package and its tools into this environment, in the exact versions of the locks.

    python tools/install.py              # the package, editable, and what it needs to run and to build: locks/run.txt
    python tools/install.py dev          # what tests, linters and pages need: locks/dev.txt
    python tools/install.py torch        # the CPU build of torch, with what its tests need; not in the locks
    python tools/install.py all-sets     # the package again, compiled for every instruction set
    python tools/install.py system       # the programs that tests call, with apt-get
    python tools/install.py lock         # resolves the locks again

pip either is silent while it compiles or prints everything: here progress takes one line, and the output of pip is
printed only after a failure.
"""

from __future__ import annotations

import argparse
import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

if sys.version_info < (3, 11):  # noqa: UP036  # or the next import is a traceback
    sys.exit("continuarm needs Python 3.11 or newer")
import tomllib

ROOT = Path(__file__).parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
LOCKS = {"run": [], "dev": ["dev", "docs"]}
"""Extras in each lock, beside the package's own requirements and those of its build."""

BUILD = [*PROJECT["build-system"]["requires"], "cmake>=3.19", "ninja>=1.10"]
"""Installed beside the package, because an isolated build would fetch whatever is newest."""

TORCH_CPU = ["torch==2.13.0+cpu", "--index-url", "https://download.pytorch.org/whl/cpu", "--retries", "1"]
TORCH_TESTS = ["stable-baselines3==2.9.2", "networkx==3.6.1", "sympy==1.14.0"]
"""With the locks, exact versions of everything beside torch."""

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


def main() -> int:
    """Installs one part and returns the exit code."""
    formatter = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=formatter)
    parser.add_argument("part", nargs="?", default="run", choices=["run", "dev", "torch", "all-sets", "system", "lock"])
    parser.add_argument("--latest", action="store_true", help="install the newest releases instead of the locks")
    parser.add_argument("--cuda", action="store_true", help="torch: allow the CUDA build (several GB)")
    options = parser.parse_args()
    if options.part == "system":
        return install_tools()
    if sys.prefix == sys.base_prefix:
        print("this Python is not a virtual environment: use make, or .venv/bin/python tools/install.py")
        return 2
    if options.part == "lock":
        return lock()
    began = time.monotonic()
    labels = {"run": "continuarm", "dev": "the development tools", "all-sets": "every instruction set"}
    label = labels.get(options.part, options.part)
    show(f"downloading {label}")
    code = install(options.part, options.latest, options.cuda)
    if not code:
        show(f"installed {label} in {time.monotonic() - began:.0f} s")
        print(end="\n" if sys.stdout.isatty() else "")
    return code


def install(part: str, latest: bool, cuda: bool) -> int:
    """Installs one part and returns the exit code of pip."""
    if part == "torch":
        return install_torch(cuda)
    if part == "all-sets":
        return install_package("--config-settings=cmake.define.CONTINUARM_INSTRUCTION_SETS=all")
    if latest:
        code = pip("--upgrade", "--upgrade-strategy", "eager", *requirements(part))
    else:
        code = pip("--require-hashes", "-r", str(ROOT / "locks" / f"{part}.txt"))
    return code or (install_package() if part == "run" else 0)


def install_package(*settings: str) -> int:
    """Compiles the package, editable, with the tools that are installed."""
    return pip("--verbose", "--no-deps", "--no-build-isolation", *settings, "--editable", str(ROOT))


def install_torch(cuda: bool) -> int:
    """Installs torch and what its tests need, beside the locked versions of everything else."""
    cpu = sys.platform == "linux" and platform.machine() == "x86_64"
    torch = "torch" if cuda or not cpu else None  # elsewhere the registry's build is the one for CPUs
    if cpu:
        code, _ = run_pip(*TORCH_CPU, "--no-deps", "--quiet")
        torch = torch if code else "torch==2.13.0"
        if torch is None:
            print(
                f"\n{TORCH_CPU[0]} could not be downloaded: {TORCH_CPU[2]} has no build for Python "
                f"{platform.python_version()} or cannot be reached; "
                "make test-torch CUDA=1 allows PyPI's build (several GB)"
            )
            return 1
    assert torch is not None
    with tempfile.TemporaryDirectory() as folder:
        constraints = Path(folder) / "constraints.txt"
        locked = (ROOT / "locks" / "dev.txt").read_text(encoding="utf-8")
        pinned = re.findall(r"^[\w.-]+==[^\\\n]*", locked, re.MULTILINE)
        constraints.write_text("\n".join(pinned), encoding="utf-8")
        return pip(torch, *TORCH_TESTS, "--constraint", str(constraints))


def find_tool(name: str) -> str | None:
    """Finds a program of `TOOLS`, under any of its names."""
    return next(filter(None, map(shutil.which, [name, *OTHER_NAMES.get(name, [])])), None)


def install_tools() -> int:
    """Installs the missing programs; returns 1, and names them with their packages, if any is missing afterwards."""
    packages = [package for name in TOOLS if not find_tool(name) for package in TOOLS[name].split()]
    if packages and shutil.which("apt-get"):
        admin = ["sudo"] if os.geteuid() and shutil.which("sudo") else []
        environment = {"DEBIAN_FRONTEND": "noninteractive", **os.environ}
        install = ["install", "--yes", "--no-install-recommends"]
        for words in (["update"], *([*install, package] for package in packages)):  # one that fails stops no other
            command = [*admin, "apt-get", "--quiet", *words]
            process = subprocess.run(command, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True)
            if process.returncode:
                print("\n".join(process.stderr.splitlines()[-2:]))
    missing = [name for name in TOOLS if not find_tool(name)]
    if missing:
        needed = " ".join(TOOLS[name] for name in missing)
        print(f"tests need {', '.join(missing)}, which could not be installed: apt-get install {needed}")
    return 1 if missing else 0


def requirements(part: str) -> list[str]:
    """Lists what a lock resolves, as pyproject.toml has it."""
    extras = PROJECT["project"]["optional-dependencies"]
    return [*BUILD, *PROJECT["project"]["dependencies"], *(name for extra in LOCKS[part] for name in extras[extra])]


def lock() -> int:
    """Resolves both locks for every supported Python and system, the small one to the versions of the large one."""
    code = pip("uv>=0.9")
    if code:
        return code
    # The certificates and the index of pip, which uv would not look for.
    index = {"UV_DEFAULT_INDEX": os.environ["PIP_INDEX_URL"]} if "PIP_INDEX_URL" in os.environ else {}
    environment = {**os.environ, "UV_SYSTEM_CERTS": "1", **index}
    for part, constraints in (("dev", []), ("run", ["--constraint", "locks/dev.txt"])):
        command = ["uv", "pip", "compile", "-", "--output-file", f"locks/{part}.txt", "--upgrade", "--quiet"]
        command += ["--universal", "--python-version", "3.11", "--generate-hashes", "--no-annotate"]
        command += ["--custom-compile-command", "make lock", *constraints]
        text = "\n".join(requirements(part))
        code = subprocess.run(
            [sys.executable, "-m", *command],
            input=text,
            cwd=ROOT,
            env=environment,
            text=True,
            stdout=subprocess.DEVNULL,
        ).returncode
        if code:
            return code
        pins = re.findall(r"^\S+==", (ROOT / "locks" / f"{part}.txt").read_text(encoding="utf-8"), re.MULTILINE)
        print(f"locks/{part}.txt: {len(pins)} versions")
    return 0


def pip(*arguments: str) -> int:
    """Runs pip install and returns its exit code; prints its output if it fails."""
    code, output = run_pip(*arguments)
    if code:
        print("\n" + "".join(output[-200:]))
        compiling = any(COMPILED.search(line) for line in output)
        hint = "a C++17 compiler is required" if compiling else "is the package index reachable?"
        print(f"pip failed; see its output above: {hint}")
    return code


def run_pip(*arguments: str) -> tuple[int, list[str]]:
    """Runs pip install, showing how far a compiler is; returns its exit code and its output by lines."""
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
    return process.returncode, lines


def show(text: str) -> None:
    """Prints progress: in place on a terminal, line by line elsewhere."""
    print(f"\r\x1b[K{text}" if sys.stdout.isatty() else text, end="" if sys.stdout.isatty() else "\n", flush=True)


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(130)
