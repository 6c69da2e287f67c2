"""Laws of energy shaping: what the six terms are, where β must lie, and what a fit may not depend on."""

import dataclasses
import json
import pickle

import numpy as np
import pytest

from continuarm import CentreOfGravity, Integral, Section, fit_energy_shaping, kinetic_energy, tip_jacobian, tip_poses
from continuarm.arms.inertia_models import SMALL_BENDS, UNSHAPED
from continuarm.paper.energy_shaping import METHODS, shaping_coefficients
from continuarm.paper.random_sections import (
    BLOCK,
    TERMS,
    EnergyTerms,
    Sampling,
    energy_terms,
    section_terms,
    sections,
)
from random_arms import random_arm, random_lengths, random_rates

LIMITS = [*SMALL_BENDS.beta_linear, *SMALL_BENDS.beta_angular]
MANY = 20_000


def made_terms(rng, x, xd, omega):
    """Terms of given states, for random radii."""
    return EnergyTerms(
        integral=section_terms(Integral(), x, xd, omega),
        centre_of_gravity=section_terms(UNSHAPED, x, xd, omega),
        bend=np.hypot(x[:, 0], x[:, 1]),
        length=x[:, 2],
        radius=rng.uniform(0.05, 0.5, len(x)),
    )


def random_sections(rng, count, greatest_bend):
    bend, direction = rng.uniform(0.3, greatest_bend, count), rng.uniform(-np.pi, np.pi, count)
    x = np.stack([bend * np.cos(direction), bend * np.sin(direction), rng.uniform(0.5, 2, count)], axis=-1)
    return x, rng.normal(size=(count, 3)), rng.normal(size=(count, 3))


# What the six terms are


def pose(x, xi):
    """The paper's curve parameters, eq. 1 HTM_section with R_Z(-θ): rotation and position at ξ."""
    a, b, s = x
    phi, theta = np.hypot(a, b), np.arctan2(b, a)
    turn = np.array([[np.cos(theta), -np.sin(theta), 0], [np.sin(theta), np.cos(theta), 0], [0, 0, 1]])
    c, d = np.cos(xi * phi), np.sin(xi * phi)
    bent = np.array([[c, 0, d], [0, 1, 0], [-d, 0, c]])
    return turn @ bent @ turn.T, turn @ [s / phi * (1 - c), 0, s / phi * d]


def pose_rate(x, xd, xi, h=1e-4):
    """Central differences, extrapolated: the error is of order h⁴."""

    def difference(h):
        sides = zip(pose(x + h * xd, xi), pose(x - h * xd, xi), strict=True)
        return [(ahead - behind) / (2 * h) for ahead, behind in sides]

    return [(4 * near - far) / 3 for near, far in zip(difference(h), difference(2 * h), strict=True)]


def printed_terms(rotation, position, rotation_rate, velocity, omega):
    """The products under the integrals of eqs. 19 Kvi and 17 Kwi; T2 sums the first two diagonal entries."""
    o1, o2, o3 = omega
    spin = np.array([[0, -o3, o2], [o3, 0, -o1], [-o2, o1, 0]])
    carried, turned = spin @ position, spin @ rotation

    def trace(m):
        return m[0, 0] + m[1, 1]

    return np.array(
        [
            carried @ carried / 2,
            carried @ velocity,
            velocity @ velocity / 2,
            trace(turned.T @ turned) / 2,
            trace(rotation_rate.T @ turned),
            trace(rotation_rate.T @ rotation_rate) / 2,
        ]
    )


@pytest.mark.parametrize("greatest_bend", [2 * np.pi, 4 * np.pi])
def test_the_terms_are_the_printed_integrals(greatest_bend):
    rng = np.random.default_rng(1)
    x, xd, omega = random_sections(rng, 12, greatest_bend)
    x[0, :2] *= greatest_bend / np.hypot(*x[0, :2])
    nodes, weights = np.polynomial.legendre.leggauss(40)
    integral, centre = np.zeros((12, 6)), np.zeros((12, 6))
    for k in range(12):
        discs = [(*pose(x[k], xi), *pose_rate(x[k], xd[k], xi)) for xi in (1 + nodes) / 2]
        integral[k] = sum(w / 2 * printed_terms(*disc, omega[k]) for w, disc in zip(weights, discs, strict=True))
        average = [np.tensordot(weights / 2, parts, 1) for parts in map(np.array, zip(*discs, strict=True))]
        centre[k] = printed_terms(*average, omega[k])
    # differences: rounding is 1e-16 / 1e-4, and h⁴ = 1e-16 meets a fifth derivative ẋ⁵ of up to 1e3
    for model, wanted in ((Integral(), integral), (UNSHAPED, centre)):
        error = np.abs(section_terms(model, x, xd, omega) - wanted).max(axis=0)
        assert (error < 1e-10 * np.abs(wanted).max(axis=0)).all()


def test_the_energies_of_two_models_differ_by_their_terms():
    """Eqs. 22 dKv_i and 21 dKw_i for the second of two sections: all that depends on v cancels."""
    rng = np.random.default_rng(2)
    for _ in range(20):
        shaped = CentreOfGravity(beta_linear=(1.4, 1.5, 1.7), beta_angular=(1.1, 1.05, 1.4))
        arm = random_arm(rng, 2, payload=False)
        weightless, section = arm.sections[0].replace(mass=1e-12), arm.sections[1]
        arm = arm.replace(sections=[weightless, section])
        q, qd = random_lengths(rng, arm), random_rates(rng, arm)
        omega = tip_poses(arm, q)[0, :3, :3].T @ tip_jacobian(arm, q)[0, :3] @ qd
        x = (section.shape_map @ q[3:] + [0, 0, section.length])[None]
        state = x, (section.shape_map @ qd[3:])[None], omega[None]
        scale = np.repeat([section.mass, section.disc_inertia], 3)
        beta = np.array(shaped.beta_linear + shaped.beta_angular)
        wanted = scale @ (section_terms(Integral(), *state) - beta * section_terms(UNSHAPED, *state))[0]
        found = kinetic_energy(arm, q, qd) - kinetic_energy(arm.replace(inertia=shaped), q, qd)
        # the weightless section still has 1e-12 of some 1e-1 kg
        assert found == pytest.approx(wanted, rel=1e-9, abs=1e-10 * kinetic_energy(arm, q, qd))


def test_the_energy_of_one_section_is_its_own_terms():
    rng = np.random.default_rng(3)
    for model in (Integral(), UNSHAPED):
        arm = random_arm(rng, 1, model, payload=False)
        (section,) = arm.sections
        q, qd = random_lengths(rng, arm), random_rates(rng, arm)
        x = section.shape_map @ q + [0, 0, section.length]
        terms = section_terms(model, x[None], (section.shape_map @ qd)[None], np.zeros((1, 3)))[0]
        wanted = section.mass * terms[2] + section.disc_inertia * terms[5]
        assert kinetic_energy(arm, q, qd) == pytest.approx(wanted, rel=1e-12)
        np.testing.assert_array_equal(terms[[0, 1, 3, 4]], 0)


# Where β must lie


def test_base_and_own_terms_are_largest_along_the_whole_section():
    """∫|u|² >= |∫u|²: no sample can ask for a β1 or β3 below 1."""
    for sampling in ("2pi", "6pi"):
        ratio = energy_terms(5000, sampling=sampling).ratio
        assert ratio[:, [0, 2, 3, 5]].min() >= 1


@pytest.mark.parametrize("method", METHODS)
def test_nearly_straight_sections_have_the_small_bend_coefficients(method):
    """Pure bending: all six limits, whichever way they are fitted, as each term is then exactly proportional."""
    assert LIMITS == [4 / 3, 3 / 2, 9 / 5, 1, 1, 4 / 3]
    rng = np.random.default_rng(4)
    x, xd, omega = random_sections(rng, 400, 1.0)
    x[:, :2] *= 1e-8  # what is left of the bend: a relative error of the order φ
    xd[:, 2] = 0
    terms = made_terms(rng, x, xd, omega)
    np.testing.assert_allclose(shaping_coefficients(terms, method), LIMITS, rtol=1e-6)


def test_straight_stretching_needs_another_coefficient_than_bending():
    """5 of the 6 limits hold for every motion; own linear energy is 9/5 for bending and 4/3 for stretching."""
    rng = np.random.default_rng(5)
    x, xd, omega = random_sections(rng, 400, 1.0)
    x[:, :2] *= 1e-8
    mixed = shaping_coefficients(made_terms(rng, x, xd, omega))
    np.testing.assert_allclose(np.delete(mixed, 2), np.delete(LIMITS, 2), rtol=1e-6)
    assert 4 / 3 < mixed[2] < 9 / 5
    xd[:, :2] *= 1e-8
    assert shaping_coefficients(made_terms(rng, x, xd, omega))[2] == pytest.approx(4 / 3, rel=1e-6)


def test_the_default_coefficients_are_those_of_the_fit():
    """Kept to three places from a million samples: half of a place, and three standard errors of fewer samples."""
    fit, default = fit_energy_shaping(MANY), CentreOfGravity()
    kept = default.beta_linear + default.beta_angular
    for term, beta, name in zip(fit.terms, kept, TERMS, strict=True):
        assert term.name == name
        assert abs(term.beta - beta) < 0.0005 + 3 * term.standard_error < 0.02
        assert term.interval[0] < term.beta < term.interval[1]
        assert 0.99 < term.correlation < 1
        assert term.rms_residual < 0.15
    assert fit.beta_linear + fit.beta_angular == tuple(term.beta for term in fit.terms)
    assert fit.positive_definite
    assert fit.model == CentreOfGravity(beta_linear=fit.beta_linear, beta_angular=fit.beta_angular)


@pytest.mark.parametrize("sampling", [Sampling(), Sampling(reach=3.0, least_rate=-1.0, base_rate=5.0)])
def test_sections_fill_the_ranges_they_are_drawn_from(sampling):
    drawn = sections(sampling, np.random.default_rng(10), MANY)
    r = drawn.radius[:, None]
    x = drawn.x - [0, 0, 1]
    unit = Section(length=1, radius=1, mass=1, stiffness=1)
    lengths, rates = (np.hstack([r * v[:, :2], v[:, 2:]]) @ unit.length_map.T for v in (x, drawn.xd))
    share = lengths / (sampling.reach * r)
    for found, least, greatest in (
        (drawn.radius, 1 / 20, 1 / 2),
        (lengths, 0, sampling.reach / 2),
        (share, 0, 1),
        (rates, sampling.least_rate, 1),
        (drawn.omega, -sampling.base_rate, sampling.base_rate),
    ):
        slack = 1e-12 * greatest
        assert least - slack <= found.min() < least + 0.01 * greatest
        assert 0.95 * greatest < found.max() <= greatest + slack
    # means of uniform numbers, to 5 standard errors of 20,000 or more
    for found in (rates / (1 - sampling.least_rate), drawn.omega / (2 * sampling.base_rate)):
        middle = (found.min() + found.max()) / 2
        np.testing.assert_allclose(found.mean(axis=0), middle, rtol=0, atol=5 * np.sqrt(1 / 12 / MANY))


def test_the_printed_bound_bends_three_times_as_far():
    for sampling, limit in (("2pi", 4 / 3 * np.pi), ("6pi", 4 * np.pi)):
        terms = energy_terms(MANY, sampling=sampling)
        assert 0.8 * limit < terms.bend.max() < limit
        assert terms.radius.min() > 1 / 20
        assert terms.radius.max() < 1 / 2


def test_stretching_less_raises_only_the_own_linear_coefficient():
    plain, symmetric = (fit_energy_shaping(MANY, sampling=Sampling(least_rate=rate)) for rate in (0, -1))
    assert symmetric.beta_linear[2] == pytest.approx(1.79, abs=0.01)
    for k in (0, 1, 3, 4, 5):  # two different sets of rates: five standard errors of each
        both = plain.terms[k].standard_error + symmetric.terms[k].standard_error
        assert abs(plain.terms[k].beta - symmetric.terms[k].beta) < 5 * both


# What a fit does


@pytest.mark.parametrize("method", METHODS)
def test_known_coefficients_are_recovered(method):
    known = np.array([1.3, 1.4, 1.9, 0.9, 1.1, 1.6])
    terms = energy_terms(5000)
    terms = dataclasses.replace(terms, integral=known * terms.centre_of_gravity)
    # the own terms are 1e-4 of the base terms in a sum, and squares make that 1e-8 of 1e-16
    np.testing.assert_allclose(shaping_coefficients(terms, method), known, rtol=1e-7)


def test_all_terms_at_once_fit_the_energy_best():
    """By definition; that the gain is slight is the paper's remark."""
    residuals = {method: fit_energy_shaping(MANY, method=method).rms_energy_residual for method in METHODS}
    assert 0.98 * residuals["terms"] < residuals["total"] < residuals["kinds"] < residuals["terms"]


def test_the_speed_of_the_base_matters_to_sums_only():
    """Base terms grow with ω², cross terms with ω: each on its own is as proportional as before."""
    fits = [[fit_energy_shaping(2000, sampling=Sampling(base_rate=w), method=m) for w in (100, 3)] for m in METHODS]
    betas = np.array([[fit.beta_linear + fit.beta_angular for fit in pair] for pair in fits])
    np.testing.assert_allclose(betas[0, 0], betas[0, 1], rtol=1e-12)
    assert (np.abs(betas[1:, 0] - betas[1:, 1]).max(axis=-1) > 0.5).all()


@pytest.mark.parametrize("method", METHODS)
def test_units_do_not_matter(method):
    """A section described in millimetres: s and ṡ a thousand times, r in I as well."""
    rng = np.random.default_rng(6)
    x, xd, omega = random_sections(rng, 2000, 4.0)
    metres = made_terms(rng, x, xd, omega)
    long = np.array([1, 1, 1000])
    millimetres = made_terms(rng, x * long, xd * long, omega)
    millimetres = dataclasses.replace(millimetres, radius=1000 * metres.radius)
    found = [shaping_coefficients(terms, method) for terms in (metres, millimetres)]
    np.testing.assert_allclose(found[0], found[1], rtol=1e-10)


def test_numbers_depend_on_the_seed_and_nothing_else():
    """Not on how many samples follow, nor on the blocks they are computed in."""
    count = BLOCK + 2345
    first, again, other = (fit_energy_shaping(count, seed=seed) for seed in (7, 7, 8))
    assert first == again
    assert first.beta_linear != other.beta_linear
    few, more = energy_terms(count, seed=7), energy_terms(count + 500, seed=7)
    np.testing.assert_array_equal(few.integral, more.integral[:count])
    assert len(np.unique(more.integral[:, 0])) == count + 500  # no block repeats another
    whole = shaping_coefficients(few)  # all samples as one block: other sums of the same numbers
    np.testing.assert_allclose(first.beta_linear + first.beta_angular, whole, rtol=1e-13)


@pytest.mark.slow
def test_the_standard_error_is_what_another_seed_changes():
    fits = [fit_energy_shaping(4000, seed=seed, bootstrap=50) for seed in range(80)]
    betas = np.array([[term.beta for term in fit.terms] for fit in fits])
    errors = np.array([[term.standard_error for term in fit.terms] for fit in fits])
    # a standard deviation of 80 numbers is known to 8 %
    np.testing.assert_allclose(errors.mean(axis=0), betas.std(axis=0, ddof=1), rtol=0.24)


def test_bounds_hold_and_the_best_within_them_is_found():
    assert fit_energy_shaping(2000, bounds=(0, 1)).beta_linear == (1, 1, 1)  # the paper's: no β can be found in them
    assert fit_energy_shaping(2000, bounds=(1, 2)).terms == fit_energy_shaping(2000).terms
    terms, rng = energy_terms(2000), np.random.default_rng(9)
    scale = terms.energy_scale

    def misfit(beta):
        return np.square((scale * (terms.integral - beta * terms.centre_of_gravity)).sum(axis=1)).sum()

    bounded, free = (shaping_coefficients(terms, "total", bounds) for bounds in ((0.5, 2.0), None))
    assert bounded.min() >= 0.5
    assert bounded.max() <= 2.0
    assert misfit(free) < misfit(bounded) < misfit(np.clip(free, 0.5, 2.0))
    for size in (1e-4, 1e-2, 1):  # no better place nearby
        for step in rng.normal(size=(50, 6)):
            assert misfit(np.clip(bounded + size * step, 0.5, 2.0)) >= misfit(bounded) * (1 - 1e-12)


def test_a_fit_without_positive_energies_says_so():
    """(β2 - 1)² = 0.25 is more than (β1 - 1)(β3 - 1) = 0.345 · 0.5: some motion has negative energy."""
    fit = fit_energy_shaping(2000, bounds=(1, 1.5))
    assert not fit.positive_definite
    linear, angular = fit.definiteness
    assert linear < 0 < angular
    assert fit.model.allow_indefinite
    with pytest.raises(ValueError, match="indefinite"):
        CentreOfGravity(beta_linear=fit.beta_linear, beta_angular=fit.beta_angular)
    base, cross, own = np.subtract(fit.beta_linear, 1)
    np.testing.assert_allclose(linear, np.linalg.eigvalsh([[base, cross], [cross, own]])[0], rtol=1e-12)


def test_a_summary_has_only_plain_values():
    fit = fit_energy_shaping(1000, bootstrap=10)
    found = json.loads(json.dumps(fit.summary()))
    assert found["beta_linear"] == list(fit.beta_linear)
    assert found["sampling"]["reach"] == 2 * np.pi
    assert [term["name"] for term in found["terms"]] == list(TERMS)


def test_progress_goes_from_nothing_to_all():
    shares = []
    fit_energy_shaping(BLOCK + 1, bootstrap=10, progress=shares.append)
    assert shares == [0.5, 1.0]


def test_a_fit_is_the_same_after_pickling():
    fit = fit_energy_shaping(1000, sampling=Sampling(base_rate=3), method="total", bounds=(0, 2), bootstrap=10)
    assert pickle.loads(pickle.dumps(fit)) == fit


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"samples": 10}, ("samples = 10", "1000")),
        ({"samples": 10**9}, ("samples = 1000000000", "10000000")),
        ({"samples": 1e4}, ("samples = 10000.0", "whole")),
        ({"seed": -1}, ("seed = -1", "0")),
        ({"sampling": "3pi"}, ("sampling = '3pi'", "2pi", "6pi", "Sampling")),
        ({"method": "all"}, ("method = 'all'", "terms", "kinds", "total")),
        ({"bounds": (2, 1)}, ("bounds = [2, 1]", "least", "greatest")),
        ({"bounds": 1.0}, ("bounds = 1.0", "two")),
        ({"bounds": (0, float("nan"))}, ("bounds", "nan", "two")),
        ({"bootstrap": 1}, ("bootstrap = 1", "10")),
    ],
)
def test_a_fit_that_cannot_be_is_refused(given, words):
    with pytest.raises(ValueError) as refused:  # noqa: PT011 (field, value and limit are looked for)
        fit_energy_shaping(**({"samples": 1000} | given))
    assert all(word in str(refused.value) for word in words), refused.value


def test_a_sampling_that_cannot_be_is_refused():
    with pytest.raises(ValueError, match=r"reach = 20.* 1 .*18\.8496"):
        Sampling(reach=20)
    with pytest.raises(ValueError, match=r"base_rate = nan.*1e-06.*1e\+06"):
        Sampling(base_rate=float("nan"))
