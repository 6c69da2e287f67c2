"""What an arm description may be, and what it says when it cannot be."""

from __future__ import annotations

import ast
import copy
import inspect
import math
import pickle
import pydoc
import textwrap
from fractions import Fraction
from functools import cached_property
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from continuarm.arms.arm import Arm, Payload
from continuarm.arms.description import Description, DescriptionError
from continuarm.arms.inertia_models import CentreOfGravity, Integral, PointMass
from continuarm.arms.section import Muscles, Section
from refusals import refuses

GOOD: dict[str, Any] = {"length": 0.15, "radius": 0.0125, "mass": 0.1, "stiffness": 1700.0}
FOUR = Muscles(angles=(0.0, math.pi / 2, math.pi, 3 * math.pi / 2), radii=(0.01,) * 4)
KNOWN = (
    "length, radius, mass, stiffness, damping, offset, twist, muscles, length_range, stop_stiffness, "
    "muscle_area, dead_zone, valve_lag, vent_lag, pressure_stiffness, hardening, preload, creep, "
    "hysteresis, shaking"
)
MASS = "… 1e-12 … 1e6 kg"
LENGTH = "… 1e-6 … 1000 m"
ANGLE = "… -2π … 2π rad"
COEFFICIENT = "… 3x3"
MODELS = "… 'integral' … 'centre-of-gravity' … 'point-mass'"
MASKED = "masked_array(data=[1.0, --, 1.0], mask=[False, True, False], fill_value=1e+20)"
LINEAR = "… indefinite … (β2 - 1)² … (β1 - 1)(β3 - 1)"
ANGULAR = "… indefinite … β2² … β1 β3"


def sentence_of(kind: Any, **fields: Any) -> str:
    with pytest.raises(DescriptionError) as caught:
        kind(**fields)
    sentence = str(caught.value)
    assert "pydantic" not in sentence
    return sentence


BAD_SECTIONS: list[tuple[dict[str, Any], str]] = [
    ({"mass": -1}, f"mass = -1: {MASS}"),
    ({"mass": 1e-13}, f"mass = 1e-13: {MASS}"),
    ({"mass": 1e7}, f"mass = 10000000.0: {MASS}"),
    ({"radius": 0}, f"radius = 0: {LENGTH}"),
    ({"radius": 1e-308}, f"radius = 1e-308: {LENGTH}"),
    ({"radius": 1e308}, f"radius = 1e+308: {LENGTH}"),
    ({"length": math.nan}, f"length = nan: {LENGTH}"),
    ({"length": math.inf}, f"length = inf: {LENGTH}"),
    ({"length": 10**400}, f"length = 1{'0' * 76}...: {LENGTH}"),
    ({"length": np.ma.masked}, f"length = masked: {LENGTH}"),
    ({"mass": "0.1"}, f"mass = '0.1': {MASS}"),
    ({"mass": b"0.1"}, f"mass = b'0.1': {MASS}"),
    ({"mass": True}, f"mass = True: {MASS}"),
    ({"mass": np.array(True)}, f"mass = array(True): {MASS}"),
    ({"mass": None}, f"mass = None: {MASS}"),
    ({"mass": [0.1]}, f"mass = [0.1]: {MASS}"),
    ({"offset": -0.01}, "offset = -0.01: … 0 … 1000 m"),
    ({"twist": 60}, f"twist = 60: {ANGLE}"),
    ({"twist": -6.2832}, f"twist = -6.2832: {ANGLE}"),
    (
        {"muscles": {"angles": [0, 120, 240], "radii": [0.01] * 3}},
        f"muscles.angles[1] = 120: {ANGLE} … muscles.angles[2] = 240: {ANGLE}",
    ),
    ({"mas": 0.1}, "mas is not … known … 'mass'?"),
    ({"colour": "red"}, f"colour is not … known: {KNOWN}"),
    ({"gravity": [0, 0, 1]}, f"gravity is not … known: {KNOWN}"),
    ({"stiffness": 0}, "stiffness = 0.0: … 0"),
    ({"stiffness": -1}, "stiffness = -1.0: … 0"),
    ({"stiffness": math.nan}, "stiffness = nan: … finite"),
    ({"stiffness": [1, 2, math.inf]}, "stiffness = [1, 2, inf]: … finite"),
    ({"stiffness": 1e13}, "stiffness = 10000000000000.0: … ±1e12"),
    ({"stiffness": np.ma.masked_array([1.0, 1.0, 1.0], mask=[0, 1, 0])}, f"stiffness = {MASKED}: {COEFFICIENT}"),
    ({"stiffness": True}, f"stiffness = True: {COEFFICIENT}"),
    ({"stiffness": [1, True, 2]}, f"stiffness = [1, True, 2]: {COEFFICIENT}"),
    ({"stiffness": "1700"}, f"stiffness = '1700': {COEFFICIENT}"),
    ({"stiffness": None}, f"stiffness = None: {COEFFICIENT}"),
    ({"stiffness": []}, f"stiffness = []: {COEFFICIENT}"),
    ({"stiffness": [[1, 0], [0, 1]]}, f"stiffness = [[1, 0], [0, 1]]: {COEFFICIENT}"),
    ({"stiffness": [[1, 0], [0]]}, f"stiffness = [[1, 0], [0]]: {COEFFICIENT}"),
    ({"stiffness": [1, 2]}, "stiffness = [1.0, 2.0]: … 3 muscles"),
    (
        {"stiffness": [1, 2, 3], "muscles": FOUR},
        "stiffness = [1.0, 2.0, 3.0]: … 4 muscles",
    ),
    ({"stiffness": [0, 1, 1]}, "stiffness = [0.0, 1.0, 1.0]: … positive definite"),
    (
        {"stiffness": [[1, 2, 0], [0, 1, 0], [0, 0, 1]]},
        "stiffness = [[1.0, 2.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]: … symmetric",
    ),
    (
        {"stiffness": [[1, 2, 0], [2, 1, 0], [0, 0, 1]]},
        "stiffness = [[1.0, 2.0, 0.0], [2.0, 1.0, 0.0], [0.0, 0.0, 1.0]]: … positive definite",
    ),
    ({"damping": -1}, "damping = -1.0: … 0"),
    ({"damping": [-1, 1, 1]}, "damping = [-1.0, 1.0, 1.0]: … positive semidefinite"),
    ({"length_range": [0.07, 0]}, "length_range = [0.07, 0.0]: … below"),
    (
        {"length_range": [-0.15, 0]},
        "length_range = [-0.15, 0.0]: … above -0.15 m",
    ),
    ({"length_range": [0.07]}, "length_range = [0.07]: … 2 numbers"),
    ({"length_range": 0.07}, "length_range = 0.07: … 2 numbers"),
    ({"stop_stiffness": 1e4}, "stop_stiffness = 10000.0: … length_range"),
    ({"length_range": [-2000, 0]}, "length_range[0] = -2000: … -1000 … 1000 m"),
    ({"muscles": 4}, "muscles = 4: … Muscles(...) … angles, radii"),
    ({"muscles": {"angles": [0, 2, 4]}}, "muscles.radii is missing"),
    (
        {"muscles": {"angles": [0, 2], "radii": [0.01, 0.01, 0.01]}},
        "muscles.angles = [0, 2]: … 3 or more numbers",
    ),
    (
        {"muscles": {"angles": [0, 2, 4], "radii": [0.01, 0.01, 0]}},
        f"muscles.radii[2] = 0: {LENGTH}",
    ),
    (
        {"muscles": {"angles": [0, 2, 4, 5], "radii": [0.01, 0.01, 0.01]}},
        "muscles.radii = [0.01, 0.01, 0.01]: … 4 angles",
    ),
    (
        {"muscles": {"angles": [0, 0, 0], "radii": [0.01, 0.02, 0.03]}},
        "muscles.angles = [0.0, 0.0, 0.0]: … one plane",
    ),
    ({"mass": -1, "length": "x"}, f"length = 'x': {LENGTH} … mass = -1: {MASS}"),
]


@pytest.mark.parametrize(("change", "expected"), BAD_SECTIONS)
def test_a_section_that_cannot_be_is_refused_in_one_sentence(change: dict[str, Any], expected: str) -> None:
    assert refuses(sentence_of(Section, **GOOD | change), f"Section: {expected}")


BAD_ARMS: list[tuple[dict[str, Any], str]] = [
    ({"sections": []}, "sections = []: … one section"),
    ({"sections": 3}, "sections = 3: … list of sections … [[sections]]"),
    ({"sections": "three"}, "sections = 'three': … list of sections … [[sections]]"),
    ({"sections": [GOOD, 3]}, f"section 2 = 3: … Section(...) … {KNOWN}"),
    ({"sections": [GOOD, {**GOOD, "mass": -1}]}, f"section 2: mass = -1: {MASS}"),
    ({"sections": [GOOD, {**GOOD, "beta_linear": 1}]}, f"section 2: beta_linear is not … known: {KNOWN}"),
    ({"sectoins": [GOOD]}, "sectoins is not … known … 'sections'?"),
    ({"name": 3}, "name = 3: … text"),
    ({"name": "\ud800"}, r"name = '\ud800': … UTF-8"),
    ({"gravity": [0, 0]}, "gravity = [0, 0]: … 3 numbers"),
    ({"gravity": [0, 0, 9.81, 0]}, "gravity = [0, 0, 9.81, 0]: … 3 numbers"),
    ({"gravity": 9.81}, "gravity = 9.81: … 3 numbers"),
    ({"gravity": [0, 0, "down"]}, "gravity[2] = 'down': … -1e6 … 1e6 m/s²"),
    ({"gravity": [0, 0, -math.inf]}, "gravity[2] = -inf: … -1e6 … 1e6 m/s²"),
    (
        {"gravity": np.ma.masked_array([0.0, 0.0, 9.81], mask=[0, 1, 0])},
        "gravity[1] = None: … -1e6 … 1e6 m/s²",
    ),
    ({"base_rotation": [1e300, 0, 0]}, f"base_rotation[0] = 1e+300: {ANGLE}"),
    ({"base_rotation": [0, 180, 0]}, f"base_rotation[1] = 180: {ANGLE}"),
    ({"name": b"arm"}, "name = b'arm': … text"),
    (
        {"sections": Section},
        "sections = <class 'continuarm.arms.section.Section'>: … list of sections … [[sections]]",
    ),
    ({"base_rotation": {1.0, 2.0, 3.0}}, "base_rotation = {1.0, 2.0, 3.0}: … 3 numbers"),
    (
        {"inertia": "integral"},
        "inertia = 'integral': … Integral() … CentreOfGravity(...) … PointMass() … { model =",
    ),
    (
        {"inertia": Integral},
        "inertia = <class 'continuarm.arms.inertia_models.Integral'>: … Integral() … PointMass() … { model =",
    ),
    ({"inertia": SimpleNamespace(model="exact")}, f"inertia.model = 'exact': {MODELS}"),
    ({"inertia": {}}, f"inertia.model is missing: {MODELS}"),
    ({"inertia": {"model": "exact"}}, f"inertia.model = 'exact': {MODELS}"),
    (
        {"inertia": {"model": "center-of-gravity"}},
        f"inertia.model = 'center-of-gravity': {MODELS} … 'centre-of-gravity'",
    ),
    (
        {"inertia": {"model": "integral", "beta_linear": [1, 1, 1]}},
        "inertia.beta_linear is not … known: model",
    ),
    (
        {"inertia": {"model": "centre-of-gravity", "beta_liner": [1, 1, 1]}},
        "inertia.beta_liner is not … known … 'beta_linear'?",
    ),
    (
        {"inertia": {"model": "centre-of-gravity", "beta_linear": [1, 3, 1]}},
        f"inertia.beta_linear = [1.0, 3.0, 1.0]: {LINEAR}",
    ),
    (
        {"inertia": {"model": "centre-of-gravity", "beta_angular": [1, 1, -1]}},
        f"inertia.beta_angular = [1.0, 1.0, -1.0]: {ANGULAR}",
    ),
    (
        {"inertia": {"model": "centre-of-gravity", "beta_linear": [1e300, 1, 1]}},
        "inertia.beta_linear[0] = 1e+300: … -1000 … 1000",
    ),
    (
        {"inertia": {"model": "centre-of-gravity", "allow_indefinite": "yes"}},
        "inertia.allow_indefinite = 'yes': … true or false",
    ),
    (
        {"inertia": {"model": "centre-of-gravity", "allow_indefinite": 1}},
        "inertia.allow_indefinite = 1: … true or false",
    ),
    ({"payload": 0.1}, "payload = 0.1: … Payload(...) … mass, offset"),
    ({"payload": {}}, "payload.mass is missing"),
    ({"payload": {"mass": 0}}, f"payload.mass = 0: {MASS}"),
]


@pytest.mark.parametrize(("change", "expected"), BAD_ARMS)
def test_an_arm_that_cannot_be_is_refused_in_one_sentence(change: dict[str, Any], expected: str) -> None:
    assert refuses(sentence_of(Arm, **{"sections": [GOOD]} | change), f"Arm: {expected}")


def test_many_faults_are_still_one_sentence() -> None:
    sentence = sentence_of(Arm, sections=[{**GOOD, "mass": -1}] * 8)
    assert refuses(sentence, f"Arm: section 1: mass = -1: {MASS} … section 5: mass = -1: {MASS} … 3 more")
    assert "section 6" not in sentence


def test_text_from_outside_cannot_break_the_line() -> None:
    assert sentence_of(Arm, sections=[GOOD], **{"a\nb\x1b": 1}).startswith(r"Arm: a\nb\x1b is not a known field")


def test_a_description_cannot_be_changed_in_place() -> None:
    section = Section(**GOOD)
    with pytest.raises(DescriptionError, match=r"^Section: mass .*replace\(mass="):
        section.mass = 0.2
    with pytest.raises(DescriptionError, match=r"^Section: mass .*replace"):
        del section.mass
    with pytest.raises(DescriptionError, match=r"^Section: mas .*'mass'"):
        section.mas = 0.2  # type: ignore[attr-defined]
    assert section.mass == 0.1


def test_a_replaced_field_is_validated_and_the_rest_is_kept() -> None:
    section = Section(**GOOD, twist=1.0)
    assert section.replace(mass=0.2) == Section(**GOOD | {"mass": 0.2}, twist=1.0)
    assert refuses(sentence_of(section.replace, mass=-0.2), f"Section: mass = -0.2: {MASS}")


@pytest.mark.parametrize("copied", [Section.model_copy, Section.copy])
def test_a_changed_copy_is_validated_like_a_replaced_field(copied: Any) -> None:
    section = Section(**GOOD)
    assert copied(section) == section
    assert copied(section, update={"mass": 0.2}) == section.replace(mass=0.2)
    with pytest.raises(DescriptionError) as caught:
        copied(section, update={"mass": -0.2})
    assert refuses(str(caught.value), f"Section: mass = -0.2: {MASS}")


def test_a_description_from_a_table_or_json_is_refused_in_the_same_sentence() -> None:
    assert (
        Section.model_validate(GOOD)
        == Section(**GOOD)
        == Section.model_validate_json(Section(**GOOD).model_dump_json())
    )
    for made in (lambda: Payload.model_validate({"mass": 0}), lambda: Payload.model_validate_json('{"mass": 0}')):
        with pytest.raises(DescriptionError) as caught:
            made()
        assert refuses(str(caught.value), f"Payload: mass = 0: {MASS}")


def test_numbers_of_every_kind_are_taken() -> None:
    for mass in (1, np.int64(1), np.float32(1), np.array(1.0), Fraction(1)):
        found = Payload(mass=mass).mass
        assert (found, type(found)) == (1.0, float)


def test_the_limits_themselves_are_allowed() -> None:
    for length, mass in ((1e-6, 1e-12), (1e3, 1e6)):
        section = Section(length=length, radius=length, mass=mass, stiffness=1e12, twist=math.tau)
        assert (section.length, section.mass, section.twist) == (length, mass, math.tau)
    turned = Arm(sections=[section], base_rotation=(math.tau, -math.tau, math.tau)).base_orientation
    np.testing.assert_allclose(turned @ turned.T, np.eye(3), atol=1e-14)


def test_help_lists_every_field_with_what_it_is() -> None:
    for kind in (Arm, Section, Muscles, Payload, CentreOfGravity):
        described = {name: field.description for name, field in kind.model_fields.items() if name != "model"}
        for name, description in described.items():
            assert f"    {name}: {description}" in (kind.__doc__ or "").splitlines()
        assert list(inspect.signature(kind).parameters) == list(kind.model_fields)
    assert str(inspect.signature(Payload)) == "(*, mass, offset=(0.0, 0.0, 0.0))"


@pytest.mark.parametrize("kind", [Arm, Section, Muscles, Payload, Integral, CentreOfGravity, PointMass])
def test_help_is_about_the_arm_and_short(kind: type[Description]) -> None:
    lines = pydoc.plain(pydoc.render_doc(kind)).splitlines()
    assert len(lines) <= 160  # from Python 3.13 on every argument of a signature has a line
    assert [line for line in lines if "pydantic" in line] == [" |      pydantic.main.BaseModel"]  # of the mro
    assert not [line for line in lines if "model_" in line or "__" in line]
    assert any("replace(self, changes: " in line and line.endswith("**fields: 'Any') -> 'Self'") for line in lines)
    for name, member in vars(kind).items():
        if isinstance(member, (property, cached_property)) and not name.startswith("_"):
            assert f" |      {name}: {inspect.getdoc(member)}" in lines


def test_an_instance_lists_fields_properties_and_methods() -> None:
    payload = Payload(mass=0.1)
    assert dir(payload) == ["mass", "offset", "replace"]
    assert {"n", "sections", "muscle_names", "muscle_forces", "replace"} <= set(dir(Arm(sections=[Section(**GOOD)])))


@pytest.mark.parametrize("kind", [Arm, Section, Muscles, Payload, CentreOfGravity])
def test_what_type_checkers_are_told_are_the_fields(kind: type[Description]) -> None:
    written = ast.walk(ast.parse(textwrap.dedent(inspect.getsource(kind))))
    (told,) = [each for each in written if isinstance(each, ast.FunctionDef) and each.name == "__init__"]
    optional = {
        name.arg: default is not None for name, default in zip(told.args.kwonlyargs, told.args.kw_defaults, strict=True)
    }
    assert optional == {name: not field.is_required() for name, field in kind.model_fields.items()}
    assert list(optional) == list(kind.model_fields)


def test_fields_are_given_by_name() -> None:
    with pytest.raises(TypeError, match=r"Payload\(mass=.*offset="):
        Payload(0.1)  # type: ignore[call-arg]


def test_equal_descriptions_are_equal_whatever_was_computed_from_them() -> None:
    one = Arm(sections=[Section(**GOOD, muscles=FOUR)], inertia=CentreOfGravity(), payload=Payload(mass=0.1))
    two = Arm(sections=[Section(**GOOD, muscles=FOUR)], inertia=CentreOfGravity(), payload=Payload(mass=0.1))
    assert one.base_gravity.shape == one.sections[0].stiffness_matrix.shape[:1]
    assert one == two
    assert hash(one) == hash(two)
    assert one == copy.deepcopy(one) == pickle.loads(pickle.dumps(one))
    assert one != two.replace(inertia=PointMass())
    assert Integral() != PointMass()
    assert one.sections[0] != one.sections[0].replace(twist=1e-300)


def test_arrays_and_iterators_are_taken_as_lists() -> None:
    matrix = np.array([[2.0, 0.5, 0.5], [0.5, 2.0, 0.5], [0.5, 0.5, 2.0]])
    arm = Arm(sections=(Section(**GOOD | {"stiffness": matrix}) for _ in range(2)), gravity=np.array([1.0, 2.0, 3.0]))
    assert arm.n == 2
    assert arm.gravity == (1.0, 2.0, 3.0)
    assert np.array_equal(arm.sections[1].stiffness_matrix, matrix)


def test_muscle_forces_and_length_changes_have_the_same_power() -> None:
    random = np.random.default_rng(1)
    arm = Arm(sections=[Section(**GOOD, muscles=FOUR), Section(**GOOD)])
    forces, rates = random.normal(size=(5, 7)), random.normal(size=(5, 6))
    of_muscles = np.sum(forces * arm.muscle_lengths(rates), axis=-1)
    np.testing.assert_allclose(np.sum(arm.muscle_forces(forces) * rates, axis=-1), of_muscles, rtol=1e-12)


def test_muscles_at_0_120_240_degrees_on_the_radius_are_the_coordinates() -> None:
    angles = tuple(2 * math.pi * j / 3 for j in range(3))
    section = Section(**GOOD, muscles=Muscles(angles=angles, radii=(GOOD["radius"],) * 3))
    np.testing.assert_allclose(section.muscle_map, np.eye(3), atol=1e-15)


def test_copies_and_pickles_carry_the_description_and_nothing_cached() -> None:
    arm = Arm(sections=[Section(length=0.15, radius=0.0125, mass=0.1, stiffness=1700)])
    assert arm.base_gravity[2] == 9.81  # cached from here on
    assert arm.sections[0].stiffness_matrix[0, 0] == 1700
    assert copy.deepcopy(arm) == arm == pickle.loads(pickle.dumps(arm))
    turned = arm.model_copy(update={"gravity": (0.0, 0.0, -9.81)})
    assert turned.base_gravity[2] == -9.81


def test_a_frozen_section_stays_what_it_is() -> None:
    section = Section(length=0.15, radius=0.0125, mass=0.1, stiffness=1700)
    with pytest.raises(ValueError, match="read-only"):
        section.stiffness_matrix[0, 0] = 0


def test_published_shaping_is_taken_when_asked_for() -> None:
    """β^υ = (1.3155, 1.5053, 1.8011) misses (β2 - 1)² <= (β1 - 1)(β3 - 1) by a hundredth: some motion has K < 0."""
    published = (1.3155, 1.5053, 1.8011)
    with pytest.raises(DescriptionError, match="makes the mass matrix indefinite"):
        CentreOfGravity(beta_linear=published)
    assert CentreOfGravity(beta_linear=published, allow_indefinite=True).beta_linear == published


def test_no_coordinate_has_the_name_of_a_muscle_that_it_is_not():
    """A name that is both a coordinate's and a muscle's stands for the same length."""
    three, four = Section(**GOOD), Section(**GOOD, muscles=FOUR)
    arm = Arm(sections=[four, three, *[four] * 7, three, four])
    names, muscles = arm.coordinate_names, arm.muscle_names
    assert (names[:6], names[-4:]) == (["q11", "q12", "q13", "l21", "l22", "l23"], ["l10-3", "q11-1", "q11-2", "q11-3"])
    lengths = arm.muscle_lengths(np.eye(3 * arm.n))
    for k, name in enumerate(names):
        if name in muscles:
            np.testing.assert_array_equal(lengths[:, muscles.index(name)], np.eye(3 * arm.n)[k])
    assert len(set(names)) == len(names) == 3 * arm.n
    assert Arm(sections=[three] * 2).coordinate_names == Arm(sections=[three] * 2).muscle_names
