"""What users write: type checkers must take all of it, and know what comes out. Read, never run."""

import functools
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any, assert_type

import numpy as np
from matplotlib.figure import Figure
from numpy.typing import NDArray

import continuarm as ca

Floats = NDArray[np.float64]

# An arm: numbers as lists, tuples or arrays
section = ca.Section(length=0.15, radius=0.0125, mass=0.1, stiffness=1700, damping=[110, 110, 110.0])
stiff = ca.Section(
    length=1, radius=np.float64(0.02), mass=0.1, stiffness=np.diag([1.0, 2.0, 3.0]), hysteresis=(1, 2, 0.5)
)
four = ca.Muscles(angles=[0, np.pi / 2, np.pi, 3 * np.pi / 2], radii=np.full(4, 0.0125))
arm = ca.Arm(
    name="trunk",
    sections=[section.replace(twist=1.0), *[stiff] * 2],
    inertia=ca.CentreOfGravity(beta_linear=[1.3, 1.5, 1.8]),
    gravity=[0, 0, 9.81],
    payload=ca.Payload(mass=0.05, offset=np.zeros(3)),
)
assert_type(section, ca.Section)
assert_type(section.length, float)
assert_type(section.muscles, ca.Muscles | None)
assert_type(section.length_range, tuple[float, float] | None)
assert_type(section.stiffness_matrix, Floats)
assert_type(arm.replace(gravity=(0, 0, -9.81)), ca.Arm)
assert_type(arm.sections, tuple[ca.Section, ...])
assert_type(arm.n, int)
assert_type(arm.muscle_forces([2.0] * 9), Floats)
assert_type(ca.load_arm(Path("trunk.toml")), ca.Arm)
assert_type(ca.arm_names(), list[str])
assert_type(ca.arm_schema(), dict[str, Any])
ca.save_arm(arm, "trunk.toml")

# Quantities: one state, a batch, the reference
q, qd = np.zeros(9), np.zeros((100, 9))
assert_type(ca.forward_dynamics(arm, q, qd, [2.0] * 9), Floats)
assert_type(ca.inverse_dynamics(arm, q, qd, 0 * q, engine="reference"), Floats)
assert_type(ca.mass_matrix(arm, q, threads=2), Floats)
assert_type(ca.potential_energy(arm, q), Floats)
assert_type(ca.poses_along(arm, q, [0, 0.5, 1]), Floats)
assert_type(ca.backbone(arm, q, points=20), Floats)
A, B = ca.linearization(arm, q, q, q)
assert_type(A, Floats)
q, v = ca.implicit_step(arm, q, q, q, 1e-3)
assert_type(v, Floats)

# Rest
assert_type(ca.equilibrium(arm, wrench=[0, 0, 0, 1, 0, 0]), Floats)
found = ca.equilibria(arm, np.zeros((3, 9)))
assert_type(found, ca.Equilibria)
assert_type(found.converged.all(), np.bool_)
assert_type(ca.natural_frequencies(arm), Floats)
assert_type(ca.vibrations(arm).damping_ratios, Floats)


# Motion
def hold(t: float, q: Floats, qd: Floats) -> Floats:
    return 2e5 + 1e6 * (0.02 - q)


for drive in (
    ca.PressureSteps({"l33": [(0, 600), (3.2, 500)]}),
    ca.PressureSignal([0, 1], np.ones((2, 9)), linear=False),
    ca.PressureSignal.read("run.csv", arm),
    ca.ForceSignal(np.linspace(0, 1, 3), np.ones((3, 9))),
    ca.Controller(hold, rate=100),
    ca.Controller(lambda t, q, qd: [0.0] * 9, rate=100, gives="forces"),
    None,
):
    motion = ca.simulate(
        arm, drive, duration=1, wrench=ca.WrenchSignal([0], [[0.0] * 6]), solver=ca.FixedStep(rate=2e3)
    )
    assert_type(motion, ca.Motion)
    assert_type(motion.tips, Floats)
    assert_type(motion.energies["kinetic"], Floats)
    assert_type(motion.stopped, str)
    assert_type(motion.plot(), Figure)
    with motion.view(block=False) as viewer:
        viewer.wait()
    ca.save_motion(motion, "run.nc")
ca.simulate(arm, duration=1, start="equilibrium", output=Path("run.nc"), progress=print, solver=ca.Adaptive(rtol=1e-8))
assert_type(ca.load_motion("run.nc"), ca.Motion)
assert_type(ca.mode_motion(arm, 2, wrench=[0, 0, 0, 1, 0, 0], amplitude=0.01), ca.Motion)

# Identification
tip = ca.TipPosition(3, np.zeros((2, 3)), sigma=1e-3)
run = ca.Recording("run", None, np.arange(2.0), [tip, ca.MuscleLength("l11", np.zeros(2))], start="hanging")
runs = [ca.read_recording("run1.csv", arm, sigma={"tips": 1e-3}), ca.simulated_recording(arm, run, seed=1), run]
runs.append(ca.Recording.table("rest", [ca.TipOrientation(3, np.zeros((2, 4)))], arm=arm, pressures=np.zeros((2, 9))))
fit = ca.identify(arm, runs, ["stiffness", ca.Free("dead_zone", bounds=(5e4, 2e5))], progress=lambda share, words: None)
assert_type(fit, ca.Identification)
assert_type(fit.arm, ca.Arm)
assert_type(fit["stiffness"].value, float)
judged = ca.validate(fit.arm, runs, threads=2, progress=lambda share, words: None)
assert_type(judged, ca.Validation)
assert_type(judged["run"]["tip 3"].rms, float)
assert_type(fit["stiffness"].interval, tuple[float, float])
ca.write_recording(run, fit.arm, "run.csv")

# Other processes, errors
with ProcessPoolExecutor() as pool:
    assert_type(pool.submit(ca.forward_dynamics, arm, q, q, q).result(), Floats)
    for each in pool.map(functools.partial(ca.simulate, arm, duration=1.0), [ca.PressureSteps({})]):
        assert_type(each, ca.Motion)
try:
    ca.load_arm("prototyp")
except ca.DescriptionError as error:
    assert_type(error.args[0], Any)
