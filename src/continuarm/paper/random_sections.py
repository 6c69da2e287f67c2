"""The paper's random sections (section III-B), and the six energy terms of each in both models.

A section has unactuated length L = 1 and mass m = 1: both drop out of every ratio. Its base has angular velocity ω and
no linear velocity v: the terms with v are the same in both models and cancel (eq. dKv_i). Kinetic energies are sums of
six terms, three linear per unit of mass m and three angular per unit of I = m r²/4 (eqs. Kvi, Kvi_c, Kwi, Kwi_c):

              base ½ ωᵀAω       cross ω·B             own ½ Q
    linear    ½ ∫|ω×p|²         ∫(ω×p)·ṗ              ½ ∫|ṗ|²
    angular   ½ T2∫RᵀΩᵀΩR       T2∫ṘᵀΩR               ½ T2∫ṘᵀṘ          T2 of ΩᵀΩ is ω1² + ω2² + 2 ω3²

and the same with p̄ and R̄ instead of the integrals for the centre of gravity.

Choices, where the text is silent or contradicts itself:

* Everything is drawn uniformly and independently, α_l after α_r (its range depends on it), each muscle on its own. The
  text gives ranges only.
* α_l <= 6π α_r is printed, with the remark that it limits the bend to 4π/3. It limits the bend to 4π; the remark asks
  for α_l <= 2π α_r. Both are here: "2pi" and "6pi". Beyond a full turn, where the library refuses a section, "6pi" goes
  on with the formulas as they stand. The paper's modal functions of order 13 are useless there, so that it will
  have meant "2pi".
* q̇_i in [0, L] is printed, and taken: all muscles lengthen, so there is much stretching. The validation
  of the paper has q̇ in [-L, L]; `Sampling(least_rate=-1)` draws that, and raises only β3 of the linear energy
  (1.74 to 1.79), because bending has 9/5 and stretching 4/3.
* ω in [-100, 100] rad/s per axis is printed, and taken. Against it q̇ <= L per second makes the own terms 10⁴ times
  smaller than the base terms; a term-wise fit does not see this, a fit of sums does (see `energy_shaping`).
* The angular terms carry no I where they are compared one by one: so the paper plots them.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from continuarm.arms.inertia_models import CentreOfGravity, InertiaModel, Integral
from continuarm.common.number_checks import Floats, whole_number
from continuarm.common.text import short
from continuarm.sections.entire_functions import SPAN, TOP, Jet, stumpff
from continuarm.sections.inertia import Parts, coefficients
from continuarm.sections.kinematics import Shape, shape, shape_rate
from continuarm.sections.spatial import components, cross, dot, vector

__all__ = ["SAMPLINGS", "TERMS", "EnergyTerms", "Sampling", "energy_terms"]

TERMS = ("linear base", "linear cross", "linear own", "angular base", "angular cross", "angular own")
"""The six terms, in the order of β1, β2, β3 of the linear and then of the angular energy."""

BLOCK = 10_000
"""Samples that share one random stream: sample number k depends on the seed and k alone."""

GROUP = 200
"""Samples that the bootstrap takes or leaves together."""

MOST_SAMPLES = 10_000_000
"""Beyond any use, and short of exhausting the memory by a slip of the keyboard."""

UNSHAPED = CentreOfGravity(beta_linear=(1, 1, 1), beta_angular=(1, 1, 1))

_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(24)  # rounding only, up to the bend of 4π of "6pi"


@dataclass(frozen=True)
class Sampling:
    """The ranges that random sections are drawn from; lengths are in units of L.

    α_r = r/L in [1/20, 1/2], α_l in [1/20, reach α_r], q_i in [0, α_l], q̇_i in [least_rate, 1] per second,
    ω in [-base_rate, base_rate] rad/s. The bend is at most ⅔ reach.
    """

    reach: float = 2 * math.pi
    least_rate: float = 0.0
    base_rate: float = 100.0

    def __post_init__(self) -> None:
        for name, least, most, unit in (
            ("reach", 1, 6 * math.pi, ""),
            ("least_rate", -1, 0, " per second"),
            ("base_rate", 1e-6, 1e6, " rad/s"),
        ):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, (int, float)) or not least <= value <= most:
                raise ValueError(f"{name} = {short(value)}: must lie between {least:.6g} and {most:.6g}{unit}")


SAMPLINGS = {"2pi": Sampling(), "6pi": Sampling(reach=6 * math.pi)}
"""The two readings of the paper's bound on α_l."""


class Sections(NamedTuple):
    """Random sections: α_r (k,), shape x and its rate ẋ (k, 3) with s in units of L, and ω (k, 3)."""

    radius: Floats
    x: Floats
    xd: Floats
    omega: Floats


@dataclass(frozen=True, eq=False)
class EnergyTerms:
    """The six terms of random sections in both models: what the paper's scatter plots show."""

    integral: Floats
    """(samples, 6), in the order of `TERMS`: linear per m L², angular per I, both 1/s²."""
    centre_of_gravity: Floats
    """(samples, 6): the same of the centre-of-gravity model with β = 1."""
    bend: Floats
    """(samples,): φ, rad."""
    length: Floats
    """(samples,): s/L."""
    radius: Floats
    """(samples,): α_r = r/L."""

    @property
    def ratio(self) -> Floats:
        """(samples, 6): what β would have to be; far from it where a cross term of the centre of gravity is near 0."""
        with np.errstate(divide="ignore", invalid="ignore"):
            return self.integral / self.centre_of_gravity

    @property
    def energy_scale(self) -> Floats:
        """(samples, 6): the terms times this are energies per m L², 1/s²."""
        return np.where(np.arange(6) < 3, 1.0, self.radius[:, None] ** 2 / 4)


def sampling_named(sampling: str | Sampling) -> Sampling:
    """The sampling itself, or the one with this name."""
    if isinstance(sampling, Sampling):
        return sampling
    if not isinstance(sampling, str) or sampling not in SAMPLINGS:
        raise ValueError(f"sampling = {short(sampling)}: must be {' or '.join(map(repr, SAMPLINGS))}, or a Sampling")
    return SAMPLINGS[sampling]


def energy_terms(samples: int = 2000, seed: int = 0, sampling: str | Sampling = "2pi") -> EnergyTerms:
    """The terms of the first samples of the set that `fit_energy_shaping` uses with this seed and sampling."""
    count = whole_number("samples", samples, least=1, most=MOST_SAMPLES)
    parts = list(term_blocks(count, seed, sampling))
    fields = ("integral", "centre_of_gravity", "bend", "length", "radius")
    return EnergyTerms(*(np.concatenate([getattr(part, field) for part in parts]) for field in fields))


def term_blocks(samples: int, seed: int, sampling: str | Sampling) -> Iterator[EnergyTerms]:
    """The terms block by block: memory does not grow with the number of samples."""
    drawn_from = sampling_named(sampling)
    for block, count in enumerate(block_sizes(samples)):
        drawn = sections(drawn_from, random_stream(seed, "sections", block), count)
        yield EnergyTerms(
            integral=section_terms(Integral(), drawn.x, drawn.xd, drawn.omega),
            centre_of_gravity=section_terms(UNSHAPED, drawn.x, drawn.xd, drawn.omega),
            bend=np.hypot(drawn.x[:, 0], drawn.x[:, 1]),
            length=drawn.x[:, 2],
            radius=drawn.radius,
        )


def moments_of(terms: EnergyTerms) -> Floats:
    """(groups, 2, 13, 13): products of six centre-of-gravity terms, six integral terms and 1, summed over each group.

    First of the terms as they are plotted, then of energies. Everything that is fitted comes from these.
    """
    count = len(terms.radius)
    rows = np.zeros((-(-count // GROUP) * GROUP, 2, 13))  # rows of zeros fill the last group
    for kind, scale in enumerate((np.ones((1, 6)), terms.energy_scale)):
        rows[:count, kind, :6] = scale * terms.centre_of_gravity
        rows[:count, kind, 6:12] = scale * terms.integral
        rows[:count, kind, 12] = 1
    grouped = rows.reshape(-1, GROUP, 2, 13).swapaxes(1, 2)
    return np.swapaxes(grouped, -1, -2) @ grouped


def resampled(moments: Floats, times: int, rng: np.random.Generator) -> Floats:
    """(times, 2, 13, 13): moments of as many groups drawn with replacement."""
    groups = len(moments)
    flat = moments.reshape(groups, -1)
    taken = [np.bincount(rng.integers(groups, size=groups), minlength=groups) @ flat for _ in range(times)]
    return np.array(taken).reshape(times, *moments.shape[1:])


def block_sizes(samples: int) -> list[int]:
    """10,000 each, and what is left."""
    full, rest = divmod(samples, BLOCK)
    return [BLOCK] * full + [rest] * (rest > 0)


def random_stream(seed: int, purpose: str, block: int = 0) -> np.random.Generator:
    """Random numbers of their own for every seed, purpose and block."""
    key = (("sections", "bootstrap", "states").index(purpose), block)
    whole = whole_number("seed", seed, least=0, most=2**63)
    return np.random.default_rng(np.random.SeedSequence(whole, spawn_key=key))


def sections(sampling: Sampling, rng: np.random.Generator, count: int) -> Sections:
    """Random sections with q_i, q̇_i and ω; fewer of them are the first of more."""
    u = rng.random((count, 11))
    radius = 0.05 + 0.45 * u[:, 0]
    longest = 0.05 + (sampling.reach * radius - 0.05) * u[:, 1]
    rates = sampling.least_rate + (1 - sampling.least_rate) * u[:, 5:8]
    x = _shape_change(radius, longest[:, None] * u[:, 2:5]) + np.array([0.0, 0.0, 1.0])
    return Sections(radius, x, _shape_change(radius, rates), sampling.base_rate * (2 * u[:, 8:] - 1))


def _shape_change(radius: Floats, lengths: Floats) -> Floats:
    """B of `Section.shape_map` for a radius (k,) each: (k, 3) -> (k, 3)."""
    l1, l2, l3 = components(lengths)
    return np.stack([(l2 + l3 - 2 * l1) / (3 * radius), (l3 - l2) / (math.sqrt(3) * radius), (l1 + l2 + l3) / 3], -1)


def section_terms(model: InertiaModel, x: Floats, xd: Floats, omega: Floats) -> Floats:
    """The six terms of sections of shape x, rate ẋ and base rate ω, each (k, 3): (k, 6), per m and per I."""
    here = shape(x)
    beyond = here.y > SPAN  # only in "6pi": the closed forms of the library end at a full turn
    terms = _closed_form_terms(model, here, xd, omega)
    if beyond.any():
        terms[beyond] = _terms_beyond_a_turn(model, x[beyond], xd[beyond], omega[beyond])
    return terms


def _closed_form_terms(model: InertiaModel, here: Shape, xd: Floats, omega: Floats) -> Floats:
    """The terms from the twelve coefficients of a model (`section_inertia`)."""
    rate = shape_rate(here, xd)
    o1, o2, o3 = components(omega)
    across, side, side_rate = dot(here.n, omega), dot(here.k, omega), dot(rate.k, omega)
    made = coefficients(model, here)
    terms = []
    for kind, s in (("linear", here.s), ("angular", 1.0)):
        A1, A2, A3, A4, B1, B2, B3, B4, Q1, Q2, Q3, Q4 = (_value(parts, kind) for parts in made)
        terms += [
            s * s * (A1 * (o1 * o1 + o2 * o2) + A2 * across * across + A3 * o3 * o3 + 2 * A4 * across * o3) / 2,
            s * s * (B1 * rate.w * o3 + B2 * side_rate + B3 * rate.y * side + B4 * rate.w * across),
            (Q1 * rate.s**2 + s * Q2 * rate.s * rate.y + s * s * (Q3 * rate.n_squared + Q4 * rate.y**2)) / 2,
        ]
    return np.stack(terms, axis=-1)


def _value(parts: Parts, kind: str) -> Floats | float:
    part = getattr(parts, kind)
    return part.value if isinstance(part, Jet) else part


def _terms_beyond_a_turn(model: InertiaModel, x: Floats, xd: Floats, omega: Floats) -> Floats:
    """The same for bends of 2π to 4π: by trigonometric functions, and quadrature along the section for the integral."""
    y = x[:, 0] ** 2 + x[:, 1] ** 2
    here = Shape(x[:, 0], x[:, 1], x[:, 2], y, _stumpff_at_any(y))
    if not isinstance(model, Integral):
        return _closed_form_terms(model, here, xd, omega)
    terms = np.zeros((len(x), 6))
    for node, weight in zip(_NODES, _WEIGHTS, strict=True):
        terms += weight / 2 * _disc_terms((1 + node) / 2, here, xd, omega)
    return terms


def _disc_terms(xi: float, here: Shape, xd: Floats, omega: Floats) -> Floats:
    """The terms of the disc at ξ: its place p, velocity ṗ, normal e and angular velocity u relative to the base."""
    rate = shape_rate(here, xd)
    _, c1, c2, c3, c4 = _stumpff_at_any(xi * xi * here.y)[:5]
    g1, g2, g3 = xi * c1, xi**2 * c2, xi**3 * c3
    g1_slope, g2_slope = xi**3 * (c3 - c2) / 2, xi**4 * (2 * c4 - c3) / 2
    (a, b, s), (ad, bd, sd) = (here.a, here.b, here.s), components(xd)
    along_n, along_z = sd * g2 + s * g2_slope * rate.y, sd * g1 + s * g1_slope * rate.y
    place = vector(s * g2 * a, s * g2 * b, s * g1)
    velocity = vector(along_n * a + s * g2 * ad, along_n * b + s * g2 * bd, along_z)
    normal = vector(a * g1, b * g1, 1 - here.y * g2)
    u = vector(-g1 * bd - g3 * rate.y * b / 2, g1 * ad + g3 * rate.y * a / 2, g2 * rate.w)
    carried, spin, own_spin = cross(omega, place), dot(normal, omega), dot(normal, u)
    return vector(
        dot(carried, carried) / 2,
        dot(carried, velocity),
        dot(velocity, velocity) / 2,
        (dot(omega, omega) + spin**2) / 2,
        dot(omega, u) + spin * own_spin,
        (dot(u, u) + own_spin**2) / 2,
    )


def _stumpff_at_any(y: Floats) -> tuple[Floats, ...]:
    """c_0(y) ... c_9(y) for every y >= 0: beyond the library's range upwards from cos φ and sin φ/φ."""
    inside, far = stumpff(np.minimum(y, SPAN)), np.maximum(y, SPAN)
    outside = [np.cos(np.sqrt(far)), np.sinc(np.sqrt(far) / np.pi)]
    for k in range(TOP - 1):
        outside.append((1 / math.factorial(k) - outside[k]) / far)
    return tuple(np.where(y <= SPAN, near, away) for near, away in zip(inside, outside, strict=True))
