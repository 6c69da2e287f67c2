"""A step of the page that simulates an arm: V8, which is in node as in Chromium, beside compiled code."""

from __future__ import annotations

import contextlib
import json
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from continuarm.arms.arm import Arm
from continuarm.arms.arm_file import load_arm
from continuarm.benchmarks.groups import Workload
from continuarm.benchmarks.timing import Group, Task, best, calls
from continuarm.dynamics.plant import Plant
from continuarm.engine.native_arm import native_plant
from continuarm.export.simulated_plant import plant_script, simulated_plant
from continuarm.viewer.live import RATE

ARMS = {"n = 3": "prototype", "n = 10": "ten-sections"}
PRESSURE = 3e5
"""Pa, in every muscle."""
TIMED = """
const plant = new Plant(NUMBERS);
plant.m.fill(PRESSURE, plant.commands, plant.commands + plant.muscleCount);
require("readline").createInterface({ input: process.stdin }).on("line", (count) => {
  const begun = process.hrtime.bigint();
  for (let k = 0; k < Number(count); k++) plant.step();
  console.log(Number(process.hrtime.bigint() - begun) / 1e9);
});
"""


def measure_pages(work: Workload) -> Group:
    """Implicit steps of 1 ms in JavaScript and in compiled code, called from Python."""
    group = Group("One implicit step of an arm on a page, in JavaScript")
    node = shutil.which("node")
    if node is None:
        group.add("node", None, "", "node, which runs JavaScript, is not installed")
        return group
    with contextlib.ExitStack() as running:
        tasks = {}
        for size, name in ARMS.items():
            arm = load_arm(name)
            tasks[f"JavaScript, {size}"] = running.enter_context(_in_node(node, arm))
            tasks[f"compiled, {size}"] = _compiled(arm)
        group.times(best(tasks, work))
    for size in ARMS:
        group.ratio(f"JavaScript / compiled, {size}", f"JavaScript, {size}", f"compiled, {size}")
    return group


@contextlib.contextmanager
def _in_node(node: str, arm: Arm) -> Iterator[Task]:
    plant = Plant(arm)
    numbers = simulated_plant(plant, plant.first_state(np.zeros(3 * arm.n)), 1 / RATE)
    given = f"const NUMBERS = {json.dumps(numbers)}, PRESSURE = {PRESSURE};\n"
    pipe = subprocess.PIPE
    with contextlib.ExitStack() as opened:
        script = Path(opened.enter_context(tempfile.TemporaryDirectory())) / "page.js"
        script.write_text(plant_script(plant) + given + TIMED, encoding="utf-8")
        run = opened.enter_context(subprocess.Popen([node, str(script)], stdin=pipe, stdout=pipe, text=True))
        assert run.stdin is not None
        assert run.stdout is not None
        asked, told = run.stdin, run.stdout

        def task(count: int) -> float:
            asked.write(f"{count}\n")
            asked.flush()
            return float(told.readline())

        yield task
        asked.close()


def _compiled(arm: Arm) -> Task:
    plant = Plant(arm)
    native = native_plant(plant, 1 / RATE)
    state, commands = plant.first_state(np.zeros(3 * arm.n)), np.zeros(plant.commands.width)
    plant.commands.split(commands).pressures[:] = PRESSURE
    return calls(lambda: native.step(commands, 1 / RATE, state))
