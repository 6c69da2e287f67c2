"""Cameras and painters: all of an arm is in view, near things hide far ones, and light comes from above."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from continuarm import Arm, load_arm
from continuarm.drawing.bodies import axis_points, disc_frames, widest
from continuarm.drawing.camera import Camera, along_axis, perspective, up_direction
from continuarm.drawing.painter import DETAILS, lit, painted, solids
from continuarm.drawing.scenery import Shadow, arrow, grid_lines, ground
from continuarm.engine.quantities import backbone
from random_arms import random_arm, random_lengths


def a_shape(seed: int, sections: int = 3) -> tuple[Arm, np.ndarray]:
    arm = random_arm(np.random.default_rng(seed), sections)
    return arm, random_lengths(np.random.default_rng(seed), arm)


@pytest.mark.parametrize("aspect", [0.5, 1.0, 2.0])
@pytest.mark.parametrize("seed", range(5))
def test_a_perspective_view_has_all_of_the_arm_and_is_not_far_away(seed: int, aspect: float) -> None:
    arm, q = a_shape(seed)
    points = axis_points(arm, q, 20)
    frame = perspective(points, widest(arm), up_direction(arm), aspect)
    made = solids(arm, DETAILS[3])
    seen = frame.camera.seen(made.vertices(disc_frames(arm, q, DETAILS[3].discs)))
    share = np.abs(seen).max(axis=0) / [frame.half_width, frame.half_height]
    assert share.max() <= 1
    assert share.max() > 0.55
    assert frame.half_width / frame.half_height == pytest.approx(aspect)
    axes = np.stack([frame.camera.right, frame.camera.top, frame.camera.back])
    np.testing.assert_allclose(axes @ axes.T, np.eye(3), atol=1e-12)
    assert np.linalg.det(axes) == pytest.approx(1.0)
    assert frame.camera.top @ up_direction(arm) > 0.9


@pytest.mark.parametrize("radius", [0.0, 0.1])
def test_balls_about_any_points_are_in_view_also_the_near_ones(radius: float) -> None:
    points = np.array(list(itertools.product([-1.0, 1.0], repeat=3)))  # of a cube the near corners look farthest apart
    frame = perspective(points, radius, np.array([0.0, 0.0, 1.0]), 1.3)
    surface = points[:, None] + radius * np.concatenate([np.eye(3), -np.eye(3)])
    share = np.abs(frame.camera.seen(surface)) / [frame.half_width, frame.half_height]
    assert 0.8 < share.max() <= 1


@pytest.mark.parametrize("gravity", [(0, 0, 9.81), (0, 0, 0), (1, 2, -3), (-1.0, -0.3, -0.2), (9.81, 0, 0)])
def test_a_straight_arm_can_be_looked_at_whatever_gravity_is(prototype: Arm, gravity: tuple[float, ...]) -> None:
    arm = prototype.replace(gravity=gravity)
    points = backbone(arm, np.zeros(9), points=9)
    camera = perspective(points, widest(arm), up_direction(arm), 1.0).camera
    assert np.isfinite(np.concatenate([camera.right, camera.top, camera.back, camera.target])).all()


def test_what_is_along_the_axes_is_seen_in_their_coordinates() -> None:
    points = np.random.default_rng(0).normal(size=(10, 3))
    np.testing.assert_allclose(along_axis(0, 2, False).seen(points), points[:, [0, 2]])
    np.testing.assert_allclose(along_axis(1, 0, True).seen(points), points[:, [1, 0]] * [1, -1])


def test_nearness_tells_on_which_side_of_a_plane_the_eye_is() -> None:
    rng = np.random.default_rng(1)
    camera = Camera(*np.eye(3), np.zeros(3), 2.0)
    eye = camera.distance * camera.back
    for one, two in rng.normal(size=(50, 2, 3)):
        near_to_one = (eye - (one + two) / 2) @ (one - two) > 0
        assert (camera.nearness(one) > camera.nearness(two)) == near_to_one


def covering(quads: np.ndarray, point: np.ndarray) -> np.ndarray:
    """Which quads, all anticlockwise, have a point inside."""
    edges = np.roll(quads, -1, axis=1) - quads
    away = point - quads
    return np.flatnonzero((edges[..., 0] * away[..., 1] > edges[..., 1] * away[..., 0]).all(axis=1))


@pytest.mark.parametrize("seed", range(4))
def test_what_is_painted_last_is_what_is_nearest(seed: int) -> None:
    """At points all over the picture: the face on top is the first that a ray from the eye meets."""
    arm, q = a_shape(seed, 2)
    q = 0.5 * q
    detail = DETAILS[3]
    made, frames = solids(arm, detail), disc_frames(arm, q, detail.discs)
    points = axis_points(arm, q, 20)
    camera = perspective(points, widest(arm), up_direction(arm), 1.0).camera
    shown = painted(made._replace(colour=np.arange(len(made.faces))[:, None] * np.ones(3)), frames, camera, camera.back)
    corners = made.vertices(frames)[made.faces]
    flat = camera.seen(corners)
    eye = camera.target + camera.distance * camera.back
    wrong = tried = 0
    for point in np.random.default_rng(0).permutation(shown.quads.mean(axis=1))[:150]:
        through = covering(flat, point)
        if not len(through):
            continue
        ray = camera.target + point @ np.stack([camera.right, camera.top]) - eye
        normals = np.cross(corners[through, 2] - corners[through, 0], corners[through, 3] - corners[through, 1])
        depth = ((corners[through].mean(axis=1) - eye) * normals).sum(axis=1) / (normals @ ray)
        nearest = through[np.argmin(depth)]
        top = covering(shown.quads, point)[-1]
        tried += 1
        # a face that only nearly lies behind another may win within a millimetre
        same = np.allclose(shown.quads[top], flat[nearest])
        wrong += not same and np.ptp(np.sort(depth)[:2]) * np.linalg.norm(ray) > 1e-3
    assert tried > 100
    assert wrong <= 0.03 * tried


def test_the_upper_side_is_lighter_and_pressures_are_colours(prototype: Arm) -> None:
    arm = prototype.replace(base_rotation=(0.0, np.pi / 2, 0.0))
    detail, camera = DETAILS[1], along_axis(0, 2, True)
    made, frames = solids(arm, detail), disc_frames(arm, np.zeros(9), detail.discs)
    plain = painted(made, frames, camera, up_direction(arm))
    tubes = plain.quads[:, :, 1].mean(axis=1)
    assert plain.colours[tubes > np.median(tubes)].mean() > plain.colours[tubes < np.median(tubes)].mean()
    red = np.tile(np.array([255, 0, 0], np.uint8), (9, 1))
    coloured = painted(made, frames, camera, up_direction(arm), red)
    np.testing.assert_array_equal(coloured.quads, plain.quads)
    changed = (coloured.colours != plain.colours).any(axis=1)
    assert 0.3 < changed.mean() < 1
    assert (coloured.colours[changed, 0] > 2 * coloured.colours[changed, 1]).all()


def test_what_looks_up_is_lighter_than_what_looks_down() -> None:
    camera, up = along_axis(0, 2, False), np.array([0.0, 0.0, 1.0])
    tilts = np.linspace(0, np.pi, 7)
    normals = np.stack([np.sin(tilts), 0 * tilts, np.cos(tilts)], axis=-1)  # away from the sun, which is to the left
    shades = lit(np.full((7, 3), 0.5), normals, camera, up)[:, 0]
    assert (np.diff(shades) < 0).all()


def test_the_ground_is_below_everything_and_level(prototype: Arm) -> None:
    points = backbone(prototype, np.full(9, 0.01), points=9)
    plane = ground(points, 0.02, up_direction(prototype))
    assert ((points - plane.origin) @ plane.up > 0.02).all()
    np.testing.assert_allclose((plane.below(points) - plane.origin) @ plane.up, 0, atol=1e-12)
    camera = perspective(points, 0.02, plane.up, 1.0).camera
    lines, strengths = grid_lines(plane, camera)
    assert lines.shape == (len(strengths), 2, 2)
    assert strengths.min() >= 0
    assert strengths.max() <= 1
    frames = disc_frames(prototype, np.full(9, 0.01), 5)
    shade = Shadow(prototype, 5, plane, camera).polygons(frames)
    middle = camera.seen(plane.below(frames[7, :3, 3]))  # the shadow of a place inside the arm is in the shade
    assert (np.abs(shade.mean(axis=1) - middle).max(axis=1) < 0.05).any()


def test_an_arrow_points_from_its_begin_to_its_end() -> None:
    camera = along_axis(0, 2, False)
    outline = arrow(camera, np.zeros(3), np.array([0.3, 0.0, 0.1]), 0.01)
    along = np.array([0.3, 0.1]) / np.hypot(0.3, 0.1)
    np.testing.assert_allclose(outline[3], [0.3, 0.1])
    assert (outline @ along).min() == pytest.approx(0, abs=1e-12)
    assert np.ptp(outline @ [-along[1], along[0]]) == pytest.approx(0.03)
    assert np.argmax(outline @ along) == 3  # the tip is the farthest, the head is behind it
    assert (np.delete(outline, 3, axis=0) @ along).max() < 0.95 * np.hypot(0.3, 0.1)
    assert np.isfinite(arrow(camera, np.zeros(3), np.array([0.0, 1.0, 0.0]), 0.01)).all()  # towards the eye


@pytest.mark.slow
def test_a_named_arm_can_be_painted_in_every_detail() -> None:
    arm = load_arm("prototype-muscles").replace({"sections[*].offset": 0.02, "payload.mass": 0.3})
    for detail in DETAILS:
        shown = painted(
            solids(arm, detail), disc_frames(arm, np.zeros(9), detail.discs), along_axis(0, 2, True), np.eye(3)[2]
        )
        assert np.isfinite(shown.quads).all()
        assert ((shown.colours >= 0) & (shown.colours <= 1)).all()
