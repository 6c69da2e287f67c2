"""An arm as a chain of rigid links in MuJoCo, where that is installed: what people simulate soft arms with otherwise.

A section of length L and mass m is N links of length L/N and mass m/N, each on two hinges across the arm. Hinges are
springs in series: each has N times the stiffness and damping of the section over its bend. Links do not lengthen, which
leaves out a third of the coordinates of a section.
"""

from __future__ import annotations

from xml.etree import ElementTree

import numpy as np

from continuarm.arms.arm import Arm
from continuarm.arms.section import Section
from continuarm.common.number_checks import Floats

LINKS = 8
"""For each section: 24 for an arm of three."""


def chain_xml(arm: Arm, links: int = LINKS, step: float = 1e-3) -> str:
    """The model file: hanging from its base, implicit steps, no contacts, a torque on every hinge as control."""
    root = ElementTree.Element("mujoco", model=arm.name)
    ElementTree.SubElement(root, "compiler", angle="radian", autolimits="true")
    gravity = _numbers(arm.gravity)
    option = ElementTree.SubElement(root, "option", timestep=repr(step), gravity=gravity, integrator="implicitfast")
    ElementTree.SubElement(option, "flag", contact="disable", constraint="disable")
    place = ElementTree.SubElement(root, "worldbody")
    actuators = ElementTree.SubElement(root, "actuator")
    above = 0.0
    for i, section in enumerate(arm.sections):
        length = section.length / links
        for k in range(links):
            place = ElementTree.SubElement(place, "body", name=f"link{i}-{k}", pos=_numbers((0.0, 0.0, above)))
            for axis, direction in (("x", (1.0, 0.0, 0.0)), ("y", (0.0, 1.0, 0.0))):
                name = f"{axis}{i}-{k}"
                springs = {
                    word: repr(links * bending(section, matrix))
                    for word, matrix in (("stiffness", section.stiffness_matrix), ("damping", section.damping_matrix))
                }
                words = {"name": name, "type": "hinge", "axis": _numbers(direction)} | springs
                ElementTree.SubElement(place, "joint", words)
                ElementTree.SubElement(actuators, "motor", joint=name)
            mass, turn = section.mass / links, section.mass / links * section.radius**2 / 4
            about = turn + mass * length**2 / 12
            ElementTree.SubElement(
                *(place, "inertial"),
                pos=_numbers((0.0, 0.0, length / 2)),
                mass=repr(mass),
                diaginertia=_numbers((about, about, 2 * turn)),
            )
            above = length
    return ElementTree.tostring(root, encoding="unicode")


def bending(section: Section, matrix: Floats) -> float:
    """Stiffness or damping of a section over its bend, N m/rad or N m s/rad: B⁻ᵀ K B⁻¹, mean of both directions."""
    inverse = np.linalg.inv(section.shape_map)
    over = inverse.T @ matrix @ inverse
    return float(over[0, 0] + over[1, 1]) / 2


def _numbers(values: tuple[float, ...]) -> str:
    return " ".join(repr(float(value)) for value in values)
