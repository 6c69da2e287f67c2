"""The dynamics of an arm from first principles, slowly and to 20 digits: what the tests hold the library against.

Only poses are written down; every velocity, acceleration and virtual displacement is a difference of poses in
80-digit arithmetic. A thin disc is its centre and two unit vectors (x, e1, e2): its points are x + ρ1 e1 + ρ2 e2
with ∫ρ1² dm = ∫ρ2² dm = I and ∫ρ1 ρ2 dm = 0, so that no angular velocity is needed to sum over its points.

* `Integral`: d'Alembert's principle, Σ dm (ẍ - g) · δx = Σ τ_j δq_j over all points; no Lagrangian, no mass matrix.
* `CentreOfGravity`, `PointMass`: Lagrange's equations for the section energies as printed (eqs. 18 Kwi_c, 20 Kvi_c).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache, partial
from typing import Any

import numpy as np
from mpmath import MPContext
from numpy.typing import ArrayLike, NDArray

from continuarm.arms.arm import Arm
from continuarm.arms.inertia_models import CentreOfGravity, Integral, PointMass
from continuarm.arms.section import Section

__all__ = [
    "gravitational_energy",
    "inertial_and_gravity_forces",
    "kinetic_energy",
    "mass_matrix",
    "tip_poses",
]

Real = Any
Vector = tuple[Real, ...]
Pose = tuple[Vector, Vector, Vector]
"""The upper three rows of [[R, p], [0, 1]]."""
Disc = tuple[Vector, Vector, Vector]
"""Centre, first and second unit vector of a disc."""

# A context of its own: the precision of other users of mpmath neither changes it nor is changed by it.
mp = MPContext()
mp.dps = 80

STEP = mp.mpf(10) ** -24
"""Of all differences: h² is the truncation, 1e-80 / h² the rounding of a second derivative."""

NODES = 24
"""Gauss-Legendre nodes along a section: error below 1e-25 for the products of two poses bent by a full turn."""


def _gauss_legendre(count: int) -> list[tuple[Real, Real]]:
    """Nodes and weights on [0, 1]: roots of P_n by Newton's method, weights 2 / ((1 - x²) P_n'²)."""
    rule = []
    for k in range(count):
        x = mp.cos(mp.pi * (k + mp.mpf(3) / 4) / (count + mp.mpf(1) / 2))
        for _ in range(8):
            below, value = mp.one, x
            for m in range(2, count + 1):
                below, value = value, ((2 * m - 1) * x * value - (m - 1) * below) / m
            slope = count * (x * value - below) / (x * x - 1)
            x -= value / slope
        rule.append(((1 + x) / 2, 1 / ((1 - x * x) * slope**2)))
    return rule


QUADRATURE = _gauss_legendre(NODES)


# Vectors and poses ---------------------------------------------------------------------------------------------------


def _numbers(values: ArrayLike) -> Vector:
    return tuple(mp.mpf(float(value)) for value in np.asarray(values, dtype=float))


def _dot(u: Sequence[Real], v: Sequence[Real]) -> Real:
    return mp.fdot(u, v)


def _along(q: Vector, direction: Vector, t: Real) -> Vector:
    """q + t direction."""
    return tuple(x + t * d for x, d in zip(q, direction, strict=True))


def _unit(count: int, j: int) -> Vector:
    return tuple(mp.one if k == j else mp.zero for k in range(count))


def _slope(function: Callable[[Real], Real]) -> Real:
    """f'(0) by the central difference."""
    return (function(STEP) - function(-STEP)) / (2 * STEP)


def _rate(after: Sequence[Real], before: Sequence[Real]) -> Vector:
    """The derivative of a vector at 0, from its values at STEP and -STEP."""
    return tuple((x - y) / (2 * STEP) for x, y in zip(after, before, strict=True))


def _columns(pose: Pose) -> tuple[Vector, Vector, Vector, Vector]:
    x, y, z, p = zip(*pose, strict=True)
    return x, y, z, p


def _turned(pose: Pose, v: Vector) -> Vector:
    return tuple(_dot(row[:3], v) for row in pose)


def _moved(pose: Pose, v: Vector) -> Vector:
    return tuple(_dot(row, (*v, mp.one)) for row in pose)


def _product(first: Pose, second: Pose) -> Pose:
    x, y, z, p = _columns(second)
    columns = _turned(first, x), _turned(first, y), _turned(first, z), _moved(first, p)
    return tuple(zip(*columns, strict=True))  # type: ignore[return-value]


def _sine_ratios(angle: Real) -> tuple[Real, Real, Real]:
    """cos x, sin x / x and (1 - cos x) / x², from x / 2 so that nothing cancels however small x is."""
    if angle == 0:
        return mp.one, mp.one, mp.one / 2
    c, s = mp.cos_sin(angle / 2)
    ratio = 2 * s / angle
    return 1 - 2 * s * s, ratio * c, ratio * ratio / 2


def _rotation(w: Vector) -> tuple[Vector, Vector, Vector]:
    """The rows of exp([w]x) = cos|w| 1 + sin|w|/|w| [w]x + (1 - cos|w|)/|w|² w wᵀ."""
    x, y, z = w
    c, s, v = _sine_ratios(mp.sqrt(_dot(w, w)))
    return (
        (c + v * x * x, v * x * y - s * z, v * x * z + s * y),
        (v * x * y + s * z, c + v * y * y, v * y * z - s * x),
        (v * x * z - s * y, v * y * z + s * x, c + v * z * z),
    )


# One section, in the frame of its base -------------------------------------------------------------------------------


def _arc(length: float, radius: float, lengths: Vector, xi: Real) -> Pose:
    """The disc at ξ: R = exp(ξ[k]x) with k = (-b, a, 0), p = ∫₀^ξ s R z dξ."""
    l1, l2, l3 = lengths
    r = mp.mpf(radius)
    a, b = (l2 + l3 - 2 * l1) / (3 * r), mp.sqrt(3) * (l3 - l2) / (3 * r)
    s = mp.mpf(length) + (l1 + l2 + l3) / 3
    _, sine, versine = _sine_ratios(mp.sqrt(a * a + b * b) * xi)
    x, y, z = _rotation((-b * xi, a * xi, mp.zero))
    return (*x, s * a * versine * xi * xi), (*y, s * b * versine * xi * xi), (*z, s * sine * xi)


@lru_cache(maxsize=256)
def _discs(length: float, radius: float, lengths: Vector) -> tuple[Disc, ...]:
    """The discs at the quadrature nodes."""
    discs = []
    for xi, _ in QUADRATURE:
        e1, e2, _, x = _columns(_arc(length, radius, lengths, xi))
        discs.append((x, e1, e2))
    return tuple(discs)


@lru_cache(maxsize=4096)
def _mean_disc(length: float, radius: float, lengths: Vector) -> Disc:
    """p̄ = ∫p dξ and the first two columns of R̄ = ∫R dξ."""
    weights = [weight for _, weight in QUADRATURE]
    parts = zip(*_discs(length, radius, lengths), strict=True)
    x, e1, e2 = (tuple(_dot(weights, values) for values in zip(*part, strict=True)) for part in parts)
    return x, e1, e2


@lru_cache(maxsize=4096)
def _link(section: tuple[float, float, float, float], lengths: Vector) -> Pose:
    """From the base of a section through its tip and its joint: T(1) Trans_z(σ) Rot_z(γ)."""
    length, radius, offset, twist = section
    zero = mp.zero
    c, s = mp.cos_sin(mp.mpf(twist))
    joint = (c, -s, zero, zero), (s, c, zero, zero), (zero, zero, mp.one, mp.mpf(offset))
    return _product(_arc(length, radius, lengths, mp.one), joint)


# The chain, in the world frame ---------------------------------------------------------------------------------------


def _own(arm: Arm, q: Vector) -> list[tuple[Section, Vector]]:
    """Every section with its own three coordinates."""
    return [(section, q[3 * i : 3 * i + 3]) for i, section in enumerate(arm.sections)]


def _frames(arm: Arm, q: Vector) -> list[Pose]:
    """The base of the arm and the frame after every joint: n + 1 poses."""
    frame: Pose = tuple((*row, mp.zero) for row in _rotation(_numbers(arm.base_rotation)))  # type: ignore[assignment]
    frames = [frame]
    for section, lengths in _own(arm, q):
        frame = _product(frame, _link((section.length, section.radius, section.offset, section.twist), lengths))
        frames.append(frame)
    return frames


def _payload_position(arm: Arm, tip: Pose) -> Vector:
    assert arm.payload is not None
    return _moved(tip, _numbers(arm.payload.offset))


def _bodies(arm: Arm, q: Vector, start: int = 0) -> list[Real]:
    """(x, e1, e2) of all discs from section `start` on, and of the payload: 9 numbers for each, one after another."""
    numbers: list[Real] = []
    frames = _frames(arm, q)
    for (section, lengths), frame in list(zip(_own(arm, q), frames[:-1], strict=True))[start:]:
        for x, e1, e2 in _discs(section.length, section.radius, lengths):
            numbers += [*_moved(frame, x), *_turned(frame, e1), *_turned(frame, e2)]
    if arm.payload is not None:
        e1, e2, _, _ = _columns(frames[-1])
        numbers += [*_payload_position(arm, frames[-1]), *e1, *e2]
    return numbers


def _masses(arm: Arm) -> list[Real]:
    """The mass that goes with each of the numbers in `_bodies`: m dξ for x, I dξ for e1 and e2."""
    masses: list[Real] = []
    for section in arm.sections:
        m, inertia = mp.mpf(section.mass), _disc_inertia(section)
        for _, weight in QUADRATURE:
            masses += [m * weight] * 3 + [inertia * weight] * 6
    if arm.payload is not None:
        masses += [mp.mpf(arm.payload.mass)] * 3 + [mp.zero] * 6
    return masses


def _disc_inertia(section: Section) -> Real:
    """I = m r² / 4."""
    return mp.mpf(section.mass) * mp.mpf(section.radius) ** 2 / 4


# The integral model --------------------------------------------------------------------------------------------------


def _integral_kinetic_energy(arm: Arm, q: Vector, qd: Vector) -> Real:
    """K = ½ Σ dm |ẋ|² over all points."""
    velocities = _rate(_bodies(arm, _along(q, qd, STEP)), _bodies(arm, _along(q, qd, -STEP)))
    return _dot(_masses(arm), [v * v for v in velocities]) / 2


def _displacements(arm: Arm, q: Vector) -> list[Vector]:
    """The virtual displacements ∂(x, e1, e2)/∂q_j of the bodies that q_j moves, which end the list of all bodies."""
    displacements = []
    for j in range(len(q)):
        direction = _unit(len(q), j)
        after, before = (_bodies(arm, _along(q, direction, t), start=j // 3) for t in (STEP, -STEP))
        displacements.append(_rate(after, before))
    return displacements


def _integral_mass_matrix(arm: Arm, q: Vector) -> NDArray[np.float64]:
    """M_jk = Σ dm ∂x/∂q_j · ∂x/∂q_k over all points."""
    masses, displacements = _masses(arm), _displacements(arm, q)
    matrix = np.empty((len(q), len(q)))
    for k, inner in enumerate(displacements):
        momenta = [m * u for m, u in zip(masses[-len(inner) :], inner, strict=True)]
        for j, outer in enumerate(displacements[: k + 1]):
            matrix[j, k] = matrix[k, j] = _dot(momenta, outer[-len(inner) :])
    return matrix


def _integral_forces(arm: Arm, q: Vector, qd: Vector, qdd: Vector) -> list[Real]:
    """d'Alembert: τ_j = Σ dm (ẍ - g) · ∂x/∂q_j over all points."""
    before, now, after = (_bodies(arm, _along(_along(q, qd, t), qdd, t * t / 2)) for t in (-STEP, mp.zero, STEP))
    accelerations = [(x - 2 * y + z) / STEP**2 for x, y, z in zip(before, now, after, strict=True)]
    # Gravity acts on centres alone: ∫ρ1 dm = ∫ρ2 dm = 0.
    gravity = (*_numbers(arm.gravity), *[mp.zero] * 6) * (len(accelerations) // 9)
    loads = [m * (a - g) for m, a, g in zip(_masses(arm), accelerations, gravity, strict=True)]
    return [_dot(loads[-len(u) :], u) for u in _displacements(arm, q)]


# The models with one disc or one point at the centre of gravity ------------------------------------------------------


def _shaped(beta: Vector, carried: Vector, own: Vector) -> Real:
    """β1 |Ω u|² + 2 β2 (Ω u) · u̇ + β3 |u̇|²."""
    return beta[0] * _dot(carried, carried) + 2 * beta[1] * _dot(carried, own) + beta[2] * _dot(own, own)


def _section_energy(
    section: Section, inertia: CentreOfGravity | PointMass, base: tuple[Pose, Vector], mean: Disc, rates: Disc
) -> Real:
    """Eqs. Kvi_c and Kwi_c with their shaping coefficients.

    K_v = m/2 (|v|² + 2 v·(Ω p̄ + p̄̇) + β1 |Ω p̄|² + 2 β2 (Ω p̄)·p̄̇ + β3 |p̄̇|²),
    K_ω = I/2 T2(β1 R̄ᵀ Ωᵀ Ω R̄ + 2 β2 R̄̇ᵀ Ω R̄ + β3 R̄̇ᵀ R̄̇); T2, a sum over the first two columns of R̄.
    """
    omega, v = base
    carried = [_turned(omega, u) for u in mean]
    shaping = inertia if isinstance(inertia, CentreOfGravity) else None
    linear = _numbers(shaping.beta_linear) if shaping else (mp.one,) * 3
    energy = _dot(v, v) + 2 * _dot(v, carried[0]) + 2 * _dot(v, rates[0]) + _shaped(linear, carried[0], rates[0])
    energy *= mp.mpf(section.mass) / 2
    if shaping:
        angular = _numbers(shaping.beta_angular)
        columns = sum(_shaped(angular, carried[c], rates[c]) for c in (1, 2))
        energy += _disc_inertia(section) / 2 * columns
    return energy


def _body_velocity(now: Pose, after: Pose, before: Pose) -> tuple[Pose, Vector]:
    """Ω = Rᵀ Ṙ and v = Rᵀ ṗ of a frame, in that frame."""
    *axes, _ = _columns(now)
    *turns, v = (_rate(x, y) for x, y in zip(_columns(after), _columns(before), strict=True))
    omega = tuple(tuple(_dot(axis, turn) for turn in turns) for axis in axes)
    return omega, tuple(_dot(axis, v) for axis in axes)  # type: ignore[return-value]


def _lumped_kinetic_energy(arm: Arm, q: Vector, qd: Vector) -> Real:
    """Σ K_i of the sections, and of the payload."""
    assert not isinstance(arm.inertia, Integral)
    states = [_along(q, qd, t) for t in (mp.zero, STEP, -STEP)]
    frames = [_frames(arm, state) for state in states]
    energy = mp.zero
    for i, section in enumerate(arm.sections):
        base = _body_velocity(*(chain[i] for chain in frames))
        mean, after, before = (_mean_disc(section.length, section.radius, at[3 * i : 3 * i + 3]) for at in states)
        rates = tuple(_rate(x, y) for x, y in zip(after, before, strict=True))
        energy += _section_energy(section, arm.inertia, base, mean, rates)  # type: ignore[arg-type]
    if arm.payload is not None:
        velocity = _rate(*(_payload_position(arm, chain[-1]) for chain in frames[1:]))
        energy += mp.mpf(arm.payload.mass) / 2 * _dot(velocity, velocity)
    return energy


def _lumped_mass_matrix(arm: Arm, q: Vector) -> NDArray[np.float64]:
    """M_jk = K(e_j + e_k) - K(e_j) - K(e_k): the energy is a quadratic form of q̇."""
    units = [_unit(len(q), j) for j in range(len(q))]
    energies = [_lumped_kinetic_energy(arm, q, unit) for unit in units]
    matrix = np.empty((len(q), len(q)))
    for j, first in enumerate(units):
        for k in range(j + 1):
            both = _lumped_kinetic_energy(arm, q, _along(first, units[k], mp.one))
            matrix[j, k] = matrix[k, j] = both - energies[j] - energies[k]
    return matrix


def _lumped_forces(arm: Arm, q: Vector, qd: Vector, qdd: Vector) -> list[Real]:
    """Lagrange: τ_j = d/dt ∂K/∂q̇_j - ∂K/∂q_j + ∂P_g/∂q_j, d/dt along q + q̇ t + q̈ t²/2."""

    def momentum(unit: Vector, t: Real) -> Real:
        at, velocity = _along(_along(q, qd, t), qdd, t * t / 2), _along(qd, qdd, t)
        # Exact for a quadratic form, with a step as long as one likes.
        faster, slower = (_lumped_kinetic_energy(arm, at, _along(velocity, unit, sign)) for sign in (1, -1))
        return (faster - slower) / 2

    def lagrangian(unit: Vector, t: Real) -> Real:
        at = _along(q, unit, t)
        return _lumped_kinetic_energy(arm, at, qd) - _gravitational_energy(arm, at)

    units = [_unit(len(q), j) for j in range(len(q))]
    return [_slope(partial(momentum, unit)) - _slope(partial(lagrangian, unit)) for unit in units]


def _gravitational_energy(arm: Arm, q: Vector) -> Real:
    gravity, frames, energy = _numbers(arm.gravity), _frames(arm, q), mp.zero
    for (section, lengths), frame in zip(_own(arm, q), frames[:-1], strict=True):
        centre, _, _ = _mean_disc(section.length, section.radius, lengths)
        energy -= mp.mpf(section.mass) * _dot(gravity, _moved(frame, centre))
    if arm.payload is not None:
        energy -= mp.mpf(arm.payload.mass) * _dot(gravity, _payload_position(arm, frames[-1]))
    return energy


# What the tests ask for ----------------------------------------------------------------------------------------------


def tip_poses(arm: Arm, q: ArrayLike) -> NDArray[np.float64]:
    """(n, 4, 4): the frame after the joint of every section, world frame."""
    poses = np.tile(np.eye(4), (arm.n, 1, 1))
    for pose, frame in zip(poses, _frames(arm, _numbers(q))[1:], strict=True):
        pose[:3] = [[float(number) for number in row] for row in frame]
    return poses


def kinetic_energy(arm: Arm, q: ArrayLike, qd: ArrayLike) -> float:
    """K of the arm's inertia model, with its payload, J."""
    energy = _integral_kinetic_energy if isinstance(arm.inertia, Integral) else _lumped_kinetic_energy
    return float(energy(arm, _numbers(q), _numbers(qd)))


def gravitational_energy(arm: Arm, q: ArrayLike) -> float:
    """P_g = -Σ m g · p, the same in every model, J."""
    return float(_gravitational_energy(arm, _numbers(q)))


def mass_matrix(arm: Arm, q: ArrayLike) -> NDArray[np.float64]:
    """(3n, 3n): M of K = ½ q̇ᵀ M q̇, kg."""
    matrix = _integral_mass_matrix if isinstance(arm.inertia, Integral) else _lumped_mass_matrix
    return matrix(arm, _numbers(q))


def inertial_and_gravity_forces(arm: Arm, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike) -> NDArray[np.float64]:
    """(3n,): M q̈ + C q̇ + G, N; neither elastic nor damping forces."""
    forces = _integral_forces if isinstance(arm.inertia, Integral) else _lumped_forces
    return np.array([float(force) for force in forces(arm, _numbers(q), _numbers(qd), _numbers(qdd))])
