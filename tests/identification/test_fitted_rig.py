"""Laws of the rig that a fit leaves: what was found is kept, what was not stays, and recordings are read by it."""

from __future__ import annotations

import numpy as np
import pytest
from sample_recordings import run_of, with_values
from scipy.spatial.transform import Rotation

from continuarm import Gauge, Rig, identify, load_arm, save_arm, validate
from continuarm.arms.rig import frame_pose
from continuarm.identification.fitted_rig import ALIKE, with_rig

BEFORE = Rig(start="hanging", delay=0.03, turn=(0.1, 0.2, 0.3), origin=(1.0, 2.0, 3.0), gauges=[Gauge(line="l11")])


@pytest.mark.parametrize("seed", range(20))
def test_a_frame_is_kept_whatever_it_is(section, seed):
    rng = np.random.default_rng(seed)
    frame = frame_pose(Rotation.random(random_state=seed).as_rotvec(), rng.normal(size=3))
    for arm in (section, section.replace(rig=BEFORE)):
        np.testing.assert_allclose(with_rig(arm, frame, {}).rig.frame, frame, atol=1e-12)


def test_what_was_not_found_stays(section):
    arm = section.replace(rig=BEFORE)
    assert with_rig(arm, None, {}) == arm
    late = with_rig(arm, None, {"run": 0.05}).rig
    assert late == BEFORE.replace(delay=0.05)
    turned = with_rig(arm, frame_pose([0, 0, 1.0], [0, 0, 0.5]), {}).rig
    assert (turned.start, turned.gauges, turned.delay) == ("hanging", BEFORE.gauges, 0.03)
    assert turned.origin == (0.0, 0.0, 0.5)


def test_an_arm_without_a_rig_gets_one_only_for_something(section):
    assert with_rig(section, None, {}) == section
    assert with_rig(section, np.eye(4), {"run": 0.0}) == section
    assert with_rig(section, None, {"run": 0.02}).rig == Rig(delay=0.02)


def test_delays_are_kept_where_they_are_one_number(section):
    alike = {"one": 0.02, "two": 0.02 + 0.5 * ALIKE}
    assert with_rig(section, None, alike).rig.delay == pytest.approx(0.02 + 0.25 * ALIKE)
    assert with_rig(section, None, alike | {"three": 0.02 - ALIKE}) == section
    arm = section.replace(rig=BEFORE)
    assert with_rig(arm, None, {"one": 0.0, "two": 0.1}) == arm


def test_the_rig_is_in_the_file(section, tmp_path):
    arm = with_rig(section, frame_pose([0.3, 0, 2.0], [0.1, 0, -0.5]), {"run": -0.012})
    save_arm(arm, tmp_path / "arm.toml")
    assert load_arm(tmp_path / "arm.toml") == arm
    assert with_rig(arm, None, {}) is arm  # nothing was changed on the way


def test_an_arm_with_what_a_fit_found_predicts_by_itself(section):
    """Fitted to one run of a camera that stands askew and is late, it meets another within the noise."""
    frame, delay, sigma = frame_pose([0.1, -0.2, 1.0], [0.3, 0.1, -0.2]), 0.04, 5e-4
    runs = []
    for seed, steps in enumerate(({"l11": [(0.3, 400e3)], "l12": [(1.8, 350e3)]}, {"l13": [(0.5, 450e3)]})):
        seen = run_of(section, f"run{seed}", steps, seed=seed, noise=sigma, delay=delay)
        runs.append(with_values(seen, "tip 1", lambda values: values @ frame[:3, :3].T + frame[:3, 3]))
    found = identify(section, runs[0], "stiffness, sensor_frame", starts=1)
    values = {each.name: each.value for each in found.parameters}
    pose = [value for name, value in values.items() if name.startswith("sensor_frame")]
    arm = with_rig(found.arm, frame_pose(pose[:3], pose[3:]), {"run0": values["delay of run0"]})
    tip = validate(arm, runs[1]).totals["tips"]
    assert tip.rms < 1.2 * np.sqrt(3) * sigma
    assert validate(arm.replace(rig=None), runs[1]).totals["tips"].rms > 100 * tip.rms
