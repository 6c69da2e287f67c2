"""What stands around an arm: the pressure lines to its muscles, and the laboratory that records it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Annotated, Any, Literal, Self, get_args

import numpy as np
from numpy.typing import ArrayLike
from pydantic import Field, field_validator, model_validator

from continuarm.arms.description import Description, FieldError, Name
from continuarm.arms.field_types import (
    Angle,
    ClockDelay,
    Coordinate,
    Gain,
    GaugeOffset,
    LineDelay,
    Numbers,
    Three,
)
from continuarm.common.number_checks import Floats

Start = Literal["equilibrium", "hanging", "unbent", "resting", "moving"]
STARTS: tuple[Start, ...] = get_args(Start)
"""How a recording begins: at rest under its first commands, at rest without any, at q = 0; at rest where its first
samples show the arm, held there by what its muscles remember; or in motion, as its first samples show it."""


def frame_pose(rotation_vector: ArrayLike, origin: ArrayLike) -> Floats:
    """(4, 4): pose of the world in the frame of the positions, from a rotation vector (3,) in rad and (3,) in m."""
    from scipy.spatial.transform import Rotation

    pose = np.eye(4)
    pose[:3, :3], pose[:3, 3] = Rotation.from_rotvec(rotation_vector).as_matrix(), origin
    return pose


class Line(Description):
    """A pressure line: the muscles that it feeds together, and how long a command takes to reach them.

    Examples
    --------
    >>> arm = ca.load_arm("prototype").replace(lines=[ca.Line(muscles=["l11", "l12"], delay=0.05)])
    >>> motion = ca.simulate(arm, ca.PressureSteps({"l11": [(0.0, 300e3)]}), duration=0.2)
    >>> print(motion.pressures[[0, -1], :3])  # Pa: the line drives both, 0.05 s later
    [[     0.      0.      0.]
     [300000. 300000.      0.]]
    """

    muscles: tuple[Name, ...] = Field(min_length=1, description="names of the muscles that it feeds, such as l13")
    delay: LineDelay = Field(0.0, description="s: transport delay, by which the muscles get a command later")

    if TYPE_CHECKING:

        def __init__(self, *, muscles: Iterable[str], delay: float = ...) -> None: ...

    @field_validator("muscles", mode="before")
    @classmethod
    def _feeds_some(cls, muscles: Any) -> Any:
        if isinstance(muscles, (list, tuple)) and muscles:
            return tuple(muscles)
        raise ValueError("must be a list of at least one name of a muscle, such as l13")


class Gauge(Description):
    """The pressure gauge of a line: pressure = gain (reading - offset).

    It reads what recordings log, in tables and signals. Pressures that somebody commands, in `simulate` and as
    `PressureSteps`, are true ones.

    Examples
    --------
    >>> ca.Gauge(line="l11", gain=1.02, offset=-4e3)
    Gauge(line='l11', gain=1.02, offset=-4000.0)
    """

    line: Name = Field(description="the line that it reads, by the name of a muscle on it")
    gain: Gain = Field(1.0, description="pressure over reading")
    offset: GaugeOffset = Field(0.0, description="Pa: what it reads where there is no pressure")
    lowest: GaugeOffset | None = Field(
        None, description="Pa: the lowest that it reads, of a vented line; the offset if left out"
    )

    if TYPE_CHECKING:

        def __init__(
            self, *, line: str, gain: float = ..., offset: float = ..., lowest: float | None = ...
        ) -> None: ...


class Rig(Description):
    """How the recordings of an arm are to be read: it is kept with a fitted arm, which so predicts by itself.

    Examples
    --------
    >>> rig = ca.Rig(start="resting", origin=(0.0, 0.0, 0.012), gauges=[ca.Gauge(line="l11", offset=-4e3)])
    >>> arm = ca.load_arm("prototype").replace(rig=rig)
    >>> print(arm.rig.frame[:3, 3])  # m
    [0.    0.    0.012]
    """

    start: Start = Field("equilibrium", description="how recordings begin that do not say so themselves")
    delay: ClockDelay = Field(0.0, description="s by which the samples of the sensors are late")
    turn: Annotated[tuple[Angle, Angle, Angle], Three] = Field(
        (0.0, 0.0, 0.0), description="rad, rotation vector that turns the frame of the sensors into the world frame"
    )
    origin: Annotated[tuple[Coordinate, Coordinate, Coordinate], Three] = Field(
        (0.0, 0.0, 0.0), description="m, where the world's origin is in the frame of the sensors"
    )
    gauges: tuple[Gauge, ...] = Field((), description="of lines whose pressures are recorded; others read true")
    gauge_zero: Literal["fixed", "lowest"] = Field(
        "fixed",
        description="lowest: the gauges of a section drift together, by as much as the lowest reading of a recording "
        "differs from the `lowest` of its gauge; some line must be vented some time",
    )

    if TYPE_CHECKING:

        def __init__(
            self,
            *,
            start: Start = ...,
            delay: float = ...,
            turn: Numbers = ...,
            origin: Numbers = ...,
            gauges: Iterable[Gauge] = ...,
            gauge_zero: Literal["fixed", "lowest"] = ...,
        ) -> None: ...

    @model_validator(mode="after")
    def _reads_each_line_once(self) -> Self:
        seen: set[str] = set()
        for gauge in self.gauges:
            if gauge.line in seen:
                raise FieldError("gauges", gauge.line, "must be one gauge for a line")
            seen.add(gauge.line)
        return self

    @property
    def frame(self) -> Floats:
        """(4, 4): pose of the world in the frame of the sensors."""
        return frame_pose(self.turn, self.origin)
