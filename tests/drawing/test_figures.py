"""The figure of an arm: in perspective and along the axes, as large as its place allows, or refused in one sentence."""

from __future__ import annotations

import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.collections import PolyCollection
from matplotlib.figure import Figure
from matplotlib.text import Annotation

from continuarm import Arm, Muscles, Payload, load_arm
from continuarm.drawing.bodies import muscle_layout
from continuarm.drawing.views import views_of
from continuarm.engine.quantities import backbone, poses_along
from random_arms import random_arm, random_lengths
from refusals import refused

pytestmark = pytest.mark.slow


def labels(figure: Figure) -> set[str]:
    return {text for axes in figure.axes for text in (axes.get_xlabel(), axes.get_ylabel()) if text}


def bodies(figure: Figure) -> list[PolyCollection]:
    """The largest collection of every panel."""
    found = [[each for each in axes.collections if isinstance(each, PolyCollection)] for axes in figure.axes]
    return [max(each, key=lambda one: len(one.get_paths())) for each in found if each]


def test_an_arm_is_drawn_unbent_if_nothing_is_said(prototype: Arm) -> None:
    figure = prototype.plot()
    assert figure.get_suptitle() == "'prototype', 3 sections, 0.45 m, 0.3 kg, integral"
    assert labels(figure) == {"X, mm", "Z, mm"}  # straight: one side is enough
    assert len(bodies(figure)) == 2
    figure.draw_without_rendering()


@pytest.mark.parametrize("seed", range(4))
def test_all_of_the_arm_is_inside_its_panels(seed: int) -> None:
    arm = random_arm(np.random.default_rng(seed), 1 + seed).replace(payload=Payload(mass=0.2))
    states = np.array([random_lengths(np.random.default_rng(k), arm) for k in range(3)])
    figure = arm.plot(states)
    for body, axes in zip(bodies(figure), figure.axes, strict=True):
        across, up = (sorted(limits) for limits in (axes.get_xlim(), axes.get_ylim()))
        every = np.concatenate([path.vertices for path in body.get_paths()])
        assert every[:, 0].min() >= across[0]
        assert every[:, 0].max() <= across[1]
        assert every[:, 1].min() >= up[0]
        assert every[:, 1].max() <= up[1]


def test_of_several_states_the_last_has_bodies_and_the_others_are_lines(prototype: Arm) -> None:
    states = 0.01 * np.arange(27).reshape(3, 9) / 9
    figure = prototype.plot(states)
    assert len(bodies(figure)) == 3  # in perspective and from two sides
    view = next(axes for axes in figure.axes if axes.get_xlabel() == "X, mm")
    drawn = [line for line in view.lines if len(line.get_xdata()) == 75]
    assert len(drawn) == 2
    np.testing.assert_array_equal(drawn[0].get_xydata(), 1e3 * backbone(prototype, states[0], points=25)[:, [0, 2]])


def test_pressures_are_colours_with_a_bar(prototype: Arm) -> None:
    plain, pressed = prototype.plot(), prototype.plot(pressures=np.linspace(0, 580e3, 9))
    assert "pressure, kPa" in labels(pressed) - labels(plain)
    bar = next(axes for axes in pressed.axes if axes.get_xlabel() == "pressure, kPa")
    assert bar.get_xlim() == (0.0, 600.0)
    reddest = [
        np.max(each.get_facecolor()[:, 0] - each.get_facecolor()[:, 1])
        for each in (bodies(plain)[0], bodies(pressed)[0])
    ]
    assert reddest[0] < 0.3 < reddest[1]


@pytest.mark.parametrize("count", [4, 6])
def test_arms_with_other_muscles_and_very_many_sections_are_drawn(count: int) -> None:
    section = load_arm("single-section").sections[0]
    around = Muscles(angles=np.arange(count) * 2 * np.pi / count, radii=[0.02] * count)
    arm = Arm(sections=[section.replace(muscles=around)] * 2)
    arm.plot(np.full(6, 0.01), pressures=np.full(2 * count, 1e5)).draw_without_rendering()
    Arm(sections=[section] * 400).plot().draw_without_rendering()


def names_in(axes: Axes) -> list[Annotation]:
    return [text for text in axes.texts if isinstance(text, Annotation)]


def test_all_muscles_of_an_arm_with_room_are_named(prototype: Arm) -> None:
    figure = prototype.plot()
    written = [name for axes in figure.axes for text in names_in(axes) for name in text.get_text().split(", ")]
    assert sorted(written) == prototype.muscle_names
    crowded = Arm(sections=[prototype.sections[0]] * 20).plot()
    assert [text for axes in crowded.axes for text in names_in(axes)] == []


@pytest.mark.parametrize("seed", range(6))
def test_names_are_on_the_side_of_their_muscles_and_cover_nothing(seed: int) -> None:
    rng = np.random.default_rng(seed)
    arm = random_arm(rng, 1 + seed % 3)
    around = Muscles(angles=[0.3, 1.5, 3.1, 4.6], radii=[0.02, 0.015, 0.02, 0.03])
    arm = arm.replace({"sections[0].muscles": around})
    q = random_lengths(rng, arm, bend=1.0)
    figure = arm.plot(q)
    lengths = np.linspace(0, 1, 5)
    frames = {name: (i, j) for i, s in enumerate(arm.sections) for j, name in enumerate(names_of(arm, i))}
    for axes in figure.axes:
        plane = [("XYZ").index(label[0]) for label in (axes.get_xlabel(), axes.get_ylabel()) if label]
        texts = names_in(axes)
        boxes = [text.get_window_extent() for text in texts]
        for k, (text, box) in enumerate(zip(texts, boxes, strict=True)):
            assert axes.bbox.x0 < box.x0
            assert box.x1 < axes.bbox.x1
            assert not box.count_overlaps(boxes[:k])
            if len(plane) < 2:  # its label is that of the view beside it
                continue
            named = [frames[name] for name in text.get_text().split(", ")]
            assert len({i for i, _ in named}) == 1
            middle = np.array([(box.x0 + box.x1) / 2, (box.y0 + box.y1) / 2])
            for i, j in named:
                pose = poses_along(arm, q, lengths)[i]
                place = pose[2, :3, 3] + pose[2, :3, :3] @ muscle_layout(arm.sections[i])[:, j]
                ends, axis, muscle = (
                    axes.transData.transform(1e3 * each[..., plane])
                    for each in (pose[[0, -1], :3, 3], pose[2, :3, 3], place)
                )
                along = ends[1] - ends[0]
                sides = [along[0] * (p - axis)[1] - along[1] * (p - axis)[0] for p in (middle, muscle)]
                assert sides[0] * sides[1] > 0


def names_of(arm: Arm, i: int) -> list[str]:
    first = sum(len(section.muscle_map) for section in arm.sections[:i])
    return arm.muscle_names[first : first + len(arm.sections[i].muscle_map)]


@pytest.mark.parametrize(
    ("options", "named"),
    [
        ({"q": np.zeros(8)}, ("q", "8", "9")),
        ({"q": np.zeros((2, 2, 9))}, ("q", "(2, 2, 9)", "(9,)")),
        ({"q": np.zeros((0, 9))}, ("q", "(0, 9)")),
        ({"q": np.zeros((60, 9))}, ("q", "60", "50")),
        ({"q": "bent"}, ("q", "'bent'")),
        ({"q": np.full(9, np.nan)}, ("q", "finite")),
        ({"q": np.full(9, -1.0)}, ("section",)),
        ({"pressures": np.zeros(3)}, ("pressures", "3", "9")),
        ({"pressures": np.zeros((2, 9))}, ("pressures", "(2, 9)", "(9,)")),
        ({"pressures": [-1.0] + 8 * [0.0]}, ("pressures", "-1")),
    ],
)
def test_what_cannot_be_drawn_is_refused(prototype: Arm, options: dict, named: tuple[str, ...]) -> None:
    with refused(*named):
        prototype.plot(**options)


def test_views_share_an_axis_and_its_limits() -> None:
    rng = np.random.default_rng(0)
    for _ in range(200):
        size = rng.uniform(0.01, 1, 3)
        points = rng.uniform(-1, 1, (50, 3)) * size
        gravity = np.eye(3)[rng.integers(3)] * rng.choice([-9.81, 9.81])
        views = views_of(points, gravity, 1.0, 0.01)
        vertical = int(np.argmax(np.abs(gravity)))
        assert 1 <= len(views.views) <= 2
        for view in views.views:
            plane = [view.across, view.up]
            assert view.across != vertical
            away = np.abs(points[:, plane] - view.middle)
            assert (away <= [view.half_width, view.half_height]).all()
            if view.up == vertical:
                assert view.hangs == (gravity[vertical] > 0)
        if len(views.views) == 2:
            one, two = views.views
            shared = "half_width" if views.stacked else "half_height"
            assert getattr(one, shared) == getattr(two, shared)
            assert (one.across == two.across) == views.stacked
            assert (one.up == two.up) == (not views.stacked)
