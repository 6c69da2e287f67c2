"""What is drawn of an arm is where the arm is: tubes, muscles, plates, centres of gravity, and the puppet of a page."""

from __future__ import annotations

import numpy as np
import pytest

from continuarm.arms.arm import Arm
from continuarm.arms.arm_file import load_arm
from continuarm.arms.section import Muscles
from continuarm.engine.quantities import centres_of_gravity, gravitational_energy, poses_along, tip_poses
from continuarm.viewer.camera import FIELD_OF_VIEW, camera_for, up_direction
from continuarm.viewer.rig import ROUND, disc_count, disc_poses, posed, rig
from continuarm.viewer.scene import trace_segments
from continuarm.viewer.shapes import (
    DISCS,
    PRESSURE_COLOURS,
    SIDES,
    TUBE,
    ball,
    cylinder,
    drawing,
    muscle_curves,
    pressure_colours,
    quaternions,
    rgb,
    tube,
    tube_faces,
    turns_to,
)
from random_arms import lengths, random_arm, random_lengths

PLACES = np.linspace(0, 1, DISCS)


@pytest.fixture(params=[1, 3, 7])
def arm(request: pytest.FixtureRequest) -> Arm:
    return random_arm(np.random.default_rng(request.param), request.param)


@pytest.fixture
def q(arm: Arm) -> np.ndarray:
    return random_lengths(np.random.default_rng(5), arm)


def turned(turns: np.ndarray, vector: np.ndarray) -> np.ndarray:
    """Quaternions (m, 4) applied to a vector, by the textbook: q v q*."""
    w, axis = turns[:, :1], turns[:, 1:]
    across = 2 * np.cross(axis, vector)
    return vector + w * across + np.cross(axis, across)


def volume(vertices: np.ndarray, faces: np.ndarray) -> float:
    """Enclosed by triangles whose normals point outward: positive."""
    a, b, c = (vertices[faces[:, k]] for k in range(3))
    return float((a * np.cross(b, c)).sum() / 6)


def open_edges(vertices: np.ndarray, faces: np.ndarray) -> int:
    """Edges without a neighbour that runs the other way; vertices at the same place count as one."""
    _, same = np.unique(vertices.round(9), axis=0, return_inverse=True)
    corners = same.ravel()[faces]
    corners = corners[[len(set(corner)) == 3 for corner in corners]]  # triangles at a pole have no area
    edges = [tuple(edge) for k in range(3) for edge in corners[:, [k, (k + 1) % 3]]]
    return sum((b, a) not in set(edges) for a, b in edges)


def test_a_tube_has_its_radius_everywhere_and_lies_in_the_discs(arm: Arm, q: np.ndarray) -> None:
    poses = poses_along(arm, q, PLACES)
    rings = drawing(arm, q).tubes.reshape(arm.n, DISCS, SIDES, 3)
    away = rings - poses[:, :, None, :3, 3]
    radii = TUBE * np.array([section.radius for section in arm.sections])
    np.testing.assert_allclose(
        np.linalg.norm(away, axis=-1), radii[:, None, None] * np.ones(away.shape[:-1]), atol=1e-13
    )
    np.testing.assert_allclose((away * poses[:, :, None, :3, 2]).sum(axis=-1), 0, atol=1e-13)


def test_the_triangles_of_a_tube_face_outward() -> None:
    straight = np.broadcast_to(np.eye(4), (2, DISCS, 4, 4)).copy()
    straight[..., 2, 3] = PLACES
    vertices, faces = tube(straight, [1.0, 2.0]).reshape(-1, 3), tube_faces(2)
    a, b, c = (vertices[faces[:, k]] for k in range(3))
    outward = (np.cross(b - a, c - a) * (a + b + c) * [1, 1, 0]).sum(axis=-1)
    assert len(faces) == 2 * (DISCS - 1) * SIDES * 2
    assert (outward > 0).all()


def test_plates_are_on_the_base_and_on_the_tips(arm: Arm, q: np.ndarray) -> None:
    plates, tips = drawing(arm, q).plates, tip_poses(arm, q)
    np.testing.assert_allclose(plates.centres[0], 0, atol=1e-13)
    offsets = np.array([section.offset for section in arm.sections])
    joints = plates.centres[1 : arm.n + 1] + offsets[:, None] * tips[:, :3, 2]
    np.testing.assert_allclose(joints, tips[:, :3, 3], atol=1e-12)
    axes = turned(plates.turns[1 : arm.n + 1], np.array([0.0, 0.0, 1.0]))
    np.testing.assert_allclose(axes, tips[:, :3, 2], atol=1e-9)


def test_joints_that_have_a_length_are_bridged(arm: Arm, q: np.ndarray) -> None:
    bridges = drawing(arm, q).plates.sizes[arm.n + 1 :, 2]
    np.testing.assert_allclose(bridges, [section.offset for section in arm.sections], atol=1e-12)


@pytest.mark.parametrize("layout", [None, Muscles(angles=[0.1, 1.5, 3.0, 4.6], radii=[0.01, 0.02, 0.015, 0.012])])
def test_muscles_are_drawn_as_long_as_they_are(arm: Arm, q: np.ndarray, layout: Muscles | None) -> None:
    """Chords of an arc of φ in DISCS - 1 pieces are shorter than the arc by sin(δ)/δ, δ half the angle of a piece."""
    arm = arm.replace(sections=[section.replace(muscles=layout) for section in arm.sections])
    curves = muscle_curves(arm, poses_along(arm, q, PLACES))
    drawn = np.linalg.norm(np.diff(curves, axis=1), axis=-1).sum(axis=1)
    true = []
    for i, section in enumerate(arm.sections):
        a, b, _ = section.shape_map @ q[3 * i : 3 * i + 3]
        chord = np.sinc(np.hypot(a, b) / (DISCS - 1) / 2 / np.pi)
        true.append(chord * (section.length + section.muscle_map @ q[3 * i : 3 * i + 3]))
    np.testing.assert_allclose(drawn, np.abs(np.concatenate(true)), rtol=1e-10, atol=1e-13)
    lengths_now = np.repeat([s.length for s in arm.sections], len(curves) // arm.n) + arm.muscle_lengths(q)
    np.testing.assert_allclose(drawn, np.abs(lengths_now), rtol=0.012)  # 30 degrees a piece at a full turn


def test_rods_run_along_their_muscles(arm: Arm, q: np.ndarray) -> None:
    rods = drawing(arm, q).muscles
    curves = muscle_curves(arm, poses_along(arm, q, PLACES))
    half = turned(rods.turns, np.array([0.0, 0.0, 0.5])) * rods.sizes[:, 2:]
    np.testing.assert_allclose(rods.centres - half, curves[:, :-1].reshape(-1, 3), atol=1e-12)
    np.testing.assert_allclose(rods.centres + half, curves[:, 1:].reshape(-1, 3), atol=1e-12)


def test_centres_of_gravity_hold_the_weight(arm: Arm, q: np.ndarray) -> None:
    masses = np.array([section.mass for section in arm.sections])
    mass, offset = arm.carried_mass
    tip = tip_poses(arm, q)[-1]
    moments = masses @ centres_of_gravity(arm, q) + mass * (tip[:3, 3] + tip[:3, :3] @ np.array(offset))
    assert -moments @ np.array(arm.gravity) == pytest.approx(gravitational_energy(arm, q), rel=1e-12, abs=1e-13)


def test_a_payload_is_drawn_where_it_is(arm: Arm, q: np.ndarray) -> None:
    tip = tip_poses(arm, q)[-1]
    np.testing.assert_allclose(drawing(arm, q).payload, tip[:3, 3] + tip[:3, :3] @ arm.carried_mass[1], atol=1e-13)


def test_turns_to_a_direction() -> None:
    directions = np.random.default_rng(0).normal(size=(200, 3))
    directions = np.concatenate([directions / np.linalg.norm(directions, axis=1)[:, None], [[0, 0, 1], [0, 0, -1]]])
    found = turned(turns_to(directions), np.array([0.0, 0.0, 1.0]))
    np.testing.assert_allclose(found, directions, atol=1e-9)


def test_quaternions_turn_as_their_matrices_do() -> None:
    """Half turns, where the trace is least, included."""
    rng = np.random.default_rng(0)
    matrices = np.linalg.qr(rng.normal(size=(200, 3, 3)))[0]
    matrices = matrices * np.sign(np.linalg.det(matrices))[:, None, None]
    half_turns = np.array([np.diag(signs) for signs in ([1, -1, -1], [-1, 1, -1], [-1, -1, 1], [1, 1, 1])])
    matrices = np.concatenate([matrices, half_turns])
    for axis in np.eye(3):
        np.testing.assert_allclose(turned(quaternions(matrices), axis), matrices @ axis, atol=1e-12)


def test_solids_are_closed_and_face_outward() -> None:
    sides = 18
    polygon = sides / 2 * np.sin(2 * np.pi / sides)
    assert volume(*cylinder(sides)) == pytest.approx(polygon, rel=1e-12)
    assert open_edges(*cylinder(sides)) == 0
    assert 0.85 * 4 / 3 * np.pi < volume(*ball()) < 4 / 3 * np.pi
    assert open_edges(*ball()) == 0


def test_pressure_colours_run_from_the_first_to_the_last() -> None:
    ends = [rgb(PRESSURE_COLOURS[0]), rgb(PRESSURE_COLOURS[-1])]
    np.testing.assert_array_equal(pressure_colours([0.0, 600e3], 600e3), ends)
    np.testing.assert_array_equal(pressure_colours([-1e3, 9e9], 600e3), ends)
    middle = pressure_colours(np.linspace(0, 1, 200), 1.0)
    assert len(np.unique(middle, axis=0)) > 150
    assert (np.diff(middle[:, 2].astype(int)) <= 0).sum() > 150  # ever less blue: the order can be told at any place


def test_a_trace_ends_at_the_tips_and_is_short_enough() -> None:
    tips = np.random.default_rng(0).normal(size=(5000, 4, 3))
    segments, colours = trace_segments(tips, most=400)
    assert len(segments) == len(colours) <= 400
    paths = segments.reshape(4, -1, 2, 3)
    np.testing.assert_array_equal(paths[:, -1, 1], tips[-1])
    np.testing.assert_array_equal(paths[:, 0, 0], tips[0])
    np.testing.assert_array_equal(paths[:, 1:, 0], paths[:, :-1, 1])
    assert trace_segments(tips[:1])[0].shape == (0, 2, 3)


def test_a_puppet_takes_the_shape_of_the_arm(arm: Arm, q: np.ndarray) -> None:
    puppet, poses = rig(arm), disc_poses(arm, np.stack([q, 0 * q]))
    assert poses.shape == (2, disc_count(arm), 7)
    assert puppet.disc.max() < disc_count(arm)
    for row, lengths_now in zip(poses, (q, 0 * q), strict=True):
        vertices = posed(puppet, row)
        tubes = np.unique(puppet.parts["tube"])
        radii = TUBE * np.array([section.radius for section in arm.sections])
        expected = tube(poses_along(arm, lengths_now, PLACES), radii, ROUND)
        np.testing.assert_allclose(
            np.sort(vertices[tubes], axis=0), np.sort(expected.reshape(-1, 3), axis=0), atol=1e-12
        )
        centres = vertices[np.unique(puppet.parts["centres of gravity"])].reshape(arm.n, -1, 3)
        middles = (centres.min(axis=1) + centres.max(axis=1)) / 2
        np.testing.assert_allclose(middles, drawing(arm, lengths_now).centres, atol=1e-12)


def test_a_puppet_has_unit_normals_and_every_muscle_its_number() -> None:
    arm = load_arm("prototype")
    puppet = rig(arm)
    np.testing.assert_allclose(np.linalg.norm(puppet.normal, axis=1), 1, atol=1e-12)
    assert set(puppet.muscle) == {-1, *range(9)}
    assert set(rig(arm, ghost=True).muscle) == {-1}


def test_turns_of_a_puppet_do_not_jump() -> None:
    """q and -q are the same turn, but between them there is none."""
    arm = load_arm("prototype")
    bends = np.linspace(-6.0, 6.0, 400)
    turns = disc_poses(arm, np.array([lengths(arm, [b] * 3, [0.4] * 3, [1.0] * 3) for b in bends]))[..., 3:]
    assert np.linalg.norm(np.diff(turns, axis=0), axis=-1).max() < 0.1


def test_the_camera_has_everything_in_view(arm: Arm) -> None:
    rng = np.random.default_rng(3)
    points = rng.normal(size=(300, 3)) * rng.uniform(0.1, 1, 3)
    up = up_direction(arm)
    camera = camera_for(points, points[:50], up)
    ahead = camera.look_at - camera.position
    ahead = ahead / np.linalg.norm(ahead)
    seen = points - camera.position
    angles = np.arccos(seen @ ahead / np.linalg.norm(seen, axis=1))
    assert angles.max() < 0.55 * FIELD_OF_VIEW  # from the middle to the edge is half of it; a tip may touch the edge
    assert camera.position @ up > camera.look_at @ up  # from above
    assert abs(camera.free_side @ up) < 1e-12


def test_the_camera_looks_across_a_plane_of_motion() -> None:
    """Experiment 1 moves in the plane y = 0: one looks along y rather than along x."""
    path = np.stack([np.linspace(-0.3, 0.3, 50), np.zeros(50), np.full(50, 0.3)], axis=-1)
    camera = camera_for(path, path, np.array([0.0, 0.0, -1.0]))
    x, y, _ = camera.position - camera.look_at
    assert abs(y) > 1.5 * abs(x)


def test_without_gravity_the_arm_hangs() -> None:
    arm = load_arm("prototype")
    np.testing.assert_allclose(up_direction(arm.replace(gravity=(0, 0, 0))), [0, 0, -1])
    np.testing.assert_allclose(up_direction(arm.replace(gravity=(0, 5, 0))), [0, -1, 0])
