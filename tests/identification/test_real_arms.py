"""The real arms that come with the library meet the recordings that come with it as well as the pages say."""

from pathlib import Path

import numpy as np
import pytest

import continuarm as ca

RECORDINGS = Path(__file__).parents[2] / "examples" / "recordings"


def of_folder(arm, folder, pattern):
    return [ca.read_recording(path, arm) for path in sorted((RECORDINGS / folder).glob(pattern))]


def test_the_two_section_arm_meets_its_recordings():
    """Distances of the page "A real arm", with a tenth more: rounding of the fitted numbers, other processors."""
    arm = ca.load_arm("asu-two-section")
    runs = of_folder(arm, "asu-two-section", "oct2_*.csv.gz")
    found = ca.validate(arm, runs)
    assert not found.stopped
    limits = {"oct2_1": 4.5, "oct2_5": 4.8, "oct2_9": 5.8, "oct2_11": 7.2}
    assert {run.name for run in runs} == set(limits)
    for name, limit in limits.items():
        assert 1e3 * found[name]["tip 2"].rms < 1.1 * limit


def test_no_recording_of_the_two_section_arm_stops_a_simulation():
    arm = ca.load_arm("asu-two-section")
    assert not ca.validate(arm, of_folder(arm, "asu-two-section", "*.csv.gz")).stopped


def test_the_trunk_swings_with_another_weight():
    """With the weight in place the predictions are nearer than without it: the payload says what it should."""
    arm = ca.load_arm("stanford-trunk")
    heavier = arm.replace(payload=ca.Payload(mass=arm.payload.mass + 0.2, offset=arm.payload.offset))
    runs = of_folder(arm, "stanford-trunk", "*400g-0*.csv.gz")
    errors = [
        np.sqrt(np.mean([ca.validate(each, run)[run.name]["tip 3"].rms ** 2 for run in runs]))
        for each in (arm, heavier)
    ]
    assert 1e3 * errors[1] < 14
    assert errors[1] < 0.7 * errors[0]


@pytest.mark.parametrize("name", ["asu-two-section", "stanford-trunk"])
def test_a_real_arm_says_where_its_numbers_come_from(name):
    text = ca.load_arm(name).description
    assert "MIT" in text
    assert "±" in text
    assert "?" not in text  # an error that is not known
