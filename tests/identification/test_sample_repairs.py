"""Laws of repairs: what a slower camera repeats is no sample, what flips is none, and rows are put in order of time."""

from __future__ import annotations

import gzip

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sample_recordings import run_of
from scipy.spatial.transform import Rotation

from continuarm.identification.recording_checks import checked_recording
from continuarm.identification.recording_file import read_recording, write_recording
from continuarm.identification.sample_repairs import STANDING, clock_order, flipped_rows, repeated_rows
from continuarm.identification.sensors import TipOrientation
from refusals import refused, sentence_with


def noisy(count, seed=0):
    return np.random.default_rng(seed).normal(size=(count, 3))


@given(st.integers(2, 6), st.integers(3, 30), st.integers(0, 99))
def test_of_a_camera_slower_than_the_log_every_frame_is_one_sample(slower, frames, seed):
    values = np.repeat(noisy(frames, seed), slower, axis=0)
    mask = repeated_rows(np.arange(len(values)) / 100, values)
    assert (np.flatnonzero(~mask) == slower * np.arange(frames)).all()


@given(st.lists(st.integers(1, 60), min_size=1, max_size=20), st.integers(0, 99))
def test_whatever_repeats_no_half_second_of_it_is_without_a_sample(lengths, seed):
    values = np.repeat(noisy(len(lengths), seed), lengths, axis=0)
    times = np.arange(len(values)) / 40
    kept = times[~repeated_rows(times, values, always=True)]
    assert kept[0] == 0
    assert np.diff(np.append(kept, times[-1])).max() < STANDING + 2 / 40


def test_noise_that_happens_to_repeat_and_an_arm_that_stands_are_left_alone():
    values, times = noisy(100), np.arange(100) / 30
    values[10] = values[9]
    assert not repeated_rows(times, values).any()
    assert not repeated_rows(times, np.ones((100, 3))).any()
    values[30:90] = values[30]  # stuck for 2 s: what stuck_sensors looks for
    assert not repeated_rows(times, values).any()
    # a sensor of one number counts in steps
    assert not repeated_rows(times, np.repeat(noisy(50), 2, axis=0)[:, :1]).any()


def test_gaps_between_do_not_hide_a_repetition():
    values = np.repeat(noisy(20), 3, axis=0)
    values[1::3] = np.nan
    mask = repeated_rows(np.arange(60) / 100, values, always=True)
    assert (np.flatnonzero(mask) == np.arange(2, 60, 3)).all()
    assert not repeated_rows(np.arange(60) / 100, values).any()  # its gaps tell its rate: what repeats are samples


@pytest.mark.parametrize(("repeats", "gaps"), [(None, 80), ("gaps", 80), ("keep", 0)])
def test_repeated_rows_of_a_file_are_gaps_and_told_once(section, tmp_path, repeats, gaps):
    run = run_of(section)
    (tip,) = run.sensors
    slow = run.without([np.zeros(tip.values.shape, dtype=bool)])
    object.__setattr__(slow, "sensors", (tip.replace(values=tip.values[3 * (np.arange(120) // 3)]),))
    write_recording(slow, section, tmp_path / "run.csv")
    found = read_recording(tmp_path / "run.csv", section, repeats=repeats)
    rows = np.isin(found.times, found.times[np.searchsorted(found.times, run.times - 1e-9)])
    assert np.isnan(found.sensors[0].values[rows]).all(axis=1).sum() == gaps
    _, warnings = checked_recording(found, section)
    assert len(found.notes) == len(warnings) == (1 if gaps else 0)
    if gaps:
        assert warnings == [f"run: {found.notes[0]}"]
        sentence_with(found.notes, "tip 1", "67 %", "repeat", "gaps")
    with refused("repeats = 'skip'", "'gaps'", "'keep'"):
        read_recording(tmp_path / "run.csv", section, repeats="skip")


@given(st.integers(0, 2**20), st.integers(0, 99))
def test_a_quaternion_and_its_negative_are_one_orientation(signs, seed):
    rng = np.random.default_rng(seed)
    steps = Rotation.from_rotvec(np.cumsum(rng.normal(size=(20, 3)) * 0.15, axis=0) + np.array([0, 2.9, 0]))
    quaternions = steps.as_quat()[:, [3, 0, 1, 2]]
    flipped = np.where([signs >> k & 1 for k in range(20)], -1.0, 1.0)[:, None] * quaternions
    one, other = TipOrientation(1, quaternions), TipOrientation(1, flipped)
    np.testing.assert_allclose(other.values, one.values, rtol=0, atol=1e-9)
    difference = (Rotation.from_rotvec(one.values).inv() * steps).magnitude()
    assert difference.max() < 1e-9


def test_vectors_go_on_beyond_half_a_turn():
    angles = np.linspace(2.8, 3.5, 30)
    turned = TipOrientation(1, np.stack([np.cos(angles / 2), 0 * angles, np.sin(angles / 2), 0 * angles], axis=-1))
    np.testing.assert_allclose(turned.values[:, 1], angles, rtol=0, atol=1e-12)


@given(
    st.lists(st.tuples(st.integers(12, 20), st.integers(1, 6)), min_size=1, max_size=6),
    st.sampled_from([[np.pi, 0, 0], [0, np.pi, 0], [0, 0, np.pi]]),
    st.integers(0, 99),
)
def test_half_turns_of_markers_are_gaps_and_nothing_else_is(stretches, half, seed):
    flipped = np.concatenate([np.repeat([False, True], lengths) for lengths in stretches])
    turns = np.random.default_rng(seed).normal(size=3) * np.sin(np.arange(len(flipped)) / 20)[:, None] * 0.3
    turned = Rotation.from_rotvec(turns) * Rotation.from_rotvec(np.where(flipped[:, None], half, 0.0))
    mask = flipped_rows(np.arange(len(flipped)) / 20, turned.as_rotvec())
    np.testing.assert_array_equal(mask, flipped)


def test_flips_in_a_file_are_told_once_and_slow_samples_may_turn_far(section, tmp_path):
    text = "t [s], qw1 [1], qx1 [1], qy1 [1], qz1 [1]\n"
    rows = ["1, 0, 0, 0", "-1, 0, 0, 0", "1, 0, 0, 0", "0, 1, 0, 0", "0, -1, 0, 0", "1, 0, 0, 0"]
    for apart, notes, gaps in ((0.05, 1, 2), (1.0, 0, 0)):
        path = tmp_path / "run.csv"
        path.write_text(text + "\n".join(f"{apart * k}, {row}" for k, row in enumerate(rows)))
        found = read_recording(path, section, repeats="keep")
        assert np.isnan(found.sensors[0].values).all(axis=1).sum() == gaps
        assert len(found.notes) == notes
    sentence = "2 samples of orientation 1 from 0.15 s"
    path.write_text(text + "\n".join(f"{0.05 * k}, {row}" for k, row in enumerate(rows)))
    sentence_with(read_recording(path, section, repeats="keep").notes, sentence, "60 deg", "gaps")


@given(st.integers(5, 40), st.integers(0, 99))
def test_a_clock_that_jitters_is_put_in_order(count, seed):
    rng = np.random.default_rng(seed)
    times = np.arange(count) * 5e-4 + rng.uniform(0, 9e-4, count)
    found, rows, said = clock_order(times, times[:, None])
    assert (np.diff(found) > 0).all()
    np.testing.assert_array_equal(rows[:, 0], found)
    assert len(said) == bool((np.diff(times) < 0).any())


def test_a_clock_that_goes_back_further_is_left_for_others_to_refuse():
    times = np.array([0.0, 0.1, 0.05, 0.2])
    np.testing.assert_array_equal(clock_order(times, times[:, None])[0], times)


def test_rows_of_one_time_are_merged_and_the_later_number_counts():
    nan = np.nan
    rows = np.array([[1, nan], [2, 5], [3, nan], [nan, 7], [4, 8], [5, 9.0]])
    times, merged, (said,) = clock_order(np.array([0, 0.1, 0.1, 0.1, 0.2, 0.3]), rows)
    assert times.tolist() == [0, 0.1, 0.2, 0.3]
    np.testing.assert_array_equal(merged, [[1, nan], [3, 7], [4, 8], [5, 9]])
    sentence_with([said], "2 of 6 rows", "0.1 s", "merged")


def test_two_loggers_in_one_file_are_one_recording(section, tmp_path):
    lines = ["t [s], l11 [kPa], x1 [mm], y1 [mm], z1 [mm]"]
    for k in range(20):
        lines += [f"{k / 10}, {10 * k}, , , ", f"{k / 10}, , 0, {k}, 150"]
    (tmp_path / "run.csv").write_text("\n".join(lines))
    found = read_recording(tmp_path / "run.csv", section)
    assert len(found.times) == 20
    assert np.isfinite(found.sensors[0].values).all()
    np.testing.assert_allclose(found.commands(section).pressures[:, 0], 1e4 * np.arange(20))
    sentence_with(found.notes, "20 of 40 rows", "merged")


@pytest.mark.parametrize("linear", [None, True, False])
def test_a_command_at_a_slower_rate_runs_in_lines_or_holds(section, tmp_path, linear):
    lines = ["t [s], l11 [kPa], z1 [mm]"]
    lines += [f"{k / 100}, {k if k % 10 == 0 else ''}, {150 + 0.1 * (k % 7) if k % 3 == 0 else ''}" for k in range(121)]
    (tmp_path / "run.csv").write_text("\n".join(lines))
    found = read_recording(tmp_path / "run.csv", section, linear=linear)
    told = found.commands(section).pressures[:, 0] / 1e3
    expected = np.arange(121) // 10 * 10 if linear is False else np.arange(121)
    np.testing.assert_allclose(told, expected, atol=1e-9)
    assert np.isfinite(found.sensors[0].values[:, 2]).sum() == 41


def test_commands_that_were_logged_when_they_changed_hold(section, tmp_path):
    changes = {0: 0, 3: 100, 50: 300, 52: 0, 90: 200}
    lines = ["t [s], l11 [kPa], z1 [mm]", *(f"{k / 100}, {changes.get(k, '')}, 150" for k in range(121))]
    (tmp_path / "run.csv").write_text("\n".join(lines))
    found = read_recording(tmp_path / "run.csv", section)
    assert (found.commands(section).pressures[[2, 3, 49, 51, 60, 120], 0] / 1e3).tolist() == [0, 100, 100, 300, 0, 200]


def test_a_packed_table_is_the_same_recording(prototype, run, tmp_path):
    write_recording(run, prototype, tmp_path / "run.csv")
    (tmp_path / "run.csv.gz").write_bytes(gzip.compress((tmp_path / "run.csv").read_bytes()))
    plain, packed = (read_recording(tmp_path / name, prototype) for name in ("run.csv", "run.csv.gz"))
    assert packed.name == plain.name == "run"
    np.testing.assert_array_equal(packed.times, plain.times)
    for one, other in zip(packed.sensors, plain.sensors, strict=True):
        np.testing.assert_array_equal(one.values, other.values)
