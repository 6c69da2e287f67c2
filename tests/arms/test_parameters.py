"""Laws of numbers by name: a moved arm is the arm that a description of the moved number gives."""

import numpy as np
import pytest

from continuarm import Arm, Payload, Section, load_arm
from continuarm.arms.parameters import moved, parameter_names, require_apart, size_of, unchecked, unit_of
from continuarm.identification.fittable_parameters import SECTION_FIELDS
from refusals import refused

ARM = load_arm("prototype-muscles").replace(payload=Payload(mass=0.05))


@pytest.mark.parametrize(
    ("name", "path", "value"),
    [
        ("mass", "sections[*].mass", ARM.sections[0].mass),
        ("sections[1].length", "sections[1].length", ARM.sections[1].length),
        ("sections[-1].valve_lag", "sections[2].valve_lag", ARM.sections[2].valve_lag),
        ("hysteresis[1]", "sections[*].hysteresis[1]", ARM.sections[0].hysteresis[1]),
        ("payload.mass", "payload.mass", 0.05),
        ("gravity[2]", "gravity[2]", ARM.gravity[2]),
    ],
)
def test_a_moved_arm_is_one_with_that_number_replaced(name, path, value):
    by = 1e-3 * value
    assert moved(ARM, name, by).model_dump() == ARM.replace({path: value + by}).model_dump()
    assert size_of(ARM, name) == value


@pytest.mark.parametrize(
    ("name", "unit"),
    [
        *((name, field.unit.removeprefix("1")) for name, field in SECTION_FIELDS.items()),
        *{"stiffness[0][1]": "N/m", "sections[*].damping[1]": "N s/m", "length_range[0]": "m", "twist": "rad"}.items(),
        *{"hysteresis[0]": "N/m", "hysteresis[2]": "1/m", "hysteresis[-1]": "1/m", "hysteresis[*]": ""}.items(),
        *{"creep[0][0]": "N/m", "creep[*][1]": "s", "creep[0]": "", "inertia.beta_linear[0]": ""}.items(),
        *{"payload.offset[0]": "m", "gravity[2]": "m/s²", "sections[0].muscles.radii[*]": "m"}.items(),
    ],
)
def test_a_number_has_the_unit_of_its_field(name, unit):
    assert unit_of(name) == unit


def test_a_complex_step_has_the_slope_of_whatever_is_computed():
    """I = m r² / 4, and B of the muscles, which falls with the radius."""
    section = moved(ARM, "radius", 1e-100j).sections[0]
    r, m = ARM.sections[0].radius, ARM.sections[0].mass
    assert section.disc_inertia.imag == pytest.approx(1e-100 * m * r / 2)
    np.testing.assert_allclose(section.shape_map.imag[:2], -1e-100 / r * ARM.sections[0].shape_map[:2], rtol=1e-14)
    turned = moved(ARM, "base_rotation[1]", 1e-100j)  # at no rotation at all
    np.testing.assert_allclose(turned.base_orientation.imag, 1e-100 * np.array([[0, 0, 1], [0, 0, 0], [-1, 0, 0]]))


def test_two_entries_of_a_matrix_are_one_number():
    matrix = [[500.0, 20.0, 10.0], [20.0, 450.0, 5.0], [10.0, 5.0, 400.0]]
    arm = Arm(sections=[Section(length=0.2, radius=0.02, mass=0.1, stiffness=matrix)])
    found = np.array(moved(arm, "stiffness[0][2]", 3.0).sections[0].stiffness)
    assert np.array_equal(found - matrix, [[0, 0, 3], [0, 0, 0], [3, 0, 0]])
    assert size_of(arm, "stiffness[0][2]") == 10.0
    with refused("stiffness[0][5]", "stiffness[2][2]"):
        moved(arm, "stiffness[0][5]", 1.0)


def test_what_is_zero_has_a_size_and_a_payload_that_is_not_there_too():
    arm = load_arm("prototype")
    assert moved(arm, "payload.mass", 0.1).payload == Payload(mass=0.1)
    for name in ("payload.mass", "hardening", "pressure_stiffness", "offset", "base_rotation[0]", "preload[0]"):
        assert size_of(arm, name) > 0


def test_names_are_a_list_or_text_with_commas():
    assert parameter_names("names", "mass, sections[0] .mass") == ["mass", "sections[0].mass"]
    assert parameter_names("names", ()) == []
    with refused("names", "'mass'", "more than once"):
        parameter_names("names", ["mass", "mass "])


def test_the_arm_itself_stays_as_it_is():
    before = ARM.model_dump()
    unchecked(moved(ARM, "mass", 1j), name="another")
    assert ARM.model_dump() == before


def test_two_names_of_one_number_are_told():
    arm = load_arm("prototype")
    require_apart(arm, "parameters", ["stiffness", "sections[0].mass"])
    for names in (["stiffness", "sections[0].stiffness"], ["sections[2].mass", "sections[-1].mass"]):
        with pytest.raises(ValueError, match=r"parameters: .*both set sections\["):
            require_apart(arm, "parameters", names)
    matrix = arm.replace({"sections[*].stiffness": np.diag([1700.0, 1800.0, 1900.0])})
    with pytest.raises(ValueError, match=r"\[0\]\[\*\]: must be one entry"):
        moved(matrix, "sections[0].stiffness[0][*]", 1.0)
