"""Arm files: what is saved is what is loaded, and what cannot be loaded says why."""

from __future__ import annotations

import errno
import math
import os
import stat
import tomllib
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from continuarm.arms.arm import Arm, Payload
from continuarm.arms.arm_file import arm_names, arm_schema, load_arm, save_arm
from continuarm.arms.description import DescriptionError
from continuarm.arms.inertia_models import CentreOfGravity, Integral, PointMass
from continuarm.arms.section import Muscles, Section
from refusals import refuses

# Random arms: every kind of field, and numbers with all their digits

NUMBERS = st.floats(-1e6, 1e6)
VECTORS = st.tuples(NUMBERS, NUMBERS, NUMBERS)
TINY_TO_LARGE = st.floats(1e-9, 1e9)
LENGTHS = st.floats(1e-6, 1e3)
MASSES = st.floats(1e-12, 1e6)
COORDINATES = st.floats(-1e3, 1e3)
ANGLES = st.floats(-math.tau, math.tau)


@st.composite
def layouts(draw: st.DrawFn) -> Muscles:
    count = draw(st.integers(3, 6))
    angles = [2 * math.pi * j / count + draw(st.floats(-0.2, 0.2)) for j in range(count)]
    return Muscles(angles=angles, radii=draw(st.lists(st.floats(0.005, 0.02), min_size=count, max_size=count)))


@st.composite
def coefficients(draw: st.DrawFn, muscles: int) -> Any:
    kind = draw(st.sampled_from(["one", "each", "matrix"]))
    if kind == "one":
        return draw(TINY_TO_LARGE)
    if kind == "each":
        return draw(st.lists(st.floats(10, 1e4), min_size=muscles, max_size=muscles))
    factor = np.array(draw(st.lists(st.floats(-30, 30), min_size=9, max_size=9))).reshape(3, 3)
    return factor @ factor.T + np.eye(3)


@st.composite
def sections(draw: st.DrawFn) -> Section:
    muscles = draw(st.none() | layouts())
    count = 3 if muscles is None else len(muscles.angles)
    length = draw(LENGTHS)
    limits = draw(st.none() | st.tuples(st.floats(-0.9, 0.0), st.floats(0.1, 1.0)))
    return Section(
        length=length,
        radius=draw(st.floats(0.005, 0.05)),
        mass=draw(MASSES),
        stiffness=draw(coefficients(count)),
        damping=draw(st.just(0.0) | coefficients(count)),
        offset=draw(st.just(0.0) | st.floats(0, 1e3)),
        twist=draw(st.just(0.0) | ANGLES),
        muscles=muscles,
        length_range=None if limits is None else [length * limits[0], length * limits[1]],
        stop_stiffness=0.0 if limits is None else draw(st.floats(0, 1e9)),
    )


@st.composite
def shaped(draw: st.DrawFn) -> CentreOfGravity:
    base, own = draw(st.floats(1, 3)), draw(st.floats(1, 3))
    angular_base, angular_own = draw(st.floats(0, 3)), draw(st.floats(0, 3))
    part = draw(st.floats(-0.999, 0.999))
    return CentreOfGravity(
        beta_linear=(base, 1 + part * math.sqrt((base - 1) * (own - 1)) * 0.999, own),
        beta_angular=(angular_base, part * math.sqrt(angular_base * angular_own), angular_own),
    )


@st.composite
def random_arms(draw: st.DrawFn) -> Arm:
    runs = draw(st.lists(st.tuples(sections(), st.integers(1, 3)), min_size=1, max_size=3))
    return Arm(
        name=draw(st.text()),
        description=draw(st.text()),
        sections=[section for section, repeat in runs for _ in range(repeat)],
        inertia=draw(st.sampled_from([Integral(), PointMass(), CentreOfGravity()]) | shaped()),
        gravity=draw(VECTORS),
        base_rotation=draw(st.tuples(ANGLES, ANGLES, ANGLES)),
        payload=draw(
            st.none() | st.builds(Payload, mass=MASSES, offset=st.tuples(COORDINATES, COORDINATES, COORDINATES))
        ),
    )


@pytest.mark.slow
@settings(
    max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture]
)
@given(random_arms())
def test_loading_undoes_saving(tmp_path: Path, arm: Arm) -> None:
    path = tmp_path / "arm.toml"
    save_arm(arm, path)
    assert load_arm(path) == arm
    assert all(type(section) is Section for section in load_arm(path).sections)


def test_every_character_survives(tmp_path: Path) -> None:
    text = "".join(map(chr, [*range(0x180), 0x2028, 0xFEFF, 0x1F991])) + '"""\\u0041[bold]#'
    arm = load_arm("prototype").replace(name=text, description=text[::-1])
    save_arm(arm, tmp_path / "arm.toml")
    assert load_arm(tmp_path / "arm.toml") == arm


def test_a_saved_file_is_short(tmp_path: Path) -> None:
    section = Section(length=0.15, radius=0.0125, mass=0.1, stiffness=1700.0)
    last = section.replace(muscles=Muscles(angles=[0.0, 2.0, 4.0], radii=[0.01, 0.02, 0.03]))
    arm = Arm(name="short", sections=[section] * 3 + [last], inertia=CentreOfGravity(), payload=Payload(mass=0.5))
    save_arm(arm, tmp_path / "arm.toml")
    units, *lines = (tmp_path / "arm.toml").read_text(encoding="utf-8").splitlines()
    assert units.startswith("# Units: m, kg, s, N, rad;")
    assert lines == [
        'name = "short"',
        'inertia = { model = "centre-of-gravity" }',
        "payload = { mass = 0.5 }",
        "",
        "[[sections]]",
        "repeat = 3",
        *("length = 0.15", "radius = 0.0125", "mass = 0.1", "stiffness = 1700.0"),
        "",
        "[[sections]]",
        *("length = 0.15", "radius = 0.0125", "mass = 0.1", "stiffness = 1700.0"),
        "muscles = { angles = [0.0, 2.0, 4.0], radii = [0.01, 0.02, 0.03] }",
    ]


# A save is whole or not at all


@pytest.mark.parametrize("step", ["fsync", "replace"])
@pytest.mark.parametrize("fault", [OSError(errno.ENOSPC, "No space left on device"), KeyboardInterrupt()])
def test_an_interrupted_save_leaves_the_old_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str, fault: BaseException
) -> None:
    path = tmp_path / "arm.toml"
    save_arm(load_arm("prototype"), path)
    before = path.read_bytes()

    def fail(*_: Any) -> None:
        raise fault

    monkeypatch.setattr(os, step, fail)
    with pytest.raises((DescriptionError, KeyboardInterrupt)) as caught:
        save_arm(load_arm("ten-sections"), path)
    if isinstance(fault, OSError):
        assert str(caught.value) == f"{path}: cannot be written: No space left on device"
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


def test_a_save_keeps_the_link_and_the_permissions(tmp_path: Path) -> None:
    path, link = tmp_path / "arm.toml", tmp_path / "link.toml"
    save_arm(load_arm("prototype"), path)
    path.chmod(0o640)
    link.symlink_to(path)
    save_arm(load_arm("single-section"), link)
    assert link.is_symlink()
    assert load_arm(path).name == "single-section"
    assert stat.S_IMODE(path.stat().st_mode) == 0o640


def test_a_save_that_has_no_place_is_refused_in_one_sentence(tmp_path: Path) -> None:
    arm = load_arm("prototype")
    (tmp_path / "old.toml").touch(mode=0o444)
    refused = {
        tmp_path / "none" / "arm.toml": f"… {str(tmp_path / 'none')!r} … not exist",
        tmp_path: "… folder",
        Path(os.devnull): "… device",
    }
    if os.geteuid():  # the administrator may write everything
        refused[tmp_path / "old.toml"] = "is read-only"
    for path, sentence in refused.items():
        with pytest.raises(DescriptionError) as caught:
            save_arm(arm, path)
        assert refuses(str(caught.value), f"{path}: {sentence}")
    with pytest.raises(DescriptionError, match=r"arm = 'arm\.toml'.*Arm"):
        save_arm("arm.toml", arm)  # type: ignore[arg-type]
    for path in (None, "", b"arm.toml", 3):
        with pytest.raises(DescriptionError) as caught:
            save_arm(arm, path)  # type: ignore[arg-type]
        assert refuses(str(caught.value), f"path = {path!r}: … file")
    with pytest.raises(DescriptionError, match=r"^a\\x00b: cannot be written: .*null"):
        save_arm(arm, "a\0b")


# What cannot be loaded

SECTION = "[[sections]]\nlength = 0.15\nradius = 0.0125\nmass = 0.1\nstiffness = 1700.0\n"
FIELDS = (
    "length, radius, mass, stiffness, damping, offset, twist, muscles, length_range, stop_stiffness, "
    "muscle_area, dead_zone, valve_lag, vent_lag, pressure_stiffness, hardening, preload, creep, "
    "hysteresis, shaking, repeat"
)
MASS = "… 1e-12 … 1e6 kg"
LENGTH = "… 1e-6 … 1000 m"
COUNT = "… integer … 1 … 10000"
MODELS = "… 'integral' … 'centre-of-gravity' … 'point-mass'"


def with_line(line: str) -> str:
    """A good file whose second entry has one more line, or another value on the line of that field."""
    field = line.split(" =")[0]
    kept = [old for old in SECTION.splitlines() if not old.startswith(f"{field} =")]
    return SECTION + "\n".join([*kept, line]) + "\n"


ARM_FIELDS = ("name", "description", "inertia", "gravity", "base_rotation", "payload")

BAD_ENTRIES = {
    "mass = -0.1": f"mass = -0.1: {MASS}",
    "mass = nan": f"mass = nan: {MASS}",
    "mass = inf": f"mass = inf: {MASS}",
    "mass = 1e999": f"mass = inf: {MASS}",
    'mass = "0.1"': f"mass = '0.1': {MASS}",
    "mass = true": f"mass = True: {MASS}",
    "mass = 2026-01-01": f"mass = datetime.date(2026, 1, 1): {MASS}",
    "radius = 0": f"radius = 0: {LENGTH}",
    "twist = 60": "twist = 60: … -2π … 2π rad",
    "masss = 0.1": "masss is not … known … 'mass'?",
    "repeet = 2": "repeet is not … known … 'repeat'?",
    "colour = 2": f"colour is not … known: {FIELDS}",
    **{f"{field} = 2": f"{field} … field of the arm … above the first [[sections]]" for field in ARM_FIELDS},
    '"two\\nlines" = 2': rf"two\nlines is not … known: {FIELDS}",
    "repeat = 0": f"repeat = 0: {COUNT}",
    "repeat = -1": f"repeat = -1: {COUNT}",
    "repeat = 1.5": f"repeat = 1.5: {COUNT}",
    "repeat = 2.0": f"repeat = 2.0: {COUNT}",
    "repeat = true": f"repeat = True: {COUNT}",
    'repeat = "3"': f"repeat = '3': {COUNT}",
    "repeat = 1000000000": f"repeat = 1000000000: {COUNT}",
    "stiffness = [1, 2]": "stiffness = [1.0, 2.0]: … 3 muscles",
    "stiffness = [[1, 2, 0], [0, 1, 0], [0, 0, 1]]": (
        "stiffness = [[1.0, 2.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]: … symmetric"
    ),
    "stiffness = [[1, 2, 0], [2, 1, 0], [0, 0, 1]]": (
        "stiffness = [[1.0, 2.0, 0.0], [2.0, 1.0, 0.0], [0.0, 0.0, 1.0]]: … positive definite"
    ),
    "length_range = [0.07, 0.0]": "length_range = [0.07, 0.0]: … below",
    "stop_stiffness = 1e4": "stop_stiffness = 10000.0: … length_range",
    "muscles = { angles = [0, 1], radii = [1, 1, 1] }": ("muscles.angles = [0, 1]: … 3 or more numbers"),
    "muscles = { angles = [0, 0, 0], radii = [0.1, 0.2, 0.3] }": ("muscles.angles = [0.0, 0.0, 0.0]: … one plane"),
}

BAD_FILES: dict[str | bytes, str] = {
    "": "sections is missing",
    "sections = []": "sections = []: … one section",
    "sections = [3]": f"[[sections]] entry 1 = 3: … Section(...) … {FIELDS}",
    "[sections]\nmass = 1": "sections = {'mass': 1}: … list of sections … [[sections]]",
    SECTION.replace("mass = 0.1\n", ""): "[[sections]] entry 1: mass is missing",
    f"[[section]]\n{SECTION}": "section is not … known … 'sections'?",
    f"name = 3\n{SECTION}": "name = 3: … text",
    f"gravity = [0, 0]\n{SECTION}": "gravity = [0, 0]: … 3 numbers",
    f"inertia = 'integral'\n{SECTION}": (
        "inertia = 'integral': … Integral() … CentreOfGravity(...) … PointMass() … { model ="
    ),
    f"inertia = {{ model = 'exact' }}\n{SECTION}": f"inertia.model = 'exact': {MODELS}",
    f"{SECTION}[inertia]\nbeta_linear = [1, 1, 1]": f"inertia.model is missing: {MODELS}",
    f"{SECTION}[inertia]\nmodel = 'centre-of-gravity'\nbeta_linear = [1, 3, 1]": (
        "inertia.beta_linear = [1.0, 3.0, 1.0]: … indefinite … (β2 - 1)² … (β1 - 1)(β3 - 1)"
    ),
    f"payload = {{ mass = -1 }}\n{SECTION}": f"payload.mass = -1: {MASS}",
    f"{SECTION}mass = 0.2\n": "line 6, column 11: a key or table is given twice",
    "name = 'a'\nname = 'b'\n": "line 2, column 11: a key or table is given twice",
    "[payload]\nmass = 1\n[payload]\n": "line 3, column 9: a key or table is given twice",
    "name = \n": "line 1, column 8: invalid value",
    "[[sections]\n": "line 1, column 11: expected ']]' at the end of an array declaration",
    "name = 'a": 'end of document: expected "\'"',
    "a = " + "[" * 10_000: "is nested too deeply",
    b"name = 'a'\nname = '\xff'": "line 2: is not UTF-8 text",
    "name = 'a'".encode("utf-16"): "line 1: is not UTF-8 text",
    b"\x00\x01\x02": "line 1, column 1: invalid statement",
}


def refusal(source: Any) -> str:
    with pytest.raises(DescriptionError) as caught:
        load_arm(source)
    sentence = str(caught.value)
    assert "pydantic" not in sentence
    return sentence


@pytest.mark.parametrize(("line", "expected"), BAD_ENTRIES.items())
def test_a_bad_entry_is_named_by_its_place_in_the_file(tmp_path: Path, line: str, expected: str) -> None:
    path = tmp_path / "arm.toml"
    path.write_text(with_line(line), encoding="utf-8")
    assert refuses(refusal(path), f"{path}: [[sections]] entry 2: {expected}")


@pytest.mark.parametrize(("content", "expected"), BAD_FILES.items())
def test_a_bad_file_is_refused_in_one_sentence(tmp_path: Path, content: str | bytes, expected: str) -> None:
    path = tmp_path / "arm.toml"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    assert refuses(refusal(path), f"{path}: {expected}")


def test_repeats_do_not_shift_the_place_of_later_entries(tmp_path: Path) -> None:
    path = tmp_path / "arm.toml"
    path.write_text(f"{SECTION}repeat = 5\n{SECTION.replace('0.0125', '-1')}", encoding="utf-8")
    assert refuses(refusal(path), f"{path}: [[sections]] entry 2: radius = -1: {LENGTH}")


def test_what_is_no_file_is_refused_in_one_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("folder").mkdir()
    names = "'asu-two-section', 'prototype', 'prototype-muscles', 'single-section', 'stanford-trunk', 'ten-sections'"
    for source, expected in (
        ("arm.toml", "arm.toml: … no such file"),
        ("./prototype", "prototype: … no such file"),
        ("prototype.toml", "prototype.toml: … no such file"),
        ("folder", "folder: … is a folder"),
        (tmp_path, f"{tmp_path}: … is a folder"),
        ("protoype", f"'protoype' … {names} … 'prototype'"),
        ("", f"'' … {names}"),
        ("a\nb", rf"'a\nb' … {names}"),
        ("a\0.toml", r"a\x00.toml: … null"),
        (None, "source = None: … file or … arm"),
        (b"arm", "source = b'arm': … file or … arm"),
    ):
        assert refuses(refusal(source), expected)


# What can be loaded


def test_a_repeated_entry_is_so_many_sections(tmp_path: Path) -> None:
    path = tmp_path / "arm.toml"
    path.write_text(f"{SECTION}repeat = 3\n{SECTION}twist = 1\n", encoding="utf-8")
    arm = load_arm(str(path))
    assert [section.twist for section in arm.sections] == [0.0, 0.0, 0.0, 1.0]
    assert arm.sections[0] == Section(length=0.15, radius=0.0125, mass=0.1, stiffness=1700.0)


def test_a_byte_order_mark_and_dos_line_ends_do_not_matter(tmp_path: Path) -> None:
    path = tmp_path / "arm.toml"
    path.write_bytes(b"\xef\xbb\xbf" + SECTION.replace("\n", "\r\n").encode())
    assert load_arm(path).n == 1


def test_a_file_comes_before_a_shipped_arm_of_that_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert load_arm("prototype").n == 3
    Path("single-section").mkdir()
    assert load_arm("single-section").n == 1
    Path("prototype").write_text(SECTION, encoding="utf-8")
    assert load_arm("prototype").n == 1


# The arms that come with the library


def test_shipped_arms_have_the_numbers_of_the_paper() -> None:
    real = ["asu-two-section", "stanford-trunk"]
    assert sorted([*real, "prototype", "prototype-muscles", "single-section", "ten-sections"]) == arm_names()
    for name, count in {"prototype": 3, "prototype-muscles": 3, "single-section": 1, "ten-sections": 10}.items():
        arm = load_arm(name)
        assert (arm.name, arm.n) == (name, count)
        assert {word for word in ("paper", "assumed") if word in arm.description} == {"paper", "assumed"}
        assert arm.inertia == Integral()
        assert arm.gravity == (0.0, 0.0, 9.81)
        for i, section in enumerate(arm.sections):
            assert (section.length, section.radius, section.mass) == (0.15, 0.0125, 0.1)
            stiffness = 1664.0 if name == "prototype-muscles" else 1700.0
            assert (section.stiffness, section.damping, section.offset) == (stiffness, 110.0, 0.0)
            assert section.length_range == (0.0, 0.07)
            assert section.twist == (math.pi / 3 if i < count - 1 else 0.0)


def tips(arm: Arm, q: np.ndarray) -> np.ndarray:
    """(n, 3): section tips of circular arcs, from the curve parameters λ, φ, θ of the paper."""

    def turn(axis: int, angle: float) -> np.ndarray:
        c, s = math.cos(angle), math.sin(angle)
        return np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]] if axis == 2 else [[c, 0, s], [0, 1, 0], [-s, 0, c]])

    rotation, position, found = np.eye(3), np.zeros(3), []
    for section, (l1, l2, l3) in zip(arm.sections, q.reshape(-1, 3), strict=True):
        a, b = (l2 + l3 - 2 * l1) / (3 * section.radius), math.sqrt(3) * (l3 - l2) / (3 * section.radius)
        phi, theta, arc = math.hypot(a, b), math.atan2(b, a), section.length + (l1 + l2 + l3) / 3
        reach = arc * np.array([(1 - math.cos(phi)) / phi, 0, math.sin(phi) / phi]) if phi else np.array([0, 0, arc])
        position = position + rotation @ turn(2, theta) @ reach
        rotation = rotation @ turn(2, theta) @ turn(1, phi) @ turn(2, section.twist - theta)
        found.append(position)
    return np.array(found)


def test_muscles_11_22_33_of_the_prototype_bend_it_in_the_plane_y_0() -> None:
    arm = load_arm("prototype")
    for muscles in ([0], [4], [8], [0, 4, 8]):
        q = np.zeros(9)
        q[muscles] = 0.03
        found = tips(arm, q)
        np.testing.assert_allclose(found[:, 1], 0, atol=1e-15)
        assert abs(found[-1, 0]) > 0.01
    q = np.zeros(9)
    q[[5, 8]] = 0.03  # experiment 2 bends sections 2 and 3 in planes that are not parallel
    assert abs(tips(arm, q)[-1, 1]) > 0.01


# The schema


def conforms(value: Any, schema: dict[str, Any], root: dict[str, Any]) -> bool:
    """As much of JSON Schema as arm files need."""
    if "$ref" in schema:
        return conforms(value, root["$defs"][schema["$ref"].rsplit("/", 1)[1]], root)
    if "anyOf" in schema or "oneOf" in schema:
        fits = sum(conforms(value, part, root) for part in schema.get("anyOf") or schema["oneOf"])
        return fits == 1 if "oneOf" in schema else fits > 0
    if "const" in schema and value != schema["const"]:
        return False
    match schema["type"]:
        case "object":
            known, required = schema["properties"], schema.get("required", [])
            fits_all = isinstance(value, dict) and set(required) <= set(value) <= set(known)
            return fits_all and all(conforms(part, known[name], root) for name, part in value.items())
        case "array":
            if not isinstance(value, list) or not schema.get("minItems", 0) <= len(value) <= schema.get("maxItems", 99):
                return False
            parts = schema.get("prefixItems") or [schema["items"]] * len(value)
            return all(conforms(part, kind, root) for part, kind in zip(value, parts, strict=True))
        case "string":
            return isinstance(value, str)
        case kind:
            is_number = isinstance(value, int if kind == "integer" else (int, float)) and not isinstance(value, bool)
            least, above = schema.get("minimum", -math.inf), schema.get("exclusiveMinimum", -math.inf)
            return is_number and least <= value <= schema.get("maximum", math.inf) and value > above


def test_the_schema_describes_every_field_and_its_unit() -> None:
    schema = arm_schema()
    assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert schema["title"] == "continuarm arm file"
    section = schema["$defs"]["SectionEntry"]["properties"]
    assert set(section) == {*Section.model_fields, "repeat"}
    assert all(field["description"] for field in (*schema["properties"].values(), *section.values()))
    for field, unit in {"length": "m", "mass": "kg", "stiffness": "N/m", "damping": "N s/m", "twist": "rad"}.items():
        assert unit in section[field]["description"].replace(",", " ").split() or unit in section[field]["description"]


def test_the_schema_takes_the_shipped_arms_and_refuses_bad_entries() -> None:
    schema = arm_schema()
    for name in arm_names():
        text = (Path(__file__).parents[2] / "src/continuarm/arms/named" / f"{name}.toml").read_text(encoding="utf-8")
        assert conforms(tomllib.loads(text), schema, schema)
    assert conforms(tomllib.loads(with_line("repeat = 2")), schema, schema)
    for line in (
        "mass = -0.1",
        "radius = 0",
        "masss = 0.1",
        "repeat = 0",
        "repeat = 1.5",
        "length_range = [0.07]",
        "twist = 60",
    ):
        assert not conforms(tomllib.loads(with_line(line)), schema, schema), line
    assert not conforms({"sections": []}, schema, schema)
    assert not conforms(tomllib.loads(f"inertia = {{ model = 'exact' }}\n{SECTION}"), schema, schema)
