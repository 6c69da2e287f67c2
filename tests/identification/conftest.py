"""Arms and a fit that several tests look at."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from sample_recordings import FREE, STEPS, changed, run_of, table_of, with_values

from continuarm import PressureSteps, load_arm
from continuarm.identification.fit import identify
from continuarm.identification.recording import Recording
from continuarm.identification.sensors import MuscleLength, TipOrientation
from continuarm.identification.synthetic_recordings import simulated_recording, tip_sensors


@pytest.fixture(scope="session")
def prototype():
    return load_arm("prototype")


@pytest.fixture(scope="session")
def section():
    return load_arm("single-section")


@pytest.fixture(scope="session")
def result(section):
    run = with_values(
        run_of(section, "<run & 1>"), "tip 1", lambda values: np.where(values > 0.1595, values + 0.05, values)
    )
    later = run_of(section, "later", {"l12": [(0.5, 450e3)]}, seed=7)
    return identify(changed(section, stiffness=1.3), [run, table_of(section)], FREE, held_out=[later])


@pytest.fixture(scope="session")
def run(prototype):
    """1.5 s of all kinds of sensors, with gaps."""
    times = np.arange(46) / 30
    sensors = [
        *tip_sensors(prototype, len(times)),
        TipOrientation(3, np.zeros((len(times), 3))),
        MuscleLength("l33", np.zeros(len(times))),
    ]
    seen = simulated_recording(prototype, Recording("run", PressureSteps(STEPS), times, sensors), seed=1)
    values = seen.sensors[1].values.copy()
    values[7, 1] = values[20:25] = np.nan
    return replace(seen, sensors=(seen.sensors[0], replace(seen.sensors[1], values=values), *seen.sensors[2:]))
