"""The native code under the address and undefined-behaviour sanitizers, on memory of exactly the right size."""

import subprocess
from pathlib import Path

import numpy as np
import pytest

from continuarm import Adaptive, FixedStep, Payload, PressureSteps, WrenchSignal, load_arm, simulate
from continuarm.dynamics.plant import Plant
from continuarm.engine import quantities
from continuarm.engine.compiled import native
from continuarm.engine.directions import Directions
from continuarm.engine.native_arm import arm_numbers, plant_numbers
from continuarm.engine.table import QUANTITIES
from continuarm.simulation.solvers import _tolerances
from gate import tool
from random_arms import MODELS, random_arm, random_lengths, random_rates

pytestmark = pytest.mark.exhaustive  # compiles the native code

HERE = Path(__file__).parent
NATIVE = Path(__file__).parents[2] / "src" / "continuarm" / "engine" / "native"
SOURCES = ("kernels", "derivatives", "sensitivities")
"""What is compiled once for every instruction set; of these, motions alone run the sensitivities."""
FLAGS = {"baseline": [], "avx2": ["-mavx2", "-mfma"], "avx512": ["-mavx512f", "-mfma"]}
WIDEST = native.build_info()["instruction_sets"][-1]


def flat_rows(*parts):
    """Numbers as the programs read them: every part with its length before it."""
    flattened = [np.asarray(part, dtype=float).ravel() for part in parts]
    return [np.concatenate([[len(part)], part]) for part in flattened]


def arm_rows(arm):
    sections, integral, gravity, base_frame, mass, offset, stops = arm_numbers(arm)
    return flat_rows([arm.n, integral, len(stops[0])], sections, gravity, base_frame, [mass], offset, stops)


def numbers_of(rng, n, model, rows):
    """An arm, some states, and every quantity of them."""
    arm = random_arm(rng, n, model)
    stopped = [each.replace(length_range=(-0.02, 0.03), stop_stiffness=1e4) for each in arm.sections]
    arm = arm.replace(sections=stopped)
    q = np.stack([random_lengths(rng, arm, bend=2.0) for _ in range(rows)])
    qd, third = (np.stack([random_rates(rng, arm) for _ in range(rows)]) for _ in range(2))
    wrench = rng.normal(size=(rows, 6))
    states = {"q": q, "qd": qd, "qdd": third, "tau": third, "wrench": wrench}
    yield from arm_rows(arm)
    yield from flat_rows([rows])
    for name, quantity in QUANTITIES.items():
        given = [states[each] for each in quantity.inputs]
        extra = {"xi": [[0.0, 0.3, 1.0]], "step": [1e-4], "": []}[quantity.argument]
        found = getattr(quantities, name)(arm, *given, *extra, engine="reference")
        if isinstance(found, tuple):
            found = np.concatenate([part.reshape(rows, -1) for part in found], axis=1)
        yield from flat_rows(*given, found)


def compiled(made, level, sanitizer, *given):
    """An object file or a program with a sanitizer that ends it at the first fault; without one, compiled fast."""
    options = ["-std=c++17", "-ffp-contract=off", *FLAGS[level], f"-DCONTINUARM_LEVEL={level}"]
    options += [f"-DKERNELS=kernels_{level}", "-DCONTINUARM_FIRST_LEVEL", f"-I{NATIVE}"]
    options += ["-O1", f"-fsanitize={sanitizer}", "-fno-sanitize-recover=all"] if sanitizer else ["-O0"]
    compiler = tool("g++")
    if "Free Software Foundation" in subprocess.run([compiler, "--version"], capture_output=True, text=True).stdout:
        options += ["-Wno-psabi", "--param", "asan-instrumentation-with-call-threshold=0"]  # compiles in half the time
    subprocess.run([compiler, *options, *["-c"] * (made.suffix == ".o"), *given, "-o", made], check=True)
    return made


def object_files(folder, level, sanitizers):
    """What programs are linked with: each of the sources with its sanitizer."""
    return [
        compiled(folder / f"{name}.o", level, sanitizer, NATIVE / f"{name}.cpp")
        for name, sanitizer in zip(SOURCES, sanitizers, strict=True)
    ]


@pytest.fixture(scope="module")
def baseline(tmp_path_factory):
    """The native code that every processor runs, compiled once for both programs."""
    return object_files(tmp_path_factory.mktemp("baseline"), "baseline", ["address,undefined"] * 3)


def compare_quantities(folder, level, sanitizer, objects):
    rng = np.random.default_rng(0)
    cases = [(1, MODELS[0], 1), (1, MODELS[1], 9), (3, MODELS[0], 11), (4, MODELS[2], 3)]
    numbers = [*flat_rows([len(cases)]), *(part for case in cases for part in numbers_of(rng, *case))]
    data = folder / "cases.bin"
    np.concatenate(numbers).tofile(data)
    program = compiled(folder / "sanitized", level, sanitizer, HERE / "sanitized.cpp", *objects)
    ran = subprocess.run([program, data], capture_output=True, text=True)
    assert ran.returncode == 0, ran.stdout + ran.stderr[-3000:]
    assert ran.stdout.endswith("numbers compared\n")


@pytest.mark.xdist_group("sanitizers of the baseline")
def test_quantities_are_clean_under_sanitizers(tmp_path, baseline):
    compare_quantities(tmp_path, "baseline", "address,undefined", baseline)


@pytest.mark.skipif(WIDEST == "baseline", reason="this processor runs the baseline alone")
def test_wide_quantities_stay_in_their_memory(tmp_path):
    compare_quantities(tmp_path, WIDEST, "address", object_files(tmp_path, WIDEST, ["address", "address", None]))


@pytest.mark.xdist_group("sanitizers of the baseline")
def test_motions_are_clean_under_sanitizers(tmp_path, baseline):
    """Muscles with everything, stops, payload, a wrench that moves: both methods end where the library says.

    And so do the slopes by three parameters, one more than the baseline has lanes.
    """
    arm = load_arm("prototype-muscles")
    arm = arm.replace({"sections[*].creep": ((200.0, 0.1),), "sections[*].hardening": 1e5})
    arm = arm.replace(sections=arm.sections[:2], payload=Payload(mass=0.05, offset=(0.01, 0.0, 0.02)))
    end, plant, names = 0.3, Plant(arm), ["mass", "dead_zone", "payload.mass"]
    directions = Directions.by_name(arm, names)
    steps = PressureSteps({"l13": [(0.0, 400e3)], "l21": [(0.1005, 300e3)]})
    wrench = WrenchSignal([0.0, 0.2, 0.3], np.arange(18.0).reshape(3, 6) / 100)
    drive = steps.drive(arm).plus(wrench.drive(arm))
    muscles, valves, branches, kept, remembers, states, commands = plant_numbers(plant, 1e-3)
    numbers = [
        *arm_rows(arm),
        *flat_rows([len(muscles[0]), remembers], muscles, valves, branches, kept, states, commands),
        *flat_rows(_tolerances(1e-12, plant)),
        *flat_rows(plant.first_state(np.zeros(6)), plant.thresholds, [end], drive.times, drive.begin, drive.end),
        *flat_rows(_tolerances(1e-12, plant, directions), directions.constant_slopes(0.0)),
        *flat_rows(directions.constant_slopes(1e-3), directions.threshold_slopes()),
    ]
    data = tmp_path / "motion.bin"
    np.concatenate(numbers).tofile(data)
    sources = [HERE / "sanitized_motion.cpp", *baseline]
    program = compiled(tmp_path / "sanitized_motion", "baseline", "address,undefined", *sources)
    ran = subprocess.run([program, data], capture_output=True, text=True)
    assert ran.returncode == 0, ran.stdout + ran.stderr[-3000:]
    solvers = [Adaptive(1e-8, 1e-12), FixedStep(1000.0)] * 2
    for line, solver, count in zip(ran.stdout.splitlines(), solvers, (0, 0, 3, 3), strict=True):
        found, *slopes = np.array([float(word) for word in line.split()]).reshape(1 + count, -1)
        motion = simulate(arm, steps, duration=end, wrench=wrench, solver=solver, sensitivities=names[:count])
        for name, slope in zip(names[:count], slopes, strict=True):
            wanted = motion.sensitivities[name][-1]
            np.testing.assert_allclose(slope[:6], wanted, rtol=0, atol=1e-5 * np.abs(wanted).max())
        wanted = np.concatenate([motion.q[-1], motion.qd[-1], motion.pressures[-1], motion.hysteresis[-1]])
        memory = found[2 * 6 + 6 : -2].reshape(2, 6)  # hysteresis and creep, which a motion has as one force
        found = np.concatenate([found[:18], memory.sum(axis=0), found[-2:]])
        # the same arithmetic with and without fused operations, and steps that end elsewhere: the tolerance of the run
        np.testing.assert_allclose(found[:-2], wanted, rtol=1e-5, atol=1e-8)
