"""The paper's random sections (section III-B), and the six energy terms of each in both models.

A section has unactuated length L = 1 and mass m = 1: both drop out of every ratio. Its base has angular velocity ω and
no linear velocity v: the terms with v are the same in both models and cancel (eq. 22 dKv_i). Kinetic energies are sums
of six terms, three linear per unit of mass m (eqs. 19 Kvi, 20 Kvi_c) and three angular per unit of I = m r²/4
(eqs. 17 Kwi, 18 Kwi_c):

              base ½ ωᵀAω       cross ω·B             own ½ Q
    linear    ½ ∫|ω×p|²         ∫(ω×p)·ṗ              ½ ∫|ṗ|²
    angular   ½ T2∫RᵀΩᵀΩR       T2∫ṘᵀΩR               ½ T2∫ṘᵀṘ          T2 of ΩᵀΩ is ω1² + ω2² + 2 ω3²

and the same with p̄ and R̄ instead of the integrals for the centre of gravity.

Choices, where the text is silent or contradicts itself:

* Everything is drawn uniformly and independently, α_l after α_r (its range depends on it), each muscle on its own. The
  text gives ranges only.
* The bound on α_l and the remark on it contradict each other (docs/notation.md, "Where the paper's print is
  corrected"). Both are here: "2pi" and "6pi". Beyond a full turn, where the library refuses a section, "6pi" goes on
  with the formulas as they stand. The paper's modal functions of order 13 are useless there, so that it will have
  meant "2pi".
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

from continuarm.arms.inertia_models import UNSHAPED, InertiaModel, Integral
from continuarm.arms.section import Section
from continuarm.common.number_checks import Floats, seed_number, whole_number
from continuarm.common.text import short
from continuarm.sections.entire_functions import SPAN, stumpff_of_twice_the_angle
from continuarm.sections.inertia import Coefficients, Parts, Terms, coefficients, inertia, kinetic_terms
from continuarm.sections.inertia import terms as terms_of
from continuarm.sections.kinematics import Shape, shape, shape_rate, tip
from continuarm.sections.spatial import components, dot, motion_at_tip, spatial_vector, times, vector

__all__ = ["SAMPLINGS", "TERMS", "EnergyTerms", "Sampling", "energy_terms"]

TERMS = ("linear base", "linear cross", "linear own", "angular base", "angular cross", "angular own")
"""The six terms, in the order of β1, β2, β3 of the linear and then of the angular energy."""

BLOCK = 10_000
"""Samples that share one random stream: sample number k depends on the seed and k alone."""

GROUP = 200
"""Samples that the bootstrap takes or leaves together."""

MOST_SAMPLES = 10_000_000
"""Beyond any use, and short of exhausting the memory by a slip of the keyboard."""

WHOLE = Section(length=1, radius=2, mass=1, stiffness=1)
"""m = 1 and I = m r²/4 = 1: its energies are per m and per I."""

HALF = WHOLE.replace(length=0.5, mass=0.5)


@dataclass(frozen=True)
class Sampling:
    """The ranges that random sections are drawn from; lengths are in units of L.

    α_r = r/L in [1/20, 1/2], α_l in [1/20, reach α_r], q_i in [0, α_l], q̇_i in [least_rate, 1] per second,
    ω in [-base_rate, base_rate] rad/s.
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

    @property
    def largest_bend(self) -> float:
        """⅔ reach, rad: one muscle at α_l and the others at 0, or the other way round."""
        return 2 / 3 * self.reach


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
    whole = seed_number("seed", seed)
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
    """B of a section of each radius (k,) times length changes (k, 3): (k, 3); a and b go with 1/r."""
    change = lengths @ WHOLE.shape_map.T
    change[:, :2] *= WHOLE.radius / radius[:, None]
    return change


def section_terms(model: InertiaModel, x: Floats, xd: Floats, omega: Floats) -> Floats:
    """The six terms of sections of shape x, rate ẋ and base rate ω, each (k, 3): (k, 6), per m and per I."""
    here = shape(x)
    terms = _terms_within_a_turn(model, here, xd, omega)
    beyond = here.y > SPAN  # only in "6pi": the closed forms of the library end at a full turn
    if beyond.any():
        terms[beyond] = _terms_beyond_a_turn(model, x[beyond], xd[beyond], omega[beyond])
    return terms


def _terms_within_a_turn(model: InertiaModel, here: Shape, xd: Floats, omega: Floats) -> Floats:
    rate, kinds = shape_rate(here, xd), _by_kind(model, here, WHOLE)
    return vector(*(term for kind in kinds for term in kinetic_terms(here, rate, kind, omega)))


def _by_kind(model: InertiaModel, here: Shape, section: Section) -> tuple[Terms, Terms]:
    """The coefficients of the linear and of the angular kinetic energy alone."""
    made = coefficients(model, here)
    linear = Coefficients(*(Parts(parts.linear, 0.0) for parts in made))
    angular = Coefficients(*(Parts(0.0, parts.angular) for parts in made))
    return terms_of(section, linear, here), terms_of(section, angular, here)


@coefficients.register
def _evaluated(model: Coefficients, here: Shape) -> Coefficients:
    """Coefficients evaluated before stand for a model of their own."""
    return model


def _terms_beyond_a_turn(model: InertiaModel, x: Floats, xd: Floats, omega: Floats) -> Floats:
    """The same for bends of 2π to 4π, from half of the section, which is bent half as far."""
    half = shape(x / 2)
    if isinstance(model, Integral):
        return _terms_of_two_halves(model, half, xd / 2, omega)
    a, b, s = components(x)
    whole = Shape(a, b, s, 4 * half.y, stumpff_of_twice_the_angle(half.y, half.c))
    return _terms_within_a_turn(model, whole, xd, omega)


def _terms_of_two_halves(model: InertiaModel, half: Shape, xd: Floats, omega: Floats) -> Floats:
    """The second half stands on the tip of the first, and moves with it."""
    end, rate, still = tip(HALF, half), shape_rate(half, xd), np.zeros_like(omega)
    carried = motion_at_tip(spatial_vector(omega, still), end.rotation, end.position)
    moved = motion_at_tip(times(end.subspace, xd), end.rotation, end.position)
    found = []
    for kind, velocities in zip(_by_kind(model, half, HALF), (slice(6), slice(3)), strict=True):
        # velocities: of the base of the second half, ω and v for the linear energy, ω alone for the angular
        base, coupling, own = inertia(HALF, half, kind)
        base, coupling = base[..., velocities, velocities], coupling[..., velocities, :]
        c, m = carried[..., velocities], moved[..., velocities]
        push = times(coupling, xd)
        second = (
            _product(c, times(base, c)) / 2,
            _product(c, times(base, m) + push),
            _product(m, times(base, m)) / 2 + _product(m, push) + dot(xd, times(own, xd)) / 2,
        )
        found += [one + other for one, other in zip(kinetic_terms(half, rate, kind, omega), second, strict=True)]
    return vector(*found)


def _product(u: Floats, v: Floats) -> Floats:
    return np.asarray((u * v).sum(axis=-1))
