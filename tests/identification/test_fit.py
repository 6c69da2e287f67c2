"""Laws of identification: known parameters are found, errors are as large as they say, doubt is told in words."""

from __future__ import annotations

import json
import re
from dataclasses import replace

import numpy as np
import pytest
from repeated_fits import fit
from sample_recordings import FREE, apart, changed, measured, run_of, table_of, with_values
from scipy.spatial.transform import Rotation

from continuarm import Controller, ForceSignal, PressureSteps, equilibria, save_motion, simulate, tip_poses
from continuarm.identification.fit import identify
from continuarm.identification.recording import Recording
from continuarm.identification.recording_file import read_recording
from continuarm.identification.search_numbers import Free
from continuarm.identification.sensors import MuscleLength, TipOrientation
from continuarm.identification.synthetic_recordings import simulated_recording, tip_sensors
from refusals import check_named, refused, sentence_with

pytestmark = pytest.mark.slow

# Known arms are found


@pytest.mark.exhaustive
@pytest.mark.parametrize("seed", [0, 1])
def test_parameters_half_off_are_found_within_their_errors(seed):
    """The study of sample_recordings.py, two of its repetitions."""
    found, rows = fit(seed)
    assert max(error for error, _, _ in rows.values()) < 0.02
    for name in FREE:
        assert found[name].noise < 0.005 * found[name].value
        assert found[name].standard_error < 0.01 * found[name].value
    assert found.warnings == found.undetermined == ()
    assert not found.serious
    # six of the seven intervals of 95 % at least: fewer has a chance of 4 %
    assert sum(of_noise for _, _, of_noise in rows.values()) >= 6
    assert all(inside for _, inside, _ in rows.values())
    assert {name: round(1e3 * sigma, 1) for name, sigma in found.noise.items()} == {f"tip {i}": 1.0 for i in (1, 2, 3)}
    assert all(0.9 < each.multiple < 1.1 for each in found.misfit)


@pytest.mark.exhaustive
def test_outliers_stuck_sensors_and_a_late_camera_are_survived(prototype):
    rng = np.random.default_rng(0)
    runs = measured(prototype, 5, delays=(0.05, 0.05, 0.05))

    def jumping(values):
        values[rng.random(len(values)) < 0.05] += 0.05  # 5 cm off, all to one side, in one sample of 20
        return values

    def frozen(values):
        values[90:] = values[90]
        return values

    for name in ("tip 1", "tip 2", "tip 3"):
        runs = [with_values(run, name, jumping) for run in runs]
    runs[1] = with_values(runs[1], "tip 3", frozen)
    found = identify(changed(prototype, stiffness=0.5, damping=1.5, muscle_area=0.5, dead_zone=1.5), runs, FREE)
    assert max(apart(found, prototype).values()) < 4
    for k in (1, 2, 3):
        assert found[f"delay of run{k}"].value == pytest.approx(0.05, abs=1e-3)
    sentence_with(found.warnings, "run2", "x3, y3, z3", "3.00 to 10.00 s", "211 samples")
    many = sentence_with(found.warnings, "outliers")
    assert all(4 <= int(percent) <= 8 for percent in re.findall(r"(\d+) %", many))
    assert not found.serious
    left_out = {(each.recording, each.sensor): each.left_out for each in found.misfit if each.left_out}
    assert left_out == {("run2", "tip 3"): 3 * 211}


def test_outliers_pull_far_less_than_noise(section):
    run = run_of(section, count=240)

    def jumping(values):
        values[np.random.default_rng(0).random(len(values)) < 0.08] += 0.05
        return values

    clean, jumped = (identify(section, each, FREE) for each in (run, with_values(run, "tip 1", jumping)))
    for each in clean.parameters:
        # a loss that is only linear far away moves them by three standard errors
        assert abs(jumped[each.name].value - each.value) < 0.5 * each.standard_error


def test_a_sensor_that_counts_in_steps_is_not_stuck(section):
    run = with_values(run_of(section, noise=5e-5), "tip 1", lambda values: np.round(values, 3))
    found = identify(changed(section, stiffness=1.3, damping=0.7), run, ("stiffness", "damping"))
    assert max(apart(found, section, ("stiffness", "damping")).values()) < 4
    assert found.noise["tip 1"] == pytest.approx(1e-3 / np.sqrt(12), rel=0.01)
    assert not found.serious
    assert found.misfit[0].left_out == 0


def test_a_static_table_alone_gives_stiffness_and_muscles(prototype):
    found = identify(
        changed(prototype, stiffness=1.5, muscle_area=0.5, dead_zone=1.5),
        table_of(prototype),
        ("stiffness", "muscle_area", "dead_zone"),
    )
    assert max(apart(found, prototype, ("stiffness", "muscle_area", "dead_zone")).values()) < 4
    assert all(each.standard_error < 0.02 * each.value for each in found.parameters)
    assert not found.serious
    assert [each.name for each in found.parameters] == ["stiffness", "muscle_area", "dead_zone"]  # no delay


def test_without_weight_only_a_ratio_is_determined_and_words_say_so(prototype):
    floating = prototype.replace(gravity=(0.0, 0.0, 0.0))
    begin = changed(floating, stiffness=1.3)
    found = identify(begin, table_of(floating), ("stiffness", "muscle_area", "dead_zone"))
    (undetermined,) = found.undetermined
    check_named(undetermined, "stiffness and muscle_area", "ratio")
    assert found.serious
    assert np.isinf([found["stiffness"].standard_error, found["muscle_area"].standard_error]).all()
    assert found["dead_zone"].standard_error < 1e3
    ratio = 1.327e-4 / 1700
    assert found["muscle_area"].value / found["stiffness"].value == pytest.approx(ratio, rel=0.01)
    assert json.loads(json.dumps(found.summary()))["parameters"][0]["standard_error"] is None


def test_all_that_scales_force_scales_together(section):
    """Mass, springs, dampers and muscles multiplied by one number move as before, in gravity too."""
    found = identify(section, run_of(section), (*FREE, "mass"))
    (undetermined,) = found.undetermined
    check_named(undetermined, "stiffness, damping, muscle_area and mass", "ratios")


def test_forces_instead_of_pressures(section):
    times = np.arange(120) / 30
    drive = ForceSignal([0.0, 0.3, 2.0], [[0, 0, 0], [40, 0, 0], [40, 0, 30]], linear=False)
    blank = Recording("run", drive, times, tip_sensors(section, 120))
    run = simulated_recording(section, blank, noise=5e-4)
    found = identify(changed(section, stiffness=1.4, damping=0.6), run, "stiffness, damping")
    assert max(apart(found, section, ("stiffness", "damping")).values()) < 4


def test_orientations_and_lengths_are_as_good_as_positions(section):
    sensors = [TipOrientation(1, np.zeros((120, 3)), sigma=0.01), MuscleLength("l11", np.zeros(120))]
    run = run_of(section, sensors=sensors)
    found = identify(
        changed(section, stiffness=1.4, damping=0.6, dead_zone=1.3), run, ("stiffness", "damping", "dead_zone")
    )
    assert max(apart(found, section, ("stiffness", "damping", "dead_zone")).values()) < 4
    assert found.noise["orientation 1"] == 0.01  # as given
    assert found.noise["l11"] == pytest.approx(5e-4, rel=0.2)  # as estimated
    assert [each.noise_from for each in found.misfit] == ["given", "neighbours"]


@pytest.mark.exhaustive
def test_a_moved_camera_and_a_tilted_base_are_found(section):
    tilted = section.replace(base_rotation=(0.1, -0.05, 0.0))
    turn, shift = Rotation.from_rotvec([2.0, -2.2, 0.4]), np.array([0.4, -1.0, 2.0])
    run = with_values(run_of(section), "tip 1", lambda values: turn.apply(values) + shift)
    found = identify(section, run, ("stiffness", "damping", "sensor_frame"))
    assert max(apart(found, section, ("stiffness", "damping")).values()) < 4
    for axis, right in zip("xyz", shift, strict=True):
        each = found[f"sensor_frame {axis}"]
        assert abs(each.value - right) < 4 * each.standard_error
    found = identify(section, run_of(tilted), ("stiffness", "base_rotation"))
    for axis, right in zip("xyz", tilted.base_rotation, strict=True):
        each = found[f"base_rotation {axis}"]
        assert abs(each.value - right) < 4 * each.standard_error


def test_slow_valves_and_stiffening_are_found_where_the_arm_begins_without(section):
    sections = [s.replace(valve_lag=0.12, pressure_stiffness=2e-3) for s in section.sections]
    slow = section.replace(sections=sections)
    found = identify(section, run_of(slow, count=240), ("stiffness", "damping", "valve_lag", "pressure_stiffness"))
    names = ("stiffness", "damping", "valve_lag", "pressure_stiffness")
    assert max(apart(found, slow, names).values()) < 4
    assert found["valve_lag"].start == pytest.approx(0.05)


@pytest.mark.exhaustive
def test_an_arm_under_a_controller_is_fitted_too(section):
    controller = Controller(lambda t, q, qd: 2e5 + 1e6 * (0.02 - q), rate=50)
    blank = Recording("run", controller, np.arange(60) / 30, tip_sensors(section, 60), "hanging")
    run = simulated_recording(section, blank, noise=5e-4)
    found = identify(changed(section, stiffness=1.3, dead_zone=0.8), run, ("stiffness", "damping", "dead_zone"))
    assert max(apart(found, section, ("stiffness", "damping", "dead_zone")).values()) < 4


def test_recordings_that_the_fit_does_not_see_are_judged(section):
    later = run_of(section, "later", {"l12": [(0.5, 450e3)]}, seed=7, delay=0.08)
    found = identify(changed(section, stiffness=1.3), run_of(section), "stiffness, damping", held_out=[later])
    (judged,) = found.held_out
    assert (judged.recording, judged.sensor) == ("later", "tip 1")
    assert 0.8 < judged.multiple < 1.2
    assert [each.recording for each in found.misfit] == ["run"]


def test_a_motion_file_is_fitted_to_the_accuracy_of_its_solver(section, tmp_path):
    motion = simulate(section, PressureSteps({"l11": [(0.3, 400e3)], "l13": [(1.5, 300e3)]}), duration=3.0)
    save_motion(motion, tmp_path / "run.nc")
    found = identify(
        changed(section, stiffness=1.3, damping=0.7), read_recording(tmp_path / "run.nc", section), "stiffness, damping"
    )
    assert found["stiffness"].value == pytest.approx(1700, rel=1e-4)
    assert found["damping"].value == pytest.approx(110, rel=1e-3)


# Doubt


def test_a_wrong_model_is_told_with_its_worst_place(section):
    sections = [s.replace(hysteresis=(400.0, 60.0, 0.0), valve_lag=0.1) for s in section.sections]
    run = run_of(section.replace(sections=sections), noise=1e-4, sensors=tip_sensors(section, 120, sigma=1e-4))
    found = identify(section, run, "stiffness, damping", starts=1)
    assert found.serious
    (misfit,) = found.misfit
    multiple, worst = f"{misfit.multiple:.1f} times", f"{misfit.worst_time:.2f} s"
    sentence_with(found.warnings, "tip 1 in run", "rms distance", multiple, "0.1 mm", worst)
    assert found.verdict.startswith("NOT TO BE USED AS IT IS: tip 1 in run")
    assert found.arm.description.startswith(found.verdict)
    sentence_with(found.warnings, "correlation 0.")


def test_a_bound_that_is_met_is_told(section):
    found = identify(section, run_of(section), [Free("stiffness", bounds=(2000, 3000)), "damping"], starts=1)
    assert found["stiffness"].at_bound == "low"
    assert found["stiffness"].value == pytest.approx(2000, rel=0.01)
    sentence_with(found.warnings, "stiffness = 2000 N/m", "lower", "bounds")
    assert found.serious


@pytest.mark.exhaustive
def test_other_starts_are_tried_where_the_first_ends_badly(section):
    run = run_of(section, sensors=tip_sensors(section, 120, sigma=1e-5), noise=1e-5)
    worse = with_values(run, "tip 1", lambda values: values * [1.1, 1.1, 1.0])
    found = identify(section, worse, "stiffness, damping")
    assert found.record["starts"] == 5
    again = identify(section, worse, "stiffness, damping")
    assert [each.value for each in again.parameters] == [each.value for each in found.parameters]
    assert identify(section, run, "stiffness, damping", starts=2).record["starts"] == 2


def test_a_recording_driven_from_its_first_sample_gets_a_hint(section):
    steps = {"l11": [(0.0, 450e3)]}
    times = np.arange(120) / 30
    blank = Recording("run", PressureSteps(steps), times, tip_sensors(section, 120), "hanging")
    run = simulated_recording(section, blank, noise=5e-4)
    found = identify(section, replace(run, start="equilibrium"), "stiffness", starts=1)
    assert any("'hanging'" in sentence for sentence in found.warnings)
    assert not identify(section, run, "stiffness").serious


def test_an_interruption_leaves_the_best_so_far(section):
    told = []

    def stop(share, words):
        told.append((share, words))
        if "all parameters" in words:
            raise KeyboardInterrupt

    found = identify(changed(section, stiffness=1.5, damping=0.5), run_of(section), FREE[:2], progress=stop)
    assert found.interrupted
    assert found.serious
    sentence_with(found.warnings, "interrupted")
    assert found["stiffness"].value == pytest.approx(1700, rel=0.1)  # what resting shapes and motion had shown
    assert all(
        re.fullmatch(r"(resting shapes|motion|all parameters): misfit [\d.e-]+ mm", words) for _, words in told[:-2]
    )
    assert (np.diff([share for share, _ in told]) > -0.2).all()


@pytest.mark.exhaustive
def test_a_run_out_of_range_at_the_start_is_no_obstacle(section):
    """From a start at which the section would close to a circle."""
    begin = changed(section, stiffness=0.3, muscle_area=1.5)
    run = run_of(section, steps={"l11": [(0.3, 600e3)], "l12": [(2.0, 300e3)]})
    with refused("run: t = "):
        simulated_recording(begin, run)
    found = identify(begin, run, ("stiffness", "damping"), seed=1)
    expected = identify(changed(section, muscle_area=1.5), run, ("stiffness", "damping"))
    assert found["stiffness"].value == pytest.approx(expected["stiffness"].value, rel=0.01)


def test_what_is_no_recording_is_refused(prototype, section):
    run, one = run_of(section), table_of(prototype, 1)
    with refused("recordings", "str", "Recording", error=TypeError):
        identify(section, ["run.csv"], "stiffness")
    with refused("recordings", "'run'"):
        identify(section, [run, run], "stiffness")
    with refused("recordings", "at least one"):
        identify(section, [], "stiffness")
    with refused("recordings", "3 measured numbers", "9 parameters"):
        identify(prototype, replace(one, sensors=one.sensors[:1]), "stiffness per muscle")
    with refused("arm", "str", "Arm", error=TypeError):
        identify("prototype", run, "stiffness")
    still = with_values(run, "tip 1", lambda values: np.broadcast_to(values[0], values.shape).copy())
    with refused("every sensor", "stands still"):
        identify(section, still, "stiffness")
    in_mm = with_values(run, "tip 1", lambda values: 1e3 * values)
    with refused("run: z1 = 1", " m at t = ", "mm?"):
        identify(section, in_mm, "stiffness")


# What static tables rest on


@pytest.mark.exhaustive
def test_ten_thousand_pressure_sets_rest_or_say_why(prototype):
    rng = np.random.default_rng(1)
    pressures = rng.uniform(0, 700e3, (10_000, 9))
    tau = prototype.muscle_forces(1.327e-4 * np.maximum(pressures - 90e3, 0))
    found = equilibria(prototype, tau)
    assert (found.converged == (found.reason == "")).all()
    assert found.converged.mean() > 0.999
    assert found.residual[found.converged].max() < 1e-9
    # the slowest motion dies away with 1.1 s: after 40 s nothing of it is left
    for row in rng.integers(0, 10_000, 8):
        motion = simulate(prototype, ForceSignal([0.0], [tau[row]]), duration=40.0, rate=1)
        resting = tip_poses(prototype, found.q[row])[:, :3, 3]
        np.testing.assert_allclose(resting, motion.tips[-1], rtol=0, atol=1e-8)
