"""The kernel that steps many arms on a GPU, as one text of CUDA C++ for arms of one layout.

It is put together from the headers that processors are served by (drivers, plant, the generated steps) and from what is
known of the arms when they are given: their number of sections, laws and model, and which of their constants differ.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from itertools import accumulate
from pathlib import Path

import numpy as np

from continuarm.common.number_checks import Floats
from continuarm.dynamics.plant import Plant
from continuarm.engine.section_numbers import is_integral

NATIVE = Path(__file__).with_name("native")
KERNEL = "roll_arms"
NUMBERS = {"float32": "float", "float64": "double"}
"""What a number of the GPU is called, by the name of its dtype."""
THREADS = 256
"""In a block."""
MOST_KEPT = 3
"""Sections of an arm up to which registers hold what the recursion needs of them twice, in float."""
MOST_UNROLLED = 5
"""Sections of an arm up to which all loops are written out, so that its numbers stay in registers."""
OPTIONS = {
    "float32": ("--std=c++17", "--fmad=false", "--prec-div=false"),
    "float64": ("--std=c++17", "--fmad=false"),
}
"""Of NVRTC, beside those of CuPy. The steps say themselves where they fuse: so a GPU rounds doubles as a processor
does. In float quotients may be off by two units in the last place, which makes 8 % more steps a second."""
MOST_SHARED = 4000
"""Constants that are parameters of the kernel, which has room for 32,764 bytes."""
ZERO = -(2**30)

Layout = dict[str, int | bool | Sequence[int]]


@dataclass(frozen=True)
class ConstantPlaces:
    """Where a thread finds each constant of its arm: with all arms, with its own, or nowhere because it is zero.

    Laws that are switched off are zeros, and are compiled away with them.
    """

    places: tuple[int, ...]
    """Of each constant: a column of its own, -1 - its number among those shared, or ZERO."""
    shared: tuple[int, ...]
    own: tuple[int, ...]

    @classmethod
    def of(cls, constants: Floats, n: int) -> ConstantPlaces:
        """Those of arms of n sections with such constants, (arms, constants)."""
        differs = (constants != constants[0]).any(axis=0)
        if n > MOST_UNROLLED and not differs.any():  # read where they are, so that zeros must be there
            kept = np.arange(constants.shape[1])
        else:
            kept = np.flatnonzero(~differs & (constants[0] != 0))
        shared = kept[:MOST_SHARED].tolist()
        differs[kept[MOST_SHARED:]] = True  # as if they did
        own = np.flatnonzero(differs).tolist()
        places = np.full(constants.shape[1], ZERO)
        places[own] = np.arange(len(own))
        places[shared] = -1 - np.arange(len(shared))
        return cls(tuple(places.tolist()), tuple(shared), tuple(own))


@dataclass(frozen=True)
class DeviceKernel:
    """What a kernel is compiled for, beside its plant and its constants."""

    dtype: str
    """One of NUMBERS."""
    given: int
    """Commands in a row: pressures, or all of them."""
    pushed: bool
    """Whether forces or a wrench from outside may act."""
    tips: bool = False
    energies: bool = False
    """Whether they may be asked for."""


def device_source(plant: Plant, constants: ConstantPlaces, kernel: DeviceKernel) -> str:
    """The whole text, which names no file."""
    arm, states, commands = plant.arm, plant.states, plant.commands
    counts = [sum(1 for i, _ in plant.muscles if i == section) for section in range(arm.n)]
    arm_layout: Layout = {
        "n": arm.n,
        "integral": is_integral(arm.inertia),
        "first_stop": [0, *accumulate(len(section.stops) for section in arm.sections)],
    }
    plant_layout: Layout = {
        "branch_count": len(plant.branches),
        "first_muscle": [0, *accumulate(counts)],
        "remembers": states.remembers,
        "pressures": states.pressures,
        "hysteresis": states.hysteresis,
        "creep": states.creep,
        "supplied": states.supplied,
        "dissipated": states.dissipated,
        "width": states.width,
        "forces": commands.forces,
        "wrench": commands.wrench,
        "command_width": commands.width,
    }
    kernel_layout: Layout = {
        "muscles": len(plant.muscles),
        "given": kernel.given,
        "pushed": kernel.pushed,
        "writes_tips": kernel.tips,
        "writes_energies": kernel.energies,
        "constants": len(constants.places),
        "shared": len(constants.shared),
        "zero": ZERO,
        "in_order": constants.shared == tuple(range(len(constants.places))),
        "places": constants.places,
    }
    crowded = kernel.dtype == "float64" or arm.n > MOST_KEPT
    unrolled = '_Pragma("unroll")' if arm.n <= MOST_UNROLLED else '_Pragma("unroll 1")'
    return "\n".join(
        [
            "#define CONTINUARM_LEVEL device",
            f"#define CONTINUARM_NUMBER {NUMBERS[kernel.dtype]}",
            f"#define CONTINUARM_THREADS {THREADS}",
            f"#define CONTINUARM_SECTIONS {unrolled}",
            f"#define CONTINUARM_PASSAGES_AGAIN {str(crowded).lower()}",
            "namespace continuarm {",
            _printed("ArmLayout", arm_layout),
            _printed("PlantLayout", plant_layout),
            _printed("KernelLayout", kernel_layout),
            "}  // namespace continuarm",
            _headers(),
        ]
    )


def _printed(name: str, layout: Layout) -> str:
    """A struct of numbers that the compiler knows."""
    lines = []
    for each, value in layout.items():
        if isinstance(value, bool):
            lines.append(f"    static constexpr bool {each} = {str(value).lower()};")
        elif isinstance(value, int):
            lines.append(f"    static constexpr long {each} = {value};")
        else:
            lines.append(f"    static constexpr int {each}[] = {{{', '.join(map(str, value))}}};")
    return "\n".join([f"struct {name} {{", *lines, "};"])


@cache
def _headers() -> str:
    """All headers of the kernel one after another, each once, and of the generated steps those that they call."""
    texts: dict[str, str] = {}
    _include(NATIVE / "device_rollout.hpp", texts)
    called = set(re.findall(r"\b(\w+)\(", "".join(text for name, text in texts.items() if name != "steps.hpp")))
    texts["steps.hpp"] = _chosen(texts["steps.hpp"], called)
    return "\n".join(texts.values())


def _include(path: Path, texts: dict[str, str]) -> None:
    """Adds a header after those that it includes."""
    if path.name in texts:
        return
    text = path.read_text(encoding="utf-8").replace("#pragma once\n", "")
    for name in re.findall(r'^#include "(.*)"$', text, flags=re.MULTILINE):
        _include(path.parent / name, texts)
    texts[path.name] = re.sub(r'^#include ".*"$', "", text, flags=re.MULTILINE)


def _chosen(steps: str, called: set[str]) -> str:
    """The generated header with no steps but those called."""
    head, *blocks = re.split(r"^(?=// .*\n// \d+ operations\.$)", steps, flags=re.MULTILINE)
    foot = "}  // namespace CONTINUARM_LEVEL\n}  // namespace continuarm\n"
    names = [re.search(r"^CONTINUARM_\w+ (\w+)\(", block, flags=re.MULTILINE) for block in blocks]
    chosen = [block for block, name in zip(blocks, names, strict=True) if name is not None and name[1] in called]
    return "".join([head, *chosen]).removesuffix(foot) + foot
