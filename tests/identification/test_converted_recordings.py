"""Examples that convert logs of laboratories: frames, units and gaps are as they say, and what is shipped is read."""

from __future__ import annotations

import gzip
import runpy
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from continuarm import Muscles, read_recording
from continuarm.identification.recording_checks import checked_recording

EXAMPLES = Path(__file__).parents[2] / "examples"
SHIPPED = sorted((EXAMPLES / "recordings").rglob("*.csv.gz"))
PSI = 6894.757293168361


@pytest.fixture(scope="module")
def two_sections(prototype):
    layout = Muscles(angles=[np.pi, 0.0, np.pi / 2, 3 * np.pi / 2], radii=[0.048] * 4)
    section = prototype.sections[0].replace(length=0.12, muscles=layout, dead_zone=0.0)
    return prototype.replace(sections=[section, section])


def converter(name):
    return runpy.run_path(str(EXAMPLES / f"{name}.py"))["convert"]


@pytest.mark.parametrize("ending", [".txt", ".txt.gz"])
def test_a_log_of_the_two_section_arm_is_in_the_frame_of_the_arm(two_sections, tmp_path, ending):
    rng = np.random.default_rng(0)
    raw = rng.uniform(0, 1, (60, 38))
    raw[:, 0] = 5 + np.arange(60) / 60
    raw[:, 17:20] = [0.5, 0.2, 0.9]  # the base stands
    raw[:, 24:27] = ([0.5, 0.2, 0.9] + rng.uniform(-1, 1, (60, 3)) * 0.02 - np.array([0, 0, 0.15]))[
        3 * (np.arange(60) // 3)
    ]
    text = "\n".join(", ".join(f"{v:.8e}" for v in row) for row in raw).encode()
    source = tmp_path / f"log{ending}"
    source.write_bytes(gzip.compress(text) if ending.endswith("gz") else text)
    converter("convert_asu_two_section")(source, tmp_path / "run.csv.gz")
    found = read_recording(tmp_path / "run.csv.gz", two_sections)
    np.testing.assert_allclose(found.times, np.arange(60) / 60, atol=1e-4)
    told = found.commands(two_sections).pressures
    np.testing.assert_allclose(told, PSI * raw[:, [4, 5, 6, 6, 10, 11, 12, 12]], atol=60)
    tip, end = found.sensors[0].values, raw[:, 24:27]
    assert (np.flatnonzero(np.isfinite(tip).all(axis=1)) == np.arange(0, 60, 3)).all()  # the rest repeats
    expected = np.stack([end[:, 0] - 0.5, 0.2 - end[:, 1], 0.9 - end[:, 2] - 0.03721], axis=-1)
    np.testing.assert_allclose(tip[::3], expected[::3], atol=6e-6)


def test_swings_of_the_trunk_begin_when_the_hand_is_gone(prototype, tmp_path):
    t = np.arange(400) / 100
    swing = np.where(t < 0.5, 1.0, np.exp(-2 * (t - 0.5)) * np.cos(8 * (t - 0.5)))
    lines = ["ID,x1,y1,z1,x2,y2,z2,x3,y3,z3"]
    for number, size in ((0, 0.15), (3, 0.0), (4, 0.12)):  # 3 was never let go
        for each in swing * size:
            discs = [(0.1005 + part * each, -depth, 0.1043) for part, depth in ((0.1, 0.1), (0.4, 0.2), (1, 0.3))]
            lines.append(f"{number}," + ",".join(f"{v:.6f}" for disc in discs for v in disc))
    (tmp_path / "observations_decay.csv").write_text("\n".join(lines))
    converter("convert_stanford_trunk")(tmp_path / "observations_decay.csv", tmp_path)
    assert sorted(path.name for path in tmp_path.glob("*.gz")) == ["decay-00.csv.gz", "decay-04.csv.gz"]
    found = read_recording(tmp_path / "decay-00.csv.gz", prototype, repeats="keep")
    begin = int(np.argmax(np.abs(swing - 1) * 0.15 > 5e-3)) + 10
    assert found.input is None
    assert len(found.times) == 400 - begin
    assert found.times[1] == 0.01
    tip = found.sensors[2].values
    np.testing.assert_allclose(tip[:, 0], 0.15 * swing[begin:], atol=6e-6)
    np.testing.assert_allclose(tip[:, 1:], np.tile([0.0, 0.3], (len(tip), 1)), atol=6e-6)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["convert_asu_two_section", "convert_stanford_trunk"])
def test_a_converter_says_in_one_line_what_it_needs(tmp_path, name):
    (tmp_path / "words.txt").write_text("no numbers\nat all\n")
    for arguments, named in (
        ([], "usage: "),
        (["words.txt"], "usage: "),
        (["words.txt", "a", "b"], "usage: "),
        (["none.txt", "out"], "none.txt"),
        (["words.txt", "out"], "words.txt"),
    ):
        command = [sys.executable, str(EXAMPLES / f"{name}.py"), *arguments]
        ended = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
        assert ended.returncode == 1
        assert named in ended.stderr
        assert ended.stderr.count("\n") == 1, ended.stderr


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.name.split(".")[0])
def test_shipped_recordings_are_read_and_pass_the_checks(prototype, two_sections, path):
    arm = two_sections if path.parent.name == "asu-two-section" else prototype
    found = read_recording(path, arm)
    assert found.notes == ()
    _, warnings = checked_recording(found, arm)
    assert all("below zero" in each for each in warnings)
    assert len(warnings) <= 1


def test_shipped_recordings_are_small_and_name_their_sources():
    assert len(SHIPPED) == 43
    assert sum(path.stat().st_size for path in SHIPPED) < 1.5e6
    for folder in {path.parent for path in SHIPPED}:
        assert "MIT" in (folder / "LICENSE").read_text()
        assert "commit" in (folder / "SOURCE.md").read_text()
