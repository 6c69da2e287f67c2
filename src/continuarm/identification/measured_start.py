"""Where a recording begins, read off its first samples: the shape, its rate, and what holds an arm at rest there."""

from __future__ import annotations

import numpy as np

from continuarm.arms.arm import Arm
from continuarm.common.number_checks import Floats
from continuarm.dynamics.commands import Commands
from continuarm.dynamics.plant import Plant
from continuarm.engine.quantities import elastic_forces, gravity_forces, tip_jacobian, tip_poses, wrench_forces
from continuarm.identification.recording import Recording
from continuarm.identification.sensors import TipPosition

FIRST = 0.16
"""s: samples that show how a recording begins."""
SAMPLE = 1e-3
"""m by which a tip that is measured may lie beside that of the shape."""
PART_OF_WEIGHT = 0.01
"""Elastic energy, over the weight of the arm times its length, that a shape may store for being SAMPLE nearer."""
LEFT_OUT = 0.99
"""Part of the softest stiffness of a section that is left out of that energy: only what a section resists more than its
softest motion, as one that hardly stretches does, is to be trusted more than the samples."""
MOST_ROUNDS = 30


def first_shape(
    arm: Arm, recording: Recording, frame: Floats | None, near: Floats, moving: bool
) -> tuple[Floats, Floats]:
    """q and q̇ (3n,) with which a recording begins, from the positions of tips in its first samples.

    near: (3n,), m, a shape of rest; where positions leave a choice, the shape is the nearest to it. frame: (4, 4), pose
    of the world in the frame of the positions. Raises ValueError where no position is measured at the beginning.
    """
    places, speeds, sections = _first_places(arm, recording, frame, moving)
    weight = np.zeros((3 * arm.n, 3 * arm.n))
    for i, section in enumerate(arm.sections):
        softest = float(np.linalg.eigvalsh(section.stiffness_matrix)[0])
        weight[3 * i : 3 * i + 3, 3 * i : 3 * i + 3] = section.stiffness_matrix - LEFT_OUT * softest * np.eye(3)
    mass = sum(section.mass for section in arm.sections) + arm.carried_mass[0]
    size = sum(section.length for section in arm.sections)
    weight *= SAMPLE**2 / (PART_OF_WEIGHT * mass * 9.81 * size)
    q = near.copy()
    for _ in range(MOST_ROUNDS):
        slope = tip_jacobian(arm, q)[sections, 3:].reshape(-1, 3 * arm.n)
        left = (places - tip_poses(arm, q)[sections, :3, 3]).ravel()
        step = np.linalg.solve(slope.T @ slope + weight, slope.T @ left - weight @ (q - near))
        step *= min(1.0, 0.2 * size / max(float(np.abs(step).max()), 1e-12))
        q = q + step
        if np.abs(step).max() < 1e-10:
            break
    slope = tip_jacobian(arm, q)[sections, 3:].reshape(-1, 3 * arm.n)
    return q, np.asarray(np.linalg.solve(slope.T @ slope + weight, slope.T @ speeds.ravel()), dtype=float)


def _first_places(
    arm: Arm, recording: Recording, frame: Floats | None, moving: bool
) -> tuple[Floats, Floats, list[int]]:
    """Places (tips, 3), m, and speeds, m/s, of tips at the beginning, world frame; and of which sections they are."""
    places, speeds, sections = [], [], []
    for sensor in recording.sensors:
        if not isinstance(sensor, TipPosition):
            continue
        seen = np.isfinite(sensor.values).all(axis=1)
        times = recording.times[seen]
        own = times <= recording.times[0] + FIRST
        if not own.any():
            own[:1] = True
        if not len(times) or times[own][0] > recording.times[0] + 1.0:
            continue
        values, t = sensor.values[seen][own], times[own] - recording.times[0]
        if moving and len(t) >= 4:
            fitted = np.polynomial.polynomial.polyfit(t, values, 2)
            place, speed = fitted[0], fitted[1]
        else:
            place, speed = np.median(values, axis=0), np.zeros(3)
        places.append(place)
        speeds.append(speed)
        sections.append(sensor.section - 1)
    if not places:
        raise ValueError(f"{recording.name}: no tip is measured in its first second")
    where, how_fast = np.array(places), np.array(speeds)
    if frame is not None:
        where, how_fast = (where - frame[:3, 3]) @ frame[:3, :3], how_fast @ frame[:3, :3]
    return where, how_fast, sections


def needed_to_rest(plant: Plant, commands: Commands, q: Floats) -> Floats:
    """By how much every muscle (muscles,), N, must be held back for rest at q under commands (·,): the least that do.

    At an equilibrium nothing is needed.
    """
    arm = plant.arm
    still = np.zeros_like(commands.pressures)
    tau = commands.forces + plant.muscle_forces(commands.pressures, still, q)
    left = tau + wrench_forces(arm, q, commands.wrench) - gravity_forces(arm, q) - elastic_forces(arm, q)
    maps = [section.muscle_map for section in arm.sections]
    return np.concatenate([w @ np.linalg.solve(w.T @ w, own) for w, own in zip(maps, left.reshape(-1, 3), strict=True)])


def holding(plant: Plant, commands: Commands, q: Floats) -> Floats:
    """h of every muscle (muscles,), N, that keeps the arm at rest at q under commands (·,).

    Of sections without hysteresis nothing is held.
    """
    return np.where(_most_held(plant.arm) > 0, needed_to_rest(plant, commands, q), 0.0)


def _most_held(arm: Arm) -> Floats:
    """The most that hysteresis holds a muscle back by, a/(b + g) (muscles,), N: what it tends to where it slides."""
    found = []
    for section in arm.sections:
        a, b, g = section.hysteresis or (0.0, 0.0, 0.0)
        found += [a / (b + g) if b + g > 0 else np.inf if a > 0 else 0.0] * len(section.muscle_map)
    return np.array(found)


def unheld(plant: Plant, commands: Commands, q: Floats) -> str | None:
    """A sentence where friction cannot hold an arm at q under commands (·,), about the muscle that lacks most.

    What its spring makes of SAMPLE, by which samples may be off, does not count. None where friction can.
    """
    arm = plant.arm
    needed, available = np.abs(needed_to_rest(plant, commands, q)), _most_held(arm)
    counts = [len(section.muscle_map) for section in arm.sections]
    springs = np.repeat([np.linalg.eigvalsh(section.stiffness_matrix)[-1] for section in arm.sections], counts)
    lacking = needed - available - SAMPLE * springs
    if lacking.max() <= 0:
        return None
    worst = int(np.argmax(lacking))
    others = int((lacking > 0).sum()) - 1
    more = f" (and {others} more)" if others else ""
    held = f"its hysteresis holds {available[worst]:.3g} N at most: it slips from there as soon as it moves"
    return (
        f"{arm.muscle_names[worst]}{more} needs {needed[worst]:.3g} N to rest where the first samples show the arm, "
        f"and {held if available[worst] else 'has no hysteresis, 0 N: it moves at once'}"
    )
