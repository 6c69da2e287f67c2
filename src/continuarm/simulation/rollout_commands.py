"""What drives many arms: tables of commands, a row for every step, and which table each arm has."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from continuarm.arms.arm import Arm
from continuarm.arms.variations import Arms
from continuarm.common.argument_checks import kind_of
from continuarm.common.limits import HIGHEST_PRESSURE
from continuarm.common.number_checks import Floats, entry, finite, first, real_numbers
from continuarm.dynamics.plant import Plant
from continuarm.engine.cuda import is_on_gpu
from continuarm.simulation.commanded import commands_of
from continuarm.simulation.commands_over_time import CommandsOverTime, command_rows
from continuarm.simulation.inputs import Input, WrenchSignal
from continuarm.simulation.pressure_commands import checked_pressures, line_delays, refuse_contradictions


@dataclass(frozen=True)
class CommandTables:
    """Commands of many arms: those of arm i after k steps are rows[table[i], k], or [table[i], 0] where one is held."""

    rows: Floats  # (tables, steps or 1, given); where it is computed, as an array that a user gave there is
    table: Floats  # (arms,), whole numbers
    rest: Floats  # (commands,), those from `given` on are the same for all arms and steps


def is_signal(input: Any) -> bool:
    """Whether it is an input of `simulate`, or nothing, and no array and no function."""
    return input is None or isinstance(input, type) or callable(getattr(input, "drive", None))


def signal_tables(arms: Arms, input: Input | None, wrench: Any, step: float, count: int) -> CommandTables:
    """The commands of one input for all arms; they differ where dead zones do and the input jumps inside a step."""
    found: dict[bytes, tuple[int, Floats]] = {}
    by_zones: dict[tuple[float, ...], int] = {}
    table = np.empty(len(arms))
    for k, arm in enumerate(arms):
        zones = tuple(section.dead_zone for section in arm.sections)
        if zones not in by_zones:
            drive = commands_of(arm, input, wrench)
            if drive.control is not None:
                hint = "for many arms give a function (t, q, qd) of all of them"
                raise ValueError(f"input: must be no Controller, which answers for one arm: {hint}")
            rows = drive.means(step, count, Plant(arm).thresholds)
            by_zones[zones] = found.setdefault(rows.tobytes(), (len(found), rows))[0]
        table[k] = by_zones[zones]
    tables = np.stack([rows for _, rows in found.values()])
    return CommandTables(tables, table, np.zeros(tables.shape[-1]))


def array_tables(arms: Arms, pressures: Any, wrench: Any, step: float, machine: Any = None) -> CommandTables:
    """Pressures (steps, muscles) of all arms or (arms, steps, muscles), each held for a step.

    machine: what computes, if they may be in its memory.
    """
    shared = pressures.ndim == 2
    rows = pressures[None] if shared else pressures
    table = np.zeros(len(arms)) if shared else np.arange(len(arms), dtype=float)
    arm, count = arms[0], rows.shape[1]
    if not line_delays(arm).any() and not isinstance(wrench, WrenchSignal):
        return CommandTables(rows, table, held_rest(arm, wrench))
    if machine is not None:
        rows = machine.host(rows)
    times = np.arange(count) * step  # lines that are late, or a wrench that changes: as any other signal
    driven = (CommandsOverTime.held(times, command_rows(arm, pressures=each)) for each in rows)
    extra = commands_of(arm, None, wrench)
    late, thresholds = line_delays(arm), Plant(arm).thresholds
    means = [each.delayed(late).plus(extra).means(step, count, thresholds) for each in driven]
    return CommandTables(np.stack(means), table, np.zeros(means[0].shape[-1]))


def held_rest(arm: Arm, wrench: ArrayLike | None) -> Floats:
    """A row of commands with a constant wrench and nothing else, (commands,)."""
    return np.ascontiguousarray(commands_of(arm, None, wrench).begin[0])


def batch_pressures(
    arms: Sequence[Arm], name: str, value: ArrayLike, lead: tuple[int | None, ...], machine: Any = None
) -> Floats:
    """Pressures of arms as a user gave them, with a number for each muscle or for each line, Pa.

    lead: the axes before the last, None where any length is taken; the first, that of arms, may be left out. machine:
    what computes if it is no processor; arrays in its memory stay there.
    """
    arm = arms[0]
    muscles, lines = len(arm.muscle_names), arm.muscle_lines
    if arm.lines:  # elsewhere every muscle has its own
        lines = tuple(dict.fromkeys(lines))
    wanted = ", ".join("steps" if each is None else str(each) for each in lead)
    shape = f"({wanted}, {muscles})" + (f" or ({wanted}, {len(lines)}), one for each line" * (len(lines) != muscles))
    array = as_numbers(name, value, f"pressures in Pa of shape {shape}", machine)
    fits = array.ndim in (len(lead), len(lead) + 1) and array.shape[-1] in (muscles, len(lines)) and array.size
    own = array.shape[:-1]
    if not fits or any(
        each not in (None, there) for each, there in zip(lead[len(lead) - len(own) :], own, strict=True)
    ):
        raise ValueError(f"{name} has shape {array.shape}: must be {shape}; without the first axis, those of all arms")
    wrong = ~((array >= 0) & (array <= HIGHEST_PRESSURE))
    if wrong.any():
        if machine is not None:
            array, wrong = machine.host(array), machine.host(wrong)
        finite(name, array)
        at = first(wrong)
        limits = f"0 Pa or more and at most {HIGHEST_PRESSURE:g} Pa"
        raise ValueError(f"{entry(name, at)} = {array[at]:g}: must be {limits}")
    if array.shape[-1] != muscles:
        array = array[..., [lines.index(line) for line in arm.muscle_lines]]
    elif arm.lines:
        refuse_contradictions(arm, name, array if machine is None else machine.host(array))
    checked_pressures(arm, name, np.zeros(muscles))  # whether the muscles have an area at all
    return array if array.flags.c_contiguous else array.copy()


def as_numbers(name: str, value: Any, allowed: str, machine: Any = None) -> Any:
    """The value as an array of real numbers: NumPy's, or where a machine computes if it is there."""
    if not is_on_gpu(value):
        return real_numbers(name, value, allowed)
    if machine is None:
        raise ValueError(f"{name} is {kind_of(value)} on a GPU: must be in the computer's memory, or device = 'cuda'")
    array = machine.taken(name, value)
    if array.dtype.kind not in "iuf":
        raise ValueError(f"{name} has dtype {array.dtype}: must be {allowed}")
    return array


def policy_pressures(arms: Arms, answer: Any, t: float, machine: Any = None) -> Floats:
    """What a policy answered, (arms, muscles), Pa."""
    name = f"input(t = {t:.6g} s)"
    if answer is None:
        raise ValueError(f"{name} is {kind_of(answer)}: must be pressures in Pa of shape ({len(arms)}, muscles)")
    found = batch_pressures(arms, name, answer, (len(arms),), machine)
    return found if found.ndim == 2 else found[None].repeat(len(arms), axis=0)
