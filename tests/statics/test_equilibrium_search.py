"""Laws of rest: forces balance, the arm creeps back when pushed, small motions are those of springs and masses."""

import itertools

import numpy as np
import pytest

from continuarm import (
    Arm,
    CentreOfGravity,
    Muscles,
    Payload,
    PointMass,
    Section,
    elastic_forces,
    forward_dynamics,
    gravity_forces,
    inverse_dynamics,
    linearization,
    mass_matrix,
    muscle_stiffness,
    potential_energy,
    tip_jacobian,
    wrench_forces,
)
from continuarm.dynamics.commands import Commands
from continuarm.dynamics.plant import Plant
from continuarm.sections.model_range import greatest_bend
from continuarm.simulation.inputs import ForceSignal
from continuarm.simulation.simulator import simulate
from continuarm.statics.equilibrium_search import Loads, equilibria, equilibrium, stiffness
from continuarm.statics.modes import natural_frequencies, vibrations
from continuarm.statics.rest import resting
from random_arms import MODELS, random_arm, random_lengths


def pressure_sets(arm, count):
    """Forces A max(P - P0, 0) of random pressures from 0 to 600 kPa in every muscle."""
    pressures = np.random.default_rng(0).uniform(0, 600e3, (count, 3 * arm.n))
    section = arm.sections[0]
    return arm.muscle_forces(section.muscle_area * np.maximum(pressures - section.dead_zone, 0))


def single(**fields):
    """One hanging section without damping."""
    plain = {"length": 0.15, "radius": 0.0125, "mass": 0.1, "stiffness": 1700.0}
    return Section(**(plain | fields))


@pytest.mark.parametrize("model", MODELS, ids=lambda m: m.model)
@pytest.mark.parametrize("n", [1, 2, 3, 10])
def test_an_arm_in_equilibrium_does_not_accelerate(model, n):
    rng = np.random.default_rng(n)
    for _ in range(5):
        arm = random_arm(rng, n, model)
        tau = rng.normal(size=3 * n) * 5
        q, still = equilibrium(arm, tau), np.zeros(3 * n)
        # M⁻¹ of a point mass that turns about itself magnifies the rounding of the forces most
        at_start = np.abs(forward_dynamics(arm, still, still, tau)).max()
        assert np.abs(forward_dynamics(arm, q, still, tau)).max() < 1e-9 * at_start
        np.testing.assert_allclose(gravity_forces(arm, q) + elastic_forces(arm, q), tau, rtol=0, atol=1e-12)


def test_every_small_push_costs_energy():
    rng = np.random.default_rng(0)
    for n in (1, 3):
        arm, tau = random_arm(rng, n), rng.normal(size=3 * n) * 5
        q = equilibrium(arm, tau)
        pushed = q + 1e-4 * rng.normal(size=(100, 3 * n))
        assert (potential_energy(arm, pushed) - pushed @ tau > potential_energy(arm, q) - q @ tau).all()


def test_motions_end_in_the_equilibrium(prototype):
    tau = pressure_sets(prototype, 3)[2]
    # the slowest motion dies away with 1.1 s: after 40 s 1e-15 of it is left
    motion = simulate(prototype, ForceSignal([0.0], [tau]), duration=40.0, rate=1)
    np.testing.assert_allclose(equilibrium(prototype, tau), motion.q[-1], rtol=0, atol=1e-8)


@pytest.mark.parametrize("stop_stiffness", [0.0, 5e4])
def test_pressure_sets_of_the_prototype_settle(prototype, stop_stiffness):
    arm = prototype.replace(sections=[s.replace(stop_stiffness=stop_stiffness) for s in prototype.sections])
    tau = pressure_sets(arm, 2000)
    found = equilibria(arm, tau)
    assert found.converged.all()
    assert (found.reason == "").all()
    assert found.residual.max() < 1e-11 * tau.max()
    left = tau - gravity_forces(arm, found.q) - elastic_forces(arm, found.q)
    np.testing.assert_allclose(np.abs(left).max(axis=-1), found.residual, rtol=0, atol=1e-12)


def test_a_batch_is_its_states_one_by_one(prototype):
    tau = pressure_sets(prototype, 6).reshape(2, 3, 9)
    wrench = np.random.default_rng(1).normal(size=(3, 6)) * [0.02, 0.02, 0.02, 1, 1, 1]
    k, start = np.linspace(0, 500, 18).reshape(2, 1, 9), 0.001 * np.arange(9)
    found = equilibria(prototype, tau, wrench=wrench, muscle_stiffness=k, start=start)
    assert found.q.shape == (2, 3, 9)
    assert found.converged.shape == found.reason.shape == found.residual.shape == (2, 3)
    for i, j in np.ndindex(2, 3):
        one = equilibrium(prototype, tau[i, j], wrench=wrench[j], muscle_stiffness=k[i, 0], start=start)
        # a residual of rounding, over the softest stiffness
        np.testing.assert_allclose(found.q[i, j], one, rtol=0, atol=1e-14)
    assert equilibria(prototype, np.zeros((0, 9))).q.shape == (0, 9)


def test_without_gravity_the_springs_alone_answer():
    rng = np.random.default_rng(0)
    arm = random_arm(rng, 3, gravity=(0, 0, 0))
    tau = rng.normal(size=9) * 20
    expected = np.concatenate(
        [np.linalg.solve(s.stiffness_matrix, f) for s, f in zip(arm.sections, tau.reshape(3, 3), strict=True)]
    )
    np.testing.assert_allclose(equilibrium(arm, tau), expected, rtol=0, atol=1e-15)
    assert (equilibrium(arm) == 0).all()
    np.testing.assert_allclose(equilibrium(arm, start=expected), 0, rtol=0, atol=1e-15)


def test_turning_base_gravity_and_wrench_together_changes_nothing():
    rng = np.random.default_rng(0)
    gravity, tau, wrench = rng.normal(size=3) * 6, rng.normal(size=9) * 5, rng.normal(size=6) * 0.05
    straight = random_arm(rng, 3, gravity=tuple(gravity), base_rotation=(0, 0, 0))
    turned = straight.replace(base_rotation=(0.3, -1.1, 0.7))
    R = turned.base_orientation
    turned = turned.replace(gravity=tuple(R @ gravity))
    turned_wrench = np.concatenate([R @ wrench[:3], R @ wrench[3:]])
    q = equilibrium(straight, tau, wrench=wrench)
    np.testing.assert_allclose(equilibrium(turned, tau, wrench=turned_wrench), q, rtol=0, atol=1e-14)
    np.testing.assert_allclose(natural_frequencies(turned, q), natural_frequencies(straight, q), rtol=1e-11)


def test_a_payload_is_a_force_at_the_tip():
    rng = np.random.default_rng(0)
    bare = random_arm(rng, 3, payload=False)
    loaded = bare.replace(payload=Payload(mass=0.2))
    weight = np.concatenate([np.zeros(3), 0.2 * np.array(bare.gravity)])
    np.testing.assert_allclose(equilibrium(bare, wrench=weight), equilibrium(loaded), rtol=0, atol=1e-14)


def test_a_moment_at_the_tip_bends_a_section_to_an_arc():
    section = single()
    arm, moment = Arm(sections=[section], gravity=(0, 0, 0)), 0.5
    # K_e over the bending vector is 3/2 k r²; a moment about +Y bends towards +X
    bend = moment / (1.5 * 1700 * 0.0125**2)
    q = equilibrium(arm, wrench=[0, moment, 0, 0, 0, 0])
    np.testing.assert_allclose(q, section.length_map @ [bend, 0, 0], rtol=0, atol=1e-14)


def test_muscle_stiffness_is_stiffness(prototype):
    four = Muscles(angles=[0.0, 1.5, 3.0, 4.5], radii=[0.01, 0.012, 0.01, 0.013])
    arm = prototype.replace(sections=[s.replace(muscles=four) for s in prototype.sections])
    k, tau = np.linspace(100, 1200, 12), pressure_sets(prototype, 1)[0]
    sections = []
    for section, own in zip(arm.sections, k.reshape(3, 4), strict=True):
        W = section.muscle_map
        sections.append(section.replace(stiffness=section.stiffness_matrix + (W.T * own) @ W))
    stiffer = arm.replace(sections=sections)
    q = equilibrium(arm, tau, muscle_stiffness=k)
    np.testing.assert_allclose(q, equilibrium(stiffer, tau), rtol=0, atol=1e-14)
    f = natural_frequencies(arm, q, muscle_stiffness=k)
    np.testing.assert_allclose(f, natural_frequencies(stiffer, q), rtol=1e-11)
    slow, expected = vibrations(arm, q, muscle_stiffness=k).time_constants, vibrations(stiffer, q).time_constants
    np.testing.assert_allclose(slow, expected, rtol=1e-9)
    np.testing.assert_allclose(natural_frequencies(arm, muscle_stiffness=k), natural_frequencies(stiffer), rtol=1e-11)


def test_an_upright_arm_leaves_the_saddle(prototype):
    upright = prototype.replace(gravity=(0, 0, -9.81))
    straight = np.zeros(9)
    with pytest.raises(ValueError, match=r"^the state is unstable: 'prototype' moves away from it$"):
        natural_frequencies(upright, straight)
    q = equilibrium(upright)
    bends = np.stack([s.shape_map @ part for s, part in zip(upright.sections, q.reshape(3, 3), strict=True)])[:, :2]
    assert np.hypot(*bends.T)[0] > 0.8
    assert potential_energy(upright, q) < potential_energy(upright, straight)
    # it may fall to any side: nothing holds it there, so its lowest frequency is zero, and none is negative
    lowest, second = natural_frequencies(upright, q)[:2]
    assert lowest < 1e-4 * second
    assert (equilibrium(upright) == q).all()


def test_few_steps_lead_away_from_upright(prototype, monkeypatch):
    # 15 are needed, and 117 where directions of negative stiffness are not turned round
    monkeypatch.setattr("continuarm.statics.equilibrium_search.MOST_STEPS", 40)
    soft = prototype.replace(sections=[s.replace(stiffness=700.0) for s in prototype.sections], gravity=(0, 0, -9.81))
    assert equilibria(soft, pressure_sets(soft, 300)).converged.all()


def test_moments_have_no_energy_but_equilibria(prototype):
    """K is not symmetric: many of these states are stable although some small push gains energy at first."""
    rng = np.random.default_rng(0)
    tau = pressure_sets(prototype, 200)
    wrench = np.concatenate([0.3 * rng.normal(size=(200, 3)), np.zeros((200, 3))], axis=-1)
    found = equilibria(prototype, tau, wrench=wrench)
    assert found.converged.all()
    load = (wrench[:, None] @ tip_jacobian(prototype, found.q)[:, -1])[:, 0]
    balance = gravity_forces(prototype, found.q) + elastic_forces(prototype, found.q) - tau - load
    assert np.abs(balance).max() < 1e-10
    K = stiffness(prototype, found.q, Loads(tau, wrench, None))
    assert np.linalg.eigvals(K).real.min() > 0
    assert np.linalg.eigvalsh(K + K.swapaxes(-1, -2)).min() < 0


@pytest.mark.parametrize("part", [0.99, 1.01])
def test_an_upright_section_buckles_under_its_critical_weight(part):
    section = single()
    # bending by φ lowers the centre of gravity by s φ²/24: m g s / 12 against 3/2 k r², with s = L - m g / 6k
    stiff, length = 1.5 * 1700 * 0.0125**2, 0.15
    weights = np.roots([1 / (6 * 1700), -length, 12 * stiff])
    gravity = -part * weights.min() / section.mass
    arm = Arm(sections=[section], gravity=(0, 0, gravity))
    straight = np.full(3, section.mass * gravity / (6 * 1700))
    bend = np.hypot(*(section.shape_map @ equilibrium(arm))[:2])
    if part < 1:
        assert bend < 1e-12
        assert natural_frequencies(arm, straight)[0] > 0
    else:
        assert bend > 0.1
        with pytest.raises(ValueError, match="is unstable"):
            natural_frequencies(arm, straight)


@pytest.mark.parametrize("carried", [0.0, 0.3])
def test_stretching_and_bending_frequencies_of_a_straight_section(carried):
    m, k, r, L, g = 0.1, 1700.0, 0.0125, 0.15, 9.81
    arm = Arm(sections=[single()], payload=Payload(mass=carried) if carried else None)
    s = L + (m / 2 + carried) * g / (3 * k)
    # discs at ξ move by ξ ṡ when it stretches; by s ξ² ȧ / 2 across, and turn by ξ ȧ, when it bends;
    # bending by a lifts the centre of gravity by s a²/24 and the tip by s a²/6
    stretching = np.sqrt(3 * k / (m / 3 + carried))
    stiff = 1.5 * k * r**2 + m * g * s / 12 + carried * g * s / 3
    bending = np.sqrt(stiff / (m * s**2 / 20 + m * r**2 / 12 + carried * s**2 / 4))
    expected = np.sort([bending, bending, stretching]) / (2 * np.pi)
    np.testing.assert_allclose(natural_frequencies(arm), expected, rtol=1e-12)


def test_damping_of_a_stretching_section():
    m, k = 0.1, 1700.0
    for damping in (0.5, 110.0):
        found = vibrations(Arm(sections=[single(damping=damping)]))
        # m/3 s̈ + 3 D ṡ + 3 k s = 0
        for rate in np.roots([m / 3, 3 * damping, 3 * k]):
            nearest = np.argmin(np.abs(found.time_constants + 1 / rate.real) + found.frequencies / 1e6)
            assert found.time_constants[nearest] == pytest.approx(-1 / rate.real, rel=1e-9)
            assert found.frequencies[nearest] == pytest.approx(abs(rate.imag) / (2 * np.pi), rel=1e-9)
            assert found.damping_ratios[nearest] == pytest.approx(-rate.real / abs(rate), rel=1e-9)
        assert (np.diff(found.time_constants) <= 0).all()


def test_without_damping_vibrations_are_the_natural_frequencies_for_ever():
    rng = np.random.default_rng(0)
    arm = random_arm(rng, 3)
    free = arm.replace(sections=[section.replace(damping=0.0) for section in arm.sections])
    found = vibrations(free)
    assert np.isinf(found.time_constants).all()
    assert (found.damping_ratios == 0).all()
    np.testing.assert_allclose(found.frequencies, np.repeat(natural_frequencies(free), 2), rtol=1e-8)


def test_frequencies_are_of_a_batch_too(prototype):
    q = equilibrium(prototype, pressure_sets(prototype, 4)).reshape(2, 2, 9)
    together, dying = natural_frequencies(prototype, q), vibrations(prototype, q)
    assert together.shape == (2, 2, 9)
    assert dying.time_constants.shape == (2, 2, 18)
    for row in np.ndindex(2, 2):
        np.testing.assert_allclose(together[row], natural_frequencies(prototype, q[row]), rtol=1e-12)
        np.testing.assert_allclose(dying.time_constants[row], vibrations(prototype, q[row])[0], rtol=1e-9)


def test_the_search_knows_the_stiffness_of_the_linearization():
    rng = np.random.default_rng(0)
    arm = random_arm(rng, 3)
    arm = arm.replace(sections=[s.replace(length_range=(-0.001, 0.001), stop_stiffness=5e4) for s in arm.sections])
    q = np.stack([random_lengths(rng, arm) for _ in range(20)])
    still, held = np.zeros(9), gravity_forces(arm, q) + elastic_forces(arm, q)
    exact = -mass_matrix(arm, q) @ linearization(arm, q, still, held)[0][:, 9:, :9]
    found = stiffness(arm, q, Loads(held, np.zeros((20, 6)), None))
    np.testing.assert_allclose(found, exact, rtol=0, atol=1e-9 * np.abs(exact).max())


@pytest.mark.parametrize(
    ("load", "reason"),
    [
        ({"tau": 200 * np.eye(9)[4]}, "section 2 of 3 would bend beyond 2π"),
        ({"tau": -400 * np.repeat([0, 0, 1], 3)}, "section 3 of 3 would shrink to nothing"),
        ({"wrench": [0, 0, 0, 0, 0, -1e4]}, "section 3 of 3 would shrink to nothing"),
    ],
)
def test_what_has_no_equilibrium_in_range_says_why(prototype, load, reason):
    with pytest.raises(ValueError, match=f"^no equilibrium of 'prototype' found: {reason}$"):
        equilibrium(prototype, **load)
    tau = np.stack([np.zeros(9), load.get("tau", np.zeros(9))])
    wrench = np.stack([np.zeros(6), load.get("wrench", np.zeros(6))])
    found = equilibria(prototype, tau, wrench=wrench)
    assert found.converged.tolist() == [True, False]
    assert found.reason.tolist() == ["", reason]
    assert found.residual[1] > 1
    np.testing.assert_allclose(found.q[0], equilibrium(prototype), rtol=0, atol=1e-15)
    with pytest.raises(ValueError, match=rf"found at index \[1\] of the batch: {reason}$"):
        equilibrium(prototype, tau, wrench=wrench)


def test_loads_beyond_all_bounds_end_without_a_warning(prototype):
    for size in (1e30, 1e300):
        assert equilibria(prototype, np.full(9, -size)).reason == "section 1 of 3 would shrink to nothing"
        assert not equilibria(prototype, wrench=np.full(6, size)).converged


def test_soft_arms_settle_or_say_why(prototype):
    """From stops on one side of the batch to bends beyond a full turn on the other."""
    for stiff, gravity, stops in ((400.0, 9.81, 0.0), (400.0, -9.81, 5e4)):
        sections = [s.replace(stiffness=stiff, stop_stiffness=stops) for s in prototype.sections]
        arm = prototype.replace(sections=sections, gravity=(0, 0, gravity))
        found = equilibria(arm, pressure_sets(arm, 300))
        assert (found.converged == (found.reason == "")).all()
        assert found.residual[found.converged].max() < 1e-9
        assert all("bend beyond 2π" in reason for reason in found.reason[~found.converged])
        assert found.converged.all() if stops else 0.1 < found.converged.mean() < 0.9


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"tau": [1.0, 2.0]}, r"tau has shape \(2,\): must be \(..., 9\) for the 3 sections of 'prototype'"),
        ({"tau": [np.nan] * 9}, r"tau\[0\] = nan: must be finite"),
        (
            {"wrench": np.ones(5)},
            r"wrench has shape \(5,\): must be \(..., 6\) for the moment and force at the last tip",
        ),
        ({"muscle_stiffness": np.ones(8)}, r"muscle_stiffness has shape \(8,\): must be \(..., 9\) for the 9 muscles"),
        ({"muscle_stiffness": [-5.0, *np.ones(8)]}, r"muscle_stiffness\[0\] = -5: must be at least 0 N/m"),
        ({"start": 0.2 * np.eye(9)[0]}, r"section 1 of 3 \(at start\) bent by 10.6\d* rad: must be at most 2π"),
        (
            {"tau": np.zeros((2, 9)), "wrench": np.zeros((3, 6))},
            r"batch axes do not fit together: start \(9,\), tau \(2, 9\), wrench \(3, 6\)",
        ),
    ],
)
def test_bad_input_is_one_sentence(prototype, arguments, sentence):
    for function in (equilibrium, equilibria):
        with pytest.raises(ValueError, match=f"^{sentence}"):
            function(prototype, **arguments)


def test_springs_of_another_batch_than_the_states_are_named(prototype):
    with pytest.raises(ValueError, match=r"^batch axes do not fit together: q \(4, 9\).* muscle_stiffness \(3, 9\)$"):
        natural_frequencies(prototype, np.zeros((4, 9)), muscle_stiffness=np.ones((3, 9)))


def test_what_is_no_arm_is_refused(prototype):
    for function in (equilibrium, equilibria, natural_frequencies, vibrations):
        with pytest.raises(TypeError, match=r"^arm is str: must be an Arm"):
            function("prototype")
    with pytest.raises(ValueError, match=r"^q has shape \(3,\)"):
        natural_frequencies(prototype, np.zeros(3))
    with pytest.raises(ValueError, match=r"at index \[1\] of the batch is unstable"):
        natural_frequencies(prototype.replace(gravity=(0, 0, -9.81)), np.array([[0.05, 0, 0] * 3, [0.0] * 9]))


def test_a_mass_matrix_that_is_not_positive_has_no_frequencies(prototype):
    negative = CentreOfGravity(beta_linear=(1, 1, -9), allow_indefinite=True)
    # a point mass that closes to a circle turns about itself without inertia: stable, but without frequencies
    circle = prototype.sections[0].length_map @ [2 * np.pi, 0, 0]
    point = Arm(sections=prototype.sections[:1], gravity=(0, 0, 0), inertia=PointMass())
    with pytest.raises(ValueError, match=r"^no vibrations: the mass matrix of 'arm' \(point-mass model\)"):
        natural_frequencies(point, circle)
    for function in (natural_frequencies, vibrations):
        with pytest.raises(
            ValueError, match=r"^no vibrations: the mass matrix of 'prototype' \(centre-of-gravity model\)"
        ):
            function(prototype.replace(inertia=negative))


def test_the_greatest_bend_is_at_a_corner_of_the_length_range(prototype):
    assert greatest_bend(prototype.sections[0]) == pytest.approx(2 * 0.07 / (3 * 0.0125), rel=1e-14)
    assert greatest_bend(prototype.sections[0].replace(length_range=None)) == 2 * np.pi
    assert greatest_bend(prototype.sections[0].replace(length_range=(0.0, 0.2))) == 2 * np.pi
    rng = np.random.default_rng(0)
    for count in (3, 4, 5, 7):
        layout = Muscles(angles=rng.uniform(0, 2 * np.pi, count), radii=rng.uniform(0.01, 0.02, count))
        section = single(muscles=layout, length_range=(-0.01, 0.02))
        corners = []
        for rows in itertools.combinations(range(count), 3):
            for limits in itertools.product(section.length_range, repeat=3):
                x = np.linalg.solve(layout.length_map[list(rows)], limits)
                lengths = layout.length_map @ x
                if lengths.min() > -0.01 - 1e-12 and lengths.max() < 0.02 + 1e-12:
                    corners.append(np.hypot(x[0], x[1]))
        assert greatest_bend(section) == pytest.approx(max(corners), rel=1e-9)


@pytest.mark.parametrize("wrench", [[0, 0, 0, 1.0, 0, 5.0], [0.02, 0.01, 0.03, 0.5, 0, 1.0]], ids=["force", "moment"])
def test_frequencies_under_a_wrench_are_those_of_the_motion(prototype, wrench):
    """What a small push leaves behind swings as said: eigenvalues of the motion's own derivative, by differences."""
    arm = prototype.replace(sections=[s.replace(damping=0.0) for s in prototype.sections])
    q, size = equilibrium(arm, wrench=wrench), 9

    def acceleration(q):
        return forward_dynamics(arm, q, np.zeros(size), wrench_forces(arm, q, wrench))

    step = 1e-7
    slopes = np.stack([(acceleration(q + e) - acceleration(q - e)) / (2 * step) for e in step * np.eye(size)], axis=-1)
    expected = np.sort(np.sqrt(np.maximum(np.linalg.eigvals(-slopes).real, 0))) / (2 * np.pi)
    np.testing.assert_allclose(natural_frequencies(arm, wrench=wrench), expected, rtol=1e-5)
    np.testing.assert_allclose(natural_frequencies(arm, q, wrench=wrench), expected, rtol=1e-5)
    assert natural_frequencies(arm, q)[0] != pytest.approx(expected[0], rel=1e-3)  # without it, another state
    found = np.sort(vibrations(arm, wrench=wrench).frequencies)
    np.testing.assert_allclose(found[::2], expected, rtol=1e-4)


# ---- Springs of muscles ---------------------------------------------------------------------------------------------


def muscular(rng, **fields):
    """Two sections with muscles that pressure stiffens, and pressures (6,), Pa."""
    plain = {"damping": 40.0, "muscle_area": 1.3e-4, "pressure_stiffness": 2e-3}
    arm = Arm(sections=[single(**plain, **fields), single(**plain, **fields)])
    return arm, rng.uniform(0, 3e5, 6)


def slopes_of_the_plant(arm, pressures, q, size=1e-6):
    """∂q̈/∂(q, q̇) (3n, 6n) of the plant about rest at q, by central differences; nothing is held back there."""
    plant, m = Plant(arm), 3 * arm.n
    commands = plant.commands.rows(pressures)[0]
    columns = []
    for k in range(2 * m):
        ends = []
        for way in (size, -size):
            moved = np.zeros(2 * m)
            moved[k] = way
            state = plant.first_state(q + moved[:m], moved[m:], pressures)
            ends.append(plant.rate(commands, state)[m : 2 * m])
        columns.append((ends[0] - ends[1]) / (2 * size))
    return np.stack(columns, axis=-1)


@pytest.mark.parametrize(
    "fields", [{}, {"hardening": 4e6}, {"hardening": 4e6, "creep": [(500.0, 0.3)]}], ids=["plain", "hard", "creeping"]
)
def test_the_linear_model_with_springs_of_muscles_is_that_of_the_plant(fields):
    """Creep at rest is relaxed: its force is a state of its own, and nothing of it is in the slopes by q."""
    arm, pressures = muscular(np.random.default_rng(3), **fields)
    q = resting(Plant(arm), Commands(pressures, np.zeros(6), np.zeros(6)), None).q
    k = muscle_stiffness(arm, q, pressures)
    tau = inverse_dynamics(arm, q, 0 * q, 0 * q) + arm.muscle_forces(k * arm.muscle_lengths(q))
    A, _ = linearization(arm, q, 0 * q, tau, muscle_stiffness=k)
    wanted = slopes_of_the_plant(arm, pressures, q)
    # differences of 1e-6 m lose about six of fifteen digits
    np.testing.assert_allclose(A[6:], wanted, rtol=0, atol=1e-6 * np.abs(wanted).max())
    values = np.linalg.eigvals(A)
    slowest = vibrations(arm, q, muscle_stiffness=k).time_constants[0]
    assert slowest == pytest.approx(-1 / values.real.max(), rel=1e-9)


def test_hardening_and_pressure_add_up_to_the_slope_of_the_force():
    rng = np.random.default_rng(1)
    arm, pressures = muscular(rng, hardening=4e6)
    q = random_lengths(rng, arm)
    plant, size, each = Plant(arm), 1e-6, np.tile(pressures, (6, 1))
    ends = [plant.muscle_forces(each, 0 * each, q + way * np.eye(6)) for way in (size, -size)]
    # with three muscles of each section the force of one depends on its own length alone
    slope = -np.diagonal(ends[0] - ends[1]) / (2 * size)
    np.testing.assert_allclose(muscle_stiffness(arm, q, pressures), slope, rtol=1e-6)
    batch = muscle_stiffness(arm, np.stack([q, 0 * q])[:, None], np.stack([pressures, 0 * pressures]))
    assert batch.shape == (2, 2, 6)
    np.testing.assert_array_equal(batch[0, 0], muscle_stiffness(arm, q, pressures))
    assert not batch[1, 1].any()  # without pressure and length there are no springs


@pytest.mark.parametrize(
    ("pressures", "words"),
    [(np.zeros(5), ("pressures", "6 muscles")), ([0, -1.0, 0, 0, 0, 0], ("pressures[1] = -1 Pa", "0 or more"))],
)
def test_pressures_of_springs_are_checked(pressures, words):
    arm, _ = muscular(np.random.default_rng(0))
    with pytest.raises(ValueError, match="must") as error:
        muscle_stiffness(arm, np.zeros(6), pressures)
    assert all(word in str(error.value) for word in words)
