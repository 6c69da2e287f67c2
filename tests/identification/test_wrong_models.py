"""The law of honesty: where a model is wrong, and its numbers are off by more than their errors, the fit is no good."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from sample_recordings import changed, run_of, with_values
from unmodelled_effects import (
    AT_REST,
    COUNT,
    IN_MOTION,
    JOINED,
    NOISE,
    SLIGHT,
    STEPS,
    errors_off,
    fitted,
    recorded,
    slight_fits,
    tabled,
    twisted,
)

from continuarm import PressureSignal, PressureSteps
from continuarm.identification.fit import identify
from continuarm.identification.recorded_commands import recorded_commands
from continuarm.identification.recording import Recording
from continuarm.identification.synthetic_recordings import simulated_recording, tip_sensors
from refusals import sentence_with

pytestmark = pytest.mark.slow

OFF = 3.0
"""Stated errors beyond which a parameter is wrong."""


def check_honest(found, arm):
    assert found.serious or errors_off(found, arm) < OFF, found.verdict
    assert found.serious == found.verdict.startswith("NOT TO BE USED AS IT IS")


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", IN_MOTION)
def test_an_effect_in_motion_that_is_not_modelled_does_not_pass(section, name):
    sizes, make = IN_MOTION[name]
    for seed, size in enumerate(sizes):
        check_honest(fitted(section, make(section, size, seed), delay=name != "late clock"), section)


@pytest.mark.exhaustive
@pytest.mark.parametrize("size", [0.005, 0.03, 0.2])
def test_a_twist_that_is_not_modelled_does_not_pass(prototype, size):
    check_honest(fitted(prototype, recorded(twisted(prototype, size), JOINED)), prototype)


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", AT_REST)
def test_an_effect_at_rest_that_is_not_modelled_does_not_pass(prototype, name):
    sizes, make = AT_REST[name]
    for seed, size in enumerate(sizes):
        check_honest(fitted(prototype, make(prototype, size, seed)), prototype)


@pytest.mark.exhaustive
def test_the_right_model_passes(section):
    """At most one false alarm in twenty, in motion and at rest, and errors whose part of noise is as large as it is."""
    for make in (recorded, tabled):
        found = [fitted(section, make(section, seed=seed)) for seed in range(20)]
        assert sum(each.serious for each in found) <= 1
        rows = [each["stiffness"] for each in found]
        assert sum(abs(row.value - 1700) < 1.96 * row.noise for row in rows) >= 16  # fewer has a chance of 0.3 %
        assert all(row.low < 1700 < row.high for row in rows)
        assert max(row.standard_error for row in rows) < 0.03 * 1700  # what could be there is no excuse for anything


def test_a_wrong_arm_does_not_pass_by_its_own_residuals(prototype):
    """A radius of two thirds doubles the stiffness, with small residuals: a table that has no given noise."""
    found = identify(
        changed(prototype, radius=1 / 1.5), tabled(prototype), ("stiffness", "muscle_area", "dead_zone"), starts=1
    )
    assert found["stiffness"].low > 2000
    assert found.serious
    assert found.misfit[0].noise_from == "curve"
    sentence_with(found.warnings, "follows the commands", "no noise")


def test_repeated_commands_tell_the_noise_of_a_table(section):
    pressures = np.repeat(np.random.default_rng(0).uniform(0, 500e3, (6, 3)), 3, axis=0)
    blank = Recording.table("table", tip_sensors(section, 18), arm=section, pressures=pressures)
    table = simulated_recording(section, blank, noise=1e-3)
    found = identify(section, table, "stiffness")
    assert (found.misfit[0].noise_from, found.serious) == ("repeats", False)
    assert found.noise["tip 1"] == pytest.approx(1e-3, rel=0.3)
    assert identify(changed(section, radius=1.3), table, "stiffness", starts=1).serious


def test_a_table_of_few_rows_says_that_its_noise_is_unknown(section):
    found = identify(section, tabled(section, count=6), "stiffness")
    assert not found.serious
    assert found.verdict.startswith("use with care: the noise of tip 1 is unknown")
    sentence_with(found.warnings, "noise of tip 1 is unknown", "sigma=")
    table = tabled(section, count=6, noise=5e-4)
    moving = identify(section, table, "stiffness", held_out=[run_of(section)])
    assert moving.misfit[0].noise_from == "neighbours"  # the same sensor, in a run that was kept back
    assert moving.verdict.startswith("usable")


def test_what_nothing_checks_is_told(section):
    """A hanging section is too light to tell its springs from its muscles."""
    found = identify(section, run_of(section), "stiffness, damping")
    assert found.verdict.startswith("usable if muscle_area is right")
    sentence_with(found.notes, "1 % more moves stiffness by +17")


def test_what_hardly_moves_anything_is_no_condition(section, monkeypatch):
    monkeypatch.setattr("continuarm.identification.end_of_fit.COMPARABLE", 3.0)  # 1 % of it moves 1.6 errors
    found = identify(section, run_of(section), "stiffness, damping")
    assert found.verdict.startswith("usable:")
    sentence_with(found.notes, "1 % more moves stiffness by +17", ", 1.6 of its standard errors")


def test_a_recording_that_the_others_outvote_is_named(section):
    runs = [recorded(section, seed=k) for k in range(8)]
    runs = [replace(run, name=f"run{k}") for k, run in enumerate(runs)]
    runs[3] = with_values(runs[3], "tip 1", lambda values: values * [1, 1, 0.9])
    found = identify(section, runs, "stiffness", delay=False, starts=1)
    assert errors_off(found, section) < OFF
    assert found.misfit[3].given_up > 0.9
    sentence_with(found.warnings, "gave up", "run3", "outvote")
    assert found.serious


def test_a_wrong_mount_is_suggested_and_no_other_start(section):
    tilted = section.replace(base_rotation=(0.0, np.pi / 2, 0.0))
    found = identify(section, recorded(tilted), "stiffness, damping", starts=1)
    sentence_with(found.warnings, "before anything is commanded", "base_rotation", "sensor_frame")
    assert not any("hanging" in sentence for sentence in found.warnings)


def test_distances_are_those_of_tips(section):
    """3 mm along x and 4 mm along y are 5 mm."""
    run = with_values(recorded(section), "tip 1", lambda values: values + np.array([3e-3, 4e-3, 0.0]))
    found = identify(section, run, "stiffness", delay=False, starts=1)
    (misfit,) = found.misfit
    assert misfit.distance == pytest.approx(5e-3, rel=0.05)
    assert misfit.multiple == pytest.approx(5 / (0.5 * 3**0.5), rel=0.1)
    assert misfit.structured == pytest.approx(5e-3, rel=0.05)
    assert misfit.worst_distance >= misfit.distance
    sentence_with(found.warnings, "rms distance of 5", "tip 1 in run")


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    ("name", "size", "asked"),
    [
        ("stiffening", 3e-4, "pressure_stiffness"),
        ("hysteresis", 80.0, "hysteresis"),
        ("valve lag", 0.04, "valve_lag"),
        ("late clock", 0.015, "delay"),
        ("sensor frame", 0.04, "sensor_frame"),
    ],
)
def test_the_effect_that_is_left_out_is_named(section, name, size, asked):
    found = fitted(section, IN_MOTION[name][1](section, size, 3), delay=name != "late clock")
    assert f"asks for {asked}" in sentence_with(found.warnings, "what is left asks for")


def test_an_effect_that_is_too_small_to_show_widens_the_errors(section):
    """Half a percent of hysteresis moves the stiffness by several times what noise does, and leaves nothing."""
    found = fitted(section, IN_MOTION["hysteresis"][1](section, 8.0, 1))
    assert not found.serious
    row = found["stiffness"]
    assert OFF * row.noise < abs(row.value - 1700) < OFF * row.standard_error
    assert row.standard_error == pytest.approx(np.hypot(row.noise, row.unmodelled))
    sentence_with(
        found.notes,
        "noise alone would leave stiffness",
        "do not exclude",
        "first of all",
        "freeing ",
        "makes it smaller",
    )


def test_what_nothing_drives_has_no_clock_that_could_be_late(section, monkeypatch):
    """A swing that its first samples show begins with these; a run that is driven begins with its commands."""
    monkeypatch.setattr("continuarm.identification.missing_effects.SLIGHT", {"delay": 2.0})
    errors = {}
    for input in (None, PressureSteps(STEPS)):
        blank = Recording("run", input, np.arange(COUNT) / 30, tip_sensors(section, COUNT), start="unbent")
        seen = replace(simulated_recording(section, blank, noise=NOISE), start="moving")
        errors[input is None] = identify(section, seen, "stiffness, damping", delay=False, starts=1)["damping"]
    assert errors[True].unmodelled == 0.0
    assert errors[False].unmodelled > 0.0


def test_an_effect_that_is_left_out_is_not_worse_than_one_that_is_free(section):
    run = run_of(section)
    without = identify(section, run, "stiffness, damping", delay=False, starts=1)["stiffness"]
    free = identify(section, run, "stiffness, damping, pressure_stiffness", delay=False, starts=1)["stiffness"]
    assert without.unmodelled > 2 * without.noise
    assert without.standard_error < 3 * free.noise


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", [name for name, (arm, size, _) in SLIGHT.items() if arm == "single-section" and size])
def test_a_slight_effect_that_is_not_modelled_does_not_pass(name):
    """Sizes from hardly anything to plain: most of these hide in the noise, and the errors are wide enough for them."""
    fits = list(slight_fits(name, 12))
    for found, arm in fits:
        check_honest(found, arm)
    if name in ("hysteresis", "creep", "stiffening"):  # the law is put to the test at all
        assert sum(errors_off(found, arm, of_noise=True) > OFF and not found.serious for found, arm in fits) >= 2


def test_how_commands_were_read_is_told(section):
    steps = recorded(section)
    lines = replace(steps, name="lines", input=PressureSignal([0.0, 3.0, 6.0], [[0, 0, 0], [2e5, 0, 0], [0, 1e5, 0]]))
    found = [recorded_commands(each, section) for each in (steps, lines, tabled(section, count=4))]
    assert [each.read_as for each in found] == ["held", "linear", "table"]
    assert found[0].names == ("l11", "l12", "l13")
    assert found[1].names == ("l11", "l12")
    assert found[1].values.max() == 200  # kPa
    assert "straight lines" in found[1].words
