"""Random plants and their states for the laws: arms whose muscles have every law."""

import numpy as np

from continuarm import Muscles
from continuarm.dynamics.plant import Plant
from continuarm.dynamics.plant_states import State
from random_arms import random_arm, random_lengths, random_rates

FOUR = Muscles(angles=[0.1, 1.4, 3.0, 4.9], radii=[0.01, 0.012, 0.014, 0.01])
LAWS = {
    "nothing": {},
    "pressure": {"muscle_area": 1.3e-4, "dead_zone": 9e4},
    "stiffening": {"muscle_area": 1.3e-4, "dead_zone": 9e4, "pressure_stiffness": 0.0142},
    "valve": {"muscle_area": 1.3e-4, "valve_lag": 0.05},
    "hysteresis": {"muscle_area": 1.3e-4, "hysteresis": (65.6, 49.0, -19.9)},
    "venting": {"muscle_area": 1.3e-4, "valve_lag": 0.05, "vent_lag": 0.2},
    "hardening": {"muscle_area": 1.3e-4, "hardening": 4e6},
    "preload": {"preload": (2.0, -3.0)},
    "shaking": {"muscle_area": 1.3e-4, "hysteresis": (65.6, 49.0, -19.9), "shaking": 0.3},
    "creep": {"muscle_area": 1.3e-4, "creep": ((300.0, 0.1), (90.0, 5.0))},
    "stops": {"muscle_area": 1.3e-4, "length_range": (-0.005, 0.01), "stop_stiffness": 2e4},
    "everything": {
        "muscle_area": 1.3e-4,
        "dead_zone": 9e4,
        "pressure_stiffness": 0.0142,
        "valve_lag": 0.05,
        "vent_lag": 0.2,
        "hardening": 4e6,
        "creep": ((300.0, 0.1), (90.0, 5.0)),
        "preload": (2.0, -3.0),
        "hysteresis": (65.6, 49.0, -19.9),
        "shaking": 0.3,
        "length_range": (-0.005, 0.01),
        "stop_stiffness": 2e4,
    },
}


def random_plant(rng, n, law, layout=None, model=None):
    """An arm whose muscles have a law, every second section without a lag and with one branch of creep less."""
    arm = random_arm(rng, n, model)
    sections = []
    for i, section in enumerate(arm.sections):
        fields = dict(LAWS[law])
        if i % 2 and "valve_lag" in fields:
            del fields["valve_lag"]
            fields.pop("vent_lag", None)
        if i % 2 and "creep" in fields:
            fields["creep"] = fields["creep"][:1]
        sections.append(section.replace(muscles=layout, stiffness=1500.0, damping=40.0, **fields))
    return Plant(arm.replace(sections=sections))


def random_rows(rng, plant):
    """Commands and a state, as rows."""
    n, muscles = plant.arm.n, len(plant.muscles)
    wrench = rng.normal(size=6) * [0.1, 0.1, 0.1, 2, 2, 2] * rng.integers(0, 2)
    pressures = rng.uniform(0, 5e5, muscles) * rng.integers(0, 2, muscles)
    commands = plant.commands.rows(pressures, rng.normal(size=3 * n) * 10, wrench)[0]
    state = State(
        random_lengths(rng, plant.arm, 1.5),
        random_rates(rng, plant.arm),
        rng.uniform(0, 5e5, muscles),
        rng.normal(size=muscles),
        rng.normal(size=(len(plant.branches), muscles)),
        np.array(0.3),
        np.array(0.2),
    )
    return commands, plant.states.rows(state)
