"""What is recorded, to be printed as C++: the steps of every recursion, each for one section or one muscle of any arm.

The functions are those of `dynamics` and `sections`, so that native code has no arithmetic of its own: its
drivers.hpp, plant.hpp and newton.hpp loop over sections and muscles as the NumPy drivers do. A step takes its arguments
by name, and a name has the same layout in all of them: LAYOUTS. Whoever renames an argument there renames it here.
"""

from __future__ import annotations

from typing import Any

from continuarm.arms.inertia_models import CentreOfGravity, Integral
from continuarm.arms.section import Section, Stop
from continuarm.dynamics import (
    chain,
    commands,
    energies,
    forward,
    implicit,
    inverse,
    mass_and_coriolis,
    newton,
    plant,
    poses,
    stiffened_solve,
    tracking,
    virtual_power,
)
from continuarm.engine.recorder import Numbers, Recorder, Step, Struct
from continuarm.engine.section_numbers import BRANCH, BRANCH_STEP, MUSCLE, SECTION, STOP, VALVE
from continuarm.engine.tracing import Pack, inputs, symmetric_inputs
from continuarm.sections import model_range
from continuarm.sections.springs import (
    damping,
    elastic,
    elastic_energy,
    pressed,
    stop_energy,
    stop_force,
    stop_stiffness,
)

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
    "part": CONSTANT,
    # of a state
    "bend_margin": NUMBER,
    "length_margin": NUMBER,
    **dict.fromkeys(("q", "qd", "qdd", "tau", "mu", "omega", "gravity", "own", "force", "centre"), VECTOR),
    **dict.fromkeys(("springs", "dampers", "there", "rate", "qdd_first", "qdd_second", "q_after", "moved"), VECTOR),
    **dict.fromkeys(("q_residual", "qd_residual", "q_correction", "qd_correction", "Dinv_u", "pull"), VECTOR),
    **dict.fromkeys(("product", "acceleration", "virtual_motion", "wrench", "motion", "at_base"), SPATIAL),
    **dict.fromkeys(("energy_of", "power_of", "height", "xi"), NUMBER),
    **dict.fromkeys(("extra", "stops", "block"), SYMMETRIC),
    **dict.fromkeys(("frame", "point"), FRAME),
    "inertia": Struct("Inertia", Pack.tight(symmetric_inputs("inertia", 6))),
    **dict.fromkeys(("carried", "lifted"), ARTICULATED),
    "wrenches": Numbers((6, 3)),
    "columns": Numbers((6, 3)),
    "forces": MATRIX,
    # of a plant
    **dict.fromkeys(("command", "pressure", "hysteresis", "creep", "halfway"), NUMBER),
    **dict.fromkeys(("all_rates", "all_ways"), NUMBER),
    **dict.fromkeys(("pressure_rate", "hysteresis_rate", "pressure_relaxation", "hysteresis_relaxation"), NUMBER),
    **dict.fromkeys(("creep_rate", "pressed", "push", "slope", "relaxation", "gain", "memory"), NUMBER),
    **dict.fromkeys(("power", "energy"), PAIR),
    # of a closed loop
    **dict.fromkeys(("goal", "goal_rate", "goal_acceleration", "sum_off"), VECTOR),
    **dict.fromkeys(("per_length", "per_rate", "per_sum", "highest", "change"), CONSTANT),
    **dict.fromkeys(("wanted", "saturated"), NUMBER),
    # of commands over time
    **dict.fromkeys(
        ("begin", "end", "value", "total", "above", "threshold", "share", "time", "start", "until"), NUMBER
    ),
}
"""The layout of every argument and result, by its name."""


def steps() -> list[Step]:
    """All steps."""
    recorder = Recorder(LAYOUTS)
    for record in (
        *(_sections, _forward, _implicit, _newton, _inverse, _mass, _energies, _poses, _plant, _commands),
        _tracking,
        *(_kept, _reverse),
    ):
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
    recorder.record(pressed, "pressed")


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


def _newton(recorder: Recorder) -> None:
    recorder.record(implicit.resistance, "extra")
    for model in MODELS:
        recorder.record(stiffened_solve.settle, "resting", defines={"resting": "RestingSection"}, model=model)
    recorder.record(stiffened_solve.eliminate, "inertia", "eliminated", defines={"eliminated": "Eliminated"})
    recorder.record(stiffened_solve.correct_inward, "Dinv_u", "wrench")
    recorder.record(stiffened_solve.correct_inward_base, "Dinv_u")
    recorder.record(stiffened_solve.correct_inward_tip, "Dinv_u", "wrench")
    recorder.record(stiffened_solve.correct_outward, "q_correction", "qd_correction", "acceleration")
    recorder.record(stiffened_solve.correct_outward_base, "q_correction", "qd_correction", "acceleration")
    recorder.record(stiffened_solve.correct_outward_tip, "q_correction", "qd_correction")


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
    recorder.record(plant.section_power, "power")
    recorder.record(plant.one_more_along, "all_rates")
    recorder.record(plant.muscle_force, "tau")
    recorder.record(plant.muscle_rate, "tau", "power", "pressure_rate", "hysteresis_rate")
    recorder.record(plant.muscle_tangent, "block", "push", "pressure_relaxation", "slope", "hysteresis_relaxation")
    recorder.record(newton.eliminate_memory, "share", "gain", "block")
    recorder.record(newton.pull_of_memory, "memory", "pull")
    recorder.record(newton.correct_memory, "memory")
    recorder.record(plant.half_ahead, "there")
    recorder.record(plant.muscle_ahead, "tau", "block", "pressure", "halfway")
    recorder.record(plant.section_work, "moved", "energy")
    recorder.record(plant.muscle_work, "hysteresis", "energy")
    recorder.record(plant.branch_rate, "tau", "power", "creep_rate")
    recorder.record(plant.branch_ahead, "tau", "block", "halfway")
    recorder.record(plant.branch_work, "creep", "energy")


def _commands(recorder: Recorder) -> None:
    recorder.record(commands.ramp, "value")
    recorder.record(commands.part_of_mean, "total", "above")
    recorder.record(commands.acting_mean, "value")


def _tracking(recorder: Recorder) -> None:
    recorder.record(tracking.wanted_rate, "rate")
    recorder.record(tracking.summed, "sum_off")
    recorder.record(tracking.muscle_command, "command", "saturated")


def _kept(recorder: Recorder) -> None:
    """Accelerations that keep what answers other forces, and the answers."""
    recorder.record(forward.absorb_and_keep, "carried", "response", "eliminated")
    recorder.record(forward.absorb_base_and_keep, "response", "eliminated")
    recorder.record(forward.absorb_tip_and_keep, "carried", "response", "eliminated")
    recorder.record(stiffened_solve.absorb_force, "Dinv_u", "wrench")
    recorder.record(stiffened_solve.absorb_force_base, "Dinv_u")
    recorder.record(stiffened_solve.absorb_force_tip, "Dinv_u", "wrench")
    recorder.record(stiffened_solve.respond_to_force, "mu", "acceleration")
    recorder.record(stiffened_solve.respond_to_force_base, "mu", "acceleration")


def _reverse(recorder: Recorder) -> None:
    """Derivatives backward: by the state, and where `_constants` is said by the numbers of the arm as well."""
    handed = ("omega", "acceleration", "virtual_motion")
    payload = ("mass", "offset")
    for model in MODELS:
        recorder.record(virtual_power.section_virtual_power, "power_of", *handed, model=model)
        recorder.record_reverse(
            virtual_power.base_virtual_power, "power_of", *handed, by=("q", "qd", "qdd"), model=model
        )
        recorder.record_reverse(
            virtual_power.tip_virtual_power, "power_of", by=("q", "qd", "qdd", *handed), model=model
        )
    for called, arm in (("reverse", ()), ("reverse_constants", ("section",))):
        for model in MODELS:
            recorder.record_reverse(
                virtual_power.section_virtual_power,
                *("power_of", *handed),
                by=("q", "qd", "qdd", *handed, *arm),
                called=called,
                model=model,
            )
        recorder.record_reverse(
            virtual_power.stage_virtual_power,
            "power_of",
            by=("extra", "qdd", "springs", "dampers", *arm),
            called=called,
        )
        recorder.record_reverse(
            virtual_power.spring_virtual_power, "power_of", by=("springs", "dampers", *arm), called=called
        )
        recorder.record_reverse(
            virtual_power.payload_virtual_power, "power_of", by=(*handed, *(payload if arm else ())), called=called
        )
        recorder.record_reverse(
            virtual_power.stop_virtual_power, "power_of", by=("q", *(("stop",) if arm else ())), called=called
        )
        if arm:
            recorder.record_reverse(stop_stiffness, "stops", by=("stop",), called=called)
        recorder.record_reverse(chain.outward, "passage", "omega", by=("q", *arm), called=called)
    recorder.record_reverse(virtual_power.lean_virtual_power, "power_of", by=("block", "springs", "there"))
    recorder.record_reverse(implicit.first_stage, "springs", by=("q", "qd"))
    recorder.record_reverse(implicit.second_stage, "there", "rate", "springs", "dampers", by=("q", "qd", "qdd_first"))
    recorder.record_reverse(implicit.end_of_step, "q", "qd", by=("q", "qd", "qdd_first", "qdd_second"))
    recorder.record_reverse(poses.attach, "frame", by=("passage", "frame"))
    recorder.record_reverse(poses.feel_wrench, "tau", by=("section", "passage", "frame", "point", "wrench"))
    recorder.record_reverse(plant.half_ahead, "there", by=("q", "qd"))
    recorder.record_reverse(
        plant.muscle_ahead,
        *("tau", "block", "pressure", "halfway"),
        by=("command", "pressure", "hysteresis", "q", "qd", "all_rates", "muscle", "valve"),
    )
    recorder.record_reverse(
        plant.branch_ahead, "tau", "block", "halfway", by=("creep", "qd", "muscle", "branch", "kept")
    )
    recorder.record_reverse(plant.section_work, "moved", "energy", by=("q", "q_after", "tau", "section"))
    recorder.record_reverse(
        plant.muscle_work, "hysteresis", "energy", by=("halfway", "hysteresis", "moved", "all_ways", "muscle")
    )
    recorder.record_reverse(plant.one_more_along, "all_rates", by=("qd", "muscle"))
    recorder.record_reverse(
        plant.branch_work, "creep", "energy", by=("halfway", "creep", "moved", "muscle", "branch", "kept")
    )


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
