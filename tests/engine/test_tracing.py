"""The recorder: it writes down what the code does, no more, and the generated header is what it wrote."""

import numpy as np
import pytest

from continuarm.arms.inertia_models import CentreOfGravity, Integral, PointMass
from continuarm.arms.section import Section
from continuarm.engine.printing import GENERATED, files, operations
from continuarm.engine.recorder import Numbers, Recorder, Step
from continuarm.engine.section_numbers import SECTION, flat, section_numbers
from continuarm.engine.steps import steps
from continuarm.engine.sums import opened_sums
from continuarm.engine.tracing import Pack, Recorded, inputs, leaves
from recordings_of_code import recorded_values

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def recorded_steps():
    """All steps of the engine by name: recording them takes a second."""
    return {step.name: step for step in steps()}


def evaluated(step, **given):
    """A recorded step computed operation by operation on floats."""
    return {name: recorded_values(nodes, given) for name, nodes in step.values.items()}


def recorded(function, *outputs, **shapes):
    """One step by itself, of arguments and results of given shapes."""
    return Recorder({name: Numbers(shape) for name, shape in shapes.items()}).record(function, *outputs)


def test_the_committed_files_are_what_is_printed():
    assert {path.name: path.read_text(encoding="utf-8") for path in GENERATED.iterdir()} == files()


def test_recording_does_not_depend_on_what_was_recorded_before():
    first = files()
    recorded(lambda b, a: a[0] * b[0] - b[1], "c", a=(1,), b=(2,), c=())
    assert files() == first


def test_a_recorded_step_does_what_its_function_does():
    def function(a, b):
        x, y = a
        return np.array([x * y + 3 * x - b[0] / y, -(x - y) * 2 * b[0], (x - y) - (y - x)])

    step = recorded(function, "result", a=(2,), b=(1,), result=(3,))
    numbers = {"a": [1.3, -0.7], "b": [0.9]}
    wanted = function(**{name: np.array(value) for name, value in numbers.items()})
    np.testing.assert_allclose(evaluated(step, **numbers)["result"], wanted, rtol=1e-15)


def test_structural_zeros_ones_and_signs_vanish():
    (x, y) = inputs("v", 2)
    assert 0.0 * x == 0.0
    assert x + 0 is x
    assert 1.0 * x is x
    minus = -x
    assert -minus is x
    assert x - x == 0.0
    assert x * y is y * x
    assert (-x) * (-y) is x * y
    assert x + (-y) is x - y
    assert -(x - y) is y - x
    assert 2 * (0.5 * x) is x


def test_a_tight_pack_stores_repeats_once_and_gives_back_the_structure():
    (x, y) = inputs("v", 2)
    pack = Pack.tight((np.array([x, -x, 0.0, 2.5], dtype=object), y))
    assert len(pack) == 2
    numbers = pack.of((np.array([3.0, -3.0, 0.0, 2.5]), 7.0))
    assert numbers == [3.0, 7.0]
    again = list(leaves(pack.inputs("w")))
    assert again[1].operation == "negative"
    assert again[1].arguments[0] is again[0]
    assert again[2:4] == [0.0, 2.5]


@pytest.mark.parametrize("model", [Integral(), CentreOfGravity(), PointMass()], ids=lambda m: m.model)
def test_parameters_of_every_section_fit_the_generic_ones(model):
    """Zeros, thirds and repeats that the recording took for granted hold for a real section."""
    rng = np.random.default_rng(0)
    root = rng.normal(size=(3, 3))
    section = Section(length=0.2, radius=0.03, mass=0.1, stiffness=root @ root.T + np.eye(3), twist=0.4, offset=0.01)
    numbers = flat(SECTION, section_numbers(section, model))
    for slot, value in zip(SECTION.pack.slots, leaves(section_numbers(section, model)), strict=True):
        wanted = slot.constant if slot.constant is not None else slot.sign * numbers[slot.place]
        assert value == pytest.approx(wanted, rel=1e-15)


def test_the_exact_integral_costs_no_more_than_the_shaped_centre_of_gravity(recorded_steps):
    """Counted, not timed: within a few percent per section of forward dynamics."""
    shared = sum(operations(recorded_steps[name])["total"] for name in ("outward", "lift", "absorb", "respond"))
    exact = shared + operations(recorded_steps["weigh_integral"])["total"]
    shaped = shared + operations(recorded_steps["weigh_shaped"])["total"]
    assert exact <= 1.05 * shaped
    assert exact < 1400


def test_every_product_that_can_be_fused_is():
    step = recorded(lambda a, b: a[0] * b[0] + a[1] * b[1] + a[2] * b[2], "c", a=(3,), b=(3,), c=())
    assert dict(operations(step)) == {"product": 1, "fused": 2, "total": 3}


def test_a_sum_of_products_inside_a_sum_is_opened_so_that_all_are_fused():
    step = recorded(lambda a, b: b[2] - (a[0] * b[0] - a[1] * b[1]), "c", a=(2,), b=(3,), c=())
    assert dict(operations(step)) == {"fused": 2, "total": 2}


def test_a_sum_that_somebody_else_needs_stays_closed():
    def function(a, b):
        inner = a[0] * b[0] + a[1] * b[1]
        return inner, inner + b[2]

    assert operations(recorded(function, "c", "d", a=(2,), b=(3,), c=(), d=()))["total"] == 3


def test_opened_sums_are_the_same_numbers():
    """Random expressions: signs, products of sums, and sums that are shared."""
    rng = np.random.default_rng(0)
    numbers = rng.normal(size=6).tolist()
    for _ in range(200):
        Recorded.forget()
        values = [*inputs("a", 6)]
        for _ in range(25):
            one, other = (values[k] for k in rng.integers(len(values), size=2))
            kind = rng.integers(4)
            values.append(one * other if kind > 1 else one + other if kind else one - other)
        asked = [values[k] for k in rng.integers(6, len(values), size=4)]
        before, after = (
            evaluated(Step("", "", {}, {}, {"c": each}), a=numbers)["c"] for each in (asked, opened_sums(asked))
        )
        assert after == pytest.approx(before, rel=1e-9, abs=1e-9 * np.abs(before).max())


def test_every_number_of_a_struct_has_a_name_of_its_own(recorded_steps):
    for step in recorded_steps.values():
        for layout in (*step.inputs.values(), *step.outputs.values()):
            fields = layout.pack.fields if hasattr(layout, "pack") else []
            assert len(set(fields)) == len(fields)
            assert all(fields) or not fields
