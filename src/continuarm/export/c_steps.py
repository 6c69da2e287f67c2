"""The steps that exported code is made of: those of the engine, and what its routines want beside them."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from continuarm.dynamics import chain
from continuarm.dynamics.tracking import wanted_rate
from continuarm.engine.recorder import Numbers, Recorder, Step, Struct
from continuarm.engine.steps import FRAME, LAYOUTS, NUMBER, VECTOR, steps
from continuarm.sections import muscles_and_valves
from continuarm.sections.spatial import vector

BASE_FRAME = Struct("BaseFrame", FRAME.pack, constant=True)
GAIN = Numbers((), constant=True)


@cache
def recorded_steps() -> dict[str, Step]:
    """Every step by its name."""
    layouts = LAYOUTS | {
        "g": Numbers((3,), constant=True),
        "base_frame": BASE_FRAME,
        **dict.fromkeys(("q_wanted", "qd_wanted", "qdd_wanted"), VECTOR),
        **dict.fromkeys(("position_gain", "rate_gain"), GAIN),
        "length": NUMBER,
    }
    recorder = Recorder(layouts)
    recorder.record(resting_base, "acceleration")
    recorder.record(weight_at_base, "gravity")
    recorder.record(pose_of_base, "frame")
    recorder.record(payload_inertia, "inertia")
    recorder.record(no_block, "block")
    recorder.record(stiffer, "block")
    recorder.record(without, "tau")
    recorder.record(with_more, "tau")
    recorder.record(sum_of, "total")
    recorder.record(tracking, "qdd")
    recorder.record(muscles_and_valves.along, "length")
    return {step.name: step for step in (*steps(), *recorder.steps)}


def resting_base(g: Any) -> Any:
    """Gravity as a base that accelerates by -g."""
    return chain.base_acceleration(vector(*g))


def weight_at_base(g: Any) -> Any:
    """Gravity in the frame of the base."""
    return g


def pose_of_base(base_frame: Any) -> Any:
    """The frame of the base in the world."""
    return base_frame


def payload_inertia(mass: Any, offset: Any) -> Any:
    """The inertia of what the last tip carries."""
    return chain.payload_body(mass, offset, np.zeros(3)).IA


def no_block() -> Any:
    """No stiffness."""
    return np.zeros((3, 3))


def stiffer(block: Any, stops: Any) -> Any:
    """A stiffness and one more."""
    return block + stops


def without(tau: Any, force: Any) -> Any:
    """A force less another."""
    return tau - force


def with_more(tau: Any, force: Any) -> Any:
    """A force and one more."""
    return tau + force


def sum_of(total: Any, value: Any) -> Any:
    """A sum with one more value."""
    return total + value


def tracking(
    q: Any, qd: Any, q_wanted: Any, qd_wanted: Any, qdd_wanted: Any, position_gain: Any, rate_gain: Any
) -> Any:
    """The acceleration that leads back to what is wanted: q_r'' + k_d (q_r' - q') + k_p (q_r - q)."""
    return wanted_rate(q_wanted, qd_wanted, qdd_wanted, q, qd, 0.0, position_gain, rate_gain, 0.0)
