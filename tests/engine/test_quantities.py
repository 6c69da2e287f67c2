"""The public edge: bad input is refused in one sentence that names it, good input of any kind is taken."""

import numpy as np
import pytest

import continuarm
from continuarm import Arm, CentreOfGravity, Muscles, Section, forward_dynamics, tip_poses
from continuarm.engine.table import QUANTITIES
from random_arms import random_arm, random_lengths

SECTION = Section(length=0.15, radius=0.0125, mass=0.1, stiffness=1700)
ARM = Arm(name="three", sections=[SECTION] * 3)
ENGINES = ["native", "reference"]
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
REAL = "must be real numbers of shape (..., 9)"
BAD = {
    "wrong shape": (np.zeros(8), "q has shape (8,): must be (..., 9) for the 3 sections of 'three'"),
    "no axis": (0.1, "q has shape (): must be (..., 9) for the 3 sections of 'three'"),
    "not a number": (np.where(np.arange(9) == 4, np.nan, 0), "q[4] = nan: must be finite"),
    "infinite in a batch": (np.where(np.arange(18).reshape(2, 9) == 17, -np.inf, 0), "q[1, 8] = -inf: must be finite"),
    "a column": (np.zeros((9, 1)), "q has shape (9, 1): must be (..., 9) for the 3 sections of 'three'"),
    "the first of several": (np.where(np.arange(9) % 3 == 1, np.nan, 0), "q[1] = nan: must be finite"),
    "complex": (1j * ZERO, f"q holds complex128 values: {REAL}"),
    "text": (["a"] * 9, f"q = ['a', 'a', 'a', 'a', 'a', 'a', 'a', 'a', 'a']: {REAL}"),
    "much text": (["muscle"] * 9, f"q holds <U6 values: {REAL}"),
    "truth values": (np.zeros(9, dtype=bool), f"q holds bool values: {REAL}"),
    "ragged": ([[0.0] * 9, [0.0]], f"q is ragged: {REAL}"),
    "nothing": (None, f"q = None: {REAL}"),
    "too large for a float": (np.full(9, np.longdouble("1e400")), "q[0] = inf: must be finite"),
    "bent too far": (BENT, "section 2 of 3 bent by 6.5 rad: must be at most 2π = 6.28318530718 rad"),
    "bent in a batch": (
        np.stack([ZERO, BENT, 1.01 * BENT]),
        "section 2 of 3 (at q[1]) bent by 6.5 rad: must be at most 2π = 6.28318530718 rad",
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


@pytest.mark.parametrize("engine", ENGINES)
def test_masked_entries_are_refused(engine):
    masked = np.ma.masked_array(ZERO, mask=np.arange(9) == 2)
    with pytest.raises(ValueError, match=r"^q has masked entries: must be real numbers of shape \(\.\.\., 9\)$"):
        tip_poses(ARM, masked, engine=engine)
    np.testing.assert_array_equal(tip_poses(ARM, np.ma.masked_array(ZERO), engine=engine), tip_poses(ARM, ZERO))


def test_one_section_is_called_one_section():
    with pytest.raises(ValueError, match=r"^q has shape \(9,\): must be \(\.\.\., 3\) for the 1 section of 'one'$"):
        tip_poses(Arm(name="one", sections=[SECTION]), ZERO)


FOUR = Muscles(angles=np.arange(4) * np.pi / 2, radii=[0.01] * 4)
SEVEN = Arm(name="seven", sections=[SECTION, SECTION.replace(muscles=FOUR)])


@pytest.mark.parametrize(
    ("value", "fault"),
    [
        (np.zeros(5), r"has shape \(5,\): must be \(\.\.\., {size}\) for the {counted} of 'seven'"),
        (np.full((2, 99), np.nan), r"has shape \(2, 99\): must be \(\.\.\., {size}\) for the {counted} of 'seven'"),
        ("text", r"= 'text': must be real numbers of shape \(\.\.\., {size}\)"),
        (None, r"= None: must be real numbers of shape \(\.\.\., {size}\)"),
        (1j * np.zeros(7), r"holds complex128 values: must be real numbers of shape \(\.\.\., {size}\)"),
    ],
)
def test_muscles_take_only_what_states_take(value, fault):
    with pytest.raises(ValueError, match=f"^forces {fault.format(size=7, counted='7 muscles')}$"):
        SEVEN.muscle_forces(value)
    with pytest.raises(ValueError, match=f"^q {fault.format(size=6, counted='2 sections')}$"):
        SEVEN.muscle_lengths(value)


def test_muscles_take_and_give_only_finite_numbers():
    with pytest.raises(ValueError, match=r"^forces\[1, 0\] = nan: must be finite$"):
        SEVEN.muscle_forces([[0.0] * 7, [np.nan] * 7])
    with pytest.raises(ValueError, match=r"^q\[5\] = inf: must be finite$"):
        SEVEN.muscle_lengths([0, 0, 0, 0, 0, np.inf])
    with pytest.raises(ValueError, match=r"^muscle_forces is not finite: the numbers are too large$"):
        SEVEN.muscle_forces(np.full(7, 1.5e308))
    with pytest.raises(
        ValueError, match=r"^muscle_lengths at index \[1\] of the batch is not finite: the numbers are "
    ):
        SEVEN.muscle_lengths([np.zeros(6), [0, 0, 0, 1.5e308, -1.5e308, -1.5e308]])


MOST, LEAST = "must be a whole number of at most 100000", "must be a whole number of at least 2"


@pytest.mark.parametrize(
    ("points", "sentence"),
    [
        (1, f"points = 1: {LEAST}"),
        (2.5, f"points = 2.5: {LEAST}"),
        (True, f"points = True: {LEAST}"),
        ("9", f"points = '9': {LEAST}"),
        (None, f"points = None: {LEAST}"),
        (np.arange(3), f"points = array([0, 1, 2]): {LEAST}"),
        (10**9, f"points = 1000000000: {MOST}"),
    ],
)
def test_bad_number_of_points_is_refused(points, sentence):
    with pytest.raises(ValueError) as caught:  # noqa: PT011 - the whole message is compared
        continuarm.backbone(ARM, ZERO, points)
    assert str(caught.value) == sentence


def test_a_whole_number_of_any_kind_is_taken():
    wanted = continuarm.backbone(ARM, ZERO, 3)
    np.testing.assert_array_equal(continuarm.backbone(ARM, ZERO, np.int32(3)), wanted)
    np.testing.assert_array_equal(continuarm.backbone(ARM, ZERO, np.uint8(3)), wanted)


@pytest.mark.parametrize(
    ("xi", "sentence"),
    [
        ([0.5, -0.1, 2.0], "xi[1] = -0.1: must lie between 0 (base) and 1 (tip) of a section"),
        (np.array([1.0000000001]), "xi[0] = 1.0000000001: must lie between 0 (base) and 1 (tip) of a section"),
        (1.1, "xi = 1.1: must lie between 0 (base) and 1 (tip) of a section"),
        ([np.nan], "xi[0] = nan: must lie between 0 (base) and 1 (tip) of a section"),
        ([[0.0, 1.0]], "xi has shape (1, 2): must be one number or a list of at least one"),
        ([], "xi has shape (0,): must be one number or a list of at least one"),
        ("tip", "xi = 'tip': must be one number or a list of numbers from 0 to 1"),
        ([True], "xi = [True]: must be one number or a list of numbers from 0 to 1"),
        (1j, "xi = 1j: must be one number or a list of numbers from 0 to 1"),
        ([[0.0], [0.0, 1.0]], "xi is ragged: must be one number or a list of numbers from 0 to 1"),
    ],
)
def test_places_off_the_section_are_refused(xi, sentence):
    continuarm.poses_along(ARM, ZERO, [0.5])  # an arm that is known already is no less checked
    for choice in ({}, {"engine": "native"}, {"engine": "reference"}):
        with pytest.raises(ValueError) as caught:  # noqa: PT011 - the whole message is compared
            continuarm.poses_along(ARM, ZERO, xi, **choice)
        assert str(caught.value) == sentence


def test_places_of_every_layout_are_taken():
    wanted = continuarm.poses_along(ARM, ZERO, [0.0, 0.5, 1.0])
    every_other = np.linspace(0, 1, 5)[::2]
    np.testing.assert_array_equal(continuarm.poses_along(ARM, ZERO, every_other), wanted)
    np.testing.assert_array_equal(continuarm.poses_along(ARM, ZERO, every_other.astype(np.float32)), wanted)
    np.testing.assert_array_equal(continuarm.poses_along(ARM, ZERO, every_other.astype(">f8")), wanted)


def test_one_place_is_a_list_of_one():
    np.testing.assert_array_equal(continuarm.poses_along(ARM, ZERO, 1), continuarm.poses_along(ARM, ZERO, [1.0]))


@pytest.mark.parametrize("engine", ENGINES)
def test_a_full_turn_itself_is_allowed(engine):
    q = np.concatenate([SECTION.length_map @ [2 * np.pi, 0, 0], np.zeros(6)])
    np.testing.assert_allclose(tip_poses(ARM, q, engine=engine)[0, :3, 3], 0, atol=1e-14)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(("turns", "shown"), [(1 + 1e-11, "6.28318530724"), (1.001, "6.28946849249")])
def test_any_more_than_a_full_turn_is_refused_with_digits_that_show_it(engine, turns, shown):
    q = np.concatenate([SECTION.length_map @ [0, 2 * np.pi * turns, 0], np.zeros(6)])
    with pytest.raises(ValueError) as caught:  # noqa: PT011 - the whole message is compared
        tip_poses(ARM, q, engine=engine)
    assert str(caught.value) == f"section 1 of 3 bent by {shown} rad: must be at most 2π = 6.28318530718 rad"


SINGULAR = r"the mass matrix of 'massless' \(centre-of-gravity model\) is singular here or the numbers are too large"


@pytest.mark.parametrize("engine", ENGINES)
def test_a_singular_mass_matrix_is_reported_not_returned(engine):
    """Shaping that takes all energy from a section's own motion leaves a mass matrix of zeros."""
    nothing = CentreOfGravity(beta_linear=(1, 1, 0), beta_angular=(1, 0, 0), allow_indefinite=True)
    arm = Arm(name="massless", sections=[SECTION], inertia=nothing)
    assert not continuarm.mass_matrix(arm, np.zeros(3), engine=engine).any()
    with pytest.raises(ValueError, match=rf"^forward_dynamics is not finite: {SINGULAR}$"):
        forward_dynamics(arm, *np.zeros((3, 3)), engine=engine)
    with pytest.raises(ValueError, match=rf"^linearization at index \[0\] of the batch is not finite: {SINGULAR}$"):
        continuarm.linearization(arm, *np.zeros((3, 2, 3)), engine=engine)


RATES = [name for name, quantity in QUANTITIES.items() if "qd" in quantity.arguments]


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("name", RATES)
def test_numbers_too_large_are_reported_not_returned(name, engine):
    """The first state of the batch that overflows is named, and only what needs M⁻¹ speaks of the mass matrix."""
    section = SECTION.replace(damping=110)
    arm, quantity = Arm(sections=[section] * 2), QUANTITIES[name]
    q, qd = np.zeros((2, 3, 6)), np.zeros((2, 3, 6))
    qd[1, 1], qd[1, 2] = 1e308, 1e308
    states = {"q": q, "qd": qd, "qdd": q, "tau": q, "step": 1e-3}
    cause = "the numbers are too large"
    if name in ("forward_dynamics", "linearization", "implicit_step"):
        cause = r"the mass matrix of 'arm' \(integral model\) is singular here or the numbers are too large"
    with pytest.raises(ValueError, match=rf"^{name} at index \[1, 1\] of the batch is not finite: {cause}$"):
        getattr(continuarm, name)(arm, *(states[each] for each in quantity.arguments), engine=engine)


@pytest.mark.parametrize("name", NAMES)
def test_lengths_too_large_give_no_number(name):
    with pytest.raises(ValueError, match=r"is not finite: .*the numbers are too large$|bent by inf rad"):
        of_q(name)(np.full(9, 1.5e308))


def test_lists_integers_single_precision_and_strided_arrays_are_taken():
    rng = np.random.default_rng(1)
    arm = random_arm(rng, 3)
    q = random_lengths(rng, arm)
    wanted = continuarm.mass_matrix(arm, q)
    np.testing.assert_array_equal(continuarm.mass_matrix(arm, q.tolist()), wanted)
    np.testing.assert_array_equal(continuarm.mass_matrix(arm, np.repeat(q, 2)[::2]), wanted)
    straight = continuarm.mass_matrix(arm, np.zeros(9))
    np.testing.assert_array_equal(continuarm.mass_matrix(arm, [0] * 9), straight)
    np.testing.assert_array_equal(continuarm.mass_matrix(arm, np.zeros(9, dtype=np.uint8)), straight)
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
