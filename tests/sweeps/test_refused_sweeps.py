"""What no sweep can be of, and files that are not of it: one sentence each, and the file stays as it is."""

import os
import sys
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor

import numpy as np
import pytest
import swept_functions as functions

import continuarm as ca
from continuarm.common.file_locks import claimed
from refusals import refused

pytestmark = pytest.mark.exhaustive

STEPS = ca.PressureSteps({"l33": [(0.0, 500e3)], "l12": [(0.05, 300e3)]})


def test_a_file_of_another_sweep_is_refused_and_stays(prototype, tmp_path):
    path = tmp_path / "sweep.nc"
    ca.sweep(prototype, {"mass": [0.1, 0.2]}, input=STEPS, duration=0.1, output=path)
    before = path.read_bytes()
    changed = (
        ("variations", (prototype, {"mass": [0.1, 0.3]}), {}),
        ("function_or_arm", (prototype.replace(gravity=(0, 0, -9.81)), {"mass": [0.1, 0.2]}), {}),
        ("duration", (prototype, {"mass": [0.1, 0.2]}), {"duration": 0.2}),
        ("input", (prototype, {"mass": [0.1, 0.2]}), {"input": ca.PressureSteps({"l11": [(0.0, 1e5)]})}),
    )
    for name, given, more in changed:
        with refused("sweep.nc", "another sweep", name):
            ca.sweep(*given, **{"input": STEPS, "duration": 0.1, "output": path} | more)
    motion = tmp_path / "motion.nc"
    ca.save_motion(ca.simulate(prototype, duration=0.01), motion)
    with refused("motion.nc", "is not of a sweep"):
        ca.sweep(prototype, {"mass": [0.1, 0.2]}, duration=0.1, output=motion)
    assert path.read_bytes() == before
    parts = tmp_path / "other.nc.parts"
    for notes in (b"my own notes, not a sweep at all", b"mine"):
        parts.write_bytes(notes)
        with refused("other.nc.parts", "not what a sweep left"):
            ca.sweep(prototype, {"mass": [0.1, 0.2]}, duration=0.1, output=tmp_path / "other.nc")
        assert parts.read_bytes() == notes


def test_a_file_that_another_run_is_writing_is_refused(prototype, tmp_path):
    path = tmp_path / "sweep.nc"
    with claimed(path), refused("sweep.nc", "another run is writing it"):
        ca.sweep(prototype, {"mass": [0.1, 0.2]}, duration=0.1, output=path)


def test_parts_of_another_sweep_are_refused_and_stay(tmp_path):
    path = tmp_path / "sweep.nc"
    with ProcessPoolExecutor(1) as pool, refused("executor"):
        ca.sweep(functions.deadly, {"a": np.arange(6)}, chunk=1, executor=pool, output=path)
    kept = (tmp_path / "sweep.nc.parts").read_bytes()
    with refused("sweep.nc.parts", "another sweep", "variations"):
        ca.sweep(functions.deadly, {"a": np.arange(7)}, output=path)
    assert (tmp_path / "sweep.nc.parts").read_bytes() == kept


@pytest.mark.parametrize(
    ("variations", "named"),
    [
        ({}, ["variations", "nothing is varied"]),
        ({"stifness": [1.0]}, ["variations", "'stifness'", "stiffness"]),
        ({"stiffness": []}, ["variations", "stiffness", "(0,)"]),
        ({"stiffness": [1.0, np.nan]}, ["variations", "stiffness[1]", "nan"]),
        ({"stiffness": [[1.0]]}, ["variations", "stiffness", "(1, 1)"]),
        ({"stiffness": [1.0], "sections[0].stiffness": [1.0]}, ["variations", "both set"]),
        ({"stiffness": range(2000), "damping": range(2000)}, ["variations", "4,000,000 points", "1,000,000"]),
    ],
)
def test_bad_variations_are_one_sentence(prototype, variations, named):
    with refused(*named):
        ca.sweep(prototype, variations, duration=0.1)


def test_more_numbers_than_memory_holds_are_refused_before_any_point(prototype):
    with refused("outputs", "36,009 numbers", "250,000 points"):
        ca.sweep(
            *(prototype, {"stiffness": range(1500, 2000), "damping": range(50, 550)}),
            **{"duration": 4.0, "every": 1, "outputs": "tip_tracks"},
        )


def test_without_xarray_it_says_what_to_install(monkeypatch, prototype):
    monkeypatch.setitem(sys.modules, "xarray", None)
    with refused("xarray", "pip install 'continuarm[xarray]'"):
        ca.sweep(prototype, {"mass": [0.1]}, duration=0.1)


def test_columns_of_a_table_are_of_one_length(prototype):
    with refused("variations", "damping has 2 values", "mass has 3"):
        ca.sweep(prototype, {"mass": [0.1, 0.2, 0.3], "damping": [1.0, 2.0]}, duration=0.1, grid=False)


def test_bad_motions_are_refused_before_any_point(prototype, tmp_path):
    def never(*_):
        raise AssertionError

    for named, more in (
        (["l99"], {"input": ca.PressureSteps({"l99": [(0.0, 1e5)]}), "duration": 0.1}),
        (["duration"], {}),
        (["every = 7", "100"], {"duration": 0.1, "every": 7}),
        (["outputs", "'tip'"], {"duration": 0.1, "outputs": "tip"}),
        (["input", "axis of arms"], {"input": np.zeros((1, 10, 9))}),
        (["seed = 1", "functions"], {"duration": 0.1, "seed": 1}),
        (["nowhere", "does not exist"], {"duration": 0.1, "output": tmp_path / "nowhere" / "sweep.nc"}),
        (["sweep.txt", ".nc"], {"duration": 0.1, "output": tmp_path / "sweep.txt"}),
    ):
        with refused(*named):
            ca.sweep(prototype, {"mass": [0.1, 0.2]}, progress=never, **more)
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_cannot_be_written_is_refused(tmp_path):
    if os.geteuid() == 0:
        folder = "/proc"  # which not even root can write into
    else:
        tmp_path.chmod(0o500)
        folder = str(tmp_path)
    with refused(f"{folder}/sweep.nc"), ThreadPoolExecutor(1) as threads:
        ca.sweep(functions.product, {"a": [1], "b": [1]}, output=f"{folder}/sweep.nc", executor=threads)


def test_bad_functions_are_one_sentence(tmp_path):
    with refused("function_or_arm", "does not take a, c", "c"):
        ca.sweep(functions.product, {"a": [1], "c": [1]})
    with refused("function_or_arm", "cannot be sent to another process", "ThreadPoolExecutor"):
        ca.sweep(lambda a: a, {"a": [1]})
    with refused("duration", "left out where function_or_arm is a function"):
        ca.sweep(functions.product, {"a": [1], "b": [1]}, duration=1.0)
    for function, named in (
        (functions.of_other_shape, ["'result'", "(2,)", "point 5", "(3,)", "of one shape"]),
        (functions.of_other_names, ["'two'", "'one'", "the same names"]),
    ):
        for chunk in (1, 4, 10):
            with ThreadPoolExecutor(1) as threads, refused("function_or_arm", *named):
                ca.sweep(function, {"a": range(10)}, executor=threads, chunk=chunk)
    path = tmp_path / "all.nc"
    with ThreadPoolExecutor(1) as threads:
        with refused("all 3 points failed", "point 0 (a = 0)", "SystemExit: 3"):
            ca.sweep(functions.leaving, {"a": range(3)}, executor=threads, output=path)
        with refused("all 2 points failed", "NoneType", "real numbers"):
            ca.sweep(lambda a: None, {"a": range(2)}, executor=threads, output=path)
        with refused("'a'", "taken"):
            ca.sweep(lambda a: {"a": a}, {"a": range(2)}, executor=threads, output=path)
        with refused("'b_0'", "taken"):
            ca.sweep(lambda a: {"b": [a, a], "b_0": a}, {"a": range(2)}, executor=threads, output=path)
    assert list(tmp_path.iterdir()) == []


def test_an_executor_that_is_none_or_was_shut_down_is_one_sentence():
    pool = ThreadPoolExecutor(1)
    pool.shutdown()
    with refused("executor", "shutdown", "must be one that is open"):
        ca.sweep(functions.product, {"a": [1], "b": [1]}, executor=pool)
    with refused("executor is str", error=TypeError):
        ca.sweep(functions.product, {"a": [1], "b": [1]}, executor="processes")
