"""The paper's experiments: its steps as printed, two models that agree, and a label that says what this is not."""

from __future__ import annotations

import dataclasses
import json
import re
import runpy
from pathlib import Path

import numpy as np
import pytest

from continuarm.arms.arm_file import load_arm
from continuarm.arms.inertia_models import CentreOfGravity, Integral
from continuarm.paper.experiments import EXPERIMENTS, LABEL, Comparison, compare_models
from continuarm.simulation.solvers import FixedStep

SHORT = dataclasses.replace(EXPERIMENTS[2], duration=0.3)


@pytest.fixture(scope="module")
def comparisons() -> dict[int, Comparison]:
    return {number: compare_models(number) for number in EXPERIMENTS}


def test_steps_and_factors_are_the_papers() -> None:
    steps = {number: dict(each.steps.steps) for number, each in EXPERIMENTS.items()}
    assert steps == {
        1: {"l33": [(0.0, 600e3)], "l22": [(3.2, 500e3)], "l11": [(7.55, 500e3)]},
        2: {"l23": [(0.0, 300e3)], "l33": [(3.3, 500e3)]},
        3: {"l33": [(0.0, 500e3)], "l23": [(2.55, 300e3)], "l11": [(5.05, 300e3)]},
    }
    assert [each.paper_factor for each in EXPERIMENTS.values()] == [6.69, 7.8, 7.3]
    assert [each.duration for each in EXPERIMENTS.values()] == [10.5, 7.0, 7.9]
    assert all(number == each.number for number, each in EXPERIMENTS.items())


def test_both_models_run_to_the_end_under_the_same_pressures(comparisons: dict[int, Comparison]) -> None:
    for number, comparison in comparisons.items():
        experiment = EXPERIMENTS[number]
        assert [motion.arm.inertia for motion in comparison.motions.values()] == [Integral(), CentreOfGravity()]
        assert list(comparison.motions) == ["integral", "centre-of-gravity"]
        for motion in comparison.motions.values():
            assert (motion.t[-1], motion.stopped) == (experiment.duration, "")
            steps = experiment.steps.steps.values()
            assert sorted(motion.pressures[-1][motion.pressures[-1] > 0]) == sorted(p for [(_, p)] in steps)


def test_the_models_agree_as_the_paper_says(comparisons: dict[int, Comparison]) -> None:
    for comparison in comparisons.values():
        # "negligible": here, a hundredth of the arm's 450 mm; measured: 1.43, 0.12 and 0.57 mm
        assert 0 < comparison.largest.max() < 4.5e-3


def test_experiment_1_stays_in_the_plane_y_0(comparisons: dict[int, Comparison]) -> None:
    for motion in comparisons[1].motions.values():
        # The muscles are placed in the plane to rounding; nothing of the motion drives rounding out of it.
        assert np.abs(motion.tips[..., 1]).max() < 1e-12
    assert np.abs(comparisons[2].integral.tips[..., 1]).max() > 0.01


def test_distances_are_those_of_the_tips(comparisons: dict[int, Comparison]) -> None:
    for comparison in comparisons.values():
        apart = comparison.integral.tips - comparison.centre_of_gravity.tips
        np.testing.assert_allclose(comparison.distances**2, (apart**2).sum(axis=-1), rtol=1e-12, atol=1e-30)
        np.testing.assert_array_equal(comparison.largest, comparison.distances.max(axis=0))
        np.testing.assert_array_equal(comparison.final, comparison.distances[-1])


def test_the_table_is_plain_and_labelled(comparisons: dict[int, Comparison]) -> None:
    table = json.loads(json.dumps(comparisons[3].table()))
    assert table["label"] == LABEL == "simulated from assumed parameters; the paper's measurements are not public"
    assert (table["experiment"], table["paper_real_time_factor"], table["duration"]) == (3, 7.3, 7.9)
    assert table["largest_distance_mm"] == pytest.approx(1e3 * comparisons[3].largest)
    assert table["final_distance_mm"] == pytest.approx(1e3 * comparisons[3].final)
    for name, motion in comparisons[3].motions.items():
        assert table["models"][name]["evaluations"] == motion.record["evaluations"]
        assert table["models"][name]["real_time_factor"] == motion.record["real_time_factor"]


def test_the_figure_is_labelled(comparisons: dict[int, Comparison]) -> None:
    figure = comparisons[2].plot()
    assert figure.get_supxlabel() == LABEL
    assert all(word in figure.get_suptitle() for word in ("Experiment 2", EXPERIMENTS[2].title, "prototype", "7 s"))


def test_arm_solver_and_progress_are_passed_on() -> None:
    shaped = CentreOfGravity(beta_linear=(1.345, 1.503, 1.76), beta_angular=(1.05, 1.08, 1.41))
    arm = load_arm("prototype").replace(name="mine", inertia=shaped)
    told: list[float] = []
    comparison = compare_models(SHORT, arm, FixedStep(rate=200), told.append)
    assert comparison.centre_of_gravity.arm == arm
    assert comparison.integral.arm == arm.replace(inertia=Integral())
    for motion in comparison.motions.values():
        assert motion.record["steps"] == 60  # 0.3 s of 200 Hz
    assert told == sorted(told)
    assert (told[-1], 0.5 in told) == (1.0, True)


@pytest.mark.parametrize("number", [0, 4, "1", None])
def test_another_number_is_refused(number: object) -> None:
    with pytest.raises(ValueError, match=rf"experiment = {number!r}.*1, 2, 3"):
        compare_models(number)  # type: ignore[arg-type]


@pytest.mark.slow
def test_the_example_runs_and_says_where_its_figure_is(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    comparisons: dict[int, Comparison],
) -> None:
    example = Path(__file__).parents[2] / "examples" / "first_steps.py"
    monkeypatch.chdir(tmp_path)
    runpy.run_path(str(example), run_name="__main__")
    shown = capsys.readouterr().out
    assert "out/experiment1.png" in shown
    assert LABEL in " ".join(shown.split())
    apart = float(re.search(r"centre-of-gravity.* (\d+\.\d+) +│\s", shown.partition("Experiment 1")[2])[1])
    assert apart == pytest.approx(1e3 * comparisons[1].largest.max(), abs=6e-4)  # what the command and the report say
    assert Path("out/experiment1.png").read_bytes().startswith(b"\x89PNG")
