"""Laws of motions on disk: what is read is what was written, to the bit, and what was written survives the process."""

import json
from dataclasses import replace
from pathlib import Path

import h5py
import numpy as np
import pytest
import xarray

from continuarm import Arm, Motion, load_arm, save_arm
from continuarm.simulation.motion import ROWS
from continuarm.simulation.motion_file import MotionWriter, check_motion_path, load_motion, save_motion
from continuarm.simulation.motion_layout import Beside
from refusals import refused, refuses
from sample_motions import RECORD, a_motion, an_arm, bits, looped, names, parts

pytestmark = pytest.mark.exhaustive

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


@pytest.mark.parametrize("names", [("reference", "command"), ("reference_q", "command", "estimate"), ("command",)])
def test_what_a_closed_loop_followed_is_written_and_read(tmp_path, names):
    motion = looped(a_motion(57), *names)
    save_motion(motion, tmp_path / "run.nc")
    again = load_motion(tmp_path / "run.nc")
    assert bits(again) == bits(motion)
    assert tuple(again.followed) == names
    with MotionWriter(tmp_path / "streamed.nc", motion.arm, 100, Beside(followed=names)) as writer:
        for part in parts(motion, 20):
            writer.write(part)
        assert bits(load_motion(tmp_path / "streamed.partial.nc")) == bits(motion)
        with refused("[]", "command"):
            writer.write(a_motion(3))
        writer.close({}, "enough")
    # as another program writes it: without the index, through the HDF5 library
    with h5py.File(tmp_path / "run.nc", "r+") as file:
        file.attrs["note"] = "changed"
    assert bits(load_motion(tmp_path / "run.nc")) == bits(motion)


def test_names_that_no_loop_has_are_a_damage(tmp_path):
    save_motion(looped(a_motion(5), "command"), tmp_path / "run.nc")
    for text, sentence in (('["speed"]', "'speed'"), ('["command", "command"]', "JSON list"), ("3", "JSON list")):
        with h5py.File(tmp_path / "run.nc", "r+") as file:
            file.attrs["followed"] = text
        with refused("run.nc", "followed", sentence):
            load_motion(tmp_path / "run.nc")


def test_a_file_that_says_nothing_of_loops_is_read(tmp_path):
    """As all were before: it has no such variables."""
    motion = a_motion(5)
    save_motion(motion, tmp_path / "run.nc")
    with h5py.File(tmp_path / "run.nc") as file:
        assert "followed" not in file.attrs
        assert "command" not in file
    assert load_motion(tmp_path / "run.nc").followed == {}


def test_what_no_loop_follows_is_refused():
    motion = a_motion(5)
    with refused("'speed'", "reference, reference_q, command, estimate"):
        replace(motion, followed={"speed": np.zeros((5, 3))})
    with refused("followed['reference']", "(5, 2)", "(5, 3)"):
        replace(motion, followed={"reference": np.zeros((5, 2))})


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
    with pytest.raises(ValueError, match=r"^record = .*JSON"):
        save_motion(replace(motion, record={"when": object()}), tmp_path / "run.nc")


# Other programs


def test_xarray_opens_it_with_names_and_units(tmp_path):
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
        assert data["coordinate"].values.tolist()[:4] == ["q11", "q12", "q13", "l21"]
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


# What cannot be is refused in one sentence


@pytest.mark.parametrize(
    ("path", "sentence"),
    [
        ("run.txt", "run.txt: the suffix … .nc, .nc4, .h5"),
        ("run", "run: the suffix … .nc, .nc4, .h5"),
        ("none/run.nc", "none/run.nc: … '{folder}/none' … not exist"),
        ("folder.nc", "folder.nc: … folder"),
        ("file.nc/run.nc", "file.nc/run.nc: … '{folder}/file.nc' … not exist"),
        ("a\0b.nc", "a\\x00b.nc: … null"),
        ("x" * 300 + ".nc", "x" * 300 + ".nc: … too long"),
        ("", "path = '': … file"),
        (None, "path = None: … file"),
        (3, "path = 3: … file"),
    ],
)
def test_a_path_is_checked_before_the_run(tmp_path, monkeypatch, path, sentence):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "folder.nc").mkdir()
    (tmp_path / "file.nc").touch()
    motion = a_motion(2)
    for act in (check_motion_path, lambda where: save_motion(motion, where)):
        with pytest.raises(ValueError) as caught:  # noqa: PT011 - the message is looked at below
            act(path)
        assert refuses(str(caught.value), sentence.format(folder=tmp_path))
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
    with pytest.raises(ValueError, match=r"^rows = -1: .*0"):
        MotionWriter(tmp_path / "run.nc", motion.arm, -1)
    with MotionWriter(tmp_path / "run.nc", motion.arm, 10) as writer:
        writer.write(motion.rows(slice(6)))
        for part, sentence in (
            (motion, r"^6 \+ 10 rows: .*10"),
            (a_motion(2, load_arm("prototype")), r"'prototype'.* 'an "),
            (replace(motion.rows(slice(6, 8)), t=np.array([1.0, np.nan])), r"^t .*finite"),
        ):
            with pytest.raises(ValueError, match=sentence):
                writer.write(part)
        with pytest.raises(ValueError, match=r"^6 of 10 rows"):
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
        ({"format": None}, "… not a motion"),
        ({"format": "something else"}, "… not a motion"),
        (
            {"format": "continuarm motion 1"},
            "… 'continuarm motion 1' … 'continuarm motion 2'",
        ),
        ({"format": 3}, "is damaged: … format is not text"),
        ({"arm": None}, "is damaged: … arm is missing"),
        ({"arm": "{}"}, "is damaged: Arm: sections is missing"),
        (
            {"arm": np.bytes_(b"\xff\xff")},
            "is damaged: … utf-8",
        ),
        ({"record": "no"}, "is damaged: … line 1 column 1"),
        ({"record": "[]"}, "is damaged: … record … JSON"),
        ({"stopped": None}, "is damaged: … stopped is missing"),
        ({"q": None}, "is damaged: … q is missing"),
        ({"q": "text"}, "is damaged: … q … rows of numbers"),
        ({"q": 3.0}, "is damaged: … q … rows of numbers"),
        ({"qd": np.zeros((5, 9))}, "is damaged: qd has shape (5, 9): … (5, 6)"),
        ({"tau": np.zeros((4, 6))}, "is damaged: tau has shape (4, 6): … (5, 6)"),
        (
            {"supplied_energy": np.zeros(6)},
            "is damaged: supplied_energy has shape (6,): … (5,)",
        ),
    ],
)
def test_a_file_that_is_no_motion_is_refused_in_one_sentence(tmp_path, changes, sentence):
    path = tmp_path / "run.nc"
    save_motion(a_motion(5), path)
    edited(path, **changes)
    with pytest.raises(ValueError) as caught:  # noqa: PT011 - the message is looked at below
        load_motion(path)
    assert refuses(str(caught.value), f"{path}: {sentence}")


def test_a_finished_motion_has_all_its_times(tmp_path):
    path = tmp_path / "run.nc"
    save_motion(a_motion(5), path)
    with h5py.File(path, "r+") as file:
        file["time"][3] = np.nan
    with pytest.raises(ValueError, match=r"run\.nc: is damaged: time\[3\] = nan: .*finite"):
        load_motion(path)


def test_what_is_not_netcdf_is_refused_in_one_sentence(tmp_path):
    path = tmp_path / "run.nc"
    with pytest.raises(ValueError, match=r"run\.nc: .*no such file"):
        load_motion(path)
    with pytest.raises(ValueError, match="folder"):
        load_motion(tmp_path)
    path.touch()
    with pytest.raises(ValueError, match=r"run\.nc: .*empty"):
        load_motion(path)
    path.write_bytes(b"not a motion" * 1000)
    with pytest.raises(ValueError, match=r"run\.nc: .*NetCDF-4"):
        load_motion(path)
    path.unlink()
    with MotionWriter(path, an_arm(), 3):
        pass
    with pytest.raises(ValueError, match=r"run\.nc: .*no such file.*run\.partial\.nc"):
        load_motion(path)


def test_an_arm_where_a_motion_is_meant_is_told_to_be_simulated(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    save_arm(load_arm("prototype"), "arm.toml")
    for name in ("arm.toml", "prototype"):
        with refused(name, "arm", f"continuarm simulate {name} "):
            load_motion(name)
    (tmp_path / "prototype").write_text("t, x\n0, 1\n")  # a file of that name comes first
    with refused("prototype: is not a NetCDF-4 file"):
        load_motion("prototype")
    with refused("none.toml: there is no such file"):
        load_motion("none.toml")


def test_a_truncated_file_is_refused_in_one_sentence(tmp_path):
    path = tmp_path / "run.nc"
    save_motion(a_motion(50), path)
    whole = path.read_bytes()
    end = int.from_bytes(whole[40:48], "little")  # of what HDF5 knows; the index comes after it
    assert end < len(whole)
    for length in np.linspace(1, end - 1, 60).astype(int):
        path.write_bytes(whole[:length])
        with pytest.raises(ValueError, match=r"run\.nc: is (damaged: |not a NetCDF-4 file)") as caught:
            load_motion(path)
        assert "\n" not in str(caught.value)
    for length in (end, end + 1, len(whole) - 1):  # all rows are there
        path.write_bytes(whole[:length])
        assert bits(load_motion(path)) == bits(a_motion(50))
