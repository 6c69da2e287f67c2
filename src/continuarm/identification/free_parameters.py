"""The free parameters of one fit: an arm, a sensor frame and delays as numbers of a search, and back.

A positive parameter is searched for as its logarithm, so that 0.01 is one percent; others in steps that matter as much.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from continuarm.arms.arm import Arm
from continuarm.arms.parameters import unchecked
from continuarm.arms.rig import frame_pose
from continuarm.common.argument_checks import listed
from continuarm.common.number_checks import Floats
from continuarm.common.text import short
from continuarm.identification.fittable_names import FITTABLE
from continuarm.identification.recording import Recording
from continuarm.identification.search_numbers import FittableParameter, Free, ReportedNumber, Request

__all__ = ["FreeParameters", "free_parameters"]


class FreeParameters:
    """The numbers of a search and what they stand for.

    start, lower, upper: (p,). `arm(x)`, `frame(x)` and `delays(x)` are what numbers x say; `reported(x)` tells them.
    """

    def __init__(self, arm: Arm, chosen: Sequence[FittableParameter], recordings: Sequence[Recording]) -> None:
        self.start_arm, self.chosen = arm, tuple(chosen)
        self.moving = [recording.name for recording in recordings if not recording.static]
        self.search_numbers = [number for parameter in chosen for number in parameter.search_numbers]
        self.start = np.array([number.x(number.start) for number in self.search_numbers])
        self.lower = np.array([number.x(number.low) for number in self.search_numbers])
        self.upper = np.array([number.x(number.high) for number in self.search_numbers])
        # of every number of the search
        self.shows_in = np.array([parameter.shows_in for parameter in chosen for _ in parameter.search_numbers])
        self.exact = np.array([each.has_exact_slopes for each in chosen for _ in each.search_numbers])
        self.one_to_one = [parameter.one_to_one for parameter in chosen for _ in parameter.search_numbers]
        self.logarithmic = [number.scale is None for number in self.search_numbers]
        self.labels = [each.name for each in self.reported(self.start)]

    def __len__(self) -> int:
        return len(self.search_numbers)

    def _values(self, x: Floats) -> dict[str, list[Any]]:
        """The values of every chosen parameter, by its name."""
        each = iter([number.value(xi) for number, xi in zip(self.search_numbers, x, strict=True)])
        return {parameter.name: [next(each) for _ in parameter.search_numbers] for parameter in self.chosen}

    def is_free(self, name: str) -> bool:
        """Whether a parameter of this name is searched for."""
        return any(parameter.name == name for parameter in self.chosen)

    def arm(self, x: Floats) -> Arm:
        """The arm that the numbers describe."""
        values = self._values(x)
        changed, turned = self._changes(values)
        sections = [s.replace(**own) if own else s for s, own in zip(self.start_arm.sections, changed, strict=True)]
        arm = self.start_arm.replace(sections=sections, **turned)
        for parameter in self.chosen:
            arm = parameter.of_arm(values[parameter.name], arm)
        return arm

    def moved_arm(self, arm: Arm, x: Floats, k: int, by: complex) -> Arm:
        """The arm of x with its number k moved by a little, which may be complex; unchecked, so that it need not be."""
        changed, turned = self._changes(self._values(x + by * np.eye(len(x))[k]))
        sections = tuple(unchecked(s, **own) if own else s for s, own in zip(arm.sections, changed, strict=True))
        return unchecked(arm, sections=sections, **turned)

    def _changes(self, values: dict[str, list[Any]]) -> tuple[list[dict[str, Any]], dict[str, Any]]:
        """The fields that values change: of every section, and of the arm."""
        changed: list[dict[str, Any]] = [{} for _ in self.start_arm.sections]
        for parameter in self.chosen:
            # of a joint between sections, the last section has nothing to change
            for own, more in zip(changed, parameter.changes(values[parameter.name]), strict=False):
                own.update(more)
        return changed, {"base_rotation": tuple(values["base_rotation"])} if "base_rotation" in values else {}

    def delays(self, x: Floats) -> dict[str, float]:
        """By how much recordings are late, s, by their names; empty if no delay is free."""
        return dict(zip(self.moving, self._values(x).get("delay", ()), strict=False))

    def frame(self, x: Floats) -> Floats | None:
        """(4, 4): pose of the world in the frame of the measuring system; None if they are the same."""
        values, rig = self._values(x).get("sensor_frame"), self.start_arm.rig
        if values is None:
            return None if rig is None else rig.frame
        return frame_pose(values[:3], values[3:])

    def reported(self, x: Floats) -> list[ReportedNumber]:
        """All numbers of a result."""
        values = self._values(x)
        return [number for parameter in self.chosen for number in parameter.reported(values[parameter.name])]

    def reported_jacobian(self, x: Floats) -> Floats:
        """(reported, p): how numbers of a result change with those of the search; of positive ones, their logarithms.

        By central differences: the steps are small and the functions plain.
        """
        columns = []
        for step in 1e-5 * np.eye(len(x)):
            there, back = (
                np.array([np.log(each.value) if each.positive else each.value for each in self.reported(at)])
                for at in (x + step, x - step)
            )
            columns.append((there - back) / 2e-5)
        return np.stack(columns, axis=-1)

    def at_bound(self, x: Floats) -> list[str]:
        """Of every number of the search: low, high, or empty where it is inside its bounds."""
        near = 1e-3 * np.minimum(1.0, self.upper - self.lower)
        return [
            "low" if low else "high" if high else ""
            for low, high in zip(x - self.lower < near, self.upper - x < near, strict=True)
        ]


def free_parameters(
    arm: Arm, free: str | Iterable[str | Free], recordings: Sequence[Recording], *, delay: bool = True
) -> FreeParameters:
    """The parameters of these names; with delay, also that of every recording over time.

    Raises ValueError for names that there are not, and for parameters that these recordings cannot show.
    """
    names = listed("free", free.split(",") if isinstance(free, str) else free, (str, Free), "a name, or Free(...)")
    wanted = [Free(" ".join(each.split())) if isinstance(each, str) else each for each in names]
    if not wanted or all(each.name == "delay" for each in wanted):
        raise ValueError("free names no parameter of the arm: must name at least one, such as 'stiffness'")
    if delay and any(not recording.static for recording in recordings):
        wanted += [Free("delay")] if all(each.name != "delay" for each in wanted) else []
    for each in wanted:
        if each.name.startswith("muscle_area") and each.start is not None:  # an arm without one takes no pressures
            arm = arm.replace(sections=[section.replace(muscle_area=each.start) for section in arm.sections])
    chosen = []
    for each in wanted:
        if each.name not in FITTABLE:
            near = difflib.get_close_matches(str(each.name), FITTABLE, n=1)
            hint = f"did you mean {near[0]!r}?" if near else f"must be one of {', '.join(FITTABLE)}"
            raise ValueError(f"free = {short(each.name)}: {hint}")
        quantity = each.name.split()[0]
        if sum(other.name.split()[0] == quantity for other in wanted) > 1:
            raise ValueError(f"free: {quantity} is named more than once")
        chosen.append(FITTABLE[each.name](Request(each, arm, recordings)))
    return FreeParameters(arm, chosen, recordings)
