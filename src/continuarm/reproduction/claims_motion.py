"""What the paper claims of shapes and experiments, answered by the findings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from continuarm.reproduction.number_text import digits
from continuarm.reproduction.real_arms_study import FOLLOWS, WHERE
from continuarm.reproduction.study import Findings
from continuarm.reproduction.verdicts import AGREES, DIFFERS, IN_PART, OPEN, Answer

# ---- Kinematics -----------------------------------------------------------------------------------------------------


def unstable(found: Findings) -> Answer:
    """Curve parameters near the straight section."""
    lost, own = found.numbers["lost_at"], found.numbers["own_largest"]
    ours = f"no digit right below φ = {digits(max(lost.values()), 2)} rad"
    why = (
        f"For an integral of the kinetic energy; for the tip's position below {digits(lost['tip position'], 2)} rad; "
        "not a number at φ = 0. 1 − cos φ and its like cancel, and dynamics suffers long before kinematics. Entire "
        f"functions of φ² keep all digits (largest relative error {digits(max(own.values()), 2)})."
    )
    return Answer(ours, AGREES if min(lost.values()) > 0 else DIFFERS, why)


def modal(found: Findings) -> Answer:
    """The truncated modal form."""
    at = found.numbers["at"]
    near = {order: at[order]["4π/3"] for order in ("13", "15")}
    far = at["15"]["4π"][0]
    ours = (
        f"position off by {digits(100 * near['15'][0], 2)} % of the length at φ = 4π/3, "
        f"{digits(100 * far, 2)} % at 4π (order 15)"
    )
    why = (
        f"Order 13: {digits(100 * near['13'][0], 2)} % at 4π/3. Largest error of a rotation's entry there "
        f"{digits(near['15'][1], 2)} and {digits(near['13'][1], 2)}. Good up to 4π/3, useless beyond a full turn, "
        "which the bound of III-B1 allows. Nothing needs to be truncated."
    )
    good = [near["15"][0] < 0.01, far < 0.01]
    return Answer(ours, AGREES if all(good) else IN_PART if any(good) else DIFFERS, why)


# ---- Experiments ----------------------------------------------------------------------------------------------------

LARGE = 0.01
"""Of the arm's length: what is not negligible."""


def _tips(found: Findings, kind: str) -> str:
    each = found.numbers["experiments"].values()
    return ", ".join(digits(max(one["fitted"][kind]), 2) for one in each) + " mm"


def negligible(found: Findings) -> Answer:
    """How far apart the models are."""
    dampings = found.numbers["largest_by_damping_mm"]
    least = min(dampings, key=float)
    largest, assumed = max(dampings[least]), found.numbers["assumed_damping"]
    length = found.numbers["arm_length_mm"]
    ours = f"tips at most {_tips(found, 'largest_mm')} apart in experiments 1, 2, 3"
    why = (
        f"Simulated on the assumed prototype, {length:.0f} mm long, with fitted β. Small with a damping of {assumed} N "
        f"s/m, which hides the difference in accelerations; with the literature's least, {least} N s/m, up to "
        f"{digits(largest, 2)} mm. The paper does not print its own."
    )
    large = LARGE * length
    differs = max(dampings[assumed]) > large
    return Answer(ours, DIFFERS if differs else IN_PART if largest > large else AGREES, why)


def steady(found: Findings) -> Answer:
    """What can be said of the steady states."""
    ours = f"both models within {_tips(found, 'steady_mm')} of each other (experiments 1, 2, 3)"
    why = (
        f"In the last {found.numbers['steady_seconds']} s before each step and the end. Whether they are right only "
        "the measured arm could tell, and its measurements are not public. That both models agree says nothing: in "
        "equilibrium inertia has no part, and any inertia model gives the same."
    )
    return Answer(ours, OPEN, why)


def plane(found: Findings) -> Answer:
    """Experiment 1 in its plane."""
    off = found.numbers["experiments"]["1"]["largest_y_mm"]
    why = "The twist of π/3 between sections was inferred from this sentence: a consistency check, not evidence."
    return Answer(f"|y| of any tip at most {digits(off, 2)} mm", AGREES if off < 1e-3 else DIFFERS, why)


def passive(found: Findings) -> Answer:
    """The base section of experiment 2."""
    base = found.numbers["experiments"]["2"]["base_tip_sideways_mm"]
    exact, shaped = (digits(base[model], 4) for model in ("integral", "centre-of-gravity"))
    ours = f"its tip leaves the axis by up to {shaped} mm, {exact} mm in the integral model"
    return Answer(ours, AGREES if min(base.values()) > 1 else DIFFERS, "Simulated; both models show it alike.")


def measurements(found: Findings) -> Answer:
    """What was measured on a real arm: on others than the paper's, so that the claim can hold in part at best."""
    groups = found.numbers["groups"]
    if not groups:
        why = (
            "The measured trajectories, K_{e} and D of the paper are not public. Recordings of two other arms are, but "
            f"there are none here: they are in {WHERE}; the option --recordings names their folder."
        )
        return Answer("–", OPEN, why)
    shares = {kind: [_of_motion(each) for each in groups if each["fitted"] == kind] for kind in (True, False)}
    counts = {
        kind: [sum(each[what] for each in groups if each["fitted"] == kind) for what in ("following", "recordings")]
        for kind in (True, False)
    }
    apart, worst = max(each["models_apart_mm"] for each in groups), max(map(_worst, groups))
    ours = f"other arms: rms distance of the tip {_between(shares[True])} of its own motion where they were fitted, "
    ours += f"{_between(shares[False])} where they were not"
    why = (
        "The paper's measurements, K_{e} and D are not public. A stand-in: two arms of other laboratories, with other "
        "muscles, friction in the model, and numbers fitted to recordings, where the paper's are not. With at most "
        f"{100 * FOLLOWS:.0f} % taken for following, both models follow {counts[True][0]} of {counts[True][1]} "
        f"recordings that were fitted and {counts[False][0]} of {counts[False][1]} that were not, which are of other "
        f"months and gauges; at worst they are off by {digits(worst, 2)} mm. The two models are at most "
        f"{digits(apart, 2)} mm apart: measurements of this quality cannot tell one from the other. This can show that "
        "models of this kind are able to follow an arm; the paper's own curves stay unchecked."
    )
    follows = [share <= FOLLOWS for share in shares[True]]
    return Answer(ours, IN_PART if any(follows) else DIFFERS if follows else OPEN, why)


def _of_motion(group: Mapping[str, Any]) -> float:
    """The larger of both models."""
    return max(float(model["of_motion"]) for model in group["models"].values())


def _worst(group: Mapping[str, Any]) -> float:
    return max(float(model["worst_mm"]) for model in group["models"].values())


def _between(shares: Sequence[float]) -> str:
    if not shares:
        return "not known"
    return f"{digits(100 * min(shares), 2)} to {digits(100 * max(shares), 2)} %"
