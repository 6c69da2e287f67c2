"""Laws of continuarm.jax: the values of the library, derivatives in both modes, batches, compiled or not."""

import subprocess
import sys

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.test_util import check_grads

import continuarm as ca
import continuarm.jax as cj
from continuarm.arms.parameters import moved
from continuarm.dynamics.mass_and_coriolis import COMPLEX_STEP
from continuarm.engine.table import QUANTITIES as TABLE
from differentiated import QUANTITIES, STOPS, all_close, random_inputs, with_stops
from random_arms import MODELS, random_arm
from refusals import refused

pytestmark = pytest.mark.slow

jax.config.update("jax_enable_x64", True)

FUNCTIONS = {name: (of, getattr(cj, name), count, more) for name, (of, count, more) in QUANTITIES.items()}


def of(function, arm, **more):
    return lambda *given: function(arm, *given, **more)


def leaves(found):
    return [np.asarray(each) for each in jax.tree_util.tree_leaves(found)]


def close(found, wanted, relative=1e-12):
    all_close(leaves(found), leaves(wanted), relative)


@pytest.mark.parametrize("model", MODELS, ids=lambda m: m.model)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_values_are_those_of_the_library(name, model):
    wanted, function, count, more = FUNCTIONS[name]
    rng = np.random.default_rng(1)
    for n in (1, 3):
        arm = with_stops(random_arm(rng, n, model))
        for batch in ((), (5,), (2, 3)):
            given = random_inputs(rng, arm, count, batch)
            found = function(arm, *given, **more)
            assert all(isinstance(each, jax.Array) for each in jax.tree_util.tree_leaves(found))
            close(found, wanted(arm, *given, **more), 0)


@pytest.mark.parametrize("bend", [None, 0.0], ids=["bent", "straight"])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_both_modes_of_derivatives_agree_with_differences(name, bend):
    _, function, count, more = FUNCTIONS[name]
    rng = np.random.default_rng(2)
    arm = random_arm(rng, 2)
    given = random_inputs(rng, arm, count, (3,), bend)
    sizes = [np.abs(each).max() for each in leaves(function(arm, *given, **more))]  # results of very different sizes

    def scaled(*each):
        return [part / size for part, size in zip(leaves_traced(function(arm, *each, **more)), sizes, strict=True)]

    check_grads(scaled, tuple(given), order=1, modes=("fwd", "rev"), eps=1e-6, atol=1e-4, rtol=1e-4)


def leaves_traced(found):
    return found if isinstance(found, tuple) else (found,)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_derivatives_are_those_of_the_library(name):
    quantity, function, count, more = FUNCTIONS[name]
    rng = np.random.default_rng(3)
    arm = random_arm(rng, 3)
    given = tuple(random_inputs(rng, arm, count, (4,)))
    along = tuple(rng.normal(size=each.shape) for each in given)
    found, slopes = jax.jvp(of(function, arm, **more), given, along)
    close(slopes, ca.jvp(quantity, arm, given, along, **more))
    weights = jax.tree_util.tree_map(lambda each: rng.normal(size=each.shape), found)
    gradients = jax.vjp(of(function, arm, **more), *given)[1](weights)
    close(gradients, ca.vjp(quantity, arm, given, weights, **more))


@pytest.mark.parametrize("name", FUNCTIONS)
def test_jacobians_are_the_same_forward_and_backward_compiled_or_not(name):
    _, function, count, more = FUNCTIONS[name]
    rng = np.random.default_rng(4)
    arm = random_arm(rng, 2)
    given = random_inputs(rng, arm, count)
    every = tuple(range(count))
    forward = jax.jacfwd(of(function, arm, **more), every)(*given)
    close(jax.jacrev(of(function, arm, **more), every)(*given), forward)
    close(jax.jit(jax.jacrev(of(function, arm, **more), every))(*given), forward)
    close(jax.jit(jax.jacfwd(of(function, arm, **more), every))(*given), forward)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_mapped_is_a_batch(name):
    _, function, count, more = FUNCTIONS[name]
    rng = np.random.default_rng(5)
    arm = random_arm(rng, 2)
    given = random_inputs(rng, arm, count, (3, 4))
    whole = of(function, arm, **more)
    close(jax.vmap(jax.vmap(whole))(*given), whole(*given), 0)
    close(jax.jit(jax.vmap(whole, in_axes=1, out_axes=1))(*given), whole(*given), 0)
    first = (given[0], *(each[0, 0] for each in given[1:]))
    axes = (0, *[None] * (count - 1))
    close(jax.vmap(jax.vmap(whole, axes), axes)(*first), whole(*first), 0)


def test_a_gradient_is_summed_over_what_is_shared():
    rng = np.random.default_rng(6)
    arm = random_arm(rng, 2)
    q, qd, tau = random_inputs(rng, arm, 3, (5,))
    shared = jax.grad(lambda tau: cj.forward_dynamics(arm, q, qd, tau).sum())(tau[0])
    each = jax.grad(lambda tau: cj.forward_dynamics(arm, q, qd, tau).sum())(np.tile(tau[0], (5, 1)))
    close(shared, each.sum(0))


def test_derivatives_of_a_batch_of_arms_are_those_of_each():
    rng = np.random.default_rng(7)
    arm = random_arm(rng, 2)
    given = random_inputs(rng, arm, 3, (4,))
    masses = np.linspace(0.05, 0.2, 3)

    def total(mass):
        return (cj.forward_dynamics(arm, *given, parameters={"payload.mass": mass}) ** 2).sum()

    one_by_one = np.array([jax.grad(total)(mass) for mass in masses])
    close(jax.vmap(jax.grad(total))(masses), one_by_one)
    close(jax.jit(jax.vmap(jax.grad(total)))(masses), one_by_one)


PARAMETERS = {
    "length": 0.2,
    "sections[0].mass": 0.17,
    "sections[1].offset": 0.01,
    "twist": 0.3,
    "stiffness": 1500.0,
    "sections[1].damping": 12.0,
    "stop_stiffness": 2e4,
    "gravity[1]": 3.0,
    "base_rotation[2]": 0.4,
    "payload.mass": 0.12,
    "payload.offset[0]": 0.02,
}


def replaced(arm, values):
    paths = [f"sections[*].{name}" if name.isidentifier() else name for name in values]  # stiffness: of all sections
    return arm.replace(dict(zip(paths, values.values(), strict=True)))


@pytest.mark.slow
@pytest.mark.parametrize("model", MODELS, ids=lambda m: m.model)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_parameters_make_another_arm_and_have_derivatives(name, model):
    wanted, function, count, more = FUNCTIONS[name]
    rng = np.random.default_rng(8)
    fields = STOPS | {"stiffness": 2000.0, "damping": 10.0}
    arm = random_arm(rng, 2, model).replace({f"sections[*].{field}": value for field, value in fields.items()})
    given = random_inputs(rng, arm, count, (3,))
    close(function(arm, *given, **more, parameters=PARAMETERS), wanted(replaced(arm, PARAMETERS), *given, **more), 0)

    def changed(values):
        return function(arm, *given, **more, parameters=values)

    values = {each: jnp.asarray(value) for each, value in PARAMETERS.items()}
    forward, backward = jax.jacfwd(changed)(values), jax.jit(jax.jacrev(changed))(values)
    close(forward, backward, 1e-10)
    reference, step = TABLE[name].reference, more.values()
    for each in PARAMETERS:
        moved_arm = moved(replaced(arm, PARAMETERS), each, 1j * COMPLEX_STEP)
        exact = [part.imag / COMPLEX_STEP for part in leaves(reference(moved_arm, *given, *step))]
        found = leaves(forward[each] if isinstance(forward, dict) else tuple(part[each] for part in forward))
        for one, other in zip(found, exact, strict=True):
            np.testing.assert_allclose(one, other, rtol=0, atol=1e-9 * max(np.abs(other).max(), 1e-30), err_msg=each)


def test_compiled_once_for_all_arms_of_a_structure():
    rng = np.random.default_rng(9)
    arms = [random_arm(rng, 2) for _ in range(2)]
    given = random_inputs(rng, arms[0], 3)
    compiled = jax.jit(cj.forward_dynamics)
    for arm in arms:
        close(compiled(arm, *given), ca.forward_dynamics(arm, *given), 0)


def test_rows_outside_the_model_are_nan_and_the_others_stay(prototype):
    rng = np.random.default_rng(10)
    q, qd, tau = random_inputs(rng, prototype, 3, (40,))
    wrong = [3, 17, 39]
    q[wrong[0]] = np.tile([0.5, 0.0, 0.0], 3)  # more than a full turn
    q[wrong[1]] = -1.0  # shorter than nothing
    q[wrong[2], 4] = np.nan
    good = np.setdiff1d(np.arange(40), wrong)
    found = np.asarray(jax.jit(lambda q: cj.forward_dynamics(prototype, q, qd, tau))(q))
    assert np.isnan(found[wrong]).all()
    close(found[good], ca.forward_dynamics(prototype, q[good], qd[good], tau[good]), 0)
    gradient = np.asarray(jax.grad(lambda q: cj.forward_dynamics(prototype, q, qd, tau).sum())(q))
    assert np.isnan(gradient[wrong]).all()
    assert np.isfinite(gradient[good]).all()

    def total(tau, mass):  # shared by all rows, of which the bad ones are left out
        found = cj.forward_dynamics(prototype, q, qd, tau, parameters={"mass": mass})
        return found[good].sum()

    for each in jax.grad(total, (0, 1))(jnp.zeros(9), 0.1):
        assert np.isfinite(each).all()


def test_an_empty_batch_is_one(prototype):
    none = np.zeros((0, 9))
    assert cj.forward_dynamics(prototype, none, none, none).shape == (0, 9)
    assert jax.jacrev(cj.tip_poses, 1)(prototype, none).shape == (0, 3, 4, 4, 0, 9)


def test_a_large_batch_is_that_of_the_library(prototype):
    rng = np.random.default_rng(11)  # enough rows for several threads
    given = [np.tile(each, (200, 1)) for each in random_inputs(rng, prototype, 3, (5,))]
    close(cj.forward_dynamics(prototype, *given), ca.forward_dynamics(prototype, *given), 0)


def _accelerations(arm, mass):
    still = jnp.zeros(9)
    return cj.forward_dynamics(arm, still, still, still, parameters={"mass": mass}).sum()


def test_second_derivatives_are_refused(prototype):
    still = jnp.zeros(9)
    with refused("second derivatives", error=NotImplementedError):
        jax.hessian(lambda q: cj.tip_poses(prototype, q)[-1, 2, 3])(still)
    for changed in (lambda m: m, jax.jit(lambda m: m)):
        with refused("second derivatives", error=NotImplementedError):
            jax.grad(jax.grad(lambda m, f=changed: f(_accelerations(prototype, m))))(0.1)


def test_an_accelerator_is_refused(prototype):
    still = jnp.zeros(9)
    traced = jax.jit(cj.forward_dynamics).trace(prototype, still, still, still)
    with refused("processors", "jax.default_device", error=NotImplementedError):
        traced.lower(lowering_platforms=("cuda",))


def test_single_precision_is_refused(prototype):
    program = (
        "import continuarm as ca, continuarm.jax, numpy as np\n"
        "try: continuarm.jax.tip_poses(ca.load_arm('prototype'), np.zeros(9))\n"
        "except ValueError as error: print(error)"
    )
    said = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout
    assert "double precision" in said
    assert "jax.config.update('jax_enable_x64', True)" in said


def test_without_jax_the_extra_is_named():
    program = (
        "import sys; sys.modules['jax'] = None\ntry: import continuarm.jax\nexcept ImportError as error: print(error)"
    )
    said = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout
    assert said == "continuarm.jax needs the package jax: pip install 'continuarm[jax]'\n"


def test_the_library_itself_does_not_import_jax():
    program = "import continuarm, sys; print({'jax', 'torch'} & set(sys.modules))"
    said = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout
    assert said == "set()\n"


def test_what_does_not_fit_is_refused(prototype):
    still = jnp.zeros(9)
    with refused("q has dtype float32", "float64"):
        cj.tip_poses(prototype, still.astype(jnp.float32))
    with refused("q has dtype bool", "float64"):
        cj.tip_poses(prototype, still > 0)
    with refused("q = 'text'"):
        cj.tip_poses(prototype, "text")
    with refused("tau has shape (8,)", "(..., 9)"):
        cj.forward_dynamics(prototype, still, still, still[:8])
    with refused("batch axes", "q (2, 9)", "qd (3, 9)"):
        cj.forward_dynamics(prototype, jnp.zeros((2, 9)), jnp.zeros((3, 9)), still)
    with refused("arm is NoneType", error=TypeError):
        cj.tip_poses(None, still)
    with refused("step = 0"):
        cj.implicit_step(prototype, still, still, still, 0.0)
    with refused("step"):
        cj.implicit_step(prototype, still, still, still, None)
    with refused("step is traced"):
        jax.jit(lambda step: cj.implicit_step(prototype, still, still, still, step))(1e-3)
    with refused("parameters", "stifness", "stiffness"):
        cj.tip_poses(prototype, still, parameters={"stifness": 1.0})
    with refused("stiffness = -1"):
        cj.tip_poses(prototype, still, parameters={"stiffness": -1.0})
    with refused("parameters['stiffness']", "(2,)"):
        cj.tip_poses(prototype, still, parameters={"stiffness": jnp.ones(2)})
    with refused("parameters is list", error=TypeError):
        cj.tip_poses(prototype, still, parameters=["stiffness"])
    assert cj.tip_poses(prototype, [0] * 9).shape == (3, 4, 4)
    assert jax.grad(lambda x: cj.tip_poses(prototype, [x] * 9)[-1, 2, 3])(0.01) == pytest.approx(3.0)


def test_an_entry_beside_the_diagonal_is_one_number():
    """A stiffness over q stays symmetric: the entry and its mirror change together."""
    matrix = np.diag([1700.0, 1800.0, 1900.0]) + 50.0
    arm = ca.load_arm("single-section").replace({"sections[0].stiffness": matrix})
    q = np.array([0.004, 0.001, -0.002])
    found = cj.inverse_dynamics(arm, q, 0 * q, 0 * q, parameters={"sections[0].stiffness[0][1]": 60.0})
    matrix[0, 1] = matrix[1, 0] = 60.0
    wanted = ca.inverse_dynamics(arm.replace({"sections[0].stiffness": matrix}), q, 0 * q, 0 * q)
    np.testing.assert_allclose(found, wanted, rtol=1e-12)
