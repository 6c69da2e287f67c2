"""What stands around an arm, as parameters to fit: the frame of the sensors, clocks, gauges and lines."""

from __future__ import annotations

import math

from continuarm.arms.arm import Arm
from continuarm.arms.rig import Gauge, Rig
from continuarm.common.text import short
from continuarm.identification.fittable_parameters import check_moving, highest_pressure
from continuarm.identification.recording import FURTHEST_DELAY, LONGEST_DELAY
from continuarm.identification.search_numbers import (
    FittableParameter,
    ReportedNumber,
    Request,
    SearchNumber,
    Values,
    positive_number,
    takes_no_bounds,
)
from continuarm.identification.sensors import reach


def sensor_frame(request: Request) -> FittableParameter:
    """Rotation vector and origin of the world in the frame of the positions, the same in all recordings."""
    takes_no_bounds(request)
    rig, scale = request.arm.rig or Rig(), 0.1 * reach(request.arm)
    numbers = [SearchNumber(each, -math.pi, math.pi, 0.1) for each in rig.turn]
    numbers += [SearchNumber(each, -100.0, 100.0, scale) for each in rig.origin]

    def reported(values: Values) -> list[ReportedNumber]:
        names = [("rx", "rad"), ("ry", "rad"), ("rz", "rad"), ("x", "m"), ("y", "m"), ("z", "m")]
        return [ReportedNumber(f"sensor_frame {n}", unit, v, False) for (n, unit), v in zip(names, values, strict=True)]

    def of_arm(values: Values, arm: Arm) -> Arm:
        return arm.replace(rig=(arm.rig or Rig()).replace(turn=values[:3], origin=values[3:]))

    return FittableParameter(request.free.name, "sensors", tuple(numbers), reported, of_arm=of_arm)


def delay(request: Request) -> FittableParameter:
    """By how much each recording over time is late."""
    check_moving(request, "delay")
    moving = [recording.name for recording in request.recordings if not recording.static]
    low, high = request.free.bounds or (-LONGEST_DELAY, LONGEST_DELAY)
    begin = request.free.start or 0.0
    if not -FURTHEST_DELAY <= low <= begin <= high <= FURTHEST_DELAY:
        raise ValueError(f"free: bounds of delay = {short((low, high))}: must be within ±{FURTHEST_DELAY:g} s")

    def reported(values: Values) -> list[ReportedNumber]:
        return [ReportedNumber(f"delay of {run}", "s", late, False) for run, late in zip(moving, values, strict=True)]

    numbers = (SearchNumber(begin, low, high, 0.1),) * len(moving)
    return FittableParameter(request.free.name, "sensors", numbers, reported)


def gauges(request: Request, field: str) -> FittableParameter:
    """The offset or the gain of the gauge of every line that the rig names, or of all lines."""
    takes_no_bounds(request)
    if not highest_pressure(request):
        raise ValueError(f"free: {request.free.name} is of gauges, and no recording is driven by pressures")
    lines = dict.fromkeys(line.muscles[0] for line in request.arm.muscle_lines)
    begin = (request.arm.rig or Rig()).gauges or tuple(Gauge(line=line) for line in lines)
    positive, unit = field == "gain", "Pa" if field == "offset" else "1"
    if positive:
        numbers = [SearchNumber(gauge.gain, gauge.gain / 3, gauge.gain * 3) for gauge in begin]
    else:
        numbers = [SearchNumber(gauge.offset, gauge.offset - 5e4, gauge.offset + 5e4, 1e3) for gauge in begin]

    def reported(values: Values) -> list[ReportedNumber]:
        both = zip(begin, values, strict=True)
        return [ReportedNumber(f"{request.free.name} of {gauge.line}", unit, value, positive) for gauge, value in both]

    def of_arm(values: Values, arm: Arm) -> Arm:
        rig = arm.rig or Rig()
        changed = [gauge.replace(**{field: value}) for gauge, value in zip(rig.gauges or begin, values, strict=True)]
        return arm.replace(rig=rig.replace(gauges=changed))

    return FittableParameter(request.free.name, "rest", tuple(numbers), reported, of_arm=of_arm)


def line_delay(request: Request) -> FittableParameter:
    """How long commands take to reach the muscles, one number for all lines."""
    check_moving(request, "line_delay")
    lines = tuple(dict.fromkeys(request.arm.muscle_lines))
    number = positive_number(request, max(line.delay for line in lines) or 0.02, 60.0)

    def reported(values: Values) -> list[ReportedNumber]:
        return [ReportedNumber("line_delay", "s", values[0], True)]

    def of_arm(values: Values, arm: Arm) -> Arm:
        return arm.replace(lines=[line.replace(delay=values[0]) for line in lines])

    return FittableParameter(request.free.name, "motion", (number,), reported, of_arm=of_arm)
