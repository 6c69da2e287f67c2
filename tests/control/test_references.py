"""References: their velocity and acceleration are derivatives, and each is the curve that it says."""

import numpy as np
import pytest

import continuarm as ca


def references(rng):
    times = np.sort(rng.uniform(0, 3, 5))
    return [
        ca.Point(rng.normal(size=3)),
        ca.MinimumJerk(times, rng.normal(size=(5, 3))),
        ca.MinimumJerk(times, rng.normal(size=(5, 6)), space="muscles"),
        ca.Circle(0.1, 2.0, rng.normal(size=3), rng.normal(size=3)),
        ca.Eight(0.2, 0.1, 2.0, rng.normal(size=3), rng.normal(size=3)),
        ca.Sampled(times, rng.normal(size=(5, 9)), space="muscles"),
    ]


@pytest.mark.parametrize("seed", range(3))
def test_velocity_and_acceleration_are_derivatives(seed):
    rng = np.random.default_rng(seed)
    for reference in references(rng):
        t, h = rng.uniform(0.1, 2.9, 40), 1e-6
        before, here, after = (reference.at(t + way) for way in (-h, 0.0, h))
        speed, gain = 1 + np.abs(here.acceleration).max(), 1e3 * (1 + np.abs(here.acceleration).max())
        np.testing.assert_allclose((after.position - before.position) / (2 * h), here.velocity, atol=1e-5 * speed)
        np.testing.assert_allclose((after.velocity - before.velocity) / (2 * h), here.acceleration, atol=1e-5 * gain)


def test_a_scalar_time_gives_one_row_and_a_batch_its_shape():
    for reference in references(np.random.default_rng(0)):
        width = reference.at(0.5).position.shape
        assert reference.at(np.zeros((2, 4))).acceleration.shape == (2, 4, *width)


def test_paths_pass_through_their_points_and_rest_outside():
    rng = np.random.default_rng(1)
    times, points = np.array([0.5, 1.0, 2.0]), rng.normal(size=(3, 3))
    for path in (ca.MinimumJerk(times, points), ca.Sampled(times, points)):
        np.testing.assert_allclose(path.at(times).position, points, atol=1e-12)
        outside = path.at([0.0, 3.0])
        np.testing.assert_array_equal(outside.position, path.at([0.5, 2.0]).position)
        assert not outside.velocity.any()
        assert not outside.acceleration.any()


def test_two_points_give_the_known_polynomial():
    s = np.linspace(0, 1, 11)
    x = ca.MinimumJerk([0.0, 2.0], [[0, 0, 0], [1, 2, 3]]).at(2 * s).position
    np.testing.assert_allclose(x, (10 * s**3 - 15 * s**4 + 6 * s**5)[:, None] * [1, 2, 3], atol=1e-12)


def test_no_path_through_the_same_points_has_less_jerk():
    rng = np.random.default_rng(2)
    times, points = np.array([0.0, 0.7, 1.5]), rng.normal(size=(3, 3))
    t = np.linspace(0, 1.5, 15001)

    def jerk(acceleration):
        return np.trapezoid((np.gradient(acceleration, t, axis=0) ** 2).sum(axis=-1), t)

    least = ca.MinimumJerk(times, points).at(t).acceleration
    bump = t**3 * (t - 0.7) * (1.5 - t) ** 3  # zero at the points, at rest at the ends
    for size in (0.01, -0.01):
        other = np.gradient(np.gradient(size * bump, t), t)[:, None]
        assert jerk(least) < jerk(least + other)


def test_a_circle_is_round_and_level_with_its_normal():
    rng = np.random.default_rng(3)
    for normal in ([0, 0, 1], [0, 0, -1], [1, 0, 0], rng.normal(size=3)):
        circle = ca.Circle(0.05, 4.0, [0.1, 0.2, 0.3], normal)
        arms = circle.at(np.linspace(0, 4, 50)).position - [0.1, 0.2, 0.3]
        np.testing.assert_allclose(np.linalg.norm(arms, axis=1), 0.05)
        np.testing.assert_allclose(arms @ np.asarray(normal, dtype=float), 0, atol=1e-12)
        turn = np.cross(arms[0], arms[5])
        assert turn @ np.asarray(normal) > 0


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: ca.Point([1.0, 2.0]), "position has shape (2,): must have 3 numbers for the tip"),
        (lambda: ca.Point([1.0, 2.0], "muscles"), "must have 3 numbers for each section"),
        (lambda: ca.Circle(-1, 4, [0, 0, 0]), "radius = -1: must be a distance"),
        (lambda: ca.Circle(1, 4, [0, 0, 0], [0, 0, 0]), "normal = [0.0, 0.0, 0.0]: must not be zero"),
        (lambda: ca.Sampled([0, 0], np.zeros((2, 3))), "two or more that ascend"),
        (lambda: ca.MinimumJerk([0, 1], np.zeros((3, 3))), "one row for each of the 2 times"),
    ],
)
def test_bad_references_are_refused(make, words):
    with pytest.raises(ValueError, match="must") as error:
        make()
    assert words in str(error.value)
