"""What users write: type checkers must take all of it, and know what comes out. Read, never run."""

import functools
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any, assert_type

import numpy as np
from matplotlib.figure import Figure
from numpy.typing import NDArray

import continuarm as ca
import continuarm.learning
from continuarm.export import casadi_functions, export_c, export_casadi, export_fmu, export_ros2

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
assert_type(ca.muscle_stiffness(arm, [0.0] * 9, [0.0] * 9), Floats)
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
    arm.page(Path("arm.html"))
    with motion.view(block=False) as viewer:
        viewer.wait()
    ca.save_motion(motion, "run.nc")
ca.simulate(arm, duration=1, start="equilibrium", output=Path("run.nc"), progress=print, solver=ca.Adaptive(rtol=1e-8))
assert_type(ca.load_motion("run.nc"), ca.Motion)
assert_type(ca.mode_motion(arm, 2, wrench=[0, 0, 0, 1, 0, 0], amplitude=0.01), ca.Motion)

# Many points
swept = ca.sweep(arm, {"stiffness": [1500, 1700], "sections[0].mass": np.linspace(0.1, 0.2, 5)}, duration=1)
with ProcessPoolExecutor() as pool:
    ca.sweep(
        hold, {"t": [0.0, 1.0]}, executor=pool, output=Path("sweep.nc"), progress=lambda share, words: None, seed=0
    )

# Control
control = ca.PredictiveControl(
    arm, nodes=10, weights=ca.PredictiveWeights(position=1e-3), obstacles=[ca.Sphere([0, 0, 1], 0.1)]
)
for reference in (ca.Point([0.1, 0.0, 0.4]), ca.Circle(0.05, 4.0, [0, 0, 0.5]), ca.Sampled([0, 1], np.zeros((2, 3)))):
    assert_type(control.command(0.0, np.zeros(20), reference), Floats)
assert_type(control.plan.status, str)
observer = ca.Observer(arm, {"payload.mass": 0.05}, force_noise=0.1)
observer.advance(0.1, [2e5] * 9)
observer.measure(0.08, ca.PressureReading("l11", [2e5], sigma=1e3))
assert_type(observer.estimate.parameters["payload.mass"], float)
assert_type(observer.estimated_arm, ca.Arm)

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

# Elsewhere
assert_type(export_c(arm, "arm_c", name="arm", step=1e-3), list[Path])
assert_type(export_fmu(arm, "arm.fmu", version="3.0"), Path)
assert_type(export_casadi(arm, "arm_casadi"), list[Path])
casadi_functions(arm, step=1e-3).implicit_step.jacobian()
assert_type(export_ros2(arm, Path("arm_ros2")), list[Path])

# Other processes, errors
with ProcessPoolExecutor() as pool:
    assert_type(pool.submit(ca.forward_dynamics, arm, q, q, q).result(), Floats)
    for each in pool.map(functools.partial(ca.simulate, arm, duration=1.0), [ca.PressureSteps({})]):
        assert_type(each, ca.Motion)

# Many arms, and environments to learn in
batch = ca.Batch(ca.vary(arm, stiffness=[1600.0, 1700.0]), which=[0, 1, 1])
batch.step(np.zeros(9), count=10, wrench=[0, 0, 0, 0.1, 0, 0])
batch.reset([True, False, False], which=[1, 1, 1])
assert_type(batch.which, NDArray[np.intp])
envs = continuarm.learning.ArmVectorEnv("reach", 4, arm=arm, randomize={"stiffness": 50.0}, tolerance=0.02)
assert_type(envs.reset(seed=1)[0], NDArray[np.float32])
assert_type(continuarm.learning.ArmEnv(continuarm.learning.Hold(push=0.1)).motion(), ca.Motion)
assert_type(continuarm.learning.randomized_arms(arm, "error bars"), ca.Arms)

try:
    ca.load_arm("prototyp")
except ca.DescriptionError as error:
    assert_type(error.args[0], Any)

# From a target for the tip to pressures
posture = ca.inverse_kinematics(arm, [0.1, 0.0, 0.4], prefer="energy", at=(2, 0.5))
assert_type(posture, ca.Postures)
assert_type(posture.q, Floats)
assert_type(ca.reachable(arm, 1000), ca.Workspace)
assert_type(ca.muscle_pressures(arm, posture.q, [0.0] * 9, np.zeros(9), highest=7e5), ca.MusclePressures)
circle = ca.Circle(radius=0.05, period=4, centre=[0, 0, 0.5])
assert_type(circle.at(np.linspace(0, 4, 9)).velocity, Floats)
closed = ca.loop(ca.ComputedTorque(arm, bandwidth=20, highest=6e5), ca.InMuscles(arm, circle), rate=500)
assert_type(closed, ca.Loop)
assert_type(ca.simulate(arm, closed, duration=4), ca.Motion)
assert_type(
    ca.simulate(arm, ca.loop(ca.LQR(arm, posture.q), ca.Point(posture.q, space="muscles")), duration=1), ca.Motion
)
assert_type(ca.simulate(arm, closed, duration=4).followed, dict[str, Floats])
