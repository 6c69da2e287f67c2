"""What exported C takes on a Cortex-M7: instructions, flash, RAM and stack, as the table of `docs/how-to/run_in_c.md`.

    python tools/measure_cortex_m7.py [ARM ...]      prototype and ten-sections if left out

Needs arm-none-eabi-gcc with newlib, and qemu-system-arm (Debian: gcc-arm-none-eabi libnewlib-arm-none-eabi
qemu-system-arm). QEMU counts instructions (-icount shift=0: one takes a nanosecond of the emulated clock), not cycles.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from pathlib import Path

from continuarm import load_arm
from continuarm.export.c_files import CExport, write_files

BOARD = Path(__file__).parents[1] / "tests" / "export" / "cortex_m7"
COMPILER = ["arm-none-eabi-gcc", "-std=c99", "-O2", "-mcpu=cortex-m7", "-mthumb", "-mfpu=fpv5-d16", "-mfloat-abi=hard"]
EMULATOR = ["qemu-system-arm", "-M", "mps2-an500", "-nographic", "-icount", "shift=0"]
SEMIHOSTING = ["-semihosting-config", "enable=on,target=native"]
PER_TICK = 40
"""Nanoseconds, and so instructions, of a tick of the board's 25 MHz clock."""
TIMED = {
    "implicit_step": "commands, state, &work",
    "forward_dynamics": "state, &state[ARM_COORDINATES], tau, qdd, &work",
    "linearization": "state, &state[ARM_COORDINATES], tau, a, b, &derivatives",
}
PROGRAM = """
#include <stdio.h>
#include "arm.h"
#define SYST_CSR (*(volatile unsigned *)0xE000E010U)
#define SYST_RVR (*(volatile unsigned *)0xE000E014U)
#define SYST_CVR (*(volatile unsigned *)0xE000E018U)
static arm_workspace work;
static arm_derivative_workspace derivatives;
static arm_real commands[ARM_COMMANDS], state[ARM_STATE], tau[ARM_COORDINATES], qdd[ARM_COORDINATES];
static arm_real a[ARM_LINEAR_A], b[ARM_LINEAR_B];
int main(void)
{
    int wrong = 0;
    SYST_RVR = 0xFFFFFFU;
    SYST_CVR = 0U;
    SYST_CSR = 5U;
    for (int k = 0; k < ARM_MUSCLES; k++) commands[k] = (arm_real)3e5;
    for (int k = 0; k < ARM_COORDINATES; k++) tau[k] = (arm_real)(k % 3);
@CALLS@
    printf("workspace %u derivatives %u\\n", (unsigned)sizeof work, (unsigned)sizeof derivatives);
    return wrong;
}
"""
CALL = """    {{
        const unsigned begun = SYST_CVR;
        for (int k = 0; k < {count}; k++) wrong |= arm_{name}({operands});
        printf("{name} %u\\n", ((begun - SYST_CVR) & 0xFFFFFFU) * {tick}U / {count}U);
    }}"""


def run(*command: object, cwd: Path) -> str:
    """What a program prints."""
    return subprocess.run(list(map(str, command)), cwd=cwd, check=True, capture_output=True, text=True).stdout


def measured(name: str, number: str) -> dict[str, int]:
    """Every figure of an arm, for double or float."""
    flags = ["-DARM_FLOAT", "-fsingle-precision-constant"] if number == "float" else []
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        write_files(CExport(load_arm(name), name="arm").files(), folder)
        counts = {"implicit_step": 50, "forward_dynamics": 50, "linearization": 5}
        calls = [
            CALL.format(name=each, operands=operands, count=counts[each], tick=PER_TICK)
            for each, operands in TIMED.items()
        ]
        (folder / "main.c").write_text(PROGRAM.replace("@CALLS@", "\n".join(calls)), encoding="utf-8")
        run(*COMPILER, *flags, "-ffunction-sections", "-fstack-usage", "-c", "arm.c", cwd=folder)
        board = ["--specs=rdimon.specs", "-nostartfiles", "-T", BOARD / "mps2.ld", BOARD / "start.c"]
        run(*COMPILER, *flags, *board, "main.c", "arm.o", "-lm", "-o", "main.elf", cwd=folder)
        printed = run(*EMULATOR, *SEMIHOSTING, "-kernel", "main.elf", cwd=folder)
        found = {each: int(value) for each, value in re.findall(r"(\w+) (\d+)", printed)}
        for what, wanted in {"flash of implicit_step": ("implicit_step",), "flash of all three": tuple(TIMED)}.items():
            kept = [f"-Wl,-u,arm_{each}" for each in wanted]
            entry = ["-nostartfiles", "-Wl,--gc-sections", f"-Wl,-e,arm_{wanted[0]}", *kept]
            run(*COMPILER, *entry, "arm.o", "-o", "part.elf", cwd=folder)
            found[what] = int(run("arm-none-eabi-size", "part.elf", cwd=folder).splitlines()[1].split()[0])
        frames = [line.split("\t") for line in (folder / "arm.su").read_text(encoding="utf-8").splitlines()]
        for what, along in {"frame": False, "frame of derivatives": True}.items():
            found[what] = max(int(size) for place, size, _ in frames if ("_along" in place) == along)
    return found


def main() -> None:
    """Prints the table."""
    names = sys.argv[1:] or ["prototype", "ten-sections"]
    found = {name: {number: measured(name, number) for number in ("double", "float")} for name in names}
    print("| double / float | " + " | ".join(names) + " |")
    print("|---" * (1 + len(names)) + "|")
    for row in found[names[0]]["double"]:
        cells = (" / ".join(f"{numbers[row]:,}" for numbers in each.values()) for each in found.values())
        print(f"| {row} | {' | '.join(cells)} |")


if __name__ == "__main__":
    main()
