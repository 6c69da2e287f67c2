"""Laws of validation: an arm predicts itself, the rig is honoured, what is wrong is further off, nothing is hidden."""

from __future__ import annotations

import dataclasses
import json
import math
import pickle

import numpy as np
import pytest
from sample_recordings import STEPS, changed, run_of, table_of, with_values
from scipy.spatial.transform import Rotation

from continuarm import Adaptive, Motion, PressureSteps, Recording, Rig, Validation, simulate, validate
from continuarm.arms.rig import frame_pose
from continuarm.identification.sensor_frame_and_delay import simulated_readings
from continuarm.identification.sensors import MuscleLength, TipOrientation, TipPosition
from continuarm.identification.simulated_tracks import simulated_track
from continuarm.identification.synthetic_recordings import simulated_recording, tip_sensors
from continuarm.identification.validation_report import validation_html
from html_reader import PageReader, check_self_contained
from refusals import refused

pytestmark = pytest.mark.slow

TIMES = np.arange(91) / 30
SOLVER = 1e-6
"""m: simulations at rtol = 1e-7, as of recordings, and at 1e-10 are nearer to each other than this; by 0.1 µm here."""


def blank(arm, name="run", times=TIMES, sigma=None):
    """All kinds of sensors, still to be filled."""
    sensors = [
        *tip_sensors(arm, len(times), sigma),
        TipOrientation(3, np.zeros((len(times), 3)), sigma),
        MuscleLength("l33", np.zeros(len(times)), sigma),
    ]
    return Recording(name, PressureSteps(STEPS), times, sensors)


def read_in(arm, recording, delay, frame):
    """What sensors in another frame, and late, would read, without noise."""
    readings, _ = simulated_readings(recording, simulated_track(arm, recording), delay, frame)
    sensors = [sensor.replace(values=values) for sensor, values in zip(recording.sensors, readings, strict=True)]
    return dataclasses.replace(recording, sensors=tuple(sensors))


@pytest.fixture(scope="module")
def noisy(prototype):
    """Two recordings with 1 mm of noise, the second with gaps, judged by a softer arm."""
    first = simulated_recording(prototype, blank(prototype, "<run & 1>"), seed=1)
    second = simulated_recording(prototype, blank(prototype, "run $2_"), seed=2)

    def cut(values):
        values[10:20] = values[30, 1] = np.nan
        return values

    return validate(changed(prototype, stiffness=0.9), [first, with_values(second, "tip 2", cut)])


# What an arm predicts


def test_an_arm_predicts_its_own_motion_within_the_error_of_the_solver(prototype):
    """The motion is computed by `simulate` at another tolerance: not the same numbers again."""
    run = blank(prototype)
    motion = simulate(
        prototype, run.input, duration=3.0, rate=30.0, start="equilibrium", solver=Adaptive(rtol=1e-10, atol=1e-13)
    )
    assert isinstance(motion, Motion)
    np.testing.assert_allclose(motion.t, TIMES, atol=1e-12)
    sensors = [TipPosition(i + 1, motion.tips[:, i]) for i in range(3)]
    found = validate(prototype, dataclasses.replace(run, sensors=sensors))
    for tip in found["run"].sensors:
        assert tip.worst < SOLVER < tip.motion
        assert tip.rms <= tip.worst
        assert tip.share == 1.0
    assert not found.stopped
    assert found.warnings == ()


@pytest.mark.parametrize("sigma", [5e-4, 3e-3])
def test_noise_is_what_is_left_of_the_right_arm(prototype, sigma):
    """σ√3 for positions and rotation vectors, σ for lengths, within four standard errors."""
    found = validate(prototype, simulated_recording(prototype, blank(prototype, sigma=sigma), seed=3))
    for each in found["run"].sensors:
        width = len(each.channels)
        expected = sigma * math.sqrt(width)
        assert abs(each.rms / expected - 1) < 4 / math.sqrt(2 * width * len(TIMES)), each.sensor


def test_a_frame_and_a_delay_in_the_rig_are_honoured(prototype):
    turn, origin, delay = Rotation.random(random_state=1).as_rotvec(), np.array([0.4, -1.0, 2.0]), 0.07
    softer = changed(prototype, stiffness=0.9)
    here = validate(softer, read_in(prototype, blank(prototype), delay, None))
    there = read_in(prototype, blank(prototype), delay, frame_pose(turn, origin))
    rig = Rig(delay=delay, turn=tuple(turn), origin=tuple(origin))
    own = validate(prototype.replace(rig=rig), there)
    assert max(each.worst for each in own["run"].sensors) < SOLVER
    # of a wrong arm, distances are those of the world frame: a frame moves all of them together
    late = validate(softer.replace(rig=Rig(delay=delay)), read_in(prototype, blank(prototype), delay, None))
    moved = validate(softer.replace(rig=rig), there)
    for one, other in zip(late["run"].sensors, moved["run"].sensors, strict=True):
        np.testing.assert_allclose(other.distance, one.distance, rtol=0, atol=1e-9)
        assert other.motion == pytest.approx(one.motion, abs=1e-9)
    # and without the rig they are further off
    assert here.totals["tips"].rms > 1.1 * late.totals["tips"].rms
    assert validate(prototype, read_in(prototype, blank(prototype), delay, None)).totals["tips"].rms > 1e-3


def test_a_wrong_stiffness_is_further_off_than_the_right_one(prototype):
    seen = simulated_recording(prototype, blank(prototype), seed=4)
    right = validate(prototype, seen)
    for factor in (0.8, 1.25):
        wrong = validate(changed(prototype, stiffness=factor), seen)
        for kind in ("tips", "orientations", "lengths"):
            assert wrong.totals[kind].rms > 1.5 * right.totals[kind].rms
            assert wrong.totals[kind].motion == right.totals[kind].motion


def test_the_motion_is_how_far_the_measured_is_from_its_mean(section):
    seen = run_of(section, noise=0.0)
    tip = validate(section, seen)["run"].sensors[0]
    values = seen.sensors[0].values
    assert tip.motion == pytest.approx(math.sqrt(((values - values.mean(axis=0)) ** 2).sum(axis=1).mean()), rel=1e-12)
    assert tip.motion == pytest.approx(math.sqrt(values.var(axis=0).sum()), rel=1e-12)


def test_a_static_table_is_predicted_row_by_row(section):
    table = table_of(section, count=12, noise=0.0)
    found = validate(section, [table, run_of(section)])
    (tip,) = found["table"].sensors
    assert tip.worst < 1e-9
    wrong = validate(section, with_values(table, "tip 1", lambda v: v + 0.01 * (np.arange(12) == 7)[:, None]))
    assert wrong["table"]["tip 1"].worst_time == 7
    assert wrong["table"]["tip 1"].worst == pytest.approx(0.01 * math.sqrt(3), rel=1e-6)
    assert "row 7" in wrong._repr_html_()


# What was compared


def test_gaps_are_not_compared_and_the_axes_that_are_there_are(noisy):
    tip = noisy["run $2_"]["tip 2"]
    assert (tip.samples, tip.compared, tip.share) == (len(TIMES) - 10, len(TIMES) - 10, 1.0)
    assert np.isnan(tip.distance[10:20]).all()
    seen = np.delete(tip.measured[30] - tip.predicted[30], 1)
    assert tip.distance[30] == pytest.approx(np.linalg.norm(seen), rel=1e-12)
    assert np.nanmax(tip.distance) == tip.worst == tip.distance[np.flatnonzero(tip.times == tip.worst_time)[0]]


def test_stopping_early_is_said(prototype):
    soft = prototype.replace(sections=[s.replace(stiffness=300.0) for s in prototype.sections])
    steps = PressureSteps({"l11": [(1.0, 600e3)]})
    runs = [
        Recording(name, drive, TIMES, tip_sensors(prototype, 91)) for name, drive in (("far", steps), ("near", None))
    ]
    seen = [simulated_recording(prototype, run) for run in runs]
    found = validate(soft, seen)
    assert found.stopped
    assert found["far"].stopped
    assert not found["near"].stopped
    tip = found["far"]["tip 3"]
    assert 0 < tip.compared < tip.samples == 91
    assert tip.share == tip.compared / 91
    reached = np.isfinite(tip.distance)
    assert reached[: tip.compared].all()
    assert not reached[tip.compared :].any()
    assert tip.rms == pytest.approx(math.sqrt(np.mean(tip.distance[reached] ** 2)))
    assert np.isnan(tip.predicted[~reached]).all()
    seen_there = tip.measured[reached]
    assert tip.motion == pytest.approx(math.sqrt(seen_there.var(axis=0).sum()), rel=1e-12)  # of the same samples
    (sentence,) = found.warnings
    for words in ("far", "stopped early", found["far"].stopped, f"{100 * tip.share:.0f} %"):
        assert words in sentence
    assert "stopped early: far" in found.sentence
    words = " ".join(PageReader(validation_html(found)).words)
    assert sentence in words
    assert sentence.split(",")[0] in " ".join(PageReader(found._repr_html_()).words)


def test_samples_that_show_the_arm_after_the_end_are_not_compared(section):
    found = validate(section.replace(rig=Rig(delay=-2.5)), run_of(section))
    tip = found["run"]["tip 1"]
    assert found.stopped
    assert 0.8 < tip.share < 0.9
    assert "early by 2.5 s" in found["run"].stopped


def test_absurd_samples_are_left_out_and_counted(section):
    def broken(values):
        values[3] = 50.0
        return values

    found = validate(section, with_values(run_of(section), "tip 1", broken))
    tip = found["run"]["tip 1"]
    assert (tip.samples, tip.compared) == (120, 119)
    assert tip.worst < 5e-3
    assert "left out" in found.warnings[0]


def test_totals_weigh_every_sample_alike(noisy):
    tips = [each for run in noisy.recordings for each in run.sensors if each.kind == "tips"]
    far = np.concatenate([each.distance[np.isfinite(each.distance)] for each in tips])
    total = noisy.totals["tips"]
    assert total.compared == len(far) == 6 * len(TIMES) - 10
    assert total.rms == pytest.approx(math.sqrt(np.mean(far**2)), rel=1e-12)
    assert total.worst == far.max()
    assert noisy[total.worst_recording][total.worst_sensor].worst == total.worst
    assert set(noisy.totals) == {"tips", "orientations", "lengths"}


# How it is told


def test_the_summary_is_plain_and_equals_the_attributes(noisy):
    told = json.loads(json.dumps(noisy.summary(), allow_nan=False))
    assert told["stopped"] is False
    for run, row in zip(noisy.recordings, told["recordings"], strict=True):
        assert row["name"] == run.name
        for sensor, numbers in zip(run.sensors, row["sensors"], strict=True):
            for name, value in numbers.items():
                assert getattr(sensor, name) == value, name
            assert {"rms", "worst", "worst_time", "motion", "samples", "compared", "share", "of_motion"} <= set(numbers)
    for kind, numbers in told["totals"].items():
        assert {name: getattr(noisy.totals[kind], name) for name in numbers} == numbers
    assert [{**row} for row in noisy.table()] == [
        {**numbers, "stopped": ""} for row in told["recordings"] for numbers in row["sensors"]
    ]


def test_numbers_that_are_not_known_are_null(section):
    empty = with_values(run_of(section), "tip 1", lambda values: values * np.nan)
    found = validate(section, empty)
    (row,) = json.loads(json.dumps(found.summary(), allow_nan=False))["recordings"][0]["sensors"]
    assert row["rms"] is row["share"] is row["worst_time"] is None
    assert "nothing" in found.sentence
    assert "nothing compared" in repr(found)
    assert found._repr_html_()
    assert "no samples" in validation_html(found)


@pytest.mark.slow
def test_the_page_opens_without_a_network_and_names_every_recording(noisy, tmp_path):
    noisy.report(tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert page == validation_html(noisy)
    words = " ".join(check_self_contained(page).words)
    for run in noisy.recordings:
        assert words.count(run.name) >= 2
    assert "<run" not in page
    with refused("page.txt", ".html"):
        noisy.report(tmp_path / "page.txt")


def test_the_figure_draws_what_was_measured_and_predicted(noisy):
    figure = noisy.plot("run $2_")
    panels = {axes.get_ylabel(): axes for axes in figure.axes}
    tip = noisy["run $2_"]["tip 3"]
    dots, line = panels["z3, mm"].get_lines()
    np.testing.assert_allclose(dots.get_ydata(), 1e3 * tip.measured[:, 2])
    np.testing.assert_allclose(line.get_ydata(), 1e3 * tip.predicted[:, 2])
    distances = [axes for axes in figure.axes if axes.get_ylabel() == "distance, mm"]
    np.testing.assert_allclose(distances[2].get_lines()[0].get_ydata(), 1e3 * tip.distance)
    commands = {line.get_label(): line.get_ydata() for line in panels["commands, kPa"].get_lines()}
    assert set(commands) == {"l33", "l12"}
    assert max(commands["l33"]) == pytest.approx(500)
    assert noisy.plot()._repr_png_().startswith(b"\x89PNG")
    with refused("recording = 'none'", "<run & 1>, run $2_"):
        noisy.plot("none")


def test_of_a_long_recording_the_worst_is_drawn(section):
    """Curves are thinned out; one sample that is off is seen."""
    times = np.arange(30_000) / 100

    def off(values):
        values[17_231] += 0.1
        return values

    run = simulated_recording(section, Recording("long", None, times, tip_sensors(section, len(times))))
    figure = validate(section, with_values(run, "tip 1", off)).plot()
    (distance,) = [axes for axes in figure.axes if axes.get_ylabel() == "distance, mm"]
    drawn = distance.get_lines()[0].get_ydata()
    assert len(drawn) <= 2000
    assert drawn.max() > 1e3 * 0.1 * math.sqrt(3) - 5
    assert max(len(line.get_xdata()) for axes in figure.axes for line in axes.get_lines()) <= 2000


def test_it_is_found_by_name_and_says_what_it_is(noisy):
    assert repr(noisy).splitlines()[0] == "Validation('prototype', 2 recordings)"
    assert repr(noisy).count("\n") < 12
    assert "tip 3" in repr(noisy["<run & 1>"])
    for wrong in (lambda: noisy["none"], lambda: noisy["<run & 1>"]["none"]):
        with refused("'none'", error=KeyError):
            wrong()
    card = noisy._repr_html_()
    assert PageReader(card).open == []
    assert "<run" not in card
    assert noisy.sentence in " ".join(PageReader(card).words)


def test_it_survives_being_sent_to_another_process(noisy):
    back = pickle.loads(pickle.dumps(noisy))
    assert isinstance(back, Validation)
    assert back.summary() == noisy.summary()
    assert back.arm == noisy.arm
    for run, other in zip(back.recordings, noisy.recordings, strict=True):
        for one, its in zip(run.sensors, other.sensors, strict=True):
            np.testing.assert_array_equal(one.distance, its.distance)


# How it is called


def test_threads_change_nothing_and_progress_goes_to_one(section):
    runs = [run_of(section, name, seed=k) for k, name in enumerate("abc")]
    shares = []
    found = [validate(section, runs, threads=count, progress=lambda s, words: shares.append(s)) for count in (1, 3)]
    assert found[0].summary() == found[1].summary()
    assert min(shares) == 0
    assert shares[-1] == 1
    assert shares[: shares.index(1) + 1] == sorted(shares[: shares.index(1) + 1])


def test_whatever_progress_raises_ends_it(section):
    def leave(share, words):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        validate(section, run_of(section), progress=leave)


def test_bad_input_is_one_sentence(section, prototype):
    run = run_of(section)
    for recordings, named, error in (
        ([], ("recordings", "at least one"), ValueError),
        ([run, run], ("two are called 'run'",), ValueError),
        ("run.csv", ("recordings", "a Recording"), TypeError),
        (run_of(prototype, "high"), ("high", "tip 2", "from 1 to 1"), ValueError),
        (with_values(run, "tip 1", lambda values: 1e3 * values), ("run", "is it in mm?"), ValueError),
    ):
        with refused(*named, error=error):
            validate(section, recordings)
