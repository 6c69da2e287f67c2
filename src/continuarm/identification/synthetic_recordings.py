"""Recordings of an arm that is known, with noise: to plan an experiment, or to try a fit."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from continuarm.arms.arm import Arm, require_arm
from continuarm.arms.rig import Rig
from continuarm.common.argument_checks import require_kind
from continuarm.common.limits import LONGEST
from continuarm.common.number_checks import as_float, seed_number
from continuarm.common.text import short
from continuarm.identification.recording import FURTHEST_DELAY, Recording
from continuarm.identification.sensor_frame_and_delay import simulated_readings
from continuarm.identification.sensors import Sensor, TipPosition
from continuarm.identification.simulated_tracks import simulated_track, time_ahead


def simulated_recording(
    arm: Arm,
    recording: Recording,
    *,
    noise: float = 1e-3,
    delay: float = 0.0,
    seed: int = 0,
) -> Recording:
    """A recording as an arm would give it: its sensors, with Gaussian noise; to plan an experiment, or to try a fit.

    The values of the sensors are replaced, but for gaps (NaN), which stay gaps. The arm's rig says in which frame and
    how late they are. A recording that begins as its first samples show it begins at rest under its first commands.

    Parameters
    ----------
    arm : Arm
    recording : Recording
        What drives it, and when which sensors look.
    noise : float, optional
        m for positions and lengths, and as many rad for orientations; a sensor with a sigma has its own.
    delay : float, optional
        By how much the sensors are late, s, from -10 to 10, beside what the rig says.
    seed : int, optional
        Of the noise.

    Returns
    -------
    Recording

    Raises
    ------
    ValueError
        If a sensor is at no place of the arm, or if the motion ends before the recording does.

    Examples
    --------
    >>> arm = ca.load_arm("prototype")
    >>> wires = [ca.MuscleLength("l33", np.zeros(31), sigma=2e-4)]
    >>> run = ca.Recording("pull", ca.PressureSteps({"l33": [(0.2, 400e3)]}), np.arange(31) / 30, wires)
    >>> seen = ca.simulated_recording(arm, run)
    >>> round(1e3 * float(seen.sensors[0].values[-1, 0]), 1)  # mm
    23.7
    """
    require_arm(arm)
    require_kind("recording", recording, Recording, "a Recording")
    for sensor in recording.sensors:
        sensor.check(arm)
    size, late = as_float(noise), as_float(delay)
    if not 0 <= size <= LONGEST:
        raise ValueError(f"noise = {short(noise)}: must be a number of at least 0, m or rad, and at most {LONGEST:g}")
    if not abs(late) <= FURTHEST_DELAY:
        raise ValueError(f"delay = {short(delay)}: must be a number from -{FURTHEST_DELAY:g} to {FURTHEST_DELAY:g} s")
    rng = np.random.default_rng(seed_number("seed", seed))
    rig = arm.rig or Rig()
    measured = recording.start_of(arm) in ("resting", "moving")  # by samples, which are still to be made
    run = simulated_track(
        arm, replace(recording, start="equilibrium") if measured else recording, ahead=time_ahead(late + rig.delay)
    )
    readings, lost = simulated_readings(recording, run, late + rig.delay, rig.frame)
    if lost.any():
        raise ValueError(f"{recording.name}: {run.stopped or 'an arm in the table has no equilibrium'}")
    sensors: list[Sensor] = []
    for sensor, values in zip(recording.sensors, readings, strict=True):
        noisy = values + (size if sensor.sigma is None else sensor.sigma) * rng.normal(size=values.shape)
        sensors.append(sensor.replace(values=np.where(np.isnan(sensor.values), np.nan, noisy)))
    return replace(recording, sensors=tuple(sensors))


def tip_sensors(arm: Arm, count: int, sigma: float | None = None) -> list[TipPosition]:
    """Positions of all section tips, still to be measured: what simulated_recording fills."""
    return [TipPosition(i + 1, np.zeros((count, 3)), sigma) for i in range(arm.n)]
