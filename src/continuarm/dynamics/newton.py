"""Newton's iteration of an implicit method on a plant: the linear system of a whole state, in O(n).

Backward differences ask for y of (1 - c J) y = r. J is that of what is stiff, which acts section by section and is
known exactly: springs, dampers, stops, muscles, and what these remember (pressures P, hysteresis, creep; z together).

    y_q = r_q + c y_v
    y_z = (r_z + c A l̇(y_v)) / (1 + c R)                      A: slopes, R: relaxation, l̇ = w q̇_i along a muscle
    M y_v = M r_v + c (-K y_q - D y_v + wᵀ P y_z)              P: pushes

y_z is eliminated muscle by muscle and y_q section by section, which leaves a matrix `added` for each section, and the
force of the residual:

    added = c D + c² (K - wᵀ P A / (1 + c R) w)
    y_v = r_v - (M + added)⁻¹ (added r_v + c (K r_q - wᵀ P r_z / (1 + c R)))

Gravity, velocity products and the inertia's change with q are left to the iteration.
"""

from __future__ import annotations

import numpy as np

from continuarm.common.number_checks import Floats
from continuarm.dynamics.chain import section_by_section
from continuarm.dynamics.implicit import resistance
from continuarm.dynamics.plant import Plant
from continuarm.dynamics.stiffened_solve import resisting, solve_stiffened
from continuarm.sections.muscles_and_valves import Muscle, along
from continuarm.sections.spatial import Array, scaled
from continuarm.sections.springs import spring_over_lengths


def newton_correction(plant: Plant, commands: Floats, row: Floats, part: float, residual: Floats) -> Floats:
    """y of (1 - c J) y = residual, (width,), with J at a state (width,) under commands; c = part, s.

    What is summed up (energies) drives nothing and has no part in J: its residual is its correction.
    """
    size, found = 3 * plant.arm.n, residual.copy()
    tangent = plant.tangent(commands, row)
    memory = found[2 * size : 2 * size + len(tangent.relaxation)]
    blocks, pulls, gains = list(tangent.blocks), np.zeros((plant.arm.n, 3)), np.zeros(len(memory))
    for m, (push, slope, relaxation) in enumerate(zip(*tangent[1:], strict=True)):
        i, muscle = plant.muscles[m % len(plant.muscles)]
        share, gains[m], blocks[i] = eliminate_memory(muscle, push, slope, relaxation, part, blocks[i])
        memory[m], pulls[i] = pull_of_memory(muscle, share, push, memory[m], pulls[i])
    added = [resistance(section, block, part) for section, block in zip(plant.arm.sections, blocks, strict=True)]
    each = section_by_section(plant.arm, found[:size], found[size : 2 * size])
    force = [
        resisting(extra, K, rq, rv, pull, part)
        for (_, rq, rv), extra, K, pull in zip(each, added, tangent.blocks, pulls, strict=True)
    ]
    found[size : 2 * size] -= solve_stiffened(plant.arm, row[:size], added, np.concatenate(force))
    found[:size] += part * found[size : 2 * size]
    for m, gain in enumerate(gains):
        i, muscle = plant.muscles[m % len(plant.muscles)]
        memory[m] = correct_memory(muscle, gain, found[size + 3 * i : size + 3 * i + 3], memory[m])
    return found


# ---- One number that a muscle remembers: what is recorded ------------------------------------------------------------


def eliminate_memory(
    muscle: Muscle, push: Array, slope: Array, relaxation: Array, part: Array, block: Array
) -> tuple[Array, Array, Array]:
    """1 / (1 + c R), and c A times it, of a number that a muscle remembers; and K over q_i with its stiffness."""
    share = 1 / (1 + part * relaxation)
    return share, part * slope * share, block - spring_over_lengths(push * slope * share, muscle.row)


def pull_of_memory(muscle: Muscle, share: Array, push: Array, memory: Array, pull: Array) -> tuple[Array, Array]:
    """The residual of such a number divided by 1 + c R, and the force (..., 3) over q_i with its own."""
    left = share * memory
    return left, pull + scaled(push * left, muscle.row)


def correct_memory(muscle: Muscle, gain: Array, qd_correction: Array, memory: Array) -> Array:
    """The correction of such a number, for that of q̇_i."""
    return memory + gain * along(muscle, qd_correction)
