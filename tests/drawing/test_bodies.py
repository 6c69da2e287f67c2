"""What is drawn of an arm is where the arm is: bodies are faces on discs, and every face that is seen looks outward."""

from __future__ import annotations

import numpy as np
import pytest

from continuarm import Arm, Muscles, Payload, load_arm
from continuarm.drawing.bodies import MUSCLE, TUBE, bodies, disc_count, disc_frames, muscle_layout, widest
from continuarm.drawing.painter import DETAILS, detail_for, solids
from continuarm.engine.quantities import poses_along, tip_poses
from random_arms import random_arm, random_lengths


@pytest.fixture(params=[1, 3, 6])
def arm(request: pytest.FixtureRequest) -> Arm:
    made = random_arm(np.random.default_rng(request.param), request.param)
    four = Muscles(angles=[0.1, 1.5, 3.0, 4.6], radii=[0.01, 0.02, 0.015, 0.012])
    return made.replace({"sections[0].muscles": four, "sections[0].stiffness": 900.0, "payload.mass": 0.2})


@pytest.fixture
def q(arm: Arm) -> np.ndarray:
    return random_lengths(np.random.default_rng(5), arm)


def test_discs_are_along_the_sections_at_the_tips_and_at_the_payload(arm: Arm, q: np.ndarray) -> None:
    carrying = arm.replace({"payload.offset": (0.01, 0.02, 0.03)})
    frames = disc_frames(carrying, q, 5)
    assert frames.shape == (disc_count(arm, 5), 4, 4)
    np.testing.assert_array_equal(
        frames[: 5 * arm.n].reshape(arm.n, 5, 4, 4), poses_along(arm, q, np.linspace(0, 1, 5))
    )
    tips = tip_poses(arm, q)
    np.testing.assert_array_equal(frames[5 * arm.n : 6 * arm.n], tips)
    np.testing.assert_allclose(frames[-1, :3, 3], tips[-1, :3] @ [0.01, 0.02, 0.03, 1.0], atol=1e-15)


def test_a_batch_of_states_is_drawn_as_each_alone(arm: Arm) -> None:
    rng = np.random.default_rng(0)
    states = np.array([random_lengths(rng, arm) for _ in range(4)])
    np.testing.assert_array_equal(disc_frames(arm, states, 3), [disc_frames(arm, each, 3) for each in states])


def test_every_muscle_is_a_tube_where_it_runs(arm: Arm) -> None:
    tubes = [body for body in bodies(arm, 7) if body.part == "muscles"]
    assert [tube.muscle for tube in tubes] == list(range(len(arm.muscle_names)))
    places = np.concatenate([muscle_layout(section).T for section in arm.sections])
    np.testing.assert_allclose([tube.at for tube in tubes], places)


def test_tubes_are_round_about_where_they_run(arm: Arm, q: np.ndarray) -> None:
    """Every corner of a muscle is MUSCLE radii from its curve, every corner of a tube TUBE radii from the axis."""
    detail, q = DETAILS[1], 0.3 * q  # at its ends a tube goes straight on to the face of the plate
    made = solids(arm, detail)
    corners = made.vertices(disc_frames(arm, q, detail.discs))
    fine = poses_along(arm, q, np.linspace(0, 1, 40 * (detail.discs - 1) + 1))
    muscle = 0
    for i, section in enumerate(arm.sections):
        curves = fine[i, :, :3, 3, None] + fine[i, :, :3, :3] @ muscle_layout(section)
        for curve in np.moveaxis(curves, -1, 0):
            of_muscle = np.unique(made.faces[made.muscle == muscle])
            away = np.linalg.norm(corners[of_muscle][:, None] - curve, axis=-1).min(axis=-1)
            np.testing.assert_allclose(away, MUSCLE * section.radius, rtol=0.05)
            muscle += 1
        tube = made.faces[(made.disc[made.faces] // detail.discs == i).all(axis=1) & (made.muscle < 0)]
        # of one section, the tube comes before the plates
        ring = np.unique(tube)[: detail.tube * detail.discs]
        away = np.linalg.norm(corners[ring][:, None] - fine[i, :, :3, 3], axis=-1).min(axis=-1)
        np.testing.assert_allclose(away, TUBE * section.radius, rtol=0.05)
    assert muscle == len(arm.muscle_names)


def test_faces_look_outward(arm: Arm, q: np.ndarray) -> None:
    """Of each body in each slab, which is convex: away from its middle."""
    made = solids(arm, DETAILS[2])
    corners = made.vertices(disc_frames(arm, 0.2 * q, DETAILS[2].discs))[made.faces]
    normals = np.cross(corners[:, 2] - corners[:, 0], corners[:, 3] - corners[:, 1])
    middles = np.array([corners[made.piece == piece].reshape(-1, 3).mean(axis=0) for piece in range(len(made.slab))])
    outward = ((corners.mean(axis=1) - middles[made.piece]) * normals).sum(axis=-1)
    big = np.linalg.norm(normals, axis=-1) > 1e-12  # at the poles of a ball corners coincide
    assert (outward[big] > 0).all()


@pytest.mark.parametrize("faces", [300, 1000, 3000])
def test_detail_is_as_fine_as_the_number_of_faces_allows(faces: int) -> None:
    for arm in (load_arm("single-section"), load_arm("prototype"), load_arm("ten-sections")):
        chosen = detail_for(arm, faces)
        finer = DETAILS[: DETAILS.index(chosen)]
        assert all(each.faces(arm) > faces for each in finer)
        assert chosen.faces(arm) <= faces or chosen is DETAILS[-1]
        assert len(solids(arm, chosen).faces) == pytest.approx(chosen.faces(arm), rel=0.1, abs=60)


def test_the_widest_body_may_be_the_payload(prototype: Arm) -> None:
    assert (
        widest(prototype.replace(payload=Payload(mass=0.5))) > widest(prototype) > MUSCLE * prototype.sections[0].radius
    )
