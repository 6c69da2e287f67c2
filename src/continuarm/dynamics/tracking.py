"""Computed torque, one section and one muscle at a time: what the engine records for closed loops.

q̈ = g̈ + k_d (ġ - q̇) + k_p (g - q) + k_i ∫(g - q) dt for a goal g, and the command of a muscle that is to push with a
force: through the law of the muscle, the lag of its valve, and limits.
"""

from __future__ import annotations

from continuarm.sections.muscles_and_valves import Muscle, ValveStep, along, pressure_for, valve_command
from continuarm.sections.spatial import Array, is_positive, positive_part


def within(value: Array, least: Array, greatest: Array) -> Array:
    """The value, or the nearer end of a range."""
    below = value - positive_part(value - greatest)
    return below + positive_part(least - below)


def wanted_rate(
    goal: Array,
    goal_rate: Array,
    goal_acceleration: Array,
    q: Array,
    qd: Array,
    sum_off: Array,
    per_length: Array,
    per_rate: Array,
    per_sum: Array,
) -> Array:
    """goal_acceleration + k_d (ġ - q̇) + k_p (g - q) + k_i ∫(g - q) dt over q_i: a rate of the velocity.

    With k_d = 1 and no goal_acceleration it is by how much the velocity should be more, for gains one derivative lower.
    """
    return goal_acceleration + per_rate * (goal_rate - qd) + per_length * (goal - q) + per_sum * sum_off


def summed(goal: Array, q: Array, sum_off: Array, step: Array) -> Array:
    """∫(g - q) dt a step later, m s."""
    return sum_off + step * (goal - q)


def muscle_command(
    muscle: Muscle,
    valve: ValveStep,
    wanted: Array,
    hysteresis: Array,
    q: Array,
    pressure: Array,
    command: Array,
    highest: Array,
    change: Array,
) -> tuple[Array, Array]:
    """The command of a muscle that is to push with a force, Pa; and 1 where no pressure within 0 and the highest does.

    wanted: N, after hysteresis; pressure: Pa, behind the valve now; command: Pa, the last one, from which the next may
    differ by `change` at most. valve: what it does in the time after which the pressure is to be there.
    """
    needed = pressure_for(muscle, wanted + hysteresis, along(muscle, q))
    kept = within(needed, 0.0 * needed, highest)
    asked = within(valve_command(valve, kept, pressure), 0.0 * needed, highest)
    saturated = 1 - is_positive(needed) + is_positive(needed - highest)
    return within(asked, command - change, command + change), saturated
