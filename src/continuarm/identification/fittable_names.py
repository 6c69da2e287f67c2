"""Everything that can be fitted, by the name that `free` takes."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from continuarm.identification import fittable_memory as memory
from continuarm.identification import fittable_parameters as sections
from continuarm.identification import fittable_rig as rig
from continuarm.identification.fittable_parameters import JOINTS, SECTION_FIELDS
from continuarm.identification.search_numbers import FittableParameter, Request

Maker = Callable[[Request], FittableParameter]

MATRICES = ("stiffness", "damping")
MEMORY = {"hysteresis": memory.hysteresis, "friction": memory.friction, "creep": memory.creep}

FITTABLE: dict[str, Maker] = {
    **{f: partial(sections.scalars, name=f, per_section=False) for f in SECTION_FIELDS},
    **{f"{f} per section": partial(sections.scalars, name=f, per_section=True) for f in SECTION_FIELDS},
    **{f"{f} per muscle": partial(sections.per_muscle, name=f) for f in MATRICES},
    **{f"{f} matrix": partial(sections.matrices, name=f, per_section=False) for f in MATRICES},
    **{f"{f} matrix per section": partial(sections.matrices, name=f, per_section=True) for f in MATRICES},
    **{f: partial(sections.joints, name=f, per_section=False) for f in JOINTS},
    **{f"{f} per section": partial(sections.joints, name=f, per_section=True) for f in JOINTS},
    **{f"bending_{f}": partial(sections.bending, name=f, per_section=False) for f in MATRICES},
    **{f"bending_{f} per section": partial(sections.bending, name=f, per_section=True) for f in MATRICES},
    **{f: partial(maker, per_section=False) for f, maker in MEMORY.items()},
    **{f"{f} per section": partial(maker, per_section=True) for f, maker in MEMORY.items()},
    "preload": sections.preload,
    "base_rotation": sections.base_rotation,
    "sensor_frame": rig.sensor_frame,
    "delay": rig.delay,
    "line_delay": rig.line_delay,
    "gauge_offset": partial(rig.gauges, field="offset"),
    "gauge_gain": partial(rig.gauges, field="gain"),
}
"""A new one is a line here, and what makes it in one of the modules above."""
