"""Section II-B of the paper: the truncated modal form of a section's pose."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from continuarm.arms.arm_file import load_arm
from continuarm.common.number_checks import Floats
from continuarm.paper.modal_form import modal_error, pose_by_angles
from continuarm.reproduction.figures import draw_modal
from continuarm.reproduction.number_text import digits
from continuarm.reproduction.study import Drawing, Findings, Study, Tell, WordTable, bend_points
from continuarm.reproduction.tables import Table
from continuarm.sections.kinematics import arc_at
from continuarm.sections.model_range import greatest_bend

__all__ = ["MODAL"]

ORDERS = (9, 10, 11, 12, 13, 14, 15)


def find_modal(given: Mapping[str, Any], tell: Tell) -> Findings:
    """Errors of the truncated pose at the tip over the bend, and of the library's."""
    prototype = greatest_bend(load_arm("prototype").sections[0])
    bend = np.linspace(0, 4 * np.pi, given["points"])
    columns: list[tuple[str, str, Any]] = [("bend", "rad", bend)]
    places = {
        "4π/3": 4 * math.pi / 3,
        f"prototype's {digits(prototype)}": prototype,
        "2π": 2 * math.pi,
        "4π": 4 * math.pi,
    }
    at: dict[str, dict[str, list[float]]] = {}
    for k, order in enumerate(ORDERS):
        error = modal_error(order, bend)
        columns += [
            (f"order {order}, position", "1", error.position),
            (f"order {order}, rotation", "1", error.rotation),
        ]
        some = modal_error(order, list(places.values()))
        at[str(order)] = {name: [float(p), float(r)] for name, p, r in zip(places, *some, strict=True)}
        tell((k + 1) / len(ORDERS))
    inside = bend[bend <= 2 * np.pi]
    own = np.full(len(bend), np.nan)
    own[: len(inside)] = _own_error(inside)
    columns.append(("this library", "1", own))
    return Findings({"at": at, "own_largest": float(np.nanmax(own))}, {"modal-errors": Table.of(*columns)})


def _own_error(bend: Floats) -> Floats:
    """The largest error of any entry of the library's pose at the tip, bent by φ about Y at s = 1."""
    x = np.stack([bend, np.zeros_like(bend), np.ones_like(bend)], axis=-1)
    rotation, position = arc_at(x, np.ones_like(bend))
    found = np.concatenate([rotation, position[..., None]], axis=-1)
    return np.asarray(np.abs(found - pose_by_angles(bend)).max(axis=(-2, -1)))


def modal_tables(found: Findings) -> list[WordTable]:
    """Errors at four bends."""
    at = found.numbers["at"]
    rows = [
        (order, *(f"{digits(100 * position, 2)} %, {digits(rotation, 2)}" for position, rotation in each.values()))
        for order, each in at.items()
    ]
    names = [f"φ = {name} rad" for name in at[str(ORDERS[0])]]
    return [
        WordTable(
            "Largest error of the truncated pose at the tip: position in percent of the length, rotation entry",
            ("order", *names),
            tuple(rows),
            "4π/3 is the largest bend of the sampling “2pi”, the second that of the prototype's muscles, 4π that of "
            f"the bound as printed. The library truncates nothing: its largest error up to 2π is "
            f"{digits(found.numbers['own_largest'], 2)}.",
        )
    ]


MODAL = Study(
    name="modal-form",
    title="Truncated modal form",
    method=(
        "The paper replaces each entry of the section's pose by its multivariate Taylor polynomial in the muscle "
        "lengths about the straight section (it names orders 13 and 15). Here those polynomials are written down "
        "exactly, for orders 9 to 15, and compared with the pose in sines and cosines, at the tip and at unactuated "
        "length.",
    ),
    parameters=bend_points,
    find=find_modal,
    drawings=(
        Drawing(
            "modal-errors",
            "Largest error of the truncated pose over the bend. Orders 9, 11, 13, 15 are drawn (an even order improves "
            "only some entries); the file has all. Below: this library, up to the full turn where its range ends.",
            draw_modal,
        ),
    ),
    word_tables=modal_tables,
)
