"""Motion files that are damaged or ill-meant: one sentence, within moments, and nothing of other files is read."""

from __future__ import annotations

import hashlib
import json
import shutil
import struct
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import h5py
import numpy as np
import pytest

from continuarm import Arm, load_motion, save_motion
from continuarm.simulation import motion_file, motion_index, motion_layout
from continuarm.simulation.guarded_hdf5 import GuardedHdf5
from continuarm.simulation.motion_file import MOST_ROWS, MotionWriter
from continuarm.simulation.simulator import MOST_STATES
from refusals import answers, refuses
from sample_motions import RECORD, a_motion, an_arm, bits, looped

pytestmark = pytest.mark.exhaustive

SECRET = 5309.0


def sloped_motion() -> motion_file.Motion:
    """Five rows, with slopes by two numbers of the arm, and all that a closed loop leaves."""
    motion = looped(a_motion(5), *motion_layout.FOLLOWED)
    return replace(motion, sensitivities={"mass": 1e-3 * motion.q, "payload.mass": motion.qd})


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    path = tmp_path_factory.mktemp("saved") / "run.nc"
    save_motion(sloped_motion(), path)
    return path


@pytest.fixture
def path(saved, tmp_path):
    return Path(shutil.copy(saved, tmp_path / "run.nc"))


def without_index(path: Path) -> Path:
    """As other programs leave it that open it to write: HDF5 cuts off what it does not know."""
    with h5py.File(path, "r+"):
        pass
    return path


# Who reads what


def test_a_file_that_was_written_here_is_read_without_the_hdf5_library(path):
    code = (
        "import subprocess, sys\n"
        "from continuarm import load_motion\n"
        "subprocess.Popen = None\n"
        "load_motion(sys.argv[1])\n"
        "print([name for name in sys.modules if name in ('h5py', 'h5netcdf')])\n"
    )
    done = subprocess.run([sys.executable, "-c", code, str(path)], capture_output=True, text=True, timeout=20)
    assert (done.stdout, done.stderr) == ("[]\n", "")


def test_a_file_without_index_has_the_same_motion(path, tmp_path):
    """An older one, one that a program has opened to write, one that was written again."""
    motion = sloped_motion()
    assert bits(load_motion(without_index(path))) == bits(motion)
    with h5py.File(path) as file, h5py.File(tmp_path / "packed.nc", "w", libver="latest") as packed:
        for name in motion_file._TEXTS:
            packed.attrs[name] = np.array([file.attrs[name]], h5py.string_dtype())
        for name in motion_file._READ:
            packed.create_dataset(name, data=file[name][()], dtype=">f8", chunks=True, compression="gzip", shuffle=True)
    assert bits(load_motion(tmp_path / "packed.nc")) == bits(motion)


def test_as_much_can_be_read_as_can_be_written(tmp_path, monkeypatch):
    assert MOST_ROWS == MOST_STATES + 1
    with pytest.raises(ValueError, match=rf"^rows = {MOST_ROWS + 1}: .*{MOST_ROWS}$"):
        MotionWriter(tmp_path / "run.nc", an_arm(), MOST_ROWS + 1)
    motion = a_motion(3)
    longest = len(motion.arm.model_dump_json())
    for module in (motion_file, motion_index):
        monkeypatch.setattr(module, "MOST_TEXT", longest)
    save_motion(replace(motion, record={"x": "y" * (longest - 9)}), tmp_path / "run.nc")
    assert bits(load_motion(tmp_path / "run.nc")) == bits(load_motion(without_index(tmp_path / "run.nc")))
    with pytest.raises(ValueError, match=rf"^record takes {longest + 1} characters: .*{longest}$"):
        save_motion(replace(motion, record={"x": "y" * (longest - 8)}), tmp_path / "run.nc")


def test_a_child_ends_with_its_reader(path):
    without_index(path)
    with GuardedHdf5(path, ["format"], ["time"], 1000) as found:
        child = found._child
        assert child.poll() is None
    assert child.poll() is not None


# Damages


def test_every_damage_outside_the_rows_is_noticed(path):
    whole = path.read_bytes()
    with h5py.File(path) as file:
        rows = {
            (file[name].id.get_offset(), file[name].id.get_storage_size())
            for name in motion_layout.variables_of(motion_layout.Beside.of(sloped_motion()))
        }
    outside = np.ones(len(whole), bool)
    for place, size in rows:
        outside[place : place + size] = False
    rng = np.random.default_rng(0)
    for _ in range(300):
        damaged = bytearray(whole)
        place = int(rng.choice(np.flatnonzero(outside)[:-56]))  # what is at the very end says that there is an index
        damaged[place] ^= 1 << int(rng.integers(8))
        path.write_bytes(damaged)
        with pytest.raises(ValueError, match=r"run\.nc: is damaged: its checksum") as caught:
            load_motion(path)
        assert str(caught.value).isprintable()


@pytest.mark.parametrize("index", [True, False])
def test_a_damaged_heap_in_which_the_hdf5_library_runs_in_circles(path, index):
    if not index:
        without_index(path)
    damaged = bytearray(path.read_bytes())
    heap = damaged.index(b"GCOL")
    damaged[heap + 16 : heap + 32] = bytes(16)
    path.write_bytes(damaged)
    (sentence,) = answers("load_motion", path)
    assert refuses(sentence, f"{path}: is damaged: {'its checksum' if index else 'the HDF5 library … no end'}")


@pytest.mark.slow
def test_random_damages_are_refused_or_change_nothing(path, tmp_path):
    whole = without_index(path).read_bytes()
    rng = np.random.default_rng(1)
    paths = []
    for k in range(40):
        damaged = bytearray(whole)
        place, size = int(rng.integers(len(whole))), int(2 ** rng.uniform(0, 9))
        other = int(rng.integers(len(whole)))
        kinds = (bytes(size), b"\xff" * size, whole[other : other + size], rng.bytes(size))
        damaged[place : place + size] = kinds[k % 4]
        paths.append(tmp_path / f"{k}.nc")
        paths[-1].write_bytes(damaged)
    for each, sentence in zip(paths, answers("load_motion", *paths, seconds=200), strict=True):
        assert sentence == "" or refuses(sentence, f"{each}: is")


def test_an_index_that_lies_is_refused(path, tmp_path):
    """Its checksum is no proof, since everybody can compute it."""
    whole = path.read_bytes()
    size = int.from_bytes(whole[-40:-32], "little")
    plain, index = whole[: -56 - size], json.loads(whole[-56 - size : -56])
    texts, places = index["texts"], index["rows"]
    lies = {
        "outside the file": (texts, places | {"q": [1 << 60, 240]}, "checksum"),
        "twice": (texts, places | {"q": places["qd"]}, "checksum"),
        "before the file": (texts, places | {"q": [-8, 240]}, "checksum"),
        "half a byte": (texts, places | {"q": [places["q"][0] + 0.5, 232]}, "checksum"),
        "no places": (texts, 3, "checksum"),
        "no rows": (texts, {}, "time is missing"),
        "more sections": (
            texts | {"arm": Arm(sections=an_arm(1).sections * 10_000).model_dump_json()},
            places,
            "bytes",
        ),
        "fewer rows": (texts, places | {"qd": [places["qd"][0], 0]}, "qd has 0 bytes: … 240"),
        "no text": (texts | {"arm": 3}, places, "checksum"),
        "no arm": ({"format": texts["format"]}, places, "arm is missing"),
        "a deep arm": (texts | {"arm": "[" * 100_000}, places, "Arm: …"),
        "a deep record": (texts | {"record": "[" * 100_000}, places, "recursion"),
    }
    for name, (told, where, _) in lies.items():
        text = json.dumps({"texts": told, "rows": where}).encode()
        rows = sorted(map(tuple, where.values())) if isinstance(where, dict) else []
        gaps = [0, *(end for place, size in rows for end in (place, place + size)), len(plain)]
        outside = b"".join(plain[int(a) : int(b)] for a, b in zip(gaps[::2], gaps[1::2], strict=True))
        end = struct.pack("<16sQ32s", b"continuarm index", len(text), hashlib.sha256(outside + text).digest())
        (tmp_path / f"{name}.nc").write_bytes(plain + text + end)
    paths = [tmp_path / f"{name}.nc" for name in lies]
    for each, sentence, (_, _, why) in zip(paths, answers("load_motion", *paths), lies.values(), strict=True):
        assert refuses(sentence, f"{each}: is damaged: … {why}"), sentence


# Claims


def claims(path: Path, rows: int) -> None:
    """A file of some kilobytes that says that it has so many rows."""
    with h5py.File(path, "r+") as file:
        for name in motion_file._READ:
            shape = file[name].shape[1:]
            del file[name]
            file.create_dataset(name, (rows, *shape), "<f8", chunks=(1000, *shape), compression="gzip", fillvalue=0.0)


def test_few_bytes_that_claim_to_be_many_numbers(path):
    claims(path, 10**9)
    assert path.stat().st_size < 200_000
    (sentence,) = answers("load_motion", path)
    assert refuses(sentence, f"{path}: is damaged: … bytes claim")


def test_more_rows_than_any_simulation_has(path, tmp_path):
    claims(path, MOST_ROWS + 1)
    with path.open("r+b") as file:
        file.truncate(1 << 33)  # and a file that is as long as it should be, of nothing
    (sentence,) = answers("load_motion", path)
    assert refuses(sentence, f"{path}: is damaged: it has {MOST_ROWS + 1} rows: … {MOST_ROWS}")


# Other files


def external_storage(file, name, folder):
    np.full(500, SECRET).tofile(folder / "secret.bin")
    shape = file[name].shape
    del file[name]
    file.create_dataset(name, shape, "<f8", external=[(str(folder / "secret.bin"), 0, h5py.h5f.UNLIMITED)])


def external_link(file, name, folder):
    with h5py.File(folder / "secret.h5", "w") as other:
        other[name] = np.full(file[name].shape, SECRET)
    del file[name]
    file[name] = h5py.ExternalLink(str(folder / "secret.h5"), name)


def virtual_dataset(file, name, folder):
    shape = file[name].shape
    with h5py.File(folder / "secret.h5", "w") as other:
        other[name] = np.full(shape, SECRET)
    del file[name]
    layout = h5py.VirtualLayout(shape, "<f8")
    layout[...] = h5py.VirtualSource(str(folder / "secret.h5"), name, shape)
    file.create_virtual_dataset(name, layout)


def soft_link(file, name, folder):
    file.move(name, "elsewhere")
    file[name] = h5py.SoftLink("/elsewhere")


def group(file, name, folder):
    del file[name]
    file.create_group(name)


def unknown_filter(file, name, folder):
    values = file[name][()]
    del file[name]
    made = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    made.set_chunk(values.shape)
    made.set_filter(307, h5py.h5z.FLAG_OPTIONAL, ())  # bzip2, a plug-in
    h5py.h5d.create(file.id, name.encode(), h5py.h5t.IEEE_F64LE, h5py.h5s.create_simple(values.shape), made)


def typed(kind):
    def replace(file, name, folder):
        shape = file[name].shape
        del file[name]
        file.create_dataset(name, shape, kind)

    return replace


def committed_type(file, name, folder):
    file["type"] = np.dtype("<f8")
    typed(file["type"])(file, name, folder)


ELSEWHERE = {
    "external storage": (external_storage, "another file"),
    "external link": (external_link, "link"),
    "virtual dataset": (virtual_dataset, "another file"),
    "soft link": (soft_link, "link"),
    "group": (group, "rows of numbers"),
    "unknown filter": (unknown_filter, "filter 307"),
    "references": (typed(h5py.ref_dtype), "rows of numbers"),
    "compound": (typed([("x", "<f8"), ("y", "<f8")]), "rows of numbers"),
    "lists": (typed(h5py.vlen_dtype("<f8")), "rows of numbers"),
    "texts": (typed(h5py.string_dtype()), "rows of numbers"),
    "committed type": (committed_type, "rows of numbers"),
}


def test_what_is_not_plainly_in_the_file_is_not_read(path, tmp_path):
    changed = {}
    for what, (change, why) in ELSEWHERE.items():
        for name in ("time", "supplied_energy") if "file" in why else ("supplied_energy",):
            folder = tmp_path / what / name
            folder.mkdir(parents=True)
            each = Path(shutil.copy(path, folder / "run.nc"))
            with h5py.File(each, "r+") as file:
                change(file, name, folder)
            changed[each] = f"{each}: is damaged: the variable {name} … {why}"
    for sentence, expected in zip(answers("load_motion", *changed), changed.values(), strict=True):
        assert refuses(sentence, expected), sentence
        assert "5309" not in sentence


def test_texts_are_texts(path, tmp_path):
    kinds = {
        "reference": h5py.Reference(),
        "number": 3,
        "lists": np.array(["a", "b"], h5py.string_dtype()),
        "bytes": np.void(b"opaque"),
    }
    for name, value in kinds.items():
        each = Path(shutil.copy(path, tmp_path / f"{name}.nc"))
        with h5py.File(each, "r+") as file:
            del file.attrs["record"]
            file.attrs["record"] = value
    paths = [tmp_path / f"{name}.nc" for name in kinds]
    for each, sentence in zip(paths, answers("load_motion", *paths), strict=True):
        assert refuses(sentence, f"{each}: is damaged: … record is not text")


def test_the_child_opens_no_file_but_one(path, tmp_path):
    """Also where a kind of reference is not known to be one: the system lets it open nothing more."""
    np.full(500, SECRET).tofile(tmp_path / "secret.bin")
    with h5py.File(path, "r+") as file:
        external_storage(file, "time", tmp_path)
    script = Path(motion_file.__file__).with_name("hdf5_child.py")
    code = (
        "import runpy, sys\n"
        "child = runpy.run_path(sys.argv[1])\n"
        "def trusting(file, name): return file[name].id\n"
        "child['main'].__globals__['plain_dataset'] = trusting\n"
        "sys.argv = ['', '', '', sys.argv[2], '{\"texts\": [], \"variables\": [\"time\"], \"most_text\": 0}']\n"
        "child['main']()\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(script), str(path)], input="time\n", capture_output=True, text=True, timeout=20
    )
    shapes, problem = done.stdout.splitlines()
    assert shapes == '{"texts": {}, "shapes": {"time": [5]}}'
    assert problem.startswith('{"problem": ')


# What is no ordinary file


def test_names_with_which_a_terminal_could_be_led_astray(saved, tmp_path):
    for name in ("\x1b[31mred.nc", "two\nlines.nc", "\u202egpj.nc", "b\udcff.nc", "[bold]x.nc", "x" * 252 + ".nc"):
        shutil.copy(saved, tmp_path / name)
        assert bits(load_motion(tmp_path / name)) == bits(sloped_motion())
        (tmp_path / name).write_bytes(b"")
        with pytest.raises(ValueError) as caught:  # noqa: PT011 - the message is looked at below
            load_motion(tmp_path / name)
        assert refuses(str(caught.value), ": is empty")


@pytest.mark.slow
def test_an_arm_of_as_many_sections_as_there_may_be(tmp_path):
    arm = Arm(sections=an_arm(1).sections * 10_000)
    motion = motion_file.Motion(
        arm,
        np.zeros(1),
        *(np.zeros((1, w)) for w in (30_000, 30_000, 30_000, 40_000, 40_000, 6)),
        *np.zeros((2, 1)),
        RECORD,
    )
    save_motion(motion, tmp_path / "run.nc")
    assert load_motion(tmp_path / "run.nc").arm == arm
    assert load_motion(without_index(tmp_path / "run.nc")).arm == arm
