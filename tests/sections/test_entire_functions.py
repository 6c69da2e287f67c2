"""The entire functions: exact to rounding over the whole range, and equal to the integrals they stand for."""

from fractions import Fraction
from math import factorial

import mpmath
import numpy as np
import pytest

from continuarm.sections.entire_functions import SPAN, Jet, jets, stumpff, stumpff_of_twice_the_angle, taylor

DIGITS = 50
PLACES = np.concatenate([[0.0, 1e-24, 1e-16, 1e-8], np.linspace(1e-3, (2 * np.pi) ** 2, 97)])


def exact_derivatives(k, scale):
    """Value, first and second derivative of c_k(scale · y) over y at PLACES, each (places,) of mpf."""
    with mpmath.workdps(DIGITS + 30):
        rows = []
        for y in PLACES:
            z = scale * mpmath.mpf(float(y))
            powers = [(-1) ** j * z**j for j in range(90)]
            rows.append(
                [
                    mpmath.fsum(p / mpmath.factorial(k + 2 * j) for j, p in enumerate(powers)),
                    -scale * mpmath.fsum((j + 1) * p / mpmath.factorial(k + 2 * j + 2) for j, p in enumerate(powers)),
                    scale**2
                    * mpmath.fsum(
                        (j + 1) * (j + 2) * p / mpmath.factorial(k + 2 * j + 4) for j, p in enumerate(powers)
                    ),
                ]
            )
        return list(zip(*rows, strict=True))


def relative_to_scale(values, exact_values):
    scale = max(abs(value) for value in exact_values)
    return max(abs(mpmath.mpf(float(v)) - e) / scale for v, e in zip(values, exact_values, strict=True))


@pytest.mark.slow
@pytest.mark.parametrize("k", range(6))
@pytest.mark.parametrize("scale", [1, 4])
def test_values_and_two_derivatives_agree_with_50_digits_over_the_whole_range(k, scale):
    c = stumpff(PLACES)
    if scale == 4:
        c = stumpff_of_twice_the_angle(PLACES, c)
    j = jets(c, scale)
    # the slope of the slope, by the same rule: c_k' = (k c_{k+2} - c_{k+1}) / 2
    second = scale / 2 * (k * j[k + 2].slope - j[k + 1].slope)
    # 1e-13: the cosine of twice the angle carries the rounding of y c_2 four times over, everything else is below 2e-14
    for got, wanted in zip((j[k].value, j[k].slope, second), exact_derivatives(k, scale), strict=True):
        assert relative_to_scale(got, wanted) < 1e-13


@pytest.mark.slow
@pytest.mark.parametrize("k", range(6, 10))
@pytest.mark.parametrize("scale", [1, 4])
def test_the_highest_functions_are_exact_to_rounding(k, scale):
    c = stumpff(PLACES)
    if scale == 4:
        c = stumpff_of_twice_the_angle(PLACES, c)
    assert relative_to_scale(c[k], exact_derivatives(k, scale)[0]) < 1e-15


def test_first_four_functions_are_the_familiar_ones():
    phi = np.linspace(0.5, 2 * np.pi, 40)
    c = stumpff(phi**2)
    wanted = [np.cos(phi), np.sin(phi) / phi, (1 - np.cos(phi)) / phi**2, (phi - np.sin(phi)) / phi**3]
    np.testing.assert_allclose(c[:4], wanted, rtol=0, atol=5e-14)


def test_range_covers_a_full_turn():
    assert (2 * np.pi) ** 2 < SPAN


# Exact rational series: a function Σ u_j y^j ξ^(k + 2j) is the pair (k, [u_0, u_1, ...]).
ORDER = 25


def g(k):
    return k, [Fraction((-1) ** j, factorial(k + 2 * j)) for j in range(ORDER)]


def slope(f):
    k, u = f
    return k + 2, [(j + 1) * u[j + 1] for j in range(len(u) - 1)] + [Fraction(0)]


def integral(f, h, times_y=0):
    """Taylor coefficients in y of ∫ f h y^times dξ."""
    (kf, u), (kh, v) = f, h
    product = [sum(u[i] * v[j - i] for i in range(j + 1)) for j in range(ORDER)]
    return [Fraction(0)] * times_y + [p / (kf + kh + 2 * j + 1) for j, p in enumerate(product)]


def combined(*parts):
    return [sum(weight * series[j] for weight, series in parts) for j in range(ORDER - 2)]


def c(k):
    return g(k)[1]


def d(k):
    return [u * 4**j for j, u in enumerate(g(k)[1])]


ONE = [Fraction(1)] + [Fraction(0)] * ORDER
HALF = Fraction(1, 2)
CLOSED_FORMS = {
    "∫g2²": ([(1, integral(g(2), g(2)))], [(8, d(5)), (-2, c(5))]),
    "y∫g2²": ([(1, integral(g(2), g(2), 1))], [(2, c(3)), (-2, d(3))]),
    "∫g1²": ([(1, integral(g(1), g(1)))], [(2, d(3))]),
    "∫g1g2": ([(1, integral(g(1), g(2)))], [(4, d(4)), (-1, c(4))]),
    "∫g0²": ([(1, integral(g(0), g(0)))], [(HALF, ONE), (HALF, d(1))]),
    "∫g0g1": ([(1, integral(g(0), g(1)))], [(1, d(2))]),
    "∫g2 - ∫g0g2": ([(1, c(3)), (-1, integral(g(0), g(2)))], [(2, c(3)), (-2, d(3))]),
    "y∫g2² + ∫g1²": ([(1, integral(g(2), g(2), 1)), (1, integral(g(1), g(1)))], [(2, c(3))]),
    "∫g1g2' - ∫g2g1'": (
        [(1, integral(g(1), slope(g(2)))), (-1, integral(g(2), slope(g(1))))],
        [(8, d(6)), (-HALF, c(5))],
    ),
    "∫g2g2' + y∫g2'² + ∫g1'²": (
        [
            (1, integral(g(2), slope(g(2)))),
            (1, integral(slope(g(2)), slope(g(2)), 1)),
            (1, integral(slope(g(1)), slope(g(1)))),
        ],
        [(8, d(7)), (-HALF, c(6)), (HALF, c(7))],
    ),
    "y∫g3²/4 + ∫g1g3/2 - ∫g2²/2": (
        [
            (Fraction(1, 4), integral(g(3), g(3), 1)),
            (HALF, integral(g(1), g(3))),
            (-HALF, integral(g(2), g(2))),
        ],
        [(1, c(5)), (-2, d(5))],
    ),
}


@pytest.mark.parametrize("name", CLOSED_FORMS)
def test_integrals_along_the_section_are_sums_of_the_functions_exactly(name):
    integrals, closed_form = CLOSED_FORMS[name]
    assert combined(*integrals) == combined(*closed_form)


def test_jets_follow_the_product_rule():
    u, v = Jet(2.0, 3.0), Jet(5.0, 7.0)
    assert u * v - 1.5 * u + 2 == Jet(2 * 5 - 3 + 2.0, 3 * 5 + 2 * 7 - 4.5)
    assert 1 - u / 2 == Jet(0.0, -1.5)


def test_taylor_form_is_cut_where_it_says():
    y = 0.7
    assert taylor(2, y, 3) == pytest.approx(1 / 2 - y / 24 + y**2 / 720, rel=1e-15)
    assert abs(taylor(2, y, 12) - stumpff(y)[2]) < 1e-16
