"""What is recorded, to be printed as C++: the steps of every recursion, each for one section or one muscle of any arm.

The functions are those of `dynamics` and `sections`, so that native code has no arithmetic of its own: its drivers.hpp
and plant.hpp loop over sections and muscles as the NumPy drivers do. A step takes its arguments by name, and a
name has the same layout in all of them: LAYOUTS. Whoever renames an argument there renames it here.
"""

from __future__ import annotations

from typing import Any

from continuarm.arms.inertia_models import CentreOfGravity, Integral
from continuarm.arms.section import Section, Stop
from continuarm.dynamics import chain, commands, energies, forward, implicit, inverse, mass_and_coriolis, plant, poses
from continuarm.engine.recorder import Numbers, Recorder, Step, Struct
from continuarm.engine.section_numbers import BRANCH, BRANCH_STEP, MUSCLE, SECTION, STOP, VALVE
from continuarm.engine.tracing import Pack, inputs, symmetric_inputs
from continuarm.sections import model_range
from continuarm.sections.springs import damping, elastic, elastic_energy, stop_energy, stop_force, stop_stiffness

NUMBER, PAIR, VECTOR, SPATIAL, MATRIX = (Numbers(shape) for shape in ((), (2,), (3,), (6,), (3, 3)))
CONSTANT = Numbers((), constant=True)
SYMMETRIC = Struct("Symmetric", Pack.tight(symmetric_inputs("matrix", 3)))
FRAME = Struct("Frame", Pack.plain((inputs("rotation", 3, 3), inputs("position", 3))))
ARTICULATED = Struct("Articulated", Pack.tight(chain.Articulated(symmetric_inputs("IA", 6), inputs("pA", 6))))

LAYOUTS: dict[str, Struct | Numbers] = {
    # of an arm
    "section": SECTION,
    "muscle": MUSCLE,
    "valve": VALVE,
    "branch": BRANCH,
    "kept": BRANCH_STEP,
    "stop": STOP,
    "mass": CONSTANT,
    "offset": Numbers((3,), constant=True),
    "step": CONSTANT,
    # of a state
    "bend_margin": NUMBER,
    "length_margin": NUMBER,
    **dict.fromkeys(("q", "qd", "qdd", "tau", "omega", "gravity", "own", "force", "centre"), VECTOR),
    **dict.fromkeys(("springs", "dampers", "there", "rate", "qdd_first", "qdd_second", "q_after", "moved"), VECTOR),
    **dict.fromkeys(("product", "acceleration", "wrench", "motion", "at_base"), SPATIAL),
    **dict.fromkeys(("energy_of", "height", "xi"), NUMBER),
    **dict.fromkeys(("extra", "stops", "block"), SYMMETRIC),
    **dict.fromkeys(("frame", "point"), FRAME),
    "inertia": Struct("Inertia", Pack.tight(symmetric_inputs("inertia", 6))),
    **dict.fromkeys(("carried", "lifted"), ARTICULATED),
    "wrenches": Numbers((6, 3)),
    "columns": Numbers((6, 3)),
    "forces": MATRIX,
    # of a plant
    **dict.fromkeys(("command", "pressure", "hysteresis", "creep", "halfway"), NUMBER),
    **dict.fromkeys(("pressure_rate", "hysteresis_rate", "pressure_relaxation", "hysteresis_relaxation"), NUMBER),
    **dict.fromkeys(("creep_rate", "creep_relaxation"), NUMBER),
    **dict.fromkeys(("power", "energy"), PAIR),
    # of commands over time
    **dict.fromkeys(
        ("begin", "end", "value", "total", "above", "threshold", "share", "time", "start", "until"), NUMBER
    ),
}
"""The layout of every argument and result, by its name."""


def steps() -> list[Step]:
    """All steps."""
    recorder = Recorder(LAYOUTS)
    for record in (_sections, _forward, _implicit, _inverse, _mass, _energies, _poses, _plant, _commands):
        record(recorder)
    return recorder.steps


def _shaped(section: Any) -> object:
    """The centre-of-gravity model of a section's own β; not validated: they are recording scalars."""
    return CentreOfGravity.model_construct(beta_linear=section.beta_linear, beta_angular=section.beta_angular)


MODELS = (("integral", lambda section: Integral()), ("shaped", _shaped))
"""The two kinds of inertia models, and the suffix of the steps that are recorded for each; a point mass is shaped."""


def _sections(recorder: Recorder) -> None:
    recorder.record(model_range.margins, "bend_margin", "length_margin")
    recorder.record(chain.outward, "passage", "omega", defines={"passage": "Passage"})
    recorder.record(chain.payload_body, "carried")
    recorder.record(spring, "force", "energy_of")
    recorder.record(damper, "force")
    recorder.record(end_stop, "force", "energy_of")
    recorder.record(stop_stiffness, "stops")


def _forward(recorder: Recorder) -> None:
    for model in MODELS:
        recorder.record(chain.weigh, "body", "product", defines={"body": "SectionBody"}, model=model)
        recorder.record(forward.weigh_base, "grounded", "product", defines={"grounded": "GroundedBody"}, model=model)
    recorder.record(forward.lift, "carried")
    recorder.record(forward.absorb, "carried", "response", defines={"response": "Response"})
    recorder.record(forward.absorb_base, "response")
    recorder.record(forward.absorb_tip, "carried", "response")
    recorder.record(forward.absorb_only, "response")
    recorder.record(forward.respond, "qdd", "acceleration")
    recorder.record(forward.respond_tip, "qdd")
    recorder.record(forward.stiffen, "body")
    recorder.record(forward.stiffen_base, "grounded")


def _implicit(recorder: Recorder) -> None:
    recorder.record(implicit.impedance, "extra")
    recorder.record(implicit.lean, "tau")
    recorder.record(implicit.first_stage, "springs")
    recorder.record(implicit.second_stage, "there", "rate", "springs", "dampers")
    recorder.record(implicit.end_of_step, "there", "rate")


def _inverse(recorder: Recorder) -> None:
    for model in MODELS:
        recorder.record(inverse.demand, "at_base", "own", "acceleration", model=model)
    recorder.record(inverse.carry, "tau", "wrench")
    recorder.record(inverse.payload_wrench, "wrench")


def _mass(recorder: Recorder) -> None:
    for model in MODELS:
        recorder.record(mass_and_coriolis.compose, "inertia", "wrenches", "forces", model=model)
    recorder.record(mass_and_coriolis.hand_down, "forces", "wrenches")


def _energies(recorder: Recorder) -> None:
    for model in MODELS:
        recorder.record(energies.kinetic, "energy_of", "motion", model=model)
    recorder.record(energies.payload_kinetic, "energy_of")
    recorder.record(energies.fall, "energy_of", "gravity", "height")
    recorder.record(energies.payload_fall, "energy_of")


def _poses(recorder: Recorder) -> None:
    recorder.record(poses.attach, "frame")
    recorder.record(poses.place, "frame")
    recorder.record(poses.place_centre, "centre")
    recorder.record(poses.move, "columns")
    recorder.record(poses.move_point, "columns")
    recorder.record(poses.feel_wrench, "tau")


def _plant(recorder: Recorder) -> None:
    recorder.record(section_stiffness, "block")
    recorder.record(section_damping, "block")
    recorder.record(plant.section_power, "power")
    recorder.record(plant.muscle_rate, "tau", "power", "pressure_rate", "hysteresis_rate")
    recorder.record(plant.muscle_tangent, "block", "pressure_relaxation", "hysteresis_relaxation")
    recorder.record(plant.half_ahead, "there")
    recorder.record(plant.muscle_ahead, "tau", "block", "pressure", "halfway")
    recorder.record(plant.section_work, "moved", "energy")
    recorder.record(plant.muscle_work, "hysteresis", "energy")
    recorder.record(plant.branch_rate, "tau", "power", "creep_rate")
    recorder.record(plant.branch_tangent, "block", "creep_relaxation")
    recorder.record(plant.branch_ahead, "tau", "block", "halfway")
    recorder.record(plant.branch_work, "creep", "energy")


def _commands(recorder: Recorder) -> None:
    recorder.record(commands.ramp, "value")
    recorder.record(commands.part_of_mean, "total", "above")
    recorder.record(commands.acting_mean, "value")


# What native code wants together.


def spring(section: Section, q: Any) -> tuple[Any, Any]:
    """Force and energy of a section's springs."""
    return elastic(section, q), elastic_energy(section, q)


def damper(section: Section, qd: Any) -> Any:
    """Force of a section's dampers."""
    return damping(section, qd)


def end_stop(stop: Stop, q: Any) -> tuple[Any, Any]:
    """Force and energy of a muscle pressed into its stop."""
    return stop_force(stop, q), stop_energy(stop, q)


def section_stiffness(section: Section) -> Any:
    """K_e of a section."""
    return section.stiffness_matrix


def section_damping(section: Section) -> Any:
    """D of a section."""
    return section.damping_matrix
