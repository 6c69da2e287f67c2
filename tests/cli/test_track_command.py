"""`continuarm track`: figures and points are followed, and bad ones refused in one line."""

import json

import numpy as np
import pytest

from continuarm.cli.app import main

pytestmark = pytest.mark.slow

POINTS = "t [s], x [mm], y [cm], z [m]\n0, 0, 0, 0.49\n0.5, 20, 0, 0.49\n1, 0, 2, 0.48\n"


def test_a_circle_is_followed_and_written(tmp_path, capsys):
    page, file = tmp_path / "run.html", tmp_path / "run.nc"
    code = main(["track", "prototype", "--period", "1", "--size", "40", "--html", str(page), "-o", str(file)])
    said = capsys.readouterr().out
    assert code == 0
    assert "off the figure" in said
    assert page.stat().st_size > 10_000
    assert file.exists()


@pytest.mark.parametrize("controller", ["computed-torque", "tip-torque", pytest.param("mpc", marks=pytest.mark.slow)])
def test_points_are_followed_in_their_units(tmp_path, capsys, controller):
    path = tmp_path / "points.csv"
    path.write_text(POINTS)
    rate = "100" if controller == "mpc" else "250"
    assert (
        main(["track", "prototype", "--figure", str(path), "--controller", controller, "--rate", rate, "--json"]) == 0
    )
    found = json.loads(capsys.readouterr().out)
    assert found["t"] == 1.0
    off = 1e3 * np.linalg.norm(np.array(found["tips"][-1]) - [0.0, 0.02, 0.48])  # mm
    assert off < 1.0


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--figure", "square"], "--figure = 'square': must be circle, eight or a CSV file"),
        (["--controller", "magic"], "--controller = 'magic': must be one of computed-torque"),
        (["--centre", "1,2"], "--centre = '1,2': must be three numbers in mm"),
        (["--highest", "0"], "--highest = 0: must be above 0 kPa"),
        (["--period", "0"], "period = 0"),
        (["--plant", "single-section"], "must have 3 in 1"),
    ],
)
def test_bad_options_are_one_line(options, words, capsys):
    assert main(["track", "prototype", *options]) == 2
    said = capsys.readouterr().err
    assert words in said
    assert said.count("\n") == 1


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("a,b\n1,2\n", "the header must be like"),
        (POINTS.replace("[mm]", "[s]"), "of x must be that of a length"),
        (POINTS.replace("0.5,", "5,"), "whose times ascend"),
        (POINTS.replace("20,", "inf,"), "line 3: must have finite numbers"),
    ],
)
def test_bad_points_are_one_line(text, words, tmp_path, capsys):
    path = tmp_path / "points.csv"
    path.write_text(text)
    assert main(["track", "prototype", "--figure", str(path)]) == 2
    said = capsys.readouterr().err
    assert words in said
    assert said.count("\n") == 1


@pytest.mark.parametrize(
    ("options", "least", "hint"),
    [
        (["--centre", "0,0,600"], 10, "--centre and --size are in mm"),
        (["--centre", "0,0,0.5", "--size", "0.1"], 400, "--centre and --size are in mm"),  # metres
        (["--figure", "POINTS"], 1e4, "its header names the units"),
    ],
)
def test_a_figure_out_of_reach_is_warned_of_in_one_line(options, least, hint, tmp_path, capsys):
    path = tmp_path / "points.csv"
    path.write_text(POINTS.replace("[mm]", "[m]"))
    options = [str(path) if each == "POINTS" else each for each in options]
    assert main(["track", "prototype", *options, "--duration", "0.1", "--json"]) == 0
    said = capsys.readouterr()
    assert said.err.startswith("warning: the figure is out of reach at ")
    assert said.err.endswith(f"({hint})\n")
    assert said.err.count("\n") == 1
    assert json.loads(said.out)["out_of_reach_mm"] > least


@pytest.mark.parametrize("arm", ["prototype", "prototype-muscles", "single-section"])
@pytest.mark.parametrize("figure", ["circle", "eight"])
def test_the_usual_figures_are_within_reach(arm, figure, capsys):
    assert main(["track", arm, "--figure", figure, "--duration", "0.1", "--json"]) == 0
    said = capsys.readouterr()
    assert said.err == ""
    assert json.loads(said.out)["out_of_reach_mm"] < 0.1
