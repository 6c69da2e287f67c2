"""The public edge: bad input is refused in one sentence that names it, good input of any kind is taken."""

import numpy as np
import pytest

import continuarm
from arms import random_arm, random_lengths
from continuarm import Arm, PointMass, Section, forward_dynamics, tip_poses

SECTION = Section(length=0.15, radius=0.0125, mass=0.1, stiffness=1700)
ARM = Arm(name="three", sections=[SECTION] * 3)
ZERO = np.zeros(9)


def of_q(name):
    return {
        "mass_matrix": lambda q: continuarm.mass_matrix(ARM, q),
        "coriolis_matrix": lambda q: continuarm.coriolis_matrix(ARM, q, ZERO),
        "gravity_forces": lambda q: continuarm.gravity_forces(ARM, q),
        "elastic_forces": lambda q: continuarm.elastic_forces(ARM, q),
        "bias_forces": lambda q: continuarm.bias_forces(ARM, q, ZERO),
        "forward_dynamics": lambda q: continuarm.forward_dynamics(ARM, q, ZERO, ZERO),
        "inverse_dynamics": lambda q: continuarm.inverse_dynamics(ARM, q, ZERO, ZERO),
        "kinetic_energy": lambda q: continuarm.kinetic_energy(ARM, q, ZERO),
        "potential_energy": lambda q: continuarm.potential_energy(ARM, q),
        "linearization": lambda q: continuarm.linearization(ARM, q, ZERO, ZERO),
        "tip_poses": lambda q: continuarm.tip_poses(ARM, q),
        "tip_jacobian": lambda q: continuarm.tip_jacobian(ARM, q),
        "backbone": lambda q: continuarm.backbone(ARM, q),
        "poses_along": lambda q: continuarm.poses_along(ARM, q, [0.5]),
    }[name]


NAMES = [
    "mass_matrix",
    "coriolis_matrix",
    "gravity_forces",
    "elastic_forces",
    "bias_forces",
    "forward_dynamics",
    "inverse_dynamics",
    "kinetic_energy",
    "potential_energy",
    "linearization",
    "tip_poses",
    "tip_jacobian",
    "backbone",
    "poses_along",
]
BENT = np.concatenate([np.zeros(3), SECTION.length_map @ [0, 6.5, 0], np.zeros(3)])
FLAT = np.concatenate([np.zeros(6), SECTION.length_map @ [0, 0, -0.15]])
BAD = {
    "wrong shape": (np.zeros(8), "q has shape (8,): must be (..., 9) for the 3 sections of 'three'"),
    "no axis": (0.1, "q has shape (): must be (..., 9) for the 3 sections of 'three'"),
    "not a number": (np.where(np.arange(9) == 4, np.nan, 0), "q[4] = nan: must be finite"),
    "infinite in a batch": (np.where(np.arange(18).reshape(2, 9) == 17, -np.inf, 0), "q[1, 8] = -inf: must be finite"),
    "complex": (1j * ZERO, "q holds complex128 values: must be real numbers"),
    "text": (["a"] * 9, "q holds <U1 values: must be real numbers"),
    "ragged": ([[0.0] * 9, [0.0]], "q is ragged: must be an array of numbers of shape (..., 9)"),
    "nothing": (None, "q holds object values: must be real numbers"),
    "bent too far": (BENT, "section 2 of 3 bent by 6.5 rad: must be at most 2π = 6.28319 rad"),
    "bent in a batch": (
        np.stack([ZERO, BENT]),
        "section 2 of 3 (at q[1]) bent by 6.5 rad: must be at most 2π = 6.28319 rad",
    ),
    "no length": (FLAT, "section 3 of 3 is 0 m long: must be longer than 0 m"),
}


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("fault", BAD)
def test_bad_q_is_refused_by_every_quantity(name, fault):
    value, message = BAD[fault]
    with pytest.raises(ValueError) as caught:  # noqa: PT011 - the whole message is compared
        of_q(name)(value)
    assert str(caught.value) == message


@pytest.mark.parametrize("name", ["qd", "tau"])
def test_bad_rates_and_forces_are_refused_by_name(name):
    values = {"q": ZERO, "qd": ZERO, "tau": ZERO} | {name: np.full(9, np.nan)}
    with pytest.raises(ValueError, match=rf"^{name}\[0\] = nan: must be finite$"):
        forward_dynamics(ARM, **values)


def test_batches_that_do_not_fit_are_refused():
    with pytest.raises(ValueError, match=r"^batch axes do not fit together: q \(2, 9\), qd \(3, 9\), tau \(9,\)$"):
        forward_dynamics(ARM, np.zeros((2, 9)), np.zeros((3, 9)), ZERO)


def test_an_arm_must_be_an_arm():
    with pytest.raises(TypeError, match=r"^arm is str: must be an Arm \(see load_arm\)$"):
        forward_dynamics("prototype", ZERO, ZERO, ZERO)


@pytest.mark.parametrize(("points", "shown"), [(1, "1"), (2.5, "2.5"), (True, "True"), ("9", "'9'")])
def test_bad_number_of_points_is_refused(points, shown):
    with pytest.raises(ValueError, match=rf"^points = {shown}: must be a whole number of at least 2$"):
        continuarm.backbone(ARM, ZERO, points)


@pytest.mark.parametrize("place", [-0.1, 1.1, np.nan])
def test_places_off_the_section_are_refused(place):
    with pytest.raises(ValueError, match=rf"^xi = {place:g}: must lie between 0 \(base\) and 1 \(tip\) of a section$"):
        continuarm.poses_along(ARM, ZERO, [0.5, place])


def test_a_full_turn_itself_is_allowed():
    q = np.concatenate([SECTION.length_map @ [2 * np.pi, 0, 0], np.zeros(6)])
    np.testing.assert_allclose(tip_poses(ARM, q)[0, :3, 3], 0, atol=1e-14)


def test_a_singular_mass_matrix_is_reported_not_returned():
    """A point-mass section closed to a full turn has its centre of gravity where bending does not move it."""
    arm = Arm(name="ring", sections=[SECTION], inertia=PointMass())
    q = SECTION.length_map @ [2 * np.pi, 0, 0]
    eigenvalues = np.linalg.eigvalsh(continuarm.mass_matrix(arm, q))
    assert abs(eigenvalues[0]) < 1e-12 * eigenvalues[-1]


def test_lists_integers_single_precision_and_strided_arrays_are_taken():
    rng = np.random.default_rng(1)
    arm = random_arm(rng, 3)
    q = random_lengths(rng, arm)
    wanted = continuarm.mass_matrix(arm, q)
    np.testing.assert_array_equal(continuarm.mass_matrix(arm, q.tolist()), wanted)
    np.testing.assert_array_equal(continuarm.mass_matrix(arm, np.repeat(q, 2)[::2]), wanted)
    np.testing.assert_array_equal(continuarm.mass_matrix(arm, [0] * 9), continuarm.mass_matrix(arm, np.zeros(9)))
    single = q.astype(np.float32)
    np.testing.assert_array_equal(
        continuarm.mass_matrix(arm, single), continuarm.mass_matrix(arm, single.astype(float))
    )


def test_arguments_are_never_written_to():
    q = np.zeros(9)
    q.flags.writeable = False
    before = q.copy()
    for name in NAMES:
        of_q(name)(q)
    np.testing.assert_array_equal(q, before)
