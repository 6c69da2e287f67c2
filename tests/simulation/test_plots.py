"""Figures: every line is the motion's, nothing covers anything, and files are whole or not there."""

from __future__ import annotations

import dataclasses
import itertools
import os
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from matplotlib.image import imread
from matplotlib.lines import Line2D

import sample_motions
from cli_process import environment
from continuarm import Controller, ForceSignal, Muscles, PressureSteps, WrenchSignal, load_motion, save_motion, simulate
from continuarm.arms.arm import Arm
from continuarm.arms.arm_file import load_arm
from continuarm.arms.inertia_models import CentreOfGravity
from continuarm.drawing.bodies import widest
from continuarm.engine.quantities import backbone
from continuarm.simulation.motion import Motion
from continuarm.simulation.plots import check_figure_path, plot_motion, save_figure, tip_distances

pytestmark = pytest.mark.slow

ARMS = ["single-section", "prototype", "ten-sections"]


def swinging(
    arm: Arm, states: int = 81, size: float = 0.02, driven: int = 4, forces: np.ndarray | float = 0.0
) -> Motion:
    """A motion of 2 s in which the last muscles are pressed, one after the other."""
    t, muscles = np.linspace(0, 2, states), len(arm.muscle_names)
    pressures = np.zeros((states, muscles))
    for k in range(min(driven, muscles)):
        pressures[t >= 0.05 * k, muscles - 1 - k] = 1e5 * (k + 1)
    return sample_motions.swinging(arm, t, size, pressures, forces)


def panel(figure: Figure, label: str) -> Axes:
    """The panel with a label on its vertical axis, the first of those."""
    return next(axes for axes in figure.axes if axes.get_ylabel() == label)


def lines(axes: Axes, style: str) -> list[Line2D]:
    return [line for line in axes.lines if line.get_linestyle() == style and not line.get_marker().strip("None")]


@pytest.mark.parametrize("name", ARMS)
def test_the_coordinates_of_every_tip_are_drawn_over_time(name: str) -> None:
    motion = swinging(load_arm(name))
    figure = plot_motion(motion)
    for k, letter in enumerate("XYZ"):
        drawn = panel(figure, f"{letter}, mm").lines
        assert len(drawn) == motion.arm.n
        for i, line in enumerate(drawn):
            np.testing.assert_array_equal(line.get_xdata(), motion.t)
            np.testing.assert_array_equal(line.get_ydata(), 1e3 * motion.tips[:, i, k])


def test_the_last_tip_has_the_colours_of_the_paper() -> None:
    figure = plot_motion(swinging(load_arm("prototype")))
    for letter, channel in (("X", 2), ("Z", 0)):  # blue and red
        assert np.argmax(to_rgb(panel(figure, f"{letter}, mm").lines[-1].get_color())) == channel
    assert to_rgb(panel(figure, "Y, mm").lines[-1].get_color()) == pytest.approx((0, 0, 0))


def test_another_motion_is_dashed_and_its_distance_has_a_panel() -> None:
    arm = load_arm("prototype")
    motion, other = swinging(arm), swinging(arm.replace(inertia=CentreOfGravity()), size=0.021)
    figure = plot_motion(motion, other)
    for k, letter in enumerate("XYZ"):
        solid, dashed = (lines(panel(figure, f"{letter}, mm"), style) for style in ("-", "--"))
        assert (len(solid), len(dashed)) == (3, 3)
        for i in range(3):
            np.testing.assert_array_equal(solid[i].get_ydata(), 1e3 * motion.tips[:, i, k])
            np.testing.assert_array_equal(dashed[i].get_ydata(), 1e3 * other.tips[:, i, k])
    apart = np.sqrt(((motion.tips - other.tips) ** 2).sum(axis=-1))
    for i, line in enumerate(panel(figure, "tips apart, mm").lines):
        np.testing.assert_allclose(line.get_ydata(), 1e3 * apart[:, i], rtol=1e-12)  # two ways to take a norm
    assert "integral model (solid) and centre-of-gravity model (dashed)" in figure.get_suptitle()


def test_a_motion_that_ends_early_is_compared_up_to_its_end() -> None:
    motion = swinging(load_arm("prototype"))
    short = motion.rows(slice(0, 30))
    assert tip_distances(motion, short).shape == tip_distances(short, motion).shape == (30, 3)
    figure = plot_motion(short, motion)
    assert len(panel(figure, "tips apart, mm").lines[0].get_xdata()) == 30


@pytest.mark.parametrize("first_is_longer", [False, True])
def test_motions_that_do_not_end_together_are_compared_up_to_a_mark(first_is_longer: bool) -> None:
    whole = swinging(load_arm("prototype"))
    short, end = whole.rows(slice(0, 30)), whole.t[29]
    motion, other = (whole, short) if first_is_longer else (short, whole)
    figure = plot_motion(motion, other)
    for label in ("X, mm", "Y, mm", "Z, mm", "tips apart, mm"):
        (mark,) = lines(panel(figure, label), ":")
        np.testing.assert_allclose(mark.get_xdata(), [end, end])
    assert f"{end:g} s" in figure.get_suptitle().splitlines()[-1]
    view = next(axes for axes in figure.axes if axes.get_xlabel() == "X, mm")
    drawn = 1e3 * backbone(whole.arm, whole.q[29], points=25)[:, [0, 2]]
    assert any(np.array_equal(line.get_xydata(), drawn) for line in view.lines)  # the other arm, at the same time
    legends = [axes.get_legend() for axes in figure.axes]
    assert f"{end:.3g} s" in [text.get_text() for legend in legends if legend for text in legend.get_texts()]
    together = plot_motion(whole, whole)
    assert not any(lines(axes, ":") for axes in together.axes if axes.get_ylabel() in ("X, mm", "tips apart, mm"))


def test_two_motions_are_named_by_what_tells_them_apart_and_energies_by_whose_they_are() -> None:
    arm = load_arm("prototype")
    renamed, modelled = arm.replace(name="$x$ trunk"), arm.replace(inertia=CentreOfGravity())
    both = modelled.replace(name="trunk")
    for changed, names in (
        (renamed, ("prototype", "$x$ trunk")),
        (modelled, ("integral model", "centre-of-gravity model")),
        (both, ("prototype, integral model", "trunk, centre-of-gravity model")),
    ):
        figure = plot_motion(swinging(arm), swinging(changed))
        legend, whose = panel(figure, "Y, mm").get_legend(), panel(figure, "energy, J").get_legend()
        assert legend is not None
        assert whose is not None
        shown = [text.get_text().replace("\n", " ").replace("- ", "-") for text in legend.get_texts()]
        assert tuple(shown) == names
        assert names[0] in whose.get_title().get_text().replace("\n", " ")
        figure.draw_without_rendering()
    alone = plot_motion(swinging(arm))
    assert panel(alone, "Y, mm").get_legend() is None


def test_the_pressures_of_driven_muscles_are_drawn_by_name() -> None:
    motion = swinging(load_arm("prototype"), driven=3)
    axes = panel(plot_motion(motion), "pressure, kPa")
    shown = {line.get_label(): line.get_ydata() for line in axes.lines}
    assert list(shown) == ["l33", "l32", "l31"]  # in the order in which they are pressed
    for k, values in zip((8, 7, 6), shown.values(), strict=True):
        np.testing.assert_array_equal(values, motion.pressures[:, k] / 1e3)
    assert not any(axes.get_ylabel() == "pressure, kPa" for axes in plot_motion(swinging(motion.arm, driven=0)).axes)


def test_the_forces_of_a_motion_driven_by_forces_are_drawn_by_the_names_of_its_coordinates() -> None:
    arm = load_arm("prototype")
    four = Muscles(angles=(0.0, np.pi / 2, np.pi, 3 * np.pi / 2), radii=(0.0125,) * 4)
    mixed = arm.replace(sections=[arm.sections[0].replace(muscles=four), *arm.sections[1:]])
    rows = np.zeros((3, 9))
    rows[1:, 4], rows[:2, 1] = 5.0, -2.0
    motion = simulate(mixed, ForceSignal([0.0, 0.1, 0.2], rows), duration=0.3)
    figure = plot_motion(motion)
    shown = {line.get_label(): line.get_ydata() for line in panel(figure, "force, N").lines}
    assert list(shown) == ["q12", "l22"]  # in the order in which they begin
    for k, values in zip((1, 4), shown.values(), strict=True):
        np.testing.assert_allclose(values, np.interp(motion.t, [0.0, 0.1, 0.2], rows[:, k]), atol=1e-12)
    assert not any(axes.get_ylabel() == "pressure, kPa" for axes in figure.axes)
    assert "force on q12, l22" in figure.get_suptitle()


def test_pressures_are_no_commanded_forces(tmp_path: Path) -> None:
    """Also where muscles stiffen and have hysteresis, after a file, and with a last digit of another machine."""
    motion = simulate(load_arm("prototype-muscles"), PressureSteps({"l33": [(0.0, 600e3)]}), duration=0.5)
    save_motion(motion, tmp_path / "run.nc")
    elsewhere = dataclasses.replace(motion, tau=np.nextafter(motion.tau, np.inf))  # other machines round otherwise
    for each in (motion, load_motion(tmp_path / "run.nc"), elsewhere):
        assert np.abs(each.tau).max() > 10
        assert not each.forces.any()
    both = panel(plot_motion(swinging(load_arm("prototype"), driven=1, forces=1.0)), "force, N")
    assert len(both.lines) == 9


def test_many_muscles_are_all_drawn_and_look_different() -> None:
    motion = swinging(load_arm("ten-sections"), driven=28)
    axes = panel(plot_motion(motion), "pressure, kPa")
    looks = {
        (line.get_color(), str(line._unscaled_dash_pattern)) for line in axes.lines
    }  # get_linestyle() has no dashes
    assert len(looks) == len(axes.lines) == 28
    legend = axes.get_legend()
    assert legend is not None
    assert len(legend.get_texts()) == 12
    assert legend.get_title().get_text() == "and 16 more"


def test_energies_are_drawn_since_the_start_and_say_so() -> None:
    motion = swinging(load_arm("prototype"))
    shown = {line.get_label(): line.get_ydata() for line in panel(plot_motion(motion), "energy, J").lines}
    assert list(shown) == ["kinetic", "change of gravitational", "change of elastic", "supplied", "dissipated"]
    for name in ("kinetic", "supplied", "dissipated"):
        np.testing.assert_array_equal(shown[name], motion.energies[name])
    for name in ("gravitational", "elastic"):
        np.testing.assert_array_equal(shown[f"change of {name}"], motion.energies[name] - motion.energies[name][0])


def views(figure: Figure) -> list[Axes]:
    """The panels with the arm: those of equal scales."""
    return [axes for axes in figure.axes if axes.get_aspect() == 1]


def planes(figure: Figure) -> list[str]:
    """Across and up of each view, such as XZ; the label of an axis that two share is on the first or the last."""
    drawn = views(figure)
    across = [axes.get_xlabel() or drawn[-1].get_xlabel() for axes in drawn]
    up = [axes.get_ylabel() or drawn[0].get_ylabel() for axes in drawn]
    assert all(label.endswith(", mm") for label in across + up)
    return [one[0] + two[0] for one, two in zip(across, up, strict=True)]


@pytest.mark.parametrize("name", ARMS)
def test_the_arm_is_drawn_at_some_times_from_the_first_to_the_last(name: str) -> None:
    motion = swinging(load_arm(name))
    figure = plot_motion(motion)
    for letters, axes in zip(planes(figure), views(figure), strict=True):
        plane = ["XYZ".index(letter) for letter in letters]
        shapes = [line for line in lines(axes, "-") if len(line.get_xdata()) > 1]
        assert 2 <= len(shapes) <= 5
        first, last = (1e3 * backbone(motion.arm, motion.q[row], points=25)[:, plane] for row in (0, -1))
        np.testing.assert_array_equal(shapes[0].get_xydata(), first)
        paleness = [sum(to_rgb(shape.get_color())) for shape in shapes]
        assert paleness == sorted(paleness, reverse=True)
        (body,) = axes.collections  # the last one with its bodies, which reach no farther from the axis than a plate
        places = np.concatenate([path.vertices for path in body.get_paths()])
        away = np.linalg.norm(places[:, None] - np.concatenate([last, [[0, 0]]]), axis=-1)
        assert away.min(axis=0).max() < 1e3 * widest(motion.arm)  # something of it at every point of the axis
        assert away.min(axis=1).max() < 1e3 * 1.2 * widest(motion.arm)  # and nothing far from it


def test_an_arm_that_hangs_is_seen_from_two_sides_and_one_that_lies_also_from_above() -> None:
    hanging = load_arm("prototype")
    assert planes(plot_motion(swinging(hanging, size=0.01))) == ["XZ", "YZ"]
    lying = hanging.replace(base_rotation=(0.0, np.pi / 2, 0.0))
    figure = plot_motion(swinging(lying, size=0.003))
    assert planes(figure) == ["XZ", "XY"]
    upper, lower = views(figure)
    assert upper.yaxis_inverted()
    assert lower.yaxis_inverted()  # from above, +Z pointing down: right x up = towards who looks on = -Z
    assert upper.get_position().width == pytest.approx(lower.get_position().width)


def test_what_moves_in_a_plane_is_drawn_in_it_alone() -> None:
    arm = load_arm("single-section")
    motion = simulate(arm, PressureSteps({"l11": [(0.0, 500e3)]}), duration=0.5)
    assert planes(plot_motion(motion)) == ["XZ"]


@pytest.mark.parametrize("turn", [0.0, np.pi / 2, np.pi, 0.7])
def test_views_are_at_one_scale_and_fill_their_place(turn: float) -> None:
    arm = load_arm("prototype").replace(base_rotation=(0.0, turn, 0.0))
    figure = plot_motion(swinging(arm, size=0.004))
    drawn, (wide, high) = views(figure), figure.get_size_inches()
    scales = []
    for axes in drawn:
        box = axes.get_position()
        across, up = (abs(np.subtract(*limits)) for limits in (axes.get_xlim(), axes.get_ylim()))
        scales += [box.width * wide / across, box.height * high / up]
    assert np.ptp(scales) < 1e-9 * max(scales)
    boxes = [axes.get_position() for axes in drawn]
    width = (max(box.x1 for box in boxes) - min(box.x0 for box in boxes)) * wide
    height = (max(box.y1 for box in boxes) - min(box.y0 for box in boxes)) * high
    assert max(width / 3.5, height / 4) > 0.9


@pytest.mark.parametrize(
    ("gravity", "upwards", "inverted"),
    [((0, 0, 9.81), "Z", True), ((0, 0, -9.81), "Z", False), ((0, 0, 0), "Z", False)],
)
def test_down_on_the_page_is_where_gravity_points(
    gravity: tuple[float, float, float], upwards: str, inverted: bool
) -> None:
    view = views(plot_motion(swinging(load_arm("prototype").replace(gravity=gravity))))[0]
    assert view.get_ylabel() == f"{upwards}, mm"
    assert view.yaxis_inverted() == inverted


def test_a_wrench_has_panels_and_arrows_where_it_pulls() -> None:
    arm = load_arm("prototype")
    signal = WrenchSignal([0.0, 0.2], [[0, 0, 0, 0, 0, 0], [0, 0, 0.05, 2, 0, 0]])
    motion = simulate(arm, wrench=signal, duration=0.2)
    figure = plot_motion(motion)
    for label, axis, values in (
        ("tip force, N", "X", motion.wrench[:, 3]),
        ("tip moment, N m", "Z", motion.wrench[:, 2]),
    ):
        (line,) = panel(figure, label).lines
        assert line.get_label() == axis
        np.testing.assert_array_equal(line.get_ydata(), values)
    assert "a wrench on the tip" in figure.get_suptitle()
    view = views(figure)[0]
    force = next(patch for patch in view.patches if patch.get_label() == "2 N").get_xy()
    tip = 1e3 * motion.tips[-1, -1, [0, 2]]
    assert force[:, 0].max() > tip[0] + 5  # mm: it begins at the tip and points along +X
    np.testing.assert_allclose([force[:, 0].min(), force[:, 1].mean()], tip, atol=2)


def test_lengths_are_drawn_of_muscles_that_come_to_the_ends_of_their_range() -> None:
    arm = load_arm("single-section")
    inside = simulate(arm, ForceSignal([0.0], [[20.0, 20.0, 20.0]]), duration=0.3)
    assert not any(axes.get_ylabel() == "length change, mm" for axes in plot_motion(inside).axes)
    beyond = simulate(arm, ForceSignal([0.0], [[20.0, 20.0, -20.0]]), duration=0.3)
    axes = panel(plot_motion(beyond), "length change, mm")
    assert axes.lines[0].get_label() == "l13"
    np.testing.assert_array_equal(axes.lines[0].get_ydata(), 1e3 * beyond.q[:, 2])
    assert [line.get_ydata()[0] for line in axes.lines[1:]] == [0.0]  # the end that is reached, not the other


def test_the_title_says_what_drives_the_motion() -> None:
    arm = load_arm("single-section")
    hold = simulate(arm, Controller(lambda t, q, qd: [2e5, 0, 0], rate=100), duration=0.05)
    assert "a controller, pressure in l11" in plot_motion(hold).get_suptitle()
    assert "nothing drives it" in plot_motion(simulate(arm, duration=0.05)).get_suptitle()


@pytest.mark.slow
@pytest.mark.parametrize("compared", [False, True])
@pytest.mark.parametrize("name", ARMS)
def test_nothing_covers_anything(name: str, compared: bool) -> None:
    motion = swinging(load_arm(name), driven=30, forces=1.0)
    motion = dataclasses.replace(motion, wrench=np.ones_like(motion.wrench))  # all panels that there are
    figure = plot_motion(motion, swinging(motion.arm, size=0.03) if compared else None, title="A title", note="A note")
    figure.draw_without_rendering()
    renderer = figure.canvas.get_renderer()  # type: ignore[attr-defined]
    panels = {axes: axes.get_tightbbox(renderer, bbox_extra_artists=[]) for axes in figure.axes}
    legends = {axes: axes.get_legend().get_window_extent(renderer) for axes in figure.axes if axes.get_legend()}
    texts = {text: text.get_window_extent(renderer) for text in figure.texts}
    boxes = [*panels.items(), *legends.items(), *texts.items()]
    page = figure.bbox
    for _, box in boxes:
        assert box is not None
        # 1 pixel: boxes are rounded up to whole ones
        assert box.x0 > page.x0 - 1
        assert box.x1 < page.x1 + 1
        assert box.y0 > page.y0 - 1
        assert box.y1 < page.y1 + 1
    for (owner, one), (other, two) in itertools.combinations(boxes, 2):
        if owner is other:  # a legend is beside its panel, above the last number of its axis
            continue
        width, height = min(one.x1, two.x1) - max(one.x0, two.x0), min(one.y1, two.y1) - max(one.y0, two.y0)
        assert width < 1 or height < 1


@pytest.mark.parametrize("states", [1, 2])
def test_an_arm_that_does_not_move_is_drawn(states: int, tmp_path: Path) -> None:
    still = swinging(load_arm("prototype"), states=states, size=0.0)
    save_figure(plot_motion(still, still), tmp_path / "still.png")


def test_a_figure_says_what_was_simulated_and_why_it_stopped() -> None:
    motion = swinging(load_arm("prototype"), driven=2)
    stopped = dataclasses.replace(motion, stopped="section 3 bends beyond a full turn")
    title = plot_motion(stopped, title="Mine").get_suptitle()
    assert title.splitlines() == [
        "Mine",
        "prototype, 2 s, pressure in l33, l32, integral model",
        "stopped: section 3 bends beyond a full turn",
    ]


@pytest.mark.slow
def test_files_are_what_their_suffix_says(tmp_path: Path) -> None:
    figure = plot_motion(swinging(load_arm("single-section")))
    for suffix in (".png", ".svg", ".pdf", ".PNG"):
        save_figure(figure, tmp_path / f"figure{suffix}")
    assert imread(tmp_path / "figure.png").shape == imread(tmp_path / "figure.PNG", "png").shape == (1500, 2000, 4)
    assert ElementTree.parse(tmp_path / "figure.svg").getroot().tag == "{http://www.w3.org/2000/svg}svg"
    assert (tmp_path / "figure.pdf").read_bytes().startswith(b"%PDF-")
    assert len(list(tmp_path.iterdir())) == 4


@pytest.mark.parametrize(
    ("path", "sentence"),
    [
        ("figure.jpeg", r"figure\.jpeg: .*\.png, \.svg, \.pdf"),
        ("figure", r"figure: .*\.png, \.svg, \.pdf"),
        ("none/figure.png", r"none/figure\.png: .*'{here}/none'"),
    ],
)
def test_a_figure_that_cannot_be_written_is_refused_in_one_sentence(
    path: str, sentence: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for refuse in (check_figure_path, lambda path: save_figure(Figure(), path)):
        with pytest.raises(ValueError, match=sentence.format(here=tmp_path.resolve())):
            refuse(path)


def test_a_figure_that_fails_leaves_what_was_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "figure.png"
    path.write_bytes(b"old")

    def fail(place: Path, **_: object) -> None:
        Path(place).write_bytes(b"half")
        raise OSError("no space left")

    figure = Figure()
    monkeypatch.setattr(figure, "savefig", fail)
    with pytest.raises(ValueError, match=r"figure\.png: cannot be written: no space left$"):
        save_figure(figure, path)
    assert [(each.name, each.read_bytes()) for each in tmp_path.iterdir()] == [("figure.png", b"old")]


def test_other_peoples_names_are_drawn_as_they_are(tmp_path: Path) -> None:
    arm = load_arm("single-section").replace(name="$\\frac{$ 触手 \n\x1b[2J")
    figure = plot_motion(swinging(arm), title="$\\half$", note="$\\half$")
    save_figure(figure, tmp_path / "figure.png")
    assert figure.get_suptitle().startswith("$\\half$\n$\\frac{$ 触手 \\n\\x1b[2J, 2 s")


def test_motions_that_cannot_be_compared_are_refused() -> None:
    motion = swinging(load_arm("prototype"))
    with pytest.raises(ValueError, match=r"^other has 1 sections: .*3"):
        plot_motion(motion, swinging(load_arm("single-section")))
    with pytest.raises(ValueError, match=r"^other .*times"):
        plot_motion(motion, swinging(load_arm("prototype"), states=50))
    with pytest.raises(ValueError, match=r"^other has no states"):
        plot_motion(motion, motion.rows(slice(0, 0)))
    with pytest.raises(ValueError, match=r"^motion has no states"):
        plot_motion(motion.rows(slice(0, 0)))


@pytest.mark.slow
def test_figures_need_no_display_and_leave_pyplot_alone() -> None:
    code = """
import sys
from test_plots import plot_motion, swinging, load_arm
assert "matplotlib.pyplot" not in sys.modules
plot_motion(swinging(load_arm("single-section"))).draw_without_rendering()
assert "matplotlib.pyplot" not in sys.modules
"""
    paths = environment(PYTHONPATH=os.pathsep.join([str(Path(__file__).parent), *sys.path]))
    done = subprocess.run([sys.executable, "-c", code], env=paths, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.slow
def test_figures_of_two_threads_are_those_of_one(tmp_path: Path) -> None:
    arm = load_arm("single-section")

    def draw(name: str, size: float) -> bytes:
        save_figure(plot_motion(swinging(arm, size=size)), tmp_path / name)
        return (tmp_path / name).read_bytes()

    sizes = [0.01, 0.02]
    alone = [draw(f"{k}.png", size) for k, size in enumerate(sizes)]
    with ThreadPoolExecutor(2) as pool:
        together = list(pool.map(draw, ["a.png", "b.png"], sizes))
    assert together == alone


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("layout", ["constrained_layout.use", "autolayout"])
def test_settings_that_lay_out_figures_are_not_for_ours(prototype: Arm, tmp_path: Path, layout: str) -> None:
    motion = swinging(prototype)
    plot_motion(motion).savefig(tmp_path / "own.png")
    with rc_context({f"figure.{layout}": True}):
        plot_motion(motion).savefig(tmp_path / "set.png")
        prototype.plot().savefig(tmp_path / "arm.png")
    assert (tmp_path / "own.png").read_bytes() == (tmp_path / "set.png").read_bytes()


def test_a_closed_loop_is_drawn_with_its_goal_its_errors_and_its_commands() -> None:
    motion = sample_motions.looped(swinging(load_arm("prototype")), "reference", "command")
    estimate = motion.q + 1e-3
    motion = dataclasses.replace(motion, followed=motion.followed | {"estimate": estimate})
    figure = plot_motion(motion)
    for k, letter in enumerate("XYZ"):
        (goal,) = (line for line in panel(figure, f"{letter}, mm").lines if line.get_label() == "goal")
        np.testing.assert_allclose(goal.get_ydata(), 1e3 * motion.followed["reference"][:, k])
    from_goal, from_estimate = panel(figure, "tip off, mm").lines
    apart = np.linalg.norm(motion.tips[:, -1] - motion.followed["reference"], axis=1)
    np.testing.assert_allclose(from_goal.get_ydata(), 1e3 * apart)
    assert 0 < np.max(from_estimate.get_ydata()) < 1e3 * 0.1
    pale = [line for line in panel(figure, "pressure, kPa").lines if line.get_alpha() == 0.3]
    named = [name for name in motion.arm.muscle_names if motion.pressures[:, motion.arm.muscle_columns[name]].any()]
    assert len(pale) == len(named)
    drawn = {tuple(np.round(line.get_ydata(), 9)) for line in pale}
    wanted = motion.followed["command"][:, [motion.arm.muscle_columns[name] for name in named]] / 1e3
    assert drawn == {tuple(np.round(each, 9)) for each in wanted.T}


def test_commands_that_are_the_pressures_are_not_drawn_twice() -> None:
    plain = swinging(load_arm("prototype"))
    motion = dataclasses.replace(plain, followed={"command": plain.pressures})
    assert all(line.get_alpha() is None for line in panel(plot_motion(motion), "pressure, kPa").lines)
