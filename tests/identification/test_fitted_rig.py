"""Laws of the rig that a fit leaves: what was found is kept, what was not stays, and recordings are read by it."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from continuarm import Gauge, Rig, load_arm, save_arm
from continuarm.identification.fitted_rig import ALIKE, with_rig
from continuarm.identification.sensor_frame_and_delay import frame_pose

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
