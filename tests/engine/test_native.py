"""Every engine agrees with the reference: all quantities, all models, one arm and batches, every instruction set."""

import threading

import numpy as np
import pytest

import continuarm as ca
from continuarm.engine.compiled import native
from continuarm.engine.native_arm import native_arm
from continuarm.engine.table import QUANTITIES
from random_arms import MODELS, NEARLY_STRAIGHT, random_arm, random_lengths, random_rates

if native is None:
    pytest.fail("the compiled module is not built: pip install . builds it", pytrace=False)

LEVELS = native.build_info()["instruction_sets"]
PLACES = np.linspace(0, 1, 5)


@pytest.fixture(params=LEVELS)
def level(request):
    native.use_level(request.param)
    yield request.param
    native.use_level("")


def random_case(rng, n, model, count):
    """An arm with stops, payload and tilted base, and some states: bent anyhow, and nearly straight."""
    arm = random_arm(rng, n, model)
    stops = [each.replace(length_range=(-0.02, 0.03), stop_stiffness=1e4) for each in arm.sections]
    arm = arm.replace(sections=stops)
    q = [random_lengths(rng, arm) for _ in range(count)]
    q[: len(NEARLY_STRAIGHT)] = [random_lengths(rng, arm, bend) for bend in NEARLY_STRAIGHT][:count]
    rates = np.stack([[random_rates(rng, arm) for _ in range(count)] for _ in range(2)])
    return arm, np.stack(q), *rates


def arguments(quantity, q, qd, third):
    if "xi" in quantity.arguments:
        return q, PLACES
    if "step" in quantity.arguments:
        return q, qd, third, 1e-4
    if "wrench" in quantity.arguments:
        return q, np.ascontiguousarray(third[..., [0, 1, 2, 0, 1, 2]])
    return (q, qd, third)[: len(quantity.arguments)]


def parts(result):
    return result if isinstance(result, tuple) else (result,)


def scale_of(name, arm, q, wanted):
    """The size of the terms that a quantity sums, row by row: what its rounding is relative to."""
    rows = wanted.reshape(len(wanted), -1)
    if name == "gravitational_energy":  # heights may cancel
        weight = sum(section.mass for section in arm.sections) + arm.payload.mass
        reach = sum(section.length * 1.6 + section.offset for section in arm.sections) + 0.1
        return np.full(len(rows), weight * np.linalg.norm(arm.gravity) * reach)
    largest = np.abs(rows).max(axis=1)
    if name in (
        "forward_dynamics",
        "linearization",
        "implicit_step",
    ):  # rounding of M and of the forces passes through M⁻¹
        return largest * np.maximum(1, 1e-4 * np.linalg.cond(ca.mass_matrix(arm, q)))
    return largest


@pytest.mark.parametrize("model", MODELS, ids=lambda m: m.model)
@pytest.mark.parametrize("n", [1, 2, *(pytest.param(n, marks=pytest.mark.slow) for n in (3, 7))])
def test_native_agrees_with_the_reference(level, model, n):
    """Many states that fill whole registers and leave a rest, the fewer the more a section costs the reference."""
    rng = np.random.default_rng([n, MODELS.index(model)])
    arm, q, qd, third = random_case(rng, n, model, 843 // n)
    for name, quantity in QUANTITIES.items():
        function = getattr(ca, name)
        given = arguments(quantity, q, qd, third)
        for found, wanted in zip(
            parts(function(arm, *given)), parts(function(arm, *given, engine="reference")), strict=True
        ):
            assert found.shape == wanted.shape
            error = np.abs(found - wanted).reshape(len(q), -1).max(axis=1)
            assert (error <= 1e-12 * scale_of(name, arm, q, wanted)).all(), name


@pytest.mark.parametrize("model", MODELS[:2], ids=lambda m: m.model)
def test_a_batch_of_any_size_is_its_members_bit_for_bit(level, model):
    rng = np.random.default_rng(1)
    arm, q, qd, third = random_case(rng, 3, model, 19)
    for name, quantity in QUANTITIES.items():
        function = getattr(ca, name)
        ones = [
            function(arm, *(row for row in arguments(quantity, *state))) for state in zip(q, qd, third, strict=True)
        ]
        for count in (1, 2, 3, 8, 9, 16, 17, 19):
            batch = function(arm, *arguments(quantity, q[:count], qd[:count], third[:count]))
            for k, part in enumerate(parts(batch)):
                assert (part == np.stack([parts(one)[k] for one in ones[:count]])).all(), (name, count)


def test_any_number_of_threads_gives_the_same_numbers():
    rng = np.random.default_rng(2)
    arm, q, qd, tau = random_case(rng, 2, MODELS[0], 40)
    q, qd, tau = (np.tile(each, (40, 1)) for each in (q, qd, tau))
    wanted = ca.forward_dynamics(arm, q, qd, tau, threads=1)
    for threads in (2, 3, 7, None):
        assert (ca.forward_dynamics(arm, q, qd, tau, threads=threads) == wanted).all()


def test_concurrent_calls_give_the_same_numbers():
    rng = np.random.default_rng(3)
    cases = [random_case(rng, n, model, 300) for n, model in ((2, MODELS[0]), (3, MODELS[1]), (5, MODELS[0]))]
    wanted = [ca.forward_dynamics(*case) for case in cases]
    wrong = []

    def work(k):
        for _ in range(30):
            if not (ca.forward_dynamics(*cases[k]) == wanted[k]).all():
                wrong.append(k)
            arm, q, qd, tau = cases[k]
            if not (ca.forward_dynamics(arm, q[7], qd[7], tau[7]) == wanted[k][7]).all():
                wrong.append(k)

    threads = [threading.Thread(target=work, args=(k % 3,)) for k in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


@pytest.mark.slow
def test_a_hundred_sections_agree():
    rng = np.random.default_rng(4)
    arm = random_arm(rng, 100)
    q = np.stack([random_lengths(rng, arm, bend=0.3) for _ in range(3)])
    qd, qdd = (np.stack([random_rates(rng, arm) for _ in range(3)]) for _ in range(2))
    for name in ("inverse_dynamics", "mass_matrix", "tip_poses", "kinetic_energy"):
        function = getattr(ca, name)
        given = (q, qd, qdd)[: len(QUANTITIES[name].arguments)]
        wanted = function(arm, *given, engine="reference")
        np.testing.assert_allclose(function(arm, *given), wanted, rtol=0, atol=1e-12 * np.abs(wanted).max())
    tau = ca.inverse_dynamics(arm, q, qd, qdd)
    again = ca.inverse_dynamics(arm, q, qd, ca.forward_dynamics(arm, q, qd, tau))
    np.testing.assert_allclose(again, tau, rtol=0, atol=1e-10 * np.abs(tau).max())


def test_arrays_of_every_layout_are_taken():
    rng = np.random.default_rng(5)
    arm, q, qd, tau = random_case(rng, 3, MODELS[0], 8)
    wanted = ca.forward_dynamics(arm, q, qd, tau)
    strided = np.repeat(q, 2, axis=0)[::2]
    swapped = np.asfortranarray(q)
    locked = q.copy()
    locked.flags.writeable = False
    other_order = q.astype(q.dtype.newbyteorder())
    for form in (strided, swapped, locked, other_order, q.tolist()):
        assert (ca.forward_dynamics(arm, form, qd, tau) == wanted).all()
    assert (ca.forward_dynamics(arm, q[None, :, None], qd[None, :, None], tau[None, :, None])[0, :, 0] == wanted).all()
    assert (ca.forward_dynamics(arm, q=q, qd=qd, tau=tau) == wanted).all()
    assert ca.forward_dynamics(arm, q[:0], qd[:0], tau[:0]).shape == (0, 9)
    assert ca.linearization(arm, q[:0], qd[:0], tau[:0])[0].shape == (0, 18, 18)
    same = ca.forward_dynamics(arm, q, qd[0], tau[0])
    assert (same[3] == ca.forward_dynamics(arm, q[3], qd[0], tau[0])).all()


def test_bad_numbers_anywhere_in_a_batch_reach_no_result():
    rng = np.random.default_rng(6)
    arm, q, qd, tau = random_case(rng, 2, MODELS[0], 20)
    for row in (0, 7, 8, 15, 16, 19):
        for k, name in enumerate(("q", "qd", "tau")):
            state = [q.copy(), qd.copy(), tau.copy()]
            state[k][row, 4] = np.nan
            with pytest.raises(ValueError, match=rf"^{name}\[{row}, 4\] = nan"):
                ca.forward_dynamics(arm, *state)
        bent = q.copy()
        bent[row, 3:] = arm.sections[1].length_map @ [0.0, 6.2833, 0.0]
        with pytest.raises(ValueError, match=rf"^section 2 of 2 \(at q\[{row}\]\) bent by 6\.2833"):
            ca.mass_matrix(arm, bent)


def test_engines_and_threads_are_chosen_by_name():
    rng = np.random.default_rng(7)
    arm, q, qd, tau = random_case(rng, 1, MODELS[0], 4)
    with pytest.raises(ValueError, match=r"^engine = 'fast': must be 'native' or 'reference'$"):
        ca.forward_dynamics(arm, q, qd, tau, engine="fast")
    for threads in (0, -1, 1.5, True, "2"):
        with pytest.raises(ValueError, match=r"^threads = .*: must be a whole number of at least 1$"):
            ca.forward_dynamics(arm, q, qd, tau, threads=threads)
    with pytest.raises(TypeError, match=r"forward_dynamics.*tau"):
        ca.forward_dynamics(arm, q, qd)
    with pytest.raises(ValueError, match=r"^instruction set 'sse9': must be one of 'baseline'"):
        native.use_level("sse9")


def test_the_handle_belongs_to_one_arm():
    rng = np.random.default_rng(8)
    arm, q, qd, tau = random_case(rng, 1, MODELS[0], 4)
    ca.forward_dynamics(arm, q, qd, tau)
    handle = native_arm(arm)
    assert native_arm(arm) is handle
    heavier = arm.replace(sections=[arm.sections[0].replace(mass=5.0)])
    assert native_arm(heavier) is not handle
    wanted = ca.forward_dynamics(heavier, q, qd, tau, engine="reference")
    np.testing.assert_allclose(ca.forward_dynamics(heavier, q, qd, tau), wanted, rtol=1e-9)


def test_arrays_as_files_have_them_are_taken(level):
    """An explicit byte order, as h5py gives it, changes nothing; the other order is converted, not misread."""
    rng = np.random.default_rng(4)
    arm, q, qd, tau = random_case(rng, 2, MODELS[0], 5)
    wanted = ca.forward_dynamics(arm, q, qd, tau)
    for order in "<>":
        given = (
            np.frombuffer(each.astype(f"{order}f8").tobytes(), f"{order}f8").reshape(q.shape) for each in (q, qd, tau)
        )
        np.testing.assert_array_equal(ca.forward_dynamics(arm, *given), wanted)
