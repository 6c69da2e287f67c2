"""Laws of the truncated modal form: the Taylor polynomial of the pose, of the degree it says, convergent to it."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from constant_curvature import twisted_pose
from continuarm.arms.section import Section
from continuarm.paper.modal_form import modal_error, modal_pose

Array = NDArray[Any]

SECTION = Section(length=0.2, radius=0.03, mass=0.1, stiffness=1700, offset=0.02, twist=0.4)  # the joint must not show


def joint_variables(phi: Any, theta: Any, stretch: Any) -> Array:
    phi, theta, stretch = np.broadcast_arrays(phi, theta, stretch)
    return np.stack([phi * np.cos(theta), phi * np.sin(theta), stretch], axis=-1) @ SECTION.length_map.T


def random_joint_variables(seed: int, phi: float, count: int = 8) -> Array:
    rng = np.random.default_rng(seed)
    return joint_variables(phi, rng.uniform(-np.pi, np.pi, count), rng.uniform(-0.06, 0.1, count))


@pytest.mark.parametrize("phi", [0.0, 1e-12, 1e-8, 1e-4, 0.5, 2.0, 4.0, 2 * np.pi])
def test_high_order_is_the_exact_pose(phi: float) -> None:
    q_i = random_joint_variables(1, phi)
    for xi in (0.0, 0.3, 1.0):
        # at φ = 2π the terms reach e^φ = 535, so rounding leaves 1e-13; order 60 leaves nothing of the series
        np.testing.assert_allclose(modal_pose(SECTION, q_i, xi, 60), twisted_pose(SECTION, q_i, xi), rtol=0, atol=1e-12)


@pytest.mark.parametrize("order", [13, 15])
@pytest.mark.parametrize("phi", [0.0, 1e-12, 1e-8, 1e-4, 0.1])
def test_near_straight_the_papers_orders_are_exact(order: int, phi: float) -> None:
    q_i = random_joint_variables(2, phi)
    # the first term left out is below φ¹³ / 13! = 1e-23; the exponential has rounding of its own
    np.testing.assert_allclose(
        modal_pose(SECTION, q_i, 1.0, order), twisted_pose(SECTION, q_i, 1.0), rtol=0, atol=2e-15
    )


@pytest.mark.parametrize("order", [1, 2, 3, 4, 7, 13, 14, 15])
def test_every_entry_is_a_polynomial_of_that_degree_in_q(order: int) -> None:
    """Far out only the highest power is left: doubling q multiplies an entry of degree N by 2ᴺ."""
    far = 1e6 * joint_variables(1.0, 0.7, 0.1)
    once, twice = (modal_pose(SECTION, scale * far, 1.0, order)[:3] for scale in (1, 2))
    present = once != 0  # at order 1 the entries a b g2 are not there yet
    degree = np.log2(twice[present] / once[present])
    # the next lower power changes the ratio by about N / 1e6 of itself
    np.testing.assert_allclose(degree, np.round(degree), rtol=0, atol=1e-3)
    # entries of R are even or odd in q, so theirs is N or N - 1; both kinds meet in p
    assert set(np.round(degree)) == {order - 1, order}
    np.testing.assert_allclose(np.log2(twice[:, 3] / once[:, 3]), order, rtol=0, atol=1e-3)


@pytest.mark.parametrize("order", [1, 2, 3, 4, 5, 8])
def test_the_remainder_is_of_the_next_degree(order: int) -> None:
    """It is the Taylor polynomial: halving q divides the error by 2^(N+1) or more, at every entry's largest."""
    direction = joint_variables(1.0, 0.7, 0.1)
    scale = np.array([0.4, 0.2])[:, None]
    if order == 8:
        scale *= 2  # keep the remainder of the smaller step above rounding
    q_i = scale * direction
    error = np.abs(modal_pose(SECTION, q_i, 1.0, order) - twisted_pose(SECTION, q_i, 1.0)).max(axis=(1, 2))
    assert error[1] > 1e-13
    # the ratio tends to 2^(N+1) as the step goes to zero; the next term changes it by a few per cent here
    assert math.log2(error[0] / error[1]) == pytest.approx(order + 1, abs=0.15)


@pytest.mark.parametrize("xi", [0.4, 1.0])
def test_error_falls_with_order_and_grows_with_bend(xi: float) -> None:
    phi = np.linspace(1.0, 2.0, 7) / xi  # ξφ above 1 keeps every error above rounding
    errors = [modal_error(order, phi, xi) for order in range(3, 14, 2)]
    for low, high in pairwise(errors):
        assert (high.position < low.position).all()
        assert (high.rotation < low.rotation).all()
    for error in errors:
        assert (np.diff(error.position) > 0).all()
        assert (np.diff(error.rotation) > 0).all()


@pytest.mark.parametrize("order", [2, 7, 13, 15])
def test_error_is_that_of_the_pose_of_a_section_at_its_own_length(order: int) -> None:
    phi = np.array([0.0, 0.7, 2.0, 5.0])
    q_i = joint_variables(phi, 0.0, 0.0)
    error = np.abs(modal_pose(SECTION, q_i, 0.8, order) - twisted_pose(SECTION, q_i, 0.8))
    found = modal_error(order, phi, 0.8)
    np.testing.assert_allclose(found.position, error[:, :3, 3].max(axis=1) / SECTION.length, rtol=1e-9, atol=1e-14)
    np.testing.assert_allclose(found.rotation, error[:, :3, :3].max(axis=(1, 2)), rtol=1e-9, atol=1e-14)


def test_no_other_bending_direction_has_a_larger_error() -> None:
    q_i = joint_variables(3.0, np.linspace(-np.pi, np.pi, 60), 0.0)
    error = np.abs(modal_pose(SECTION, q_i, 1.0, 9) - twisted_pose(SECTION, q_i, 1.0))
    found = modal_error(9, 3.0)
    assert error[:, :3, :3].max() <= found.rotation * (1 + 1e-12)
    assert error[:, :3, 3].max() <= found.position * SECTION.length * (1 + 1e-12)


def test_batch_is_the_same_as_one_at_a_time() -> None:
    q_i = random_joint_variables(3, 2.0, 6).reshape(2, 3, 3)
    xi = np.array([0.2, 0.5, 1.0])
    T = modal_pose(SECTION, q_i, xi, 15)
    assert T.shape == (2, 3, 4, 4)
    for i, j in np.ndindex(2, 3):
        np.testing.assert_allclose(T[i, j], modal_pose(SECTION, q_i[i, j], xi[j], 15), rtol=0, atol=1e-15)


@pytest.mark.parametrize("order", [0, -3, 2.0, True, "15", None])
def test_an_order_that_is_not_a_positive_integer_is_refused(order: Any) -> None:
    for call in (lambda: modal_pose(SECTION, np.zeros(3), 1.0, order), lambda: modal_error(order, 1.0)):
        with pytest.raises(ValueError, match=r"order = .* 1$"):
            call()


def test_joint_variables_of_another_shape_are_refused() -> None:
    with pytest.raises(ValueError, match=r"q_i .*\(4,\).*\(\.\.\., 3\)"):
        modal_pose(SECTION, np.zeros(4))
