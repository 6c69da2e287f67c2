"""Laws of derivatives: recordings differentiated backward, and the products of Jacobians that are made of them.

The oracle are complex steps of the NumPy forms, which are exact to rounding and share no derivative with native code.
"""

import numpy as np
import pytest

import continuarm as ca
from continuarm.dynamics.inverse import inverse_dynamics
from continuarm.dynamics.virtual_power import virtual_power
from continuarm.engine import compiled
from continuarm.engine.array_call import GRADIENT, call_of
from continuarm.engine.differentiation import gradient
from continuarm.engine.native_arm import arm_numbers, number_row
from continuarm.engine.section_numbers import SECTION
from continuarm.engine.table import QUANTITIES
from continuarm.engine.tracing import Recorded, inputs
from differentiated import QUANTITIES as DIFFERENTIABLE
from differentiated import all_close, random_inputs, with_stops
from random_arms import MODELS, NEARLY_STRAIGHT, random_arm
from recordings_of_code import recorded_values

pytestmark = pytest.mark.slow

FUNCTIONS = {name: (of, count, more.get("step")) for name, (of, count, more) in DIFFERENTIABLE.items()}
LEVELS = compiled.native.build_info()["instruction_sets"]


def states(rng, arm, rows, bend=None):
    """Inputs (q, q̇, third) of a quantity, and a direction for each."""
    found = random_inputs(rng, arm, 3, (rows,), bend)
    return found, [rng.normal(size=each.shape) for each in found]


def weights_like(rng, found):
    return (
        tuple(rng.normal(size=part.shape) for part in found)
        if isinstance(found, tuple)
        else rng.normal(size=found.shape)
    )


def paired(first, second):
    """The sum of products of two structures of arrays."""
    first, second = (each if isinstance(each, tuple) else (each,) for each in (first, second))
    return sum(float(np.vdot(a, b)) for a, b in zip(first, second, strict=True))


def close(found, wanted, relative=1e-10):
    found, wanted = (each if isinstance(each, tuple) else (each,) for each in (found, wanted))
    all_close(found, wanted, relative)


def test_a_recording_is_differentiated_by_every_operation():
    Recorded.forget()
    x, y = inputs("x", 2)
    value = x * y + 3 / (x - y) - (x * x).positive_part() * (-y) + (x - y).is_positive() * y
    at = {"x": (1.3, 0.4)}
    by_x, by_y = recorded_values(gradient([(value, 2.0)], [x, y]), at)
    a, b = at["x"]
    assert by_x == pytest.approx(2 * (b - 3 / (a - b) ** 2 + 2 * a * b), rel=1e-14)
    assert by_y == pytest.approx(2 * (a + 3 / (a - b) ** 2 + a * a + 1), rel=1e-14)


@pytest.mark.parametrize("model", MODELS, ids=lambda m: m.model)
def test_virtual_power_is_that_of_the_forces(model):
    rng = np.random.default_rng(3)
    arm = with_stops(random_arm(rng, 4, model))
    (q, qd, qdd), (mu, *_) = states(rng, arm, 5)
    wanted = (mu * inverse_dynamics(arm, q, qd, qdd)).sum(axis=-1)
    np.testing.assert_allclose(virtual_power(arm, q, qd, qdd, mu), wanted, rtol=1e-11)


@pytest.mark.parametrize("bend", [None, *NEARLY_STRAIGHT])
@pytest.mark.parametrize("model", MODELS, ids=lambda m: m.model)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_products_agree_with_complex_steps(name, model, bend):
    """Arms with and without payload, stops, offsets and twists, of one to five sections; straight ones included."""
    function, count, step = FUNCTIONS[name]
    rng = np.random.default_rng(11)
    for n in (1, 2, 3, 5):
        arm = random_arm(rng, n, model, payload=n % 2 == 1)
        arm = with_stops(arm) if n in (2, 5) else arm
        at, along = states(rng, arm, 3, bend)
        given, tangents = at[:count], along[:count]
        moved = ca.jvp(function, arm, given, tangents, step=step)
        close(moved, ca.jvp(function, arm, given, tangents, step=step, engine="reference"))
        weights = weights_like(rng, moved)
        back = ca.vjp(function, arm, given, weights, step=step)
        close(back, ca.vjp(function, arm, given, weights, step=step, engine="reference"))
        assert paired(moved, weights) == pytest.approx(paired(back, tuple(tangents)), rel=1e-9)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_rows_do_not_depend_on_their_batch(name):
    function, count, step = FUNCTIONS[name]
    rng = np.random.default_rng(5)
    arm = with_stops(random_arm(rng, 3))
    at, along = states(rng, arm, 13)
    given, tangents = at[:count], along[:count]
    moved = ca.jvp(function, arm, given, tangents, step=step)
    weights = weights_like(rng, moved)
    back = ca.vjp(function, arm, given, weights, step=step)
    for row in (0, 7, 12):
        own = [each[row] for each in given]
        picked = tuple(each[row] for each in weights) if isinstance(weights, tuple) else weights[row]
        for a, b in zip(ca.vjp(function, arm, own, picked, step=step), back, strict=True):
            assert (a == b[row]).all()
        one = ca.jvp(function, arm, own, [each[row] for each in tangents], step=step)
        pairs = zip(one, moved, strict=True) if isinstance(one, tuple) else [(one, moved)]
        assert all((a == b[row]).all() for a, b in pairs)


@pytest.mark.parametrize("level", LEVELS)
def test_every_instruction_set_has_the_same_derivatives(level):
    rng = np.random.default_rng(8)
    arm = random_arm(rng, 3)
    at, along = states(rng, arm, 11)
    wanted = ca.vjp(ca.forward_dynamics, arm, at, along[0], engine="reference")
    try:
        compiled.native.use_level(level)
        close(ca.vjp(ca.forward_dynamics, arm, at, along[0]), wanted)
        A, B = ca.linearization(arm, *at)
        reference = ca.linearization(arm, *at, engine="reference")
        close((A, B), reference)
    finally:
        compiled.native.use_level("")


def by_constants(arm, name, given, weights, step):
    """Derivatives of the weighted sum by the arm's numbers, as native code gives them."""
    call = call_of(arm, name, step or 1.0).of(GRADIENT, True)
    flat = weights if isinstance(weights, tuple) else (weights,)
    rows = np.concatenate([each.reshape(1, -1) for each in flat], axis=-1)
    return call.run([number_row(arm)[None], *given, rows])[0, -call.numbers :].copy()


def numbers_one_by_one(arm):
    """The arm's numbers in the order of the derivatives, and arms in native memory that have others in their place."""
    sections, integral, gravity, frame, mass, offset, stops = arm_numbers(arm)
    counts = [len(each) for each in sections]
    flat = np.concatenate([*sections, *(stop for own in stops for stop in own), gravity, frame, [mass], offset])

    def rebuilt(values):
        parts, at = [], 0

        def take(count):
            nonlocal at
            at += count
            return list(values[at - count : at])

        parts.append([take(count) for count in counts])
        made_stops = [[take(len(stop)) for stop in own] for own in stops]
        made_gravity, made_frame, made_mass, made_offset = take(3), take(12), take(1)[0], take(3)
        return compiled.native.Arm(parts[0], integral, made_gravity, made_frame, made_mass, made_offset, made_stops)

    return flat, rebuilt


@pytest.mark.parametrize("model", MODELS, ids=lambda m: m.model)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_derivatives_by_the_numbers_of_an_arm_agree_with_differences(name, model):
    """Differences of fourth order in steps of 2e-4 of each number: good to 1e-8 of the largest."""
    _, count, step = FUNCTIONS[name]
    rng = np.random.default_rng(17)
    arm = with_stops(random_arm(rng, 2, model))
    at, _ = states(rng, arm, 1)
    given = at[:count]
    row = QUANTITIES[name]
    flat, rebuilt = numbers_one_by_one(arm)
    extra = [step] if step else []
    plain = rebuilt(flat).evaluate(row.index, 1, *given, *extra)
    weights = rng.normal(size=plain.shape)

    def total(k, shift):
        moved = flat.copy()
        moved[k] += shift
        return float(np.vdot(rebuilt(moved).evaluate(row.index, 1, *given, *extra), weights))

    found = by_constants(arm, name, given, weights, step)
    assert len(found) == len(flat)
    wanted = np.zeros_like(found)
    sizes = np.maximum(np.abs(flat), 1e-3)
    fields = SECTION.pack.fields
    tied = {i * len(fields) + k for i in range(arm.n) for k, each in enumerate(fields) if "_map" in each}
    for k, size in enumerate(sizes):
        if k in tied:  # B and its inverse only make sense together: below
            found[k] = 0.0
            continue
        h = 2e-4 * size
        wanted[k] = (8 * (total(k, h) - total(k, -h)) - (total(k, 2 * h) - total(k, -2 * h))) / (12 * h)
    scale = np.abs(wanted * sizes).max()
    np.testing.assert_allclose(found * sizes, wanted * sizes, rtol=0, atol=1e-8 * scale)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_derivatives_by_a_radius_agree_with_differences(name):
    """The radius moves many numbers at once, the maps between lengths and shape among them."""
    function, count, step = FUNCTIONS[name]
    rng = np.random.default_rng(19)
    arm = with_stops(random_arm(rng, 2))
    at, _ = states(rng, arm, 1)
    given, extra = at[:count], {"step": step} if step else {}
    first = function(arm, *given, **extra)
    weights = weights_like(rng, first)

    def at_radius(factor):
        head, *rest = arm.sections
        return arm.replace(sections=[head.replace(radius=head.radius * factor), *rest])

    def slope(of, h=1e-3):
        return (8 * (of(1 + h) - of(1 - h)) - (of(1 + 2 * h) - of(1 - 2 * h))) / (12 * h)

    wanted = slope(lambda factor: paired(function(at_radius(factor), *given, **extra), weights))
    numbers = slope(lambda factor: numbers_one_by_one(at_radius(factor))[0])
    found = by_constants(arm, name, given, weights, step) @ numbers
    assert found == pytest.approx(wanted, rel=1e-7)


def test_wrong_arguments_are_named():
    arm, q = ca.load_arm("single-section"), np.zeros(3)
    with pytest.raises(ValueError, match=r"mass_matrix.*forward_dynamics"):
        ca.vjp(ca.mass_matrix, arm, (q,), q)

    def tip_poses(arm, q):  # somebody else's
        return 1000 * q

    with pytest.raises(ValueError, match="quantity = tip_poses: must be one of this library's"):
        ca.jvp(tip_poses, arm, (q,), (q,))
    with pytest.raises(ValueError, match=r"inputs = 2.*3 arrays"):
        ca.vjp(ca.forward_dynamics, arm, (q, q), q)
    with pytest.raises(ValueError, match=r"weights has shape \(4,\).*\(3,\)"):
        ca.vjp(ca.forward_dynamics, arm, (q, q, q), np.zeros(4))
    with pytest.raises(ValueError, match=r"weights has shape \(4, 4\).*\(1, 4, 4\)"):
        ca.vjp(ca.tip_poses, arm, (q,), np.zeros((4, 4)))
    with pytest.raises(ValueError, match=r"tangents\[1\].*nan"):
        ca.jvp(ca.forward_dynamics, arm, (q, q, q), (q, np.full(3, np.nan), q))
    with pytest.raises(ValueError, match=r"step = 0.1.*takes none"):
        ca.jvp(ca.tip_poses, arm, (q,), (q,), step=0.1)
    with pytest.raises(ValueError, match="step"):
        ca.jvp(ca.implicit_step, arm, (q, q, q), (q, q, q))
