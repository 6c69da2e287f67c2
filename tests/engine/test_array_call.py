"""Laws of calls for array libraries: batch axes of states, weights and arms broadcast; what does not fit is refused."""

import itertools

import numpy as np
import pytest

import continuarm as ca
from continuarm.dynamics.plant import Plant
from continuarm.engine import compiled
from continuarm.engine.array_call import GRADIENT, TANGENT, VALUE, call_of, unused_axes
from continuarm.engine.native_arm import constant_row, native_plant, number_row
from random_arms import random_arm, random_lengths, random_rates

QUANTITY = "forward_dynamics"


def a_world(seed=0, arms=3, rows=4):
    """Arms of one structure with their numbers, and states that suit all of them."""
    rng = np.random.default_rng(seed)
    several = [random_arm(rng, 2) for _ in range(arms)]
    q = np.stack([random_lengths(rng, several[0], 0.3) for _ in range(rows)])
    rest = [np.stack([random_rates(rng, several[0]) for _ in range(rows)]) for _ in range(2)]
    return rng, several, np.stack([number_row(arm) for arm in several]), [q, *rest]


def test_numbers_are_as_many_as_native_code_has(prototype):
    stopped = prototype.replace({"sections[0].length_range": (-0.01, 0.05), "sections[0].stop_stiffness": 1e4})
    for arm in (prototype, stopped):
        plant = Plant(arm)
        assert len(constant_row(plant, 1e-3)) == native_plant(plant).constants()
        states = [np.zeros(9)] * 3
        call_of(arm, QUANTITY).run([number_row(arm), *states])
        with pytest.raises(ValueError, match="numbers"):
            call_of(arm, QUANTITY).run([number_row(arm)[:-1], *states])


@pytest.mark.parametrize("ones", list(itertools.product([False, True], repeat=4)), ids=str)
def test_batch_axes_broadcast(ones):
    _, arms, numbers, (q, qd, tau) = a_world()
    call = call_of(arms[0], QUANTITY)
    given = [numbers[:, None], *(each[None] for each in (q, qd, tau))]  # (3, 1, ...) and (1, 4, ...)
    given = [
        each[:1, :1] if one else np.broadcast_to(each, (3, 4, each.shape[-1]))
        for one, each in zip(ones, given, strict=True)
    ]
    found = call.run(given)
    whole = [np.broadcast_to(each, (*found.shape[:-1], each.shape[-1])) for each in given]
    for at in np.ndindex(found.shape[:-1]):
        arm = arms[at[0] if not ones[0] else 0]
        assert np.array_equal(found[at], ca.forward_dynamics(arm, *(each[at] for each in whole[1:])))


def test_derivatives_along_numbers_and_by_numbers_are_transposes():
    rng, arms, numbers, states = a_world(1)
    call = call_of(arms[0], QUANTITY)
    given = [numbers[:, None], *(each[None] for each in states)]
    along = [rng.normal(size=(3, 4, each.shape[-1])) for each in (*given[1:], given[0])]
    weights = rng.normal(size=(3, 4, 6))
    tangent = call.of(TANGENT, constants=True).run([*given, *along])
    gradient = call.of(GRADIENT, constants=True).run([*given, weights])
    one, other = np.vdot(weights, tangent), np.vdot(gradient, np.concatenate(along, axis=-1))
    assert one == pytest.approx(other, rel=1e-11)


def test_axes_that_are_summed():
    assert unused_axes((1, 4, 1, 9), (3, 4, 1)) == (0,)
    assert unused_axes((9,), ()) == ()


def refused_call(**changes):
    _, arms, numbers, (q, qd, tau) = a_world(2, arms=1)
    call = call_of(arms[0], QUANTITY)
    given = dict(call.attributes() | {"stops": list(call.stops)})
    given["operands"] = [np.ascontiguousarray(each) for each in (numbers, q[:1], qd[:1], tau[:1])]
    given["out"] = np.empty((1, 6))
    for name, change in changes.items():
        given[name] = change(given[name])
    with pytest.raises(ValueError, match=r"arm's|operand|quantity|mode"):
        compiled.native.array_call(**given)


@pytest.mark.parametrize(
    "changes",
    [
        {"quantity": lambda _: 99},
        {"quantity": lambda _: -1},
        {"mode": lambda _: 3},
        {"stops": lambda _: []},
        {"stops": lambda _: [0, -1]},
        {"stops": lambda _: [0, 0, 0]},
        {"stops": lambda _: [1, 0]},
        {"step": lambda _: -1.0},
        {"mode": lambda _: GRADIENT},
        {"operands": lambda each: each[:3]},
        {"operands": lambda each: [*each, each[1]]},
        {"operands": lambda each: [each[0][:, :-1], *each[1:]]},
        {"operands": lambda each: [each[0], each[1][:, :5], *each[2:]]},
        {"operands": lambda each: [each[0], each[1][0], *each[2:]]},
        {"operands": lambda each: [each[0], np.tile(each[1], (2, 1)), *each[2:]]},
        {"operands": lambda each: [each[0], each[1].astype(np.float32), *each[2:]]},
        {"operands": lambda each: [each[0]] * 9},
        {"out": lambda _: np.empty((1, 5))},
        {"out": lambda _: np.empty((1, 6), dtype=np.float32)},
    ],
    ids=lambda changes: next(iter(changes)),
)
def test_what_does_not_fit_is_refused(changes):
    refused_call(**changes)


def test_the_mode_of_values_is_the_first():
    assert (VALUE, TANGENT, GRADIENT) == (0, 1, 2)
