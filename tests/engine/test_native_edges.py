"""The compiled module by itself: what does not fit is refused, and threads that cannot be had are done without."""

import resource
import subprocess
import sys

import numpy as np
import pytest

import continuarm as ca
from cli_process import environment
from continuarm.dynamics.plant import Plant
from continuarm.engine.compiled import native
from continuarm.engine.native_arm import arm_numbers, native_arm, native_plant, plant_numbers
from continuarm.engine.table import QUANTITIES


@pytest.fixture
def arm():
    return ca.load_arm("prototype")


def test_arrays_that_are_not_aligned_are_numbers_like_others(arm):
    rows = np.zeros(3, dtype=[("flag", "u1"), ("q", "f8", (9,))])
    rows["q"] = 0.01
    np.testing.assert_array_equal(ca.gravity_forces(arm, rows["q"]), ca.gravity_forces(arm, np.full((3, 9), 0.01)))
    places = np.zeros(17, "u1")[1:].view(float)
    assert ca.poses_along(arm, np.zeros(9), places).shape == (3, 2, 4, 4)


def test_what_is_no_quantity_is_refused(arm):
    handle = native_arm(arm)
    for index in (-1, len(QUANTITIES), 99):
        with pytest.raises(ValueError, match="no such quantity"):
            handle.evaluate(index, 1, np.zeros(9))
    with pytest.raises(ValueError, match="poses_along"):
        handle.repeated(QUANTITIES["poses_along"].index, np.zeros(9))


def test_numbers_that_do_not_fit_together_are_refused(arm):
    with pytest.raises(ValueError, match="do not fit"):
        native.Arm([], *arm_numbers(arm)[1:])
    plant = Plant(arm)
    *numbers, states, commands = plant_numbers(plant, 0.0)
    for wrong_states, wrong_commands in (
        ([18, 18, 18, 18, -(10**6), 20], commands),
        ([18, 18, 18, 18, 0, 1], commands),
        (states, [9, 0, 6]),
        (states, [9, -6, 0]),
    ):
        with pytest.raises(ValueError, match="do not fit"):
            native.Plant(native_arm(arm), *numbers, wrong_states, wrong_commands)
    state, atol = [0.0] * plant.states.width, [1e-10] * 18
    for longest, order in ((1.0, 100), (1.0, 0), (-1.0, 5)):
        with pytest.raises(ValueError, match="1 to 5"):
            native.AdaptiveMotion(native_plant(plant), state, 1e-6, atol, longest, order)


def test_a_motion_that_is_not_driven_hangs_by_itself(arm):
    plant = Plant(arm)
    state = plant.first_state(np.zeros(9))
    stepped = native.SteppedMotion(native_plant(plant, 1e-3), state.tolist(), [0.0] * 9, 1e-3)
    adaptive = native.AdaptiveMotion(native_plant(plant), state.tolist(), 1e-6, [1e-10] * 18, 1e300, 5)
    rows, ends = np.empty((100, plant.states.width)), np.empty((1, plant.states.width))
    assert stepped.advance(rows) == 100
    assert adaptive.advance(np.array([0.1]), ends, 10.0, np.inf)[0] == 1
    np.testing.assert_allclose(rows[-1, :9], ends[0, :9], atol=1e-6)


def test_scratch_memory_is_given_back(arm):
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    ca.poses_along(arm, np.zeros(9), np.linspace(0, 1, 100_000))  # 38 MB of result
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    assert grown < 200_000  # kB; it was 16 times the result


CODE = """
import resource
resource.setrlimit(resource.RLIMIT_NPROC, (1, 1))
import os
import numpy as np, continuarm as ca
arm, q = ca.load_arm("prototype"), np.zeros((3000, 9))
wanted = ca.gravity_forces(arm, q, threads=1)
if os.getuid() == 0:  # the superuser has no limit
    os.setgid(65534); os.setuid(65534)
assert (ca.gravity_forces(arm, q, threads=8) == wanted).all()
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="a limit of threads is Linux's")
def test_threads_that_cannot_be_started_are_done_without():
    done = subprocess.run(
        [sys.executable, "-c", CODE], env=environment(OPENBLAS_NUM_THREADS="1"), capture_output=True, text=True
    )
    assert (done.returncode, done.stderr) == (0, "")
