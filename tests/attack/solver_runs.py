"""Random arms under random inputs by all three solvers: a motion ends, is finite, and balances its energy.

`stopped` says why a motion ends early. Adaptive and CVODE are compared on some of the runs that have no jumps inside.
"""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import numpy as np

import continuarm as ca
from attack.api_world import edge_state, use_motion
from attack.attacker import Attacker, Case, Finding, all_finite, check_sentence, refusal, warnings_are_errors
from random_arms import MODELS, random_arm, random_lengths, random_rates

BALANCE = 1e-3
"""Part of the energies in play by which a gentle motion may miss the balance; FixedStep promises none with jumps."""
A_STEP = 1e-6
"""By how much more with every step: the tolerance of one, as nothing says that their errors cancel."""
HARD = 1e4
"""N/m: from harder stops a muscle bounces, and which bounce comes next is chance."""
PATIENCE = 20.0
"""s that CVODE, which goes through Python, may take: it then says so."""
APART = 1e-3
"""Part of the arm's length by which Adaptive and CVODE may differ after a gentle motion."""


def begin(folder: Path) -> Case:
    """Each case is one motion, some of them computed twice."""
    return lambda rng: _run(rng)


def random_muscular_arm(rng: np.random.Generator) -> ca.Arm:
    """Unequal sections, each with some of what muscles have."""
    n = int(rng.choice([1, 1, 2, 3, 5]))
    arm = random_arm(rng, n, MODELS[int(rng.choice([0, 0, 0, 1, 1, 2]))], payload=rng.random() < 0.5)
    sections = []
    for section in arm.sections:
        own: dict[str, Any] = {"muscle_area": 10 ** rng.uniform(-5, -3), "dead_zone": rng.choice([0.0, 1e4, 1e5])}
        if rng.random() < 0.4:
            own["valve_lag"] = 10 ** rng.uniform(-6, 0)
        if rng.random() < 0.4:
            own["pressure_stiffness"] = 10 ** rng.uniform(-6, -2)
        if rng.random() < 0.4:
            b = 10 ** rng.uniform(0, 4)
            own["hysteresis"] = (10 ** rng.uniform(0, 5), b, b * rng.uniform(-1, 1))
        if rng.random() < 0.4:
            own["length_range"] = (-section.length * rng.uniform(0.01, 0.5), section.length * rng.uniform(0.01, 0.5))
            own["stop_stiffness"] = 10 ** rng.uniform(2, 8)
        if rng.random() < 0.2:
            own["stiffness"], own["damping"] = 10 ** rng.uniform(-1, 7), 10 ** rng.uniform(-4, 4)
        sections.append(section.replace(**own))
    return arm.replace(sections=sections)


def random_input(rng: np.random.Generator, arm: ca.Arm, duration: float, size: float) -> tuple[str, Any]:
    """Noisy samples, steps, ramps whose knots are a rounding error apart, forces: pressures of size 1 are 100 kPa."""
    muscles, forces = len(arm.muscle_names), 3 * arm.n
    kind = str(rng.choice(["nothing", "noise", "steps", "close knots", "forces", "controller", "wrench"]))
    if kind == "noise":
        count = int(rng.choice([10, 200, 1000]))
        times = np.linspace(0, duration, count)
        smooth = np.cumsum(rng.normal(size=(count, muscles)), axis=0) / np.sqrt(count)
        return kind, ca.PressureSignal(times, size * 1e5 * np.abs(smooth + 0.02 * rng.normal(size=smooth.shape)))
    if kind == "steps":
        names = rng.choice(arm.muscle_names, min(3, muscles), replace=False)
        return kind, ca.PressureSteps(
            {
                str(name): [(t, size * 1e5 * rng.random()) for t in np.unique(rng.uniform(0, duration, 4))]
                for name in names
            }
        )
    if kind == "close knots":
        middle = rng.uniform(0, duration, 4)
        times = np.unique(
            np.concatenate([[0.0], middle, middle * (1 + 2.3e-16), middle + 1e-9, np.nextafter(middle, 9)])
        )
        return kind, ca.ForceSignal(
            times, size * rng.normal(size=(len(times), forces)), linear=bool(rng.random() < 0.5)
        )
    if kind == "forces":
        times = np.sort(rng.uniform(0, duration, 5))
        return kind, ca.ForceSignal(times, size * rng.normal(size=(5, forces)), linear=bool(rng.random() < 0.5))
    if kind == "controller":
        gain = size * 10 ** rng.uniform(0, 3)
        return kind, ca.Controller(lambda t, q, qd: -gain * q - 0.1 * gain * qd, rate=100.0, gives="forces")
    if kind == "wrench":
        return kind, ca.WrenchSignal([0.0, duration / 2], 0.1 * size * rng.normal(size=(2, 6)), linear=True)
    return kind, None


def _run(rng: np.random.Generator) -> str:
    arm = random_muscular_arm(rng)
    name = str(rng.choice(["Adaptive", "Adaptive", "CVODE", "FixedStep"]))
    duration = float(rng.choice([0.01, 0.1, 0.1 if name == "CVODE" else 0.3]))  # CVODE goes through Python
    gentle = rng.random() < 0.5
    size = 1.0 if gentle else float(10 ** rng.uniform(-3, 9))
    kind, driven_by = random_input(rng, arm, duration, min(size, 1e3) if not gentle else 0.3)
    if gentle or rng.random() < 0.5:
        state = {"q0": random_lengths(rng, arm, bend=0.3), "qd0": np.zeros(3 * arm.n)}
    else:
        near = edge_state(rng, arm) if rng.random() < 0.5 else random_lengths(rng, arm)
        state = {"q0": near, "qd0": size * random_rates(rng, arm)}
    solvers = {"Adaptive": ca.Adaptive(), "CVODE": ca.CVODE(), "FixedStep": ca.FixedStep(1000)}
    told = f"{kind}, {name}, {arm.n} sections, {arm.inertia.model}, gentle={gentle}, size={size:.3g}, {duration} s"
    began = time.perf_counter()
    try:
        with warnings_are_errors():
            most = PATIENCE if name == "CVODE" else None
            motion = ca.simulate(arm, driven_by, duration=duration, solver=solvers[name], most_seconds=most, **state)
            use_motion(motion)
    except Exception as error:
        try:
            return refusal(error, "simulate")
        except Finding as finding:
            finding.what += f"\n{told}"
            raise
    took = time.perf_counter() - began
    _check(motion, duration, told)
    if motion.stopped:
        return f"{name} stopped"
    usual = gentle and arm.inertia.model != "point-mass" and motion.record["rejected"] < 1000
    if usual and name != "FixedStep":
        _check_balance(motion, name, told)
    soft = all(section.stop_stiffness <= HARD for section in arm.sections)
    if usual and soft and name == "Adaptive" and took < 0.5 and rng.random() < 0.3:
        _check_agreement(motion, driven_by, duration, state, told)
    return f"{name} ended"


def _check(motion: ca.Motion, duration: float, told: str) -> None:
    rows = (motion.t, motion.q, motion.qd, motion.tau, motion.pressures, motion.hysteresis, motion.wrench)
    if not all_finite((*rows, motion.supplied, motion.dissipated)) or not all_finite(motion.energies):
        raise Finding("a motion is not finite", told)
    if (np.diff(motion.t) <= 0).any():
        raise Finding("times of a motion do not ascend", told)
    if motion.stopped:
        check_sentence(motion.stopped, "stopped")
        if not motion.stopped.startswith("t = "):
            raise Finding("stopped does not say when", f"{motion.stopped}\n{told}")
    elif not len(motion.t) or motion.t[-1] != duration:
        raise Finding("a motion ends early without a word", f"{motion!r}\n{told}")


def _check_balance(motion: ca.Motion, name: str, told: str) -> None:
    energies = motion.energies
    stored = energies["kinetic"] + energies["gravitational"] + energies["elastic"]
    missing = stored - stored[0] - (energies["supplied"] - energies["dissipated"])
    scale = max(np.ptp(each) for each in energies.values()) + energies["kinetic"].max() + 1e-9
    off = float(np.abs(missing).max() / scale)
    if off > max(BALANCE, A_STEP * motion.record["steps"]):
        raise Finding(f"energy of {name} is out of balance", f"by {off:.3g} of {scale:.3g} J\n{told}\n{motion.arm!r}")


def _check_agreement(motion: ca.Motion, driven_by: Any, duration: float, state: Any, told: str) -> None:
    with warnings_are_errors():
        other = ca.simulate(motion.arm, driven_by, duration=duration, solver=ca.CVODE(rtol=1e-7), **state)
    if len(other.t) != len(motion.t):
        raise Finding("Adaptive and CVODE end at different times", f"{other.stopped}\n{told}")
    long = sum(section.length for section in motion.arm.sections)
    apart = float(np.abs(motion.tips - other.tips).max() / long)
    if apart > APART:
        raise Finding("Adaptive and CVODE disagree", f"by {apart:.3g} of the arm's length\n{told}\n{motion.arm!r}")


ATTACKER = Attacker(
    name="solvers",
    law="a motion ends, is finite, says why it stopped, and balances its energy",
    begin=begin,
    share=1.2,
    limit=90.0,
    memory=3 << 30,
)
