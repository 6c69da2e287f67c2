"""What is recorded for native code: the steps of every recursion, each for one section of any arm.

The functions called here are those of the NumPy reference; nothing is computed in a second way. A step takes the
section's parameters, its part of the state, and what the step before it left.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from continuarm.arms.inertia_models import CentreOfGravity, Integral
from continuarm.dynamics.chain import Load, Passage, force_of, moving, passed, payload, rate_of, shape_of
from continuarm.dynamics.energies import carried_energy, energy_passed, fallen, held_up
from continuarm.dynamics.forward import absorbed, lifted, responded, stiffened
from continuarm.dynamics.implicit import closing, middle, opening
from continuarm.dynamics.inverse import carried, demand, onward_acceleration
from continuarm.dynamics.mass import composed, handed_down
from continuarm.dynamics.poses import at_point, attached, moved_by, placed
from continuarm.engine.section_numbers import MODELS, SECTION, Parameters, symmetric_inputs
from continuarm.engine.tracing import Pack, Step, inputs, recorded
from continuarm.sections.inertia import Body
from continuarm.sections.kinematics import shape
from continuarm.sections.muscles import Muscle, answer
from continuarm.sections.spatial import times
from continuarm.sections.springs import damping, elastic, elastic_energy, impedance, stop, stop_impedance

LOAD = Pack.tight(Load(symmetric_inputs("inertia", 6), inputs("bias", 6)))
INERTIA = Pack.tight(symmetric_inputs("inertia", 6))


def _model(kind: str, section: Parameters) -> object:
    if kind == "integral":
        return Integral()
    # not validated: its coefficients are recording scalars
    return CentreOfGravity.model_construct(beta_linear=section.beta_linear, beta_angular=section.beta_angular)


def steps() -> list[Step]:
    """All steps, in the order in which their packs build on each other."""
    found: list[Step] = []

    def record(function: Any, given: dict[str, Any], kind: str = "", **layouts: Any) -> Step:
        name = f"{function.__name__}_{kind}" if kind else function.__name__
        run = (lambda **symbols: function(_model(kind, symbols["section"]), **symbols)) if kind else function
        step = recorded(name, run, given, **layouts)
        found.append(step)
        return step

    def arc(section: Any, q: Any) -> dict[str, Any]:
        here = shape(shape_of(section, q))
        return {"y": here.y, "s": here.s}

    def outward(section: Any, q: Any, qd: Any, omega: Any) -> dict[str, Any]:
        passage, onward = passed(section, q, qd, omega)
        return {"passage": passage, "onward": onward}

    def point_mass(mass: Any, offset: Any, omega: Any) -> dict[str, Any]:
        return {"load": payload(mass[0], offset, omega)}

    record(arc, {"section": SECTION, "q": 3})
    passage = record(outward, {"section": SECTION, "q": 3, "qd": 3, "omega": 3}, passage=Pack.tight).packs["passage"]
    record(point_mass, {"mass": 1, "offset": 3, "omega": 3}, load=LOAD)

    # forward dynamics
    # in three parts, each small enough to be computed mostly in registers
    def weigh(model: Any, section: Any, passage: Passage, qd: Any) -> dict[str, Any]:
        link = moving(section, model, passage, qd)
        return {"body": link.body, "product": link.velocity_product}

    def lift(passage: Passage, product: Any, load: Load) -> dict[str, Any]:
        return {"load": lifted(passage.tip, product, load)}

    def absorb(section: Any, passage: Passage, body: Any, q: Any, qd: Any, tau: Any, load: Load) -> dict[str, Any]:
        force = force_of(section, tau - elastic(section, q) - damping(section, qd))
        load, response = absorbed(body, passage.tip, load, force)
        return {"load": load, "response": response}

    def respond(section: Any, passage: Passage, response: Any, product: Any, acceleration: Any) -> dict[str, Any]:
        qdd, onward = responded(section, passage.tip, product, response, acceleration)
        return {"qdd": qdd, "onward": onward}

    weighing = {"section": SECTION, "passage": passage, "qd": 3}
    body = record(weigh, weighing, "integral", body=Pack.tight).packs["body"]
    record(weigh, weighing, "shaped", body=body)
    record(lift, {"passage": passage, "product": 6, "load": LOAD}, load=LOAD)
    state = {"section": SECTION, "passage": passage, "body": body, "q": 3, "qd": 3, "tau": 3, "load": LOAD}
    response = record(absorb, state, load=LOAD, response=Pack.plain).packs["response"]

    # the first section stands still at its base and loads nothing; a last section without payload has nothing to lift
    still, nothing = np.zeros(3), Load(np.zeros((6, 6)), np.zeros(6))

    def weigh_base(model: Any, section: Any, passage: Passage, qd: Any) -> dict[str, Any]:
        link = moving(section, model, passage._replace(omega=still), qd)
        body = link.body
        return {"grounded": (body.coupling, body.own, body.own_bias), "product": link.velocity_product}

    def standing(grounded: Any) -> Body:
        coupling, own, own_bias = grounded
        return Body(np.zeros((6, 6)), coupling, own, np.zeros(6), own_bias)

    def absorb_base(
        section: Any, passage: Passage, grounded: Any, q: Any, qd: Any, tau: Any, load: Load
    ) -> dict[str, Any]:
        return {"response": absorb(section, passage, standing(grounded), q, qd, tau, load)["response"]}

    def absorb_tip(section: Any, passage: Passage, body: Any, q: Any, qd: Any, tau: Any) -> dict[str, Any]:
        return absorb(section, passage, body, q, qd, tau, nothing)

    def absorb_only(section: Any, passage: Passage, grounded: Any, q: Any, qd: Any, tau: Any) -> dict[str, Any]:
        return absorb_base(section, passage, grounded, q, qd, tau, nothing)

    def respond_tip(section: Any, passage: Passage, response: Any, acceleration: Any) -> dict[str, Any]:
        return {"qdd": responded(section, passage.tip, np.zeros(6), response, acceleration)[0]}

    grounded = record(weigh_base, weighing, "integral", grounded=Pack.tight).packs["grounded"]
    record(weigh_base, weighing, "shaped", grounded=grounded)
    unloaded = {"section": SECTION, "passage": passage, "q": 3, "qd": 3, "tau": 3}
    record(absorb_base, unloaded | {"grounded": grounded, "load": LOAD})
    record(absorb_tip, unloaded | {"body": body}, load=LOAD)
    record(absorb_only, unloaded | {"grounded": grounded})
    record(respond_tip, {"section": SECTION, "passage": passage, "response": response, "acceleration": 6})
    given = {"section": SECTION, "passage": passage, "response": response, "product": 6, "acceleration": 6}
    record(respond, given)

    # an implicit step: what springs, dampers and stops add to the inertia
    extra = Pack.tight(symmetric_inputs("extra", 3))

    def stiffen(section: Any, body: Any, part: Any, extra: Any) -> dict[str, Any]:
        return {"body": stiffened(section, body, impedance(section, part[0]) + extra)}

    def stiffen_base(section: Any, grounded: Any, part: Any, extra: Any) -> dict[str, Any]:
        whole = stiffen(section, standing(grounded), part, extra)["body"]
        return {"grounded": (whole.coupling, whole.own, whole.own_bias)}

    def stop_extra(muscle: Any, limits: Any, stiffness: Any, part: Any, q: Any) -> dict[str, Any]:
        return {"extra": stop_impedance(muscle, limits, stiffness[0], part[0], q)}

    def open_step(q: Any, qd: Any, step: Any) -> dict[str, Any]:
        stage = opening(q, qd, step[0])
        return {"springs": stage.springs, "dampers": stage.dampers}

    def amid_step(q: Any, qd: Any, first: Any, step: Any) -> dict[str, Any]:
        stage = middle(q, qd, first, step[0])
        return {"there": stage.q, "rate": stage.qd, "springs": stage.springs, "dampers": stage.dampers}

    def close_step(q: Any, qd: Any, first: Any, second: Any, step: Any) -> dict[str, Any]:
        there, rate = closing(q, qd, first, second, step[0])
        return {"there": there, "rate": rate}

    record(stiffen, {"section": SECTION, "body": body, "part": 1, "extra": extra}, body=body)
    record(stiffen_base, {"section": SECTION, "grounded": grounded, "part": 1, "extra": extra}, grounded=grounded)
    record(open_step, {"q": 3, "qd": 3, "step": 1})
    record(amid_step, {"q": 3, "qd": 3, "first": 3, "step": 1})
    record(close_step, {"q": 3, "qd": 3, "first": 3, "second": 3, "step": 1})
    record(stop_extra, {"muscle": 3, "limits": 2, "stiffness": 1, "part": 1, "q": 3}, extra=extra)

    # inverse dynamics
    def demanded(model: Any, section: Any, passage: Any, qd: Any, qdd: Any, acceleration: Any) -> dict[str, Any]:
        link, xdd = moving(section, model, passage, qd), rate_of(section, qdd)
        base, own = demand(link, acceleration, xdd)
        onward = onward_acceleration(link.tip, link.velocity_product, acceleration, xdd)
        return {"base": base, "own": own, "onward": onward}

    def carry(section: Any, passage: Passage, base: Any, own: Any, wrench: Any) -> dict[str, Any]:
        tau, onward = carried(section, passage.tip, base, own, wrench)
        return {"tau": tau, "onward": onward}

    def load_wrench(load: Load, acceleration: Any) -> dict[str, Any]:
        return {"wrench": times(load.inertia, acceleration) + load.bias}

    for kind in MODELS:
        record(demanded, {"section": SECTION, "passage": passage, "qd": 3, "qdd": 3, "acceleration": 6}, kind)
    record(carry, {"section": SECTION, "passage": passage, "base": 6, "own": 3, "wrench": 6})
    record(load_wrench, {"load": LOAD, "acceleration": 6})

    # mass matrix
    def compose(model: Any, section: Any, passage: Passage, inertia: Any) -> dict[str, Any]:
        link = moving(section, model, passage._replace(omega=still), still)
        inertia, wrench, own = composed(section, link.body, link.tip, inertia)
        return {"inertia": inertia, "wrench": wrench, "own": own}

    def hand_down(section: Any, passage: Passage, wrench: Any) -> dict[str, Any]:
        shared, wrench = handed_down(section, passage.tip, wrench)
        return {"shared": shared, "wrench": wrench}

    full, row = Pack.plain(inputs("wrench", 6, 3)), Pack.plain(inputs("own", 3, 3))
    for kind in MODELS:
        record(
            compose,
            {"section": SECTION, "passage": passage, "inertia": INERTIA},
            kind,
            inertia=INERTIA,
            wrench=full,
            own=row,
        )
    record(hand_down, {"section": SECTION, "passage": passage, "wrench": full}, wrench=full, shared=row)

    # forces and energies of the muscles
    def spring(section: Any, q: Any) -> dict[str, Any]:
        return {"force": elastic(section, q), "energy": elastic_energy(section, q)}

    def damper(section: Any, qd: Any) -> dict[str, Any]:
        return {"force": damping(section, qd)}

    def end_stop(muscle: Any, limits: Any, stiffness: Any, q: Any) -> dict[str, Any]:
        force, energy = stop(muscle, limits, stiffness[0], q)
        return {"force": force, "energy": energy}

    record(spring, {"section": SECTION, "q": 3})
    record(damper, {"section": SECTION, "qd": 3})
    record(end_stop, {"muscle": 3, "limits": 2, "stiffness": 1, "q": 3})

    def actuate(actuator: Any, command: Any, pressure: Any, held: Any, length: Any, rate: Any) -> dict[str, Any]:
        return answer(Muscle(*actuator), command[0], pressure[0], held[0], length[0], rate[0])._asdict()

    ones = dict.fromkeys(("command", "pressure", "held", "length", "rate"), 1)
    record(actuate, {"actuator": len(Muscle._fields)} | ones)

    # energies of motion and height
    def kinetic(model: Any, section: Any, passage: Passage, qd: Any, motion: Any) -> dict[str, Any]:
        link = moving(section, model, passage._replace(omega=still), still)
        energy, onward = energy_passed(section, link.body, link.tip, qd, motion)
        return {"energy": energy, "onward": onward}

    def load_energy(load: Load, motion: Any) -> dict[str, Any]:
        return {"energy": carried_energy(load.inertia, motion)}

    def height(section: Any, passage: Passage, gravity: Any, height: Any) -> dict[str, Any]:
        energy, gravity, onward = fallen(section, passage.here, passage.tip, gravity, height[0])
        return {"energy": energy, "gravity": gravity, "onward": onward}

    def load_height(mass: Any, offset: Any, gravity: Any, height: Any) -> dict[str, Any]:
        return {"energy": held_up(mass[0], offset, gravity, height[0])}

    for kind in MODELS:
        record(kinetic, {"section": SECTION, "passage": passage, "qd": 3, "motion": 6}, kind)
    record(load_energy, {"load": LOAD, "motion": 6})
    record(height, {"section": SECTION, "passage": passage, "gravity": 3, "height": 1})
    record(load_height, {"mass": 1, "offset": 3, "gravity": 3, "height": 1})

    # kinematics
    frame = Pack.plain((inputs("rotation", 3, 3), inputs("position", 3)))

    def attach(section: Any, passage: Passage, frame: Any) -> dict[str, Any]:
        return {"onward": attached(passage.tip, *frame)}

    def place(section: Any, q: Any, xi: Any, frame: Any) -> dict[str, Any]:
        return {"placed": placed(section, q, xi[0], *frame)}

    def move(section: Any, passage: Passage, frame: Any) -> dict[str, Any]:
        return {"columns": moved_by(section, passage.tip, frame[0])}

    def move_point(columns: Any, base: Any, point: Any) -> dict[str, Any]:
        return {"columns": at_point(columns, point[1] - base[1])}

    record(attach, {"section": SECTION, "passage": passage, "frame": frame}, onward=frame)
    record(place, {"section": SECTION, "q": 3, "xi": 1, "frame": frame}, placed=frame)
    record(move, {"section": SECTION, "passage": passage, "frame": frame}, columns=full)
    record(move_point, {"columns": full, "base": frame, "point": frame}, columns=full)
    return found
