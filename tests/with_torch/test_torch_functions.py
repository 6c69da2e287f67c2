"""Laws of continuarm.torch: the values of the library, derivatives in both modes, batches, compiled or not."""

import subprocess
import sys

import numpy as np
import pytest
import torch

import continuarm as ca
import continuarm.torch as ct
from continuarm.arms.parameters import moved
from continuarm.dynamics.mass_and_coriolis import COMPLEX_STEP
from continuarm.engine.table import QUANTITIES as TABLE
from differentiated import QUANTITIES, STOPS, all_close, random_inputs, with_stops
from random_arms import MODELS, random_arm
from refusals import refused

# torch's own, when it first takes derivatives along tangents
pytestmark = pytest.mark.filterwarnings("ignore:.torch.jit.script. is deprecated:DeprecationWarning")

FUNCTIONS = {name: (of, getattr(ct, name), count, more) for name, (of, count, more) in QUANTITIES.items()}


def inputs(*given):
    return [torch.tensor(each) for each in random_inputs(*given)]


def of(function, arm, **more):
    return lambda *given: function(arm, *given, **more)


def parts(found):
    return [np.asarray(each.detach()) if isinstance(each, torch.Tensor) else each for each in tuples(found)]


def tuples(found):
    if not isinstance(found, tuple):
        return (found,)
    return tuple(leaf for each in found for leaf in tuples(each))


def close(found, wanted, relative=1e-12):
    all_close(parts(found), parts(wanted), relative)


def numpy_of(tensors):
    return tuple(np.asarray(each.detach()) for each in tensors)


@pytest.mark.parametrize("model", MODELS, ids=lambda m: m.model)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_values_are_those_of_the_library(name, model):
    wanted, function, count, more = FUNCTIONS[name]
    rng = np.random.default_rng(1)
    for n in (1, 3):
        arm = with_stops(random_arm(rng, n, model))
        for batch in ((), (5,), (2, 3)):
            given = inputs(rng, arm, count, batch)
            close(function(arm, *given, **more), wanted(arm, *numpy_of(given), **more), 0)


@pytest.mark.parametrize("bend", [None, 0.0], ids=["bent", "straight"])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_both_modes_of_derivatives_agree_with_differences(name, bend):
    _, function, count, more = FUNCTIONS[name]
    rng = np.random.default_rng(2)
    arm = random_arm(rng, 2)
    given = [each.requires_grad_() for each in inputs(rng, arm, count, (3,), bend)]
    sizes = [np.abs(each).max() for each in parts(function(arm, *given, **more))]  # results of very different sizes

    def scaled(*each):
        return tuple(part / size for part, size in zip(tuples(function(arm, *each, **more)), sizes, strict=True))

    assert torch.autograd.gradcheck(scaled, given, eps=1e-6, atol=1e-5, rtol=1e-4, check_forward_ad=True)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_derivatives_are_those_of_the_library(name):
    quantity, function, count, more = FUNCTIONS[name]
    rng = np.random.default_rng(3)
    arm = random_arm(rng, 3)
    given = tuple(inputs(rng, arm, count, (4,)))
    along = tuple(torch.tensor(rng.normal(size=each.shape)) for each in given)
    found, slopes = torch.func.jvp(of(function, arm, **more), given, along)
    close(slopes, ca.jvp(quantity, arm, numpy_of(given), numpy_of(along), **more))
    weights = tuple(torch.tensor(rng.normal(size=each.shape)) for each in tuples(found))
    one = weights if isinstance(found, tuple) else weights[0]
    gradients = torch.func.vjp(of(function, arm, **more), *given)[1](one)
    plain = numpy_of(weights)
    close(gradients, ca.vjp(quantity, arm, numpy_of(given), plain if len(plain) > 1 else plain[0], **more))


@pytest.mark.parametrize("name", FUNCTIONS)
def test_jacobians_are_the_same_forward_and_backward(name):
    _, function, count, more = FUNCTIONS[name]
    rng = np.random.default_rng(4)
    arm = random_arm(rng, 2)
    given = inputs(rng, arm, count)
    every = tuple(range(count))
    forward = torch.func.jacfwd(of(function, arm, **more), every)(*given)
    close(torch.func.jacrev(of(function, arm, **more), every)(*given), forward)
    batch = [torch.stack([each, each]) for each in given]
    mapped = torch.func.vmap(torch.func.jacrev(of(function, arm, **more), every))(*batch)
    close(tuple(each[1] for each in tuples(mapped)), forward)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_mapped_is_a_batch(name):
    _, function, count, more = FUNCTIONS[name]
    rng = np.random.default_rng(5)
    arm = random_arm(rng, 2)
    given = inputs(rng, arm, count, (3, 4))
    whole = of(function, arm, **more)
    close(torch.func.vmap(torch.func.vmap(whole))(*given), whole(*given), 0)
    close(torch.func.vmap(whole, in_dims=1, out_dims=1)(*given), whole(*given), 0)
    first = (given[0], *(each[0, 0] for each in given[1:]))
    axes = (0, *[None] * (count - 1))
    close(torch.func.vmap(torch.func.vmap(whole, axes), axes)(*first), whole(*first), 0)


def test_a_gradient_is_summed_over_what_is_shared():
    rng = np.random.default_rng(6)
    arm = random_arm(rng, 2)
    q, qd, tau = inputs(rng, arm, 3, (5,))
    shared, each = tau[0].clone().requires_grad_(), tau[0].repeat(5, 1).requires_grad_()
    for force in (shared, each):
        ct.forward_dynamics(arm, q, qd, force).sum().backward()
    close(shared.grad, each.grad.sum(0))


def test_tensors_that_are_not_contiguous_are_read_rightly(prototype):
    rng = np.random.default_rng(7)
    q, qd, tau = inputs(rng, prototype, 3, (6,))
    turned = q.T.contiguous().T
    assert not turned.is_contiguous()
    close(
        ct.forward_dynamics(prototype, turned[::2], qd[::2], tau[::2]),
        ct.forward_dynamics(prototype, q, qd, tau)[::2],
        0,
    )


PARAMETERS = {
    "stiffness": 1500.0,
    "sections[0].mass": 0.17,
    "stop_stiffness": 2e4,
    "base_rotation[2]": 0.4,
    "payload.mass": 0.12,
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_parameters_make_another_arm_and_have_derivatives(name):
    wanted, function, count, more = FUNCTIONS[name]
    rng = np.random.default_rng(8)
    fields = STOPS | {"stiffness": 2000.0}
    arm = random_arm(rng, 2).replace({f"sections[*].{field}": value for field, value in fields.items()})
    given = inputs(rng, arm, count, (3,))
    paths = [f"sections[*].{each}" if each.isidentifier() else each for each in PARAMETERS]  # of all sections
    other = arm.replace(dict(zip(paths, PARAMETERS.values(), strict=True)))
    close(function(arm, *given, **more, parameters=PARAMETERS), wanted(other, *numpy_of(given), **more), 0)

    values = [torch.tensor(value, dtype=torch.float64) for value in PARAMETERS.values()]

    def changed(*each):
        return function(arm, *given, **more, parameters=dict(zip(PARAMETERS, each, strict=True)))

    every = tuple(range(len(values)))
    forward, backward = torch.func.jacfwd(changed, every)(*values), torch.func.jacrev(changed, every)(*values)
    close(forward, backward, 1e-10)
    results = backward if isinstance(backward[0], tuple) else (backward,)
    for k, each in enumerate(PARAMETERS):
        complex_steps = TABLE[name].reference(moved(other, each, 1j * COMPLEX_STEP), *numpy_of(given), *more.values())
        for found, exact in zip(results, tuples(complex_steps), strict=True):
            slope = exact.imag / COMPLEX_STEP
            np.testing.assert_allclose(
                found[k], slope, rtol=0, atol=1e-9 * max(np.abs(slope).max(), 1e-30), err_msg=each
            )


def test_rows_outside_the_model_are_nan_and_the_others_stay(prototype):
    rng = np.random.default_rng(9)
    q, qd, tau = inputs(rng, prototype, 3, (12,))
    q[3] = torch.tensor([0.5, 0.0, 0.0] * 3)  # more than a full turn
    q.requires_grad_()
    found = ct.forward_dynamics(prototype, q, qd, tau)
    good = [k for k in range(12) if k != 3]
    assert found[3].isnan().all()
    close(found[good], ca.forward_dynamics(prototype, *(each[good] for each in numpy_of((q, qd, tau)))), 0)
    found.sum().backward()
    assert q.grad[3].isnan().all()
    assert q.grad[good].isfinite().all()
    pushed = torch.zeros(9, dtype=torch.float64, requires_grad=True)  # of all rows
    ct.forward_dynamics(prototype, q.detach(), qd, pushed)[good].sum().backward()
    assert pushed.grad.isfinite().all()


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")  # of the compiler, about itself
def test_compiled_as_one_graph_is_the_same():
    def total(arm, *given):
        return ct.implicit_step(arm, *given, step=0.004)[0].sum() + ct.tip_poses(arm, given[0]).sum()

    compiled = torch.compile(total, backend="aot_eager", fullgraph=True)  # all but the printing of C++
    rng = np.random.default_rng(10)
    for arm in (random_arm(rng, 2), random_arm(rng, 2)):  # the second is not taken for the first
        state = inputs(rng, arm, 3, (4,))
        given, plain = ([each.clone().requires_grad_() for each in state] for _ in range(2))
        compiled(arm, *given).backward()
        total(arm, *plain).backward()
        close(tuple(each.grad for each in given), tuple(each.grad for each in plain))


def test_the_operator_keeps_the_rules_of_torch(prototype):
    from continuarm.engine.array_call import call_of
    from continuarm.engine.native_arm import number_row
    from continuarm.torch.operator import _array_call, _packed

    rng = np.random.default_rng(12)
    given = [each.requires_grad_() for each in inputs(rng, prototype, 3, (2,))]
    numbers = torch.tensor(np.array(number_row(prototype)))[None]
    packed = _packed(call_of(prototype, "forward_dynamics"))
    torch.library.opcheck(_array_call, ([numbers, *given], *packed), test_utils=("test_schema", "test_faketensor"))


def test_second_derivatives_are_refused(prototype):
    still = torch.zeros(9, dtype=torch.float64)
    with refused("second derivatives", error=NotImplementedError):
        torch.func.hessian(lambda q: ct.tip_poses(prototype, q)[-1, 2, 3])(still)


def test_what_does_not_fit_is_refused(prototype):
    still = torch.zeros(9, dtype=torch.float64)
    with refused("q has dtype float32", "float64"):
        ct.tip_poses(prototype, still.float())
    with refused("q is ndarray", "tensor", error=TypeError):
        ct.tip_poses(prototype, np.zeros(9))
    with refused("tau has shape (8,)", "(..., 9)"):
        ct.forward_dynamics(prototype, still, still, still[:8])
    with refused("q is on meta", "q.cpu()"):
        ct.tip_poses(prototype, still.to("meta"))
    with refused("batch axes", "q (2, 9)", "qd (3, 9)"):
        ct.forward_dynamics(prototype, still.repeat(2, 1), still.repeat(3, 1), still)
    with refused("arm is NoneType", error=TypeError):
        ct.tip_poses(None, still)
    with refused("step = 0"):
        ct.implicit_step(prototype, still, still, still, 0.0)
    with refused("step"):
        ct.implicit_step(prototype, still, still, still, None)
    for wrong in (None, "a", 1j, True, [1.0, 2.0]):
        with refused("parameters['stiffness']"):
            ct.tip_poses(prototype, still, parameters={"stiffness": wrong})
    with refused("parameters['stiffness'] is mapped by vmap"):
        several = torch.tensor([1.0, 2.0], dtype=torch.float64)
        torch.func.vmap(lambda each: ct.tip_poses(prototype, still, parameters={"stiffness": each}))(several)
    with refused("parameters", "stifness", "stiffness"):
        ct.tip_poses(prototype, still, parameters={"stifness": 1.0})
    with refused("stiffness = -1"):
        ct.tip_poses(prototype, still, parameters={"stiffness": -1.0})
    with refused("parameters['stiffness']", "float32"):
        ct.tip_poses(prototype, still, parameters={"stiffness": torch.tensor(1.0)})
    with refused("parameters is list", error=TypeError):
        ct.tip_poses(prototype, still, parameters=["stiffness"])


def test_without_torch_the_extra_is_named():
    program = "import sys; sys.modules['torch'] = None\ntry: import continuarm.torch\nexcept ImportError as e: print(e)"
    said = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout
    assert said == "continuarm.torch needs the package torch: pip install 'continuarm[torch]'\n"
