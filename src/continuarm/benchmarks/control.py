"""How fast targets become postures, and closed loops run."""

from __future__ import annotations

import numpy as np

from continuarm.arms.arm import Arm
from continuarm.arms.arm_file import load_arm
from continuarm.benchmarks.groups import Workload
from continuarm.benchmarks.timing import Group, Repeats, Task, best, calls
from continuarm.common.number_checks import Floats
from continuarm.control.controllers import ComputedTorque
from continuarm.control.figures import Circle
from continuarm.control.loops import loop
from continuarm.control.muscle_goals import InMuscles
from continuarm.control.postures import inverse_kinematics
from continuarm.engine.quantities import tip_poses
from continuarm.simulation.inputs import Controller, Input
from continuarm.simulation.simulator import simulate

DURATION = 4.0
"""s."""


def measure_control(work: Workload) -> Group:
    """Inverse kinematics of random reachable targets, on one thread; closed loops over real time."""
    group = Group("Control of the prototype arm, n = 3")
    arm, rng, few = load_arm("prototype"), np.random.default_rng(0), max(100, work.arms // 50)
    poses = tip_poses(arm, rng.uniform(0.0, 0.07, (work.arms, 9)))[:, -1]
    targets = poses[:, :3, 3]
    tasks: dict[str, Task] = {
        "a position": calls(lambda: inverse_kinematics(arm, targets, threads=1)),
        "a position, least energy": calls(lambda: inverse_kinematics(arm, targets[:few], prefer="energy", threads=1)),
        "a pose": calls(lambda: inverse_kinematics(arm, pose=poses[:few], threads=1)),
    }
    found = best(tasks, Repeats(repeats=min(3, work.repeats), seconds=0.01))
    met = inverse_kinematics(arm, targets, threads=1).reached.mean()
    for name, seconds in found.items():
        count = work.arms if name == "a position" else few
        group.add(f"inverse kinematics: {name}", 1e6 * seconds / count, "µs", f"each of {count:,} in a batch, 1 thread")
    group.add("positions met to 1e-9 m within the ranges", 100 * float(met), "%")
    circle = Circle(radius=0.05, period=4.0, centre=[0.0, 0.0, 0.53])
    slow = arm.replace({"sections[*].valve_lag": 0.05})
    path = InMuscles(arm, circle)
    loops: dict[str, Task] = {
        "computed torque, 1 kHz": _run(arm, loop(ComputedTorque(arm), path)),
        "computed torque, 1 kHz, 50 ms of valve lag": _run(slow, loop(ComputedTorque(slow), path)),
        "computed torque, 1 kHz, of the tip": _run(arm, loop(ComputedTorque(arm), circle)),
        "a Python function, 200 Hz": _run(arm, Controller(_towards, rate=200)),
    }
    for name, seconds in best(loops, Repeats(repeats=min(3, work.repeats), seconds=0.01)).items():
        group.add(f"closed loop: {name}", DURATION / seconds, "times real time")
    for name, moved in (("", arm), (", 50 ms of valve lag", slow)):
        motion = simulate(moved, loop(ComputedTorque(moved), circle), duration=DURATION)
        off = np.linalg.norm(motion.tips[:, -1] - circle.at(motion.t).position, axis=1)[motion.t > 2]
        group.add(f"circle of 50 mm in 4 s{name}: rms after 2 s", 1e3 * float(np.sqrt((off**2).mean())), "mm")
    return group


def _run(arm: Arm, input: Input) -> Task:
    return calls(lambda: simulate(arm, input, duration=DURATION))


def _towards(t: float, q: Floats, qd: Floats) -> Floats:
    """All muscles towards 20 mm."""
    return np.clip(2e5 + 1e7 * (0.02 - q), 0.0, 6e5)
