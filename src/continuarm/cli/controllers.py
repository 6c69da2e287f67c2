"""Controllers by the names that commands have for them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from continuarm.arms.arm import Arm
    from continuarm.common.number_checks import Floats
    from continuarm.control.pressing import FeedbackLaw

NAMES = ("computed-torque", "tip-torque", "gravity", "lqr", "mpc")

HighestOption = Annotated[float, typer.Option(help="The highest pressure of a controller, kPa.")]
RateOption = Annotated[
    float, typer.Option(help="How often the controller is asked, Hz; 1000, or 100 for mpc, if left out.")
]


def controller_of(name: str, arm: Arm, highest: float, bandwidth: float = 30.0) -> tuple[FeedbackLaw, Floats]:
    """A controller of an arm, and the posture near which it works: where there is room for more and less pressure.

    highest: kPa. bandwidth: of computed torque, rad/s.
    """
    from continuarm.control.controllers import ComputedTorque, GravityCompensation
    from continuarm.control.held_postures import HeldPostures
    from continuarm.control.predictive import PredictiveControl
    from continuarm.control.regulators import LQR

    if name not in NAMES:
        raise ValueError(f"--controller = {name!r}: must be one of {', '.join(NAMES)}")
    if not highest > 0:
        raise ValueError(f"--highest = {highest:g}: must be above 0 kPa")
    posture = HeldPostures(arm, 1e3 * highest).middle.q
    limits: dict[str, Any] = {"highest": 1e3 * highest, "posture": posture}
    made: dict[str, Any] = {
        "computed-torque": lambda: ComputedTorque(arm, bandwidth, **limits),
        "tip-torque": lambda: ComputedTorque(arm, bandwidth, "tip", **limits),
        "gravity": lambda: GravityCompensation(arm, **limits),
        "lqr": lambda: LQR(arm, posture, **limits),
        "mpc": lambda: PredictiveControl(arm, highest=1e3 * highest),
    }
    return made[name](), posture
