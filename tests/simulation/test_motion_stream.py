"""A motion on its way to disk: what was written survives the process, a full disk, another run to the same place."""

import os
import random
import signal
import subprocess
import sys
import time
import tracemalloc
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path

import h5py
import numpy as np
import pytest
import xarray

import continuarm.simulation.motion_file
from continuarm.simulation.motion_file import MotionWriter, load_motion, save_motion
from refusals import refused
from sample_motions import RECORD, a_motion, bits, names, parts

pytestmark = pytest.mark.exhaustive

# What was written survives the process


def stream(path: str) -> None:
    """In a process that is going to be killed: says how many rows are safe after each part."""
    motion = a_motion(3000)
    with MotionWriter(path, motion.arm, 3000) as writer:
        print(0, flush=True)
        for part in parts(motion, 3):
            writer.write(part)
            print(writer.written, flush=True)
        time.sleep(60)  # a slow machine kills late


def save_forever(path: str) -> None:
    """In a process that is going to be killed: at any moment some motion of 200 rows is being created or completed."""
    for seed in range(1_000_000):
        motion = a_motion(200, seed=seed % 5)
        save_motion(motion, path)
        print(seed, flush=True)


def start(function: str, path: Path) -> subprocess.Popen[bytes]:
    here = Path(__file__).parent
    code = f"import sys; sys.path[:0] = sys.argv[2:]; import test_motion_stream as here; here.{function}(sys.argv[1])"
    command = [sys.executable, "-c", code, str(path), str(here), str(here.parent)]
    return subprocess.Popen(command, stdout=subprocess.PIPE)


def kill(process: subprocess.Popen[bytes], lines: int, delay: float) -> int:
    """SIGKILL some time after so many lines; the last number that the process has said."""
    assert process.stdout is not None
    said = [process.stdout.readline() for _ in range(lines)]
    time.sleep(delay)
    process.send_signal(signal.SIGKILL)
    said += process.stdout.readlines()
    process.stdout.close()
    assert process.wait() == -signal.SIGKILL
    return int(said[-1])


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="no SIGKILL")
@pytest.mark.parametrize("share", np.linspace(0.0, 0.9, 8))
def test_a_killed_run_leaves_every_row_it_wrote(tmp_path, share):
    path, left = tmp_path / "run.nc", tmp_path / "run.partial.nc"
    save_motion(a_motion(5, seed=1), path)
    before = path.read_bytes()
    motion = a_motion(3000)
    safe = kill(start("stream", path), 1 + int(share * 1000), random.uniform(0, 2e-3))

    again = load_motion(left)
    count = len(again.t)
    assert safe <= count <= safe + 3
    assert bits(again) == bits(motion.rows(slice(count)))
    assert (again.arm, again.record) == (motion.arm, {})
    assert again.stopped.startswith("interrupted ")
    with xarray.open_dataset(left, engine="h5netcdf") as data:
        assert np.isfinite(data["time"]).sum() == count
        whole = data.isel(time=slice(count))
        np.testing.assert_array_equal(whole["kinetic_energy"], again.energies["kinetic"])
        np.testing.assert_array_equal(whole["tip_orientations"], again.tip_poses[..., :3, :3])
        # rows that have no time yet: at most those of the part that was being written
        assert data.isel(time=slice(count + 3, None)).isnull().all().to_array().all()
    assert path.read_bytes() == before
    with MotionWriter(path, motion.arm, 1):  # the lock went with the process
        pass


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="no SIGKILL")
@pytest.mark.parametrize("attempt", range(4))
def test_a_process_killed_while_it_creates_or_completes_leaves_whole_files(tmp_path, attempt):
    motions = [bits(a_motion(200, seed=seed)) for seed in range(5)]
    path, left = tmp_path / "run.nc", tmp_path / "run.partial.nc"
    kill(start("save_forever", path), 1, random.uniform(0, 50e-3))
    again = load_motion(path)
    assert again.stopped == ""
    assert bits(again) in motions
    if left.exists():
        part = load_motion(left)
        assert part.stopped.startswith("interrupted ")
        assert any(
            bits(part) == [each[: len(b)] for each, b in zip(whole, bits(part), strict=True)] for whole in motions
        )


def test_writing_rows_changes_no_byte_outside_the_rows(tmp_path):
    """Why a killed run leaves a whole file: all structure is there before the first row."""
    motion = a_motion(1000)
    with MotionWriter(tmp_path / "run.nc", motion.arm, 1000) as writer:
        empty = np.fromfile(writer.partial, np.uint8)
        with h5py.File(writer.partial, "r") as file:
            rows = {name: file[name] for name in file if file[name].shape[0] == 1000}
            places = {name: (each.id.get_offset(), each.id.get_storage_size()) for name, each in rows.items()}
            assert all(np.isnan(each[()]).all() for each in rows.values())
        assert len(places) == 15
        # a number across two pages of the disk could be half written
        assert all(place % 8 == 0 for place, _ in places.values())
        outside = np.ones(len(empty), bool)
        for place, size in places.values():
            outside[place : place + size] = False
        for part in parts(motion, 90):
            writer.write(part)
            now = np.fromfile(writer.partial, np.uint8)
            assert len(now) == len(empty)
            assert (now[outside] == empty[outside]).all()
        assert (now[~outside] != empty[~outside]).mean() > 0.5


def test_a_row_has_a_time_only_when_the_rest_of_it_is_there(tmp_path, monkeypatch):
    """Whatever comes between the variables of a part, the part is not there."""
    motion = a_motion(20)
    with MotionWriter(tmp_path / "run.nc", motion.arm, 20) as writer:
        writer.write(motion.rows(slice(0, 8)))
        for last in range(1, 15):
            values = dict(
                list(continuarm.simulation.motion_file.variable_values(motion.rows(slice(8, 12))).items())[:last]
            )
            with monkeypatch.context() as patch:
                patch.setattr(continuarm.simulation.motion_file, "variable_values", lambda _, values=values: values)
                writer.write(motion.rows(slice(8, 12)))
            writer.written = 8
            assert bits(load_motion(writer.partial)) == bits(motion.rows(slice(8)))


def test_a_running_run_can_be_looked_at(tmp_path):
    motion = a_motion(50)
    with MotionWriter(tmp_path / "run.nc", motion.arm, 50) as writer:
        assert load_motion(writer.partial).stopped == "interrupted before the first state: the run has not finished"
        for k, part in enumerate(parts(motion, 10), start=1):
            writer.write(part)
            assert bits(load_motion(writer.partial)) == bits(motion.rows(slice(10 * k)))
        with xarray.open_dataset(writer.partial, engine="h5netcdf") as data:
            assert data.attrs["stopped"] == "interrupted: the run has not finished"
        writer.close(RECORD)
    assert load_motion(tmp_path / "run.nc").record == RECORD


@pytest.mark.parametrize("error", [KeyboardInterrupt, RuntimeError, None])
def test_a_run_that_ends_without_close_keeps_its_rows(tmp_path, error):
    path = tmp_path / "run.nc"
    save_motion(a_motion(4, seed=1), path)
    before = path.read_bytes()
    motion = a_motion(50)

    def run():
        with MotionWriter(path, motion.arm, 50) as writer:
            writer.write(motion.rows(slice(20)))
            if error:
                raise error

    if error:
        with pytest.raises(error):
            run()
    else:
        run()
    again = load_motion(tmp_path / "run.partial.nc")
    assert bits(again) == bits(motion.rows(slice(20)))
    assert again.stopped == f"interrupted after t = {motion.t[19]:g} s: the run has not finished"
    assert path.read_bytes() == before
    save_motion(motion, path)  # what an earlier run left is no hindrance, and goes
    assert bits(load_motion(path)) == bits(motion)
    assert names(tmp_path) == ["run.nc"]


def test_what_cannot_be_completed_stays_in_the_partial_file(tmp_path, monkeypatch):
    motion = a_motion(20)
    path = tmp_path / "run.nc"
    save_motion(a_motion(4, seed=1), path)
    before = path.read_bytes()

    def fail(*_):
        raise OSError(28, "No space left on device")

    with MotionWriter(path, motion.arm, 20) as writer:
        writer.write(motion)
        monkeypatch.setattr("os.replace", fail)
        with pytest.raises(
            ValueError, match=r"run\.nc: cannot be written: No space left .*; the rows are in .*partial\.nc$"
        ):
            writer.close(RECORD)
    assert bits(load_motion(tmp_path / "run.partial.nc")) == bits(motion)
    assert path.read_bytes() == before
    assert names(tmp_path) == ["run.nc", "run.partial.nc"]


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="no limit of the size of files")
@pytest.mark.parametrize("limit", [1000, 20_000, 100_000, 1_000_000])
def test_a_disk_without_space_says_so_before_the_run(tmp_path, limit):
    """A limit of the size of files stands for a full disk: the space is claimed when the writer is made."""
    code = (
        "import resource, sys\n"
        "from continuarm import load_arm\n"
        "from continuarm.simulation.motion_file import MotionWriter\n"
        f"resource.setrlimit(resource.RLIMIT_FSIZE, ({limit}, {limit}))\n"
        "try: MotionWriter(sys.argv[1], load_arm('prototype'), 10_000)\n"
        "except ValueError as error: print(error)\n"
    )
    path = tmp_path / "run.nc"
    done = subprocess.run([sys.executable, "-c", code, str(path)], capture_output=True, text=True)
    assert (done.stdout, done.stderr) == (f"{path}: cannot be written: File too large\n", "")
    assert names(tmp_path) == []


def test_a_hundred_thousand_rows_take_the_memory_of_a_part(tmp_path):
    motion = a_motion(1000)
    with MotionWriter(tmp_path / "run.nc", motion.arm, 100_000) as writer:
        writer.write(motion.rows(slice(None)))  # what is made once
        tracemalloc.start()
        for k in range(1, 100):
            writer.write(replace(motion, t=motion.t + k * (motion.t[-1] + 1)))
        writer.close({})
        _, most = tracemalloc.get_traced_memory()
        tracemalloc.stop()
    size = (tmp_path / "run.nc").stat().st_size
    assert size > 100_000 * 60 * 8
    # a part is 1 % of the file, with its poses and copies some per cent; blocks of 4 MiB are copied at the end
    assert most < 0.1 * size + 3 * 2**22
    assert len(load_motion(tmp_path / "run.nc").t) == 100_000


# Several runs, one name


def leave(path, motion, rows):
    """A run that does not come to its end."""
    with MotionWriter(path, motion.arm, len(motion.t)) as writer:
        writer.write(motion.rows(slice(rows)))


def test_rows_of_an_unfinished_run_are_kept_until_another_one_is_complete(tmp_path):
    """However many do not come to their end; what has no rows is not kept."""
    path, motion = tmp_path / "run.nc", a_motion(10)
    for rows in (4, 0, 6):
        leave(path, motion, rows)
    assert names(tmp_path) == ["run.partial-2.nc", "run.partial.nc"]
    assert bits(load_motion(tmp_path / "run.partial-2.nc")) == bits(motion.rows(slice(4)))
    with MotionWriter(path, motion.arm, 10) as writer:
        assert names(tmp_path)[1:] == ["run.partial-2.nc", "run.partial-3.nc", "run.partial.nc"]
        assert bits(load_motion(tmp_path / "run.partial-3.nc")) == bits(motion.rows(slice(6)))
        writer.write(motion)
        writer.close({})
    assert names(tmp_path) == ["run.nc", "run.partial-2.nc"]


def test_a_partial_file_that_cannot_be_read_is_kept_too(tmp_path):
    path, motion = tmp_path / "run.nc", a_motion(10)
    (tmp_path / "run.partial.nc").write_bytes(b"somebody's")
    leave(path, motion, 3)
    assert (tmp_path / "run.partial-2.nc").read_bytes() == b"somebody's"


def test_a_second_run_to_the_same_file_is_refused(tmp_path):
    motion = a_motion(10)
    path = tmp_path / "run.nc"
    with MotionWriter(path, motion.arm, 10) as first:
        first.write(motion.rows(slice(5)))
        with refused(str(path), "another run"):
            MotionWriter(path, motion.arm, 10)
        first.write(motion.rows(slice(5, 10)))
        first.close({})
    assert bits(load_motion(path)) == bits(motion)
    assert names(tmp_path) == ["run.nc"]


@pytest.mark.skipif(os.name == "nt", reason="a file in use cannot be replaced")
def test_without_locks_both_runs_are_whole_and_the_later_stays(tmp_path, monkeypatch):
    monkeypatch.setattr(continuarm.simulation.motion_file, "claimed", lambda _: nullcontext())
    one, two = a_motion(10, seed=1), a_motion(10, seed=2)
    path = tmp_path / "run.nc"
    with MotionWriter(path, one.arm, 10) as first, MotionWriter(path, two.arm, 10) as second:
        for a, b in zip(parts(one, 4), parts(two, 4), strict=True):
            first.write(a)
            second.write(b)
        first.close({})
        assert bits(load_motion(path)) == bits(one)
        assert bits(load_motion(second.partial)) == bits(two)
        second.close({})
    assert bits(load_motion(path)) == bits(two)
    assert names(tmp_path) == ["run.nc"]


def test_a_link_stays_a_link_and_a_file_keeps_its_permissions(tmp_path):
    (tmp_path / "there").mkdir()
    save_motion(a_motion(3), tmp_path / "there" / "run.nc")
    (tmp_path / "there" / "run.nc").chmod(0o640)
    (tmp_path / "link.nc").symlink_to(tmp_path / "there" / "run.nc")
    save_motion(a_motion(4), tmp_path / "link.nc")
    assert (tmp_path / "link.nc").is_symlink()
    assert len(load_motion(tmp_path / "there" / "run.nc").t) == 4
    assert (tmp_path / "there" / "run.nc").stat().st_mode & 0o777 == 0o640
    assert names(tmp_path / "there") == ["run.nc"]
