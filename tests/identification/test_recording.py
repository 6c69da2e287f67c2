"""Laws of recordings: what cannot be is refused, a load belongs to the commands, a copy is the same."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from sample_recordings import table_of

from continuarm import WrenchSignal
from continuarm.identification.recording import Recording
from continuarm.identification.search_numbers import Free
from continuarm.identification.sensors import MuscleLength, TipPosition
from continuarm.identification.simulated_tracks import simulated_track
from continuarm.identification.synthetic_recordings import simulated_recording, tip_sensors
from refusals import refused


@pytest.mark.parametrize(
    ("changes", "named"),
    [
        ({"times": [0.0, -1.0]}, ["times", "ascend", "0 s"]),
        ({"times": [-1.0, 1.0]}, ["times", "finite", "0 s"]),
        ({"times": [0.0]}, ["1 times", "at least 2"]),
        ({"start": "bent"}, ["start = 'bent'", "'equilibrium'", "'hanging'", "'unbent'"]),
        ({"sensors": ()}, ["measured channel", "positions, orientations or lengths"]),
        ({"sensors": [TipPosition(1, np.zeros((3, 3)))]}, ["tip 1", "3 rows", "must have 2"]),
        ({"sensors": [TipPosition(1, np.zeros((2, 3)))] * 2}, ["tip 1", "twice"]),
    ],
)
def test_recordings_that_cannot_be_are_refused(changes, named):
    given = {"times": [0.0, 1.0], "sensors": [TipPosition(1, np.zeros((2, 3)))]} | changes
    with refused("run: ", *named):
        Recording("run", None, **given)


def test_a_tip_load_is_part_of_the_drive(prototype):
    times, sensors = np.arange(3.0), tip_sensors(prototype, 3)
    constant = Recording("run", None, times, sensors, wrench=[0, 0, 0, 1.0, 0, 0])
    signal = Recording("run", None, times, sensors, wrench=WrenchSignal([0.0], [[0, 0, 0, 1.0, 0, 0]]))
    for recording in (constant, signal):
        assert (recording.commands(prototype).wrench == [0, 0, 0, 1.0, 0, 0]).all()
    still, same = (simulated_track(prototype, recording) for recording in (constant, signal))
    np.testing.assert_allclose(still.q, same.q, rtol=0, atol=1e-12)
    assert np.abs(still.qd).max() < 1e-9  # it begins at rest under its load


def copied(value):
    return pickle.loads(pickle.dumps(value))


@pytest.mark.parametrize("static", [False, True])
def test_a_recording_survives_being_sent_to_another_process(prototype, run, static):
    given = table_of(prototype, 3) if static else run
    back = copied(given)
    assert (back.name, back.start, back.static) == (given.name, given.start, given.static)
    np.testing.assert_array_equal(back.times, given.times)
    for one, other in zip(back.sensors, given.sensors, strict=True):
        assert (type(one), one.name, one.channels, one.sigma) == (type(other), other.name, other.channels, other.sigma)
        np.testing.assert_array_equal(one.values, other.values)
    np.testing.assert_array_equal(simulated_track(prototype, back).q, simulated_track(prototype, given).q)


def test_a_free_parameter_survives_being_sent_to_another_process():
    assert copied(Free("stiffness", bounds=(1, 2), start=1.5)) == Free("stiffness", bounds=(1, 2), start=1.5)


def test_sensors_at_no_place_of_the_arm_and_impossible_noise_are_refused(section):
    times = np.arange(5) / 30
    with refused("section = 0", "at least 1"):
        TipPosition(0, np.zeros((5, 3)))
    for sensors, named in (
        ([TipPosition(5, np.zeros((5, 3)))], ["tip 5"]),
        ([MuscleLength("l99", np.zeros(5))], ["'l99'"]),
    ):
        with refused(*named):
            simulated_recording(section, Recording("run", None, times, sensors))
    blank = Recording("run", None, times, tip_sensors(section, 5))
    for noise in (-1.0, np.nan, "1 mm"):
        with refused("noise", "at least 0"):
            simulated_recording(section, blank, noise=noise)
    with refused("input is dict", "PressureSteps", error=TypeError):
        Recording("run", {"l11": [(0, 1e5)]}, times, tip_sensors(section, 5))
    assert len(Recording("run", None, times, tip_sensors(section, 5)[0]).sensors) == 1
