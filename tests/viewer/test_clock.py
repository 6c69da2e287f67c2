"""The clock of a playback, and states between the rows of a motion."""

from __future__ import annotations

import numpy as np
import pytest
from viewing import swinging

from continuarm.viewer.clock import Clock, duration_of, rows_until, state_at


def test_time_runs_with_the_speed_and_stands_still_when_paused() -> None:
    clock = Clock(10.0)
    clock.tick(0.5)
    clock.speed = 0.1
    clock.tick(1.0)
    assert clock.time == pytest.approx(0.6)
    clock.pause()
    clock.tick(5.0)
    assert clock.time == pytest.approx(0.6)
    clock.play()
    clock.speed = 10.0
    clock.tick(0.1)
    assert clock.time == pytest.approx(1.6)


def test_a_loop_begins_again_and_without_it_the_end_is_the_end() -> None:
    clock = Clock(2.0)
    clock.seek(1.9)
    clock.tick(0.3)
    assert clock.time == pytest.approx(0.2)
    clock.loop = False
    clock.seek(1.9)
    clock.tick(0.3)
    assert (clock.time, clock.playing) == (2.0, False)
    clock.play()
    assert (clock.time, clock.playing) == (0.0, True)


def test_no_time_is_outside_the_motion() -> None:
    clock = Clock(2.0)
    for wanted, got in ((-1.0, 0.0), (5.0, 2.0), (1.0, 1.0), (float("nan"), 1.0), (float("inf"), 1.0)):
        clock.seek(wanted)
        assert clock.time == got
    still = Clock(0.0)
    still.tick(1.0)
    assert still.time == 0.0


def test_a_state_on_a_row_is_that_row() -> None:
    motion = swinging(begin=3.0)
    for row in (0, 1, 40, 79, 80):
        state = state_at(motion, motion.t[row] - motion.t[0])
        np.testing.assert_allclose(state.q, motion.q[row], atol=1e-15)
        np.testing.assert_array_equal(state.pressures, motion.pressures[row])
        for name, values in motion.energies.items():
            assert state.energies[name] == pytest.approx(values[row], abs=1e-12)


def test_between_rows_q_is_cubic() -> None:
    """The error of a cubic through values and rates falls with the fourth power of the distance of the rows."""
    errors = []
    for rate in (10.0, 20.0):
        motion = swinging(int(2 * rate) + 1, rate)
        times = np.linspace(0.0, 1.99, 300)
        true = 0.02 * np.sin(3 * times[:, None] + np.arange(9))
        errors.append(np.abs(np.array([state_at(motion, time).q for time in times]) - true).max())
    assert errors[0] / errors[1] == pytest.approx(16, rel=0.15)


def test_pressures_jump_where_they_do() -> None:
    motion = swinging()
    jump = motion.t[40]
    assert state_at(motion, jump - 1e-6).pressures[8] == 0
    assert state_at(motion, jump).pressures[8] == 4e5


def test_before_and_after_a_motion_are_its_ends() -> None:
    motion = swinging()
    np.testing.assert_array_equal(state_at(motion, -1.0).q, motion.q[0])
    np.testing.assert_array_equal(state_at(motion, 99.0).q, motion.q[-1])
    one = motion.rows(slice(0, 1))
    np.testing.assert_array_equal(state_at(one, 0.5).q, motion.q[0])


def test_rows_until_a_time() -> None:
    motion = swinging(begin=1.0)
    assert [rows_until(motion, time) for time in (-1.0, 0.0, 0.0251, 99.0)] == [1, 1, 2, 81]


def test_the_longest_motion_counts_and_an_empty_one_is_refused() -> None:
    motion = swinging(begin=5.0)
    assert duration_of(motion, motion.rows(slice(0, 5))) == pytest.approx(2.0)
    with pytest.raises(ValueError, match="no states"):
        duration_of(motion, motion.rows(slice(0, 0)))
