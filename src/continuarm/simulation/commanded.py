"""What a plant is given: the commands over time of an input and of a wrench at the tip together."""

from __future__ import annotations

from numpy.typing import ArrayLike

from continuarm.arms.arm import Arm
from continuarm.common.argument_checks import kind_of
from continuarm.common.number_checks import Floats, not_too_large, real_numbers
from continuarm.simulation.commands_over_time import CommandsOverTime, command_rows
from continuarm.simulation.inputs import Input, NoInput, WrenchSignal
from continuarm.simulation.motion_layout import FOLLOWED
from continuarm.simulation.pressure_commands import line_delays


def commands_of(
    arm: Arm, input: Input | None, wrench: ArrayLike | WrenchSignal | None, settled: bool = False
) -> CommandsOverTime:
    """The commands over time of an input and of a wrench at the tip, constant (6,) or over time; None: nothing.

    settled: whether the first commands held before the beginning too, which matters where a line delays them.
    """
    check_input(input)
    drive = (NoInput() if input is None else input).drive(arm)
    if arm.lines:  # no other line is late
        if drive.control is not None:
            refuse_delays(arm, "a Controller")
        drive = drive.delayed(line_delays(arm), settled)
    return _with_wrench(arm, drive, wrench)


def refuse_delays(arm: Arm, whose: str) -> None:
    """Raises ValueError where lines delay what somebody commands whose answers act at once."""
    late = float(line_delays(arm).max())
    if late:
        allowed = f"must have none for {whose}, whose commands act at once"
        raise ValueError(f"lines of {arm.name!r} have delays, up to {late:g} s: {allowed}")


def readings_of(arm: Arm, input: Input | None, wrench: ArrayLike | WrenchSignal | None) -> CommandsOverTime:
    """The same as it was logged: pressures as gauges read them, and not later by what lines delay them."""
    given = NoInput() if input is None else input
    return _with_wrench(arm, getattr(given, "as_read", given.drive)(arm), wrench)


def _with_wrench(arm: Arm, drive: CommandsOverTime, wrench: ArrayLike | WrenchSignal | None) -> CommandsOverTime:
    if wrench is None:
        return drive
    if isinstance(wrench, WrenchSignal):
        return drive.plus(wrench.drive(arm))
    constant = real_numbers("wrench", wrench, "6 numbers, a moment and a force")
    if constant.shape != (6,):
        raise ValueError(f"wrench has shape {constant.shape}: must be (6,), a moment and a force")
    return drive.plus_held(command_rows(arm, wrench=not_too_large("wrench", constant, "N m and N"))[0])


def check_input(input: object, whose: str = "") -> None:
    """Raises TypeError for what cannot drive an arm, such as a class where an object was meant."""
    if input is not None and (isinstance(input, type) or not callable(getattr(input, "drive", None))):
        kinds = "a PressureSteps, PressureSignal, ForceSignal, WrenchSignal or Controller"
        raise TypeError(f"{whose}input is {kind_of(input)}: must be {kinds}")


def said_of_gauges(input: Input | None, arm: Arm) -> str | None:
    """What is to be said of an input whose gauges read below zero; None of others."""
    say = getattr(input, "said_of_gauges", None)
    return say(arm) if callable(say) else None


def followed_by(input: Input | None, t: Floats) -> dict[str, Floats]:
    """What a closed loop was to follow at times (k,) and believed then, (k, ...) by name; nothing of other inputs."""
    follow = getattr(input, "followed", None)
    return follow(t) if callable(follow) else {}


def followed_names(input: Input | None) -> tuple[str, ...]:
    """What a motion will keep of a closed loop, in the order of FOLLOWED; nothing of other inputs."""
    names = {*getattr(input, "followed_names", ())}
    return tuple(name for name in FOLLOWED if name in names | {"command"}) if names else ()
