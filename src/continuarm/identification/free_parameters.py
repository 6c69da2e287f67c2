"""What is fitted: free parameters of an arm as numbers of one size that a search can change, and back.

A positive parameter is searched for as its logarithm, so that 0.01 is one percent; others in steps that matter as much.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from continuarm.arms.arm import Arm
from continuarm.common.number_checks import Floats
from continuarm.common.text import short
from continuarm.identification.fittable_parameters import BUILDERS, Block, Free, Given, Shown
from continuarm.identification.recording import Recording

__all__ = ["Free", "FreeParameters", "Shown", "free_parameters"]


class FreeParameters:
    """The numbers of a search and what they stand for.

    start, lower, upper: (p,). `arm(x)`, `frame(x)` and `delays(x)` are what numbers x say; `shown(x)` tells them.
    """

    def __init__(self, arm: Arm, blocks: Sequence[Block], recordings: Sequence[Recording]) -> None:
        self.begin, self.blocks = arm, tuple(blocks)
        self.coordinates = [each for block in blocks for each in block.coordinates]
        self.start = np.array([each.x(each.start) for each in self.coordinates])
        self.lower = np.array([each.x(each.low) for each in self.coordinates])
        self.upper = np.array([each.x(each.high) for each in self.coordinates])
        self.stages = np.array([block.stage for block in blocks for _ in block.coordinates])
        self.moving = [recording.name for recording in recordings if not recording.static]

        self.labels = [shown.name for shown in self.shown(self.start)]
        self.single = [block.plain for block in blocks for _ in block.coordinates]
        self.logarithmic = [coordinate.scale is None for coordinate in self.coordinates]

    def __len__(self) -> int:
        return len(self.coordinates)

    def _values(self, x: Floats) -> dict[str, list[float]]:
        each = iter(zip(self.coordinates, x, strict=True))
        return {block.name: [c.value(v) for c, v in (next(each) for _ in block.coordinates)] for block in self.blocks}

    def arm(self, x: Floats) -> Arm:
        """The arm that the numbers describe."""
        values = self._values(x)
        changed: list[dict[str, Any]] = [{} for _ in self.begin.sections]
        for block in self.blocks:
            # of a joint between sections, the last section has nothing to change
            for own, more in zip(changed, block.changes(values[block.name]), strict=False):
                own.update(more)
        sections = [s.replace(**own) if own else s for s, own in zip(self.begin.sections, changed, strict=True)]
        turned = {"base_rotation": tuple(values["base_rotation"])} if "base_rotation" in values else {}
        return self.begin.replace(sections=sections, **turned)

    def delays(self, x: Floats) -> dict[str, float]:
        """By how much recordings are late, s, by their names; empty if no delay is free."""
        return dict(zip(self.moving, self._values(x).get("delay", ()), strict=False))

    def frame(self, x: Floats) -> Floats | None:
        """(4, 4): pose of the world in the frame of the measuring system; None if they are the same."""
        values = self._values(x).get("sensor_frame")
        if values is None:
            return None
        from scipy.spatial.transform import Rotation

        pose = np.eye(4)
        pose[:3, :3], pose[:3, 3] = Rotation.from_rotvec(values[:3]).as_matrix(), values[3:]
        return pose

    def shown(self, x: Floats) -> list[Shown]:
        """All numbers of a result."""
        values = self._values(x)
        return [each for block in self.blocks for each in block.shown(values[block.name])]

    def shown_slopes(self, x: Floats) -> Floats:
        """(shown, p): how the numbers of a result change with those of the search; of positive ones, their logarithms.

        By central differences: the steps are small and the functions plain.
        """
        columns = []
        for step in 1e-5 * np.eye(len(x)):
            ends = [[np.log(s.value) if s.positive else s.value for s in self.shown(x + way * step)] for way in (1, -1)]
            columns.append((np.array(ends[0]) - np.array(ends[1])) / 2e-5)
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
    names = free.split(",") if isinstance(free, str) else free
    wanted = [Free(" ".join(each.split())) if isinstance(each, str) else each for each in names]
    if not wanted or all(each.name == "delay" for each in wanted):
        raise ValueError("free names no parameter of the arm: must name at least one, such as 'stiffness'")
    if delay and any(not recording.static for recording in recordings):
        wanted += [Free("delay")] if all(each.name != "delay" for each in wanted) else []
    for each in wanted:
        if each.name.startswith("muscle_area") and each.start is not None:  # an arm without one takes no pressures
            arm = arm.replace(sections=[section.replace(muscle_area=each.start) for section in arm.sections])
    blocks = []
    for each in wanted:
        if each.name not in BUILDERS:
            near = difflib.get_close_matches(str(each.name), BUILDERS, n=1)
            hint = f"did you mean {near[0]!r}?" if near else f"must be one of {', '.join(BUILDERS)}"
            raise ValueError(f"free = {short(each.name)}: {hint}")
        plain = each.name.split()[0]
        if sum(other.name.split()[0] == plain for other in wanted) > 1:
            raise ValueError(f"free: {plain} is named more than once")
        blocks.append(BUILDERS[each.name](Given(each, arm, recordings)))
    return FreeParameters(arm, blocks, recordings)
