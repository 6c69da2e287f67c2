"""What is drawn of an arm is where the arm is: discs, and the bodies that hang on them."""

from __future__ import annotations

import numpy as np
import pytest

from continuarm.arms.arm import Arm
from continuarm.arms.arm_file import load_arm
from continuarm.arms.section import Muscles
from continuarm.drawing.bodies import MUSCLE, bodies, disc_count, plate_sizes
from continuarm.drawing.camera import up_direction
from continuarm.engine.quantities import centres_of_gravity, poses_along, tip_poses
from continuarm.viewer.camera import view, within_reach
from continuarm.viewer.rig import DISCS, disc_poses, labels, quaternions
from random_arms import lengths, random_arm, random_lengths

FINE = 4  # places between two discs at which a tube is looked at


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


def on_disc(poses: np.ndarray, disc: int, place: np.ndarray) -> np.ndarray:
    """A point of a disc: p + R x, as the page has it."""
    return poses[disc, :3] + turned(poses[disc : disc + 1, 3:], np.asarray(place))[0]


def between(poses: np.ndarray, disc: int, t: float) -> np.ndarray:
    """A pose between a disc and the next, as the page has it: a cubic square to both discs, and the turn between."""
    (p, q), (r, s) = ((poses[k, :3], poses[k, 3:]) for k in (disc, disc + 1))
    along = [turned(each[None], np.array([0.0, 0.0, 1.0]))[0] for each in (q, s)]
    steep = 2 * np.linalg.norm(r - p) / (1 + np.sqrt(max(0.5 + 0.5 * along[0] @ along[1], 0)))
    u = 1 - t
    place = u * u * (1 + 2 * t) * p + t * t * (1 + 2 * u) * r + u * t * steep * (u * along[0] - t * along[1])
    turn = u * q + t * (s if q @ s > 0 else -s)
    return np.concatenate([place, turn / np.linalg.norm(turn)])


@pytest.mark.parametrize("layout", [None, Muscles(angles=[0.1, 1.5, 3.0, 4.6], radii=[0.01, 0.02, 0.015, 0.012])])
def test_muscles_run_where_they_are_and_are_as_long_as_they_are(
    arm: Arm, q: np.ndarray, layout: Muscles | None
) -> None:
    """On the discs exactly; between them within a hundredth of their thickness, for bends up to a full turn."""
    arm = arm.replace(sections=[section.replace(muscles=layout) for section in arm.sections])
    poses = disc_poses(arm, q[None])[0]
    muscles = [part for part in bodies(arm, DISCS) if part.part == "muscles"]
    assert [part.muscle for part in muscles] == list(range(len(arm.muscle_names)))
    exact = poses_along(arm, q, np.linspace(0, 1, FINE * (DISCS - 1) + 1))
    drawn = []
    for part in muscles:
        section = part.first // DISCS
        rows = [between(poses, disc, k / FINE) for disc in range(part.first, part.last) for k in range(FINE)]
        rows.append(poses[part.last])
        curve = np.array([on_disc(row[None], 0, part.at) for row in rows])
        true = exact[section, :, :3, 3] + exact[section, :, :3, :3] @ np.array(part.at)
        np.testing.assert_allclose(curve[::FINE], true[::FINE], atol=1e-12)
        np.testing.assert_allclose(curve, true, atol=0.01 * part.radius + 2e-3 * np.linalg.norm(part.at))
        drawn.append(np.linalg.norm(np.diff(curve, axis=0), axis=1).sum())
    counts = [len(section.muscle_map) for section in arm.sections]
    true_lengths = np.repeat([section.length for section in arm.sections], counts) + arm.muscle_lengths(q)
    wide = max(section.radius for section in arm.sections)
    np.testing.assert_allclose(drawn, np.abs(true_lengths), rtol=2e-3, atol=0.02 * wide)


def test_plates_are_on_the_base_and_on_the_tips(arm: Arm, q: np.ndarray) -> None:
    poses, tips = disc_poses(arm, q[None])[0], tip_poses(arm, q)
    plates = [part for part in bodies(arm, DISCS) if part.part == "plates"]
    np.testing.assert_allclose(on_disc(poses, plates[0].first, plates[0].at), 0, atol=1e-13)
    for i, section in enumerate(arm.sections):
        end = on_disc(poses, plates[i + 1].first, [0, 0, section.offset])
        np.testing.assert_allclose(end, tips[i, :3, 3], atol=1e-12)
    bridges = plates[arm.n + 1 :]
    assert [part.length for part in bridges] == [s.offset for s in arm.sections if s.offset > 0]
    for part in bridges:  # from the tip back to the plate
        np.testing.assert_allclose(part.at[2], -part.length / 2)


def test_centres_of_gravity_and_payload_are_where_they_are(arm: Arm, q: np.ndarray) -> None:
    poses, tip = disc_poses(arm, q[None])[0], tip_poses(arm, q)[-1]
    assert len(poses) == disc_count(arm, DISCS)
    centres = [part.first for part in bodies(arm, DISCS) if part.part == "centres of gravity"]
    np.testing.assert_allclose(poses[centres, :3], centres_of_gravity(arm, q), atol=1e-13)
    payload = [part.first for part in bodies(arm, DISCS) if part.part == "payload"]
    assert bool(payload) == (arm.payload is not None)
    for disc in payload:
        np.testing.assert_allclose(poses[disc, :3], tip[:3, 3] + tip[:3, :3] @ arm.carried_mass[1], atol=1e-13)


def test_a_ghost_is_a_sleeve_around_the_arm(arm: Arm) -> None:
    """Nothing of it has the surface of what it is compared with: where two motions are the same, both are seen."""
    whole, ghost = bodies(arm, DISCS), bodies(arm, DISCS, ghost=True)
    assert len({part.colour for part in ghost}) == 1
    assert not [part for part in ghost if part.part == "muscles"]
    for sleeve in (part for part in ghost if part.part == "tube"):
        inside = [part for part in whole if part.kind == "tube" and part.first == sleeve.first]
        assert all(np.hypot(*part.at[:2]) + part.radius < sleeve.radius for part in inside)
    for kind in ("plates", "payload"):
        for inner, outer in zip(
            (part for part in whole if part.part == kind), (part for part in ghost if part.part == kind), strict=True
        ):
            assert outer.radius > inner.radius


def test_names_stand_at_their_muscles(arm: Arm) -> None:
    muscles = [part for part in bodies(arm, DISCS) if part.part == "muscles"]
    named = labels(arm)
    assert [label["name"] for label in named] == arm.muscle_names
    for label, part in zip(named, muscles, strict=True):
        assert part.first < label["disc"] < part.last
        np.testing.assert_allclose(label["place"], part.at)
        assert part.radius == MUSCLE * arm.sections[part.first // DISCS].radius


def test_turns_do_not_jump() -> None:
    """q and -q are the same turn, but between them there is none."""
    arm = load_arm("prototype")
    bends = np.linspace(-6.0, 6.0, 400)
    turns = disc_poses(arm, np.array([lengths(arm, [b] * 3, [0.4] * 3, [1.0] * 3) for b in bends]))[..., 3:]
    assert np.linalg.norm(np.diff(turns, axis=0), axis=-1).max() < 0.1


def test_quaternions_turn_as_their_matrices_do() -> None:
    """Half turns, where the trace is least, included."""
    rng = np.random.default_rng(0)
    matrices = np.linalg.qr(rng.normal(size=(200, 3, 3)))[0]
    matrices = matrices * np.sign(np.linalg.det(matrices))[:, None, None]
    half_turns = np.array([np.diag(signs) for signs in ([1, -1, -1], [-1, 1, -1], [-1, -1, 1], [1, 1, 1])])
    matrices = np.concatenate([matrices, half_turns])
    for axis in np.eye(3):
        np.testing.assert_allclose(turned(quaternions(matrices), axis), matrices @ axis, atol=1e-12)


def test_the_corners_enclose_all_that_is_drawn(arm: Arm) -> None:
    """In no direction is a point of the arm, with its plates around it, much further out than the corners."""
    rng = np.random.default_rng(3)
    rows = np.array([random_lengths(rng, arm) for _ in range(20)])
    points = disc_poses(arm, rows)[..., :3].reshape(-1, 3)
    found = view([arm], points)
    directions = rng.normal(size=(500, 3))
    directions /= np.linalg.norm(directions, axis=1)[:, None]
    reach = (points @ directions.T).max(axis=0) + plate_sizes(arm).max()
    corners = (np.array(found["corners"]) @ directions.T).max(axis=0)
    assert (corners > reach - 0.1 * found["size"]).all()
    up = np.array(found["up"])
    assert found["floor"] < (points @ up).min()
    assert np.array(found["toward"]) @ up > 0.1  # from above
    assert np.linalg.norm(found["toward"]) == pytest.approx(1)


@pytest.mark.parametrize("plane", [(1.0, 0.0), (0.0, 1.0), (0.6, 0.8)])
def test_the_camera_looks_across_a_plane_of_motion(plane: tuple[float, float]) -> None:
    arm = load_arm("prototype")
    swing = np.linspace(-0.3, 0.3, 50)
    points = np.stack([swing * plane[0], swing * plane[1], np.full(50, 0.3)], axis=-1)
    toward = np.array(view([arm], points)["toward"])
    along, across = abs(toward[:2] @ plane), abs(toward[:2] @ [-plane[1], plane[0]])
    assert across > 1.5 * along


def test_one_does_not_look_along_an_arm_that_lies() -> None:
    arm = load_arm("prototype").replace(gravity=(9.81, 0.0, 0.0))  # +Z is level
    toward = np.array(view([arm], disc_poses(arm, np.zeros((1, 9)))[0, :, :3])["toward"])
    assert abs(toward[2]) < 0.6
    assert within_reach(arm)[:, 2].max() > 0.3


def test_without_gravity_the_arm_hangs() -> None:
    arm = load_arm("prototype")
    np.testing.assert_allclose(up_direction(arm.replace(gravity=(0, 0, 0))), [0, 0, -1])
    np.testing.assert_allclose(up_direction(arm.replace(gravity=(0, 5, 0))), [0, -1, 0])
