"""Laws of motions on disk: what is read is what was written, to the bit, and what was written survives the process."""

import json
import os
import random
import signal
import subprocess
import sys
import time
import tracemalloc
from dataclasses import replace
from pathlib import Path

import h5py
import numpy as np
import pytest

import continuarm.motion_file
from arms import random_arm, random_lengths, random_rates
from continuarm import Arm, Motion, Muscles, load_arm
from continuarm.motion import ROWS
from continuarm.motion_file import MotionWriter, check_motion_path, load_motion, save_motion

RECORD = {"solver": "Adaptive(rtol=1e-06)", "steps": 12, "wall_time": 0.1 + 0.2, "errors": [1e-9, None], "größe": "µ"}


def an_arm(sections: int = 2) -> Arm:
    """Its first section has four muscles: coordinates and muscles differ in number."""
    arm = random_arm(np.random.default_rng(0), sections, name='an "arm" µ')
    four = Muscles(angles=[0.0, 1.5, 3.0, 4.5], radii=[0.01, 0.02, 0.01, 0.02])
    return arm.replace(sections=[arm.sections[0].replace(muscles=four, stiffness=900.0), *arm.sections[1:]])


def a_motion(rows: int, arm: Arm | None = None, seed: int = 0) -> Motion:
    """Numbers of every size and no physics: 20 states in range, over and over, and random rows beside them."""
    arm = arm or an_arm()
    rng = np.random.default_rng(seed)
    lengths = np.array([random_lengths(rng, arm) for _ in range(20)])
    rates = np.array([random_rates(rng, arm) for _ in range(20)])
    muscles = sum(len(section.muscle_map) for section in arm.sections)
    widths = {"tau": (3 * arm.n,), "pressures": (muscles,), "hysteresis": (muscles,), "wrench": (6,)}
    widths |= {"supplied": (), "dissipated": ()}
    fields = {name: rng.normal(size=(rows, *w)) * 10.0 ** rng.integers(-300, 300) for name, w in widths.items()}
    t = np.cumsum(rng.uniform(0, 0.01, rows))
    return Motion(arm, t, q=np.resize(lengths, (rows, 3 * arm.n)), qd=np.resize(rates, (rows, 3 * arm.n)), **fields)


def bits(motion: Motion) -> list[bytes]:
    return [np.ascontiguousarray(getattr(motion, name)).tobytes() for name in ROWS]


def parts(motion: Motion, size: int) -> list[Motion]:
    return [motion.rows(slice(start, start + size)) for start in range(0, len(motion.t), size)]


def names(folder: Path) -> list[str]:
    return sorted(each.name for each in folder.iterdir())


# What is read is what was written


@pytest.mark.parametrize("sections", [1, 2, 12])
@pytest.mark.parametrize("suffix", [".nc", ".nc4", ".h5"])
def test_a_saved_motion_is_the_same_motion(tmp_path, sections, suffix):
    path = tmp_path / f"run{suffix}"
    motion = replace(a_motion(57, an_arm(sections)), record=RECORD, stopped="left the range at t = 3 s")
    save_motion(motion, path)
    again = load_motion(path)
    assert bits(again) == bits(motion)
    assert (again.arm, again.record, again.stopped) == (motion.arm, motion.record, motion.stopped)
    np.testing.assert_array_equal(again.tip_poses, motion.tip_poses)
    np.testing.assert_array_equal(list(again.energies.values()), list(motion.energies.values()))
    assert names(tmp_path) == [path.name]


def test_the_same_motion_is_the_same_file_however_it_was_written(tmp_path):
    """Whole, in parts of any size, stopped early: the file depends on the rows alone."""
    motion = replace(a_motion(100), record=RECORD, stopped="enough")
    save_motion(motion, tmp_path / "saved.nc")
    for size, rows in ((1, 100), (7, 100), (100, 100), (33, 5000)):
        with MotionWriter(tmp_path / "streamed.nc", motion.arm, rows) as writer:
            for part in parts(motion, size):
                writer.write(part)
            writer.close(RECORD, "enough")
        assert (tmp_path / "streamed.nc").read_bytes() == (tmp_path / "saved.nc").read_bytes()
    assert names(tmp_path) == ["saved.nc", "streamed.nc"]


def test_a_motion_without_rows_is_a_motion(tmp_path):
    motion = replace(a_motion(0), stopped="at once")
    save_motion(motion, tmp_path / "run.nc")
    again = load_motion(tmp_path / "run.nc")
    assert [getattr(again, name).shape for name in ROWS] == [getattr(motion, name).shape for name in ROWS]
    assert again.stopped == "at once"


def test_an_arm_of_many_sections_fits(tmp_path):
    """Its description is longer than the 64 KiB that HDF5 has for an attribute of fixed size."""
    arm = Arm(sections=an_arm().sections * 200)
    assert len(arm.model_dump_json()) > 2**16
    motion = Motion(arm, np.zeros(1), *(np.zeros((1, w)) for w in (1200, 1200, 1200, 1400, 1400, 6)), *np.zeros((2, 1)))
    save_motion(motion, tmp_path / "run.nc")
    assert load_motion(tmp_path / "run.nc").arm == arm


def test_a_record_may_hold_numpy_numbers_and_nothing_that_json_cannot(tmp_path):
    motion = replace(
        a_motion(3), record={"steps": np.int64(4), "times": np.array([0.1, 0.2]), "share": np.float64(0.3)}
    )
    save_motion(motion, tmp_path / "run.nc")
    assert load_motion(tmp_path / "run.nc").record == {"steps": 4, "times": [0.1, 0.2], "share": 0.3}
    with pytest.raises(ValueError, match=r"^record = .*: must be what JSON can hold$"):
        save_motion(replace(motion, record={"when": object()}), tmp_path / "run.nc")


# Other programs


def test_xarray_opens_it_with_names_and_units(tmp_path):
    xarray = pytest.importorskip("xarray", reason="xarray is not installed")
    motion = replace(a_motion(30, an_arm(11)), record=RECORD)
    save_motion(motion, tmp_path / "run.nc")
    with xarray.open_dataset(tmp_path / "run.nc", engine="h5netcdf") as data:
        assert dict(data.sizes) == {
            "time": 30, "coordinate": 33, "muscle": 34, "section": 11, "axis": 3, "row": 3, "column": 3
        }  # fmt: skip
        found = {
            name: (*each.dims[1:], each.attrs["units"]) for name, each in data.variables.items() if "time" in each.dims
        }
        energies = ("kinetic", "gravitational", "elastic", "supplied", "dissipated")
        assert found == {
            "time": ("s",),
            "q": ("coordinate", "m"),
            "qd": ("coordinate", "m/s"),
            "tau": ("coordinate", "N"),
            "pressures": ("muscle", "Pa"),
            "hysteresis": ("muscle", "N"),
            "tip_moment": ("axis", "N m"),
            "tip_force": ("axis", "N"),
            "tip_positions": ("section", "axis", "m"),
            "tip_orientations": ("section", "row", "column", "1"),
            **{f"{name}_energy": ("J",) for name in energies},
        }
        assert all(each.attrs["long_name"] for each in data.variables.values() if "units" in each.attrs)
        assert data["muscle"].values.tolist()[:5] == ["l11", "l12", "l13", "l14", "l21"]
        assert data["coordinate"].values.tolist()[-4:] == ["l10-3", "l11-1", "l11-2", "l11-3"]
        np.testing.assert_array_equal(data["q"].sel(coordinate="l22"), motion.q[:, 4])
        np.testing.assert_array_equal(data["tip_positions"].sel(section=2, axis="z"), motion.tips[:, 1, 2])
        np.testing.assert_array_equal(data["tip_orientations"], motion.tip_poses[..., :3, :3])
        np.testing.assert_array_equal(data["tip_force"], motion.wrench[:, 3:])
        for name in energies:
            np.testing.assert_array_equal(data[f"{name}_energy"], motion.energies[name])
        assert json.loads(data.attrs["record"]) == RECORD
        assert Arm.model_validate_json(data.attrs["arm"]) == motion.arm
        data.load().to_netcdf(tmp_path / "again.nc", engine="h5netcdf")
    again = load_motion(tmp_path / "again.nc")
    assert (bits(again), again.record, again.stopped) == (bits(motion), RECORD, "")


def test_plain_hdf5_readers_see_contiguous_numbers_and_text(tmp_path):
    """What MATLAB's h5read sees; and no moment of writing, so that equal runs are equal files."""
    motion = a_motion(30)
    save_motion(motion, tmp_path / "run.nc")
    with h5py.File(tmp_path / "run.nc", "r") as file:
        for name, each in file.items():
            assert (each.chunks, each.compression, each.external) == (None, None, None), name
            assert each.dtype.kind in "fi" or h5py.check_string_dtype(each.dtype).encoding == "utf-8", name
            assert each.maxshape == each.shape, name
        assert all(isinstance(value, str) for name, value in file.attrs.items() if name != "_NCProperties")
        assert file.attrs["Conventions"].startswith("CF-")
        np.testing.assert_array_equal(file["tau"], motion.tau)
        assert [file["q"].dims[i][0].name for i in (0, 1)] == ["/time", "/coordinate"]


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
    code = f"import sys; sys.path.insert(0, sys.argv[1]); import test_motion_file as here; here.{function}(sys.argv[2])"
    command = [sys.executable, "-c", code, str(Path(__file__).parent), str(path)]
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


@pytest.mark.skipif(os.name == "nt", reason="no SIGKILL")
@pytest.mark.parametrize("share", np.linspace(0.0, 0.9, 8))
def test_a_killed_run_leaves_every_row_it_wrote(tmp_path, share):
    xarray = pytest.importorskip("xarray", reason="xarray is not installed")
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


@pytest.mark.skipif(os.name == "nt", reason="no SIGKILL")
@pytest.mark.parametrize("attempt", range(4))
def test_a_process_killed_while_it_creates_or_completes_leaves_whole_files(tmp_path, attempt):
    motions = {bits(motion)[0]: bits(motion) for motion in (a_motion(200, seed=seed) for seed in range(5))}
    path, left = tmp_path / "run.nc", tmp_path / "run.partial.nc"
    kill(start("save_forever", path), 1, random.uniform(0, 50e-3))
    again = load_motion(path)
    assert (again.stopped, bits(again)) == ("", motions[bits(again)[0]])
    if left.exists():
        part = load_motion(left)
        assert part.stopped.startswith("interrupted ")
        assert any(
            bits(part) == [each[: len(b)] for each, b in zip(m, bits(part), strict=True)] for m in motions.values()
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
            values = dict(list(continuarm.motion_file._values(motion.rows(slice(8, 12))).items())[:last])
            with monkeypatch.context() as patch:
                patch.setattr(continuarm.motion_file, "_values", lambda _, values=values: values)
                writer.write(motion.rows(slice(8, 12)))
            writer.written = 8
            assert bits(load_motion(writer.partial)) == bits(motion.rows(slice(8)))


def test_a_running_run_can_be_looked_at(tmp_path):
    xarray = pytest.importorskip("xarray", reason="xarray is not installed")
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


@pytest.mark.skipif(os.name == "nt", reason="no limit of the size of files")
@pytest.mark.parametrize("limit", [1000, 20_000, 100_000, 1_000_000])
def test_a_disk_without_space_says_so_before_the_run(tmp_path, limit):
    """A limit of the size of files stands for a full disk: the space is claimed when the writer is made."""
    code = (
        "import resource, sys\n"
        "from continuarm import load_arm\n"
        "from continuarm.motion_file import MotionWriter\n"
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


@pytest.mark.skipif(continuarm.motion_file.fcntl is None, reason="no locks here")
def test_a_second_run_to_the_same_file_is_refused(tmp_path):
    motion = a_motion(10)
    path = tmp_path / "run.nc"
    with MotionWriter(path, motion.arm, 10) as first:
        first.write(motion.rows(slice(5)))
        with pytest.raises(ValueError, match=r"run\.partial\.nc: another run is writing it, or a program has it open$"):
            MotionWriter(path, motion.arm, 10)
        first.write(motion.rows(slice(5, 10)))
        first.close({})
    assert bits(load_motion(path)) == bits(motion)
    assert names(tmp_path) == ["run.nc"]


@pytest.mark.skipif(os.name == "nt", reason="a file in use cannot be replaced")
def test_without_locks_both_runs_are_whole_and_the_later_stays(tmp_path, monkeypatch):
    monkeypatch.setattr(continuarm.motion_file, "fcntl", None)
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


# What cannot be is refused in one sentence


@pytest.mark.parametrize(
    ("path", "sentence"),
    [
        ("run.txt", "run.txt: the suffix must be one of .nc, .nc4, .h5"),
        ("run", "run: the suffix must be one of .nc, .nc4, .h5"),
        ("none/run.nc", "none/run.nc: the folder '{folder}/none' does not exist"),
        ("folder.nc", "folder.nc: is a folder, not a file"),
        ("file.nc/run.nc", "file.nc/run.nc: the folder '{folder}/file.nc' does not exist"),
        ("a\0b.nc", "a\\x00b.nc: cannot be written: embedded null byte"),
        ("x" * 300 + ".nc", "x" * 300 + ".nc: cannot be written: File name too long"),
        ("", "path = '': must be the name of a file"),
        (None, "path = None: must be the name of a file"),
        (3, "path = 3: must be the name of a file"),
    ],
)
def test_a_path_is_checked_before_the_run(tmp_path, monkeypatch, path, sentence):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "folder.nc").mkdir()
    (tmp_path / "file.nc").touch()
    motion = a_motion(2)
    for act in (check_motion_path, lambda where: save_motion(motion, where)):
        with pytest.raises(ValueError) as caught:  # noqa: PT011 - the whole message is compared
            act(path)
        assert str(caught.value) == sentence.format(folder=tmp_path)
    assert names(tmp_path) == ["file.nc", "folder.nc"]


def test_a_path_that_is_good_is_answered_with_the_file(tmp_path):
    assert check_motion_path(str(tmp_path / "run.NC")) == tmp_path / "run.NC"
    assert names(tmp_path) == []


def test_what_may_not_be_written_is_refused(tmp_path, monkeypatch):
    path = tmp_path / "run.nc"
    path.touch()
    monkeypatch.setattr("os.access", lambda where, _: where != path)  # the superuser may write everything
    with pytest.raises(ValueError, match=r"run\.nc: is read-only$"):
        check_motion_path(path)
    monkeypatch.setattr("os.access", lambda where, _: where != tmp_path)
    with pytest.raises(ValueError, match=r"run\.nc: the folder '.*' is read-only$"):
        check_motion_path(path)


def test_rows_that_do_not_belong_are_refused_and_leave_the_rest(tmp_path):
    motion = a_motion(10)
    with pytest.raises(ValueError, match=r"^rows = -1: must be a whole number, 0 or more$"):
        MotionWriter(tmp_path / "run.nc", motion.arm, -1)
    with MotionWriter(tmp_path / "run.nc", motion.arm, 10) as writer:
        writer.write(motion.rows(slice(6)))
        for part, sentence in (
            (motion, r"^6 \+ 10 rows: must be at most 10, the length of the file$"),
            (a_motion(2, load_arm("prototype")), r"^a part is a motion of 'prototype': must be of the arm 'an "),
            (replace(motion.rows(slice(6, 8)), t=np.array([1.0, np.nan])), r"^t of a part must be finite$"),
            (replace(motion.rows(slice(6, 8)), tau=np.zeros((2, 5))), r"^tau has shape \(2, 5\): must be \(2, 6\)$"),
        ):
            with pytest.raises(ValueError, match=sentence):
                writer.write(part)
        with pytest.raises(ValueError, match=r"^6 of 10 rows are written: close must be told why it stopped$"):
            writer.close({})
        assert bits(load_motion(writer.partial)) == bits(motion.rows(slice(6)))
        writer.write(motion.rows(slice(6, 10)))
        writer.close({})
        with pytest.raises(ValueError, match="closed file"):
            writer.close({})
    assert bits(load_motion(tmp_path / "run.nc")) == bits(motion)


def edited(path: Path, **changes: object) -> None:
    """A motion with other attributes or variables, or without."""
    with h5py.File(path, "r+") as file:
        for name, value in changes.items():
            place = file.attrs if name in file.attrs else file
            if name in place:
                del place[name]
            if value is not None:
                place[name] = value


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"format": None}, "is not a motion that continuarm wrote"),
        ({"format": "something else"}, "is not a motion that continuarm wrote"),
        (
            {"format": "continuarm motion 1"},
            "has the format 'continuarm motion 1': this version of continuarm reads 'continuarm motion 2'",
        ),
        ({"format": 3}, "is damaged: the attribute format is not text"),
        ({"arm": None}, "is damaged: the attribute arm is missing"),
        ({"arm": "{}"}, "is damaged: Arm: sections is missing"),
        (
            {"arm": np.bytes_(b"\xff\xff")},
            "is damaged: 'utf-8' codec can't decode byte 0xff in position 0: invalid start byte",
        ),
        ({"record": "no"}, "is damaged: Expecting value: line 1 column 1 (char 0)"),
        ({"record": "[]"}, "is damaged: the record is not a JSON object"),
        ({"stopped": None}, "is damaged: the attribute stopped is missing"),
        ({"q": None}, "is damaged: the variable q is missing"),
        ({"q": "text"}, "is damaged: the variable q does not hold rows of numbers"),
        ({"q": 3.0}, "is damaged: the variable q does not hold rows of numbers"),
        ({"qd": np.zeros((5, 9))}, "is damaged: qd has shape (5, 9): must be (5, 6) for its arm and time"),
        ({"tau": np.zeros((4, 6))}, "is damaged: tau has shape (4, 6): must be (5, 6) for its arm and time"),
        (
            {"supplied_energy": np.zeros(6)},
            "is damaged: supplied_energy has shape (6,): must be (5,) for its arm and time",
        ),
    ],
)
def test_a_file_that_is_no_motion_is_refused_in_one_sentence(tmp_path, changes, sentence):
    path = tmp_path / "run.nc"
    save_motion(a_motion(5), path)
    edited(path, **changes)
    with pytest.raises(ValueError) as caught:  # noqa: PT011 - the whole message is compared
        load_motion(path)
    assert str(caught.value) == f"{path}: {sentence}"


def test_a_finished_motion_has_all_its_times(tmp_path):
    path = tmp_path / "run.nc"
    save_motion(a_motion(5), path)
    with h5py.File(path, "r+") as file:
        file["time"][3] = np.nan
    with pytest.raises(ValueError, match=r"run\.nc: is damaged: time\[3\] = nan: must be finite$"):
        load_motion(path)


def test_what_is_not_netcdf_is_refused_in_one_sentence(tmp_path):
    path = tmp_path / "run.nc"
    with pytest.raises(ValueError, match=r"run\.nc: there is no such file$"):
        load_motion(path)
    with pytest.raises(ValueError, match=r"is a folder, not a file$"):
        load_motion(tmp_path)
    path.touch()
    with pytest.raises(ValueError, match=r"run\.nc: is empty$"):
        load_motion(path)
    path.write_bytes(b"not a motion" * 1000)
    with pytest.raises(ValueError, match=r"run\.nc: is not a NetCDF-4 file$"):
        load_motion(path)
    path.unlink()
    with MotionWriter(path, an_arm(), 3):
        pass
    with pytest.raises(ValueError, match=r"run\.nc: there is no such file; an unfinished run left .*run\.partial\.nc$"):
        load_motion(path)


def test_a_truncated_file_is_refused_in_one_sentence(tmp_path):
    path = tmp_path / "run.nc"
    save_motion(a_motion(50), path)
    whole = path.read_bytes()
    for length in np.linspace(1, len(whole) - 1, 60).astype(int):
        path.write_bytes(whole[:length])
        with pytest.raises(ValueError, match=r"run\.nc: is (damaged: |not a NetCDF-4 file)") as caught:
            load_motion(path)
        assert "\n" not in str(caught.value)
