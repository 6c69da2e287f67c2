"""Laws of sweeps: results depend on the points alone, nothing is computed twice, and what fails fails alone."""

import functools
import json
import os
import signal
import subprocess
import sys
import time
import warnings
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
import swept_functions as functions
import xarray

import continuarm as ca
from cli_process import environment
from continuarm.common.file_locks import claimed
from continuarm.sweeps.outputs import settling_times
from random_plants import random_plant
from refusals import refused

STEPS = ca.PressureSteps({"l33": [(0.0, 500e3)], "l12": [(0.05, 300e3)]})
NAMES = {"stiffness": [1500.0, 1700.0, 1900.0], "sections[1].damping": [60.0, 110.0]}


def bytes_of(path):
    return path.read_bytes()


def times_called(folder):
    """How often `noted` was called with each value."""
    values = [int(each.name.partition("-")[0]) for each in folder.iterdir() if "-" in each.name]
    return {value: values.count(value) for value in sorted(values)}


def wait_for_the_end_of(processes):
    """Until none of them runs; those that nobody has asked for their end have no command any more."""
    assert processes
    patience = time.monotonic() + 30
    while any(runs(each) for each in processes):
        assert time.monotonic() < patience
        time.sleep(0.05)


def runs(process):
    try:
        return bool(Path(f"/proc/{process}/cmdline").read_bytes())
    except OSError:
        return False


def test_an_arm_of_a_grid_moves_as_it_moves_alone(prototype):
    outputs = ["tips", "q", "settling_time", "energies", "tip_tracks"]
    found = ca.sweep(prototype, NAMES, input=STEPS, duration=0.2, outputs=outputs)
    assert dict(found.sizes) == {
        **{"stiffness": 3, "sections[1].damping": 2, "section": 3},
        **{"axis": 3, "coordinate": 9, "energy": 5, "time": 21},
    }
    for stiffness in NAMES["stiffness"]:
        for damping in NAMES["sections[1].damping"]:
            arm = prototype.replace({"sections[*].stiffness": stiffness, "sections[1].damping": damping})
            motion = ca.simulate(arm, STEPS, duration=0.2, solver=ca.FixedStep(1000), rate=100)
            own = found.sel({"stiffness": stiffness, "sections[1].damping": damping})
            assert np.array_equal(own["tips"], motion.tips[-1])
            assert np.array_equal(own["q"], motion.q[-1])
            assert np.array_equal(own["tip_tracks"], motion.tips)
            for name, energy in motion.energies.items():
                assert float(own["energies"].sel(energy=name)) == energy[-1]
            assert float(own["settling_time"]) == settling_times(motion.t, motion.tips[None, :, -1])[0]


def test_a_table_is_the_diagonal_of_the_grid(prototype):
    rng = np.random.default_rng(3)
    columns = {"mass": rng.uniform(0.08, 0.12, 4), "damping": rng.uniform(60, 120, 4)}
    whole = ca.sweep(prototype, columns, input=STEPS, duration=0.1)
    table = ca.sweep(prototype, columns, input=STEPS, duration=0.1, grid=False)
    assert table["tips"].dims == ("point", "section", "axis")
    assert np.array_equal(table["mass"], columns["mass"])
    for k in range(4):
        assert np.array_equal(table["tips"][k], whole["tips"][k, k])


def test_a_law_of_muscles_is_in_the_motion_of_every_point():
    rng = np.random.default_rng(1)
    arm = random_plant(rng, 2, "everything").arm
    pressures = rng.uniform(0, 3e5, (40, len(arm.muscle_names)))
    found = ca.sweep(arm, {"mass": [0.1, 0.15]}, input=pressures, every=20, wrench=[0, 0, 0, 0.1, 0, 0.2])
    alone = ca.rollout(ca.vary(arm, mass=[0.1, 0.15]), pressures, wrench=[0, 0, 0, 0.1, 0, 0.2])
    assert np.array_equal(found["tips"], alone.tips[:, -1])


def test_settling_is_that_of_an_exponential():
    t = np.arange(0, 10, 0.001)
    track = np.zeros((3, len(t), 3))
    track[0, :, 0] = 1 - np.exp(-t)
    track[1, :, 1] = 7.0 * (1 - np.exp(-3 * t))
    found = settling_times(t, track)
    assert found[:2] == pytest.approx(np.log(50) / np.array([1, 3]), abs=0.005)
    assert found[2] == 0.0  # it never moves


@pytest.mark.parametrize("grid", [True, False])
@pytest.mark.parametrize("of", ["arm", "number", "arrays", "failures"])
def test_the_file_is_what_comes_back(prototype, tmp_path, of, grid):
    function, names, more = {
        "arm": (prototype, {"stiffness": [1500, 1700], "gravity[2]": [9.81, -9.81]}, {"input": STEPS, "duration": 0.1}),
        "number": (functions.product, {"a": [1, 2, 3], "b": [0.5, 0.25, 0.125]}, {}),
        "arrays": (functions.noisy, {"a": [1, 2, 3]}, {"seed": 0}),
        "failures": (functions.picky, {"a": [1, 2, 3], "b": [1, 2, 3]}, {}),
    }[of]
    path = tmp_path / "sweep.nc"
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", ".* points failed", RuntimeWarning)
        found = ca.sweep(function, names, grid=grid, output=path, **more)
        again = ca.sweep(function, names, grid=grid, output=path, **more)
    with xarray.open_dataset(path) as read:
        assert found.identical(read.load())
    assert again.identical(found)
    assert [each.name for each in tmp_path.iterdir()] == [path.name]  # no parts are left


def test_neither_executors_nor_chunks_change_a_byte(prototype, tmp_path):
    first = tmp_path / "first.nc"
    ca.sweep(prototype, NAMES, input=STEPS, duration=0.1, output=first)
    with ProcessPoolExecutor(1) as one, ProcessPoolExecutor(3) as three, ThreadPoolExecutor(2) as threads:
        for k, (executor, chunk) in enumerate(((one, 1), (three, 2), (threads, 4), (None, 5))):
            path = tmp_path / f"{k}.nc"
            ca.sweep(prototype, NAMES, input=STEPS, duration=0.1, output=path, executor=executor, chunk=chunk)
            assert bytes_of(path) == bytes_of(first), k


def test_random_numbers_belong_to_the_point():
    names = {"a": np.arange(20)}
    found = ca.sweep(functions.noisy, names, seed=4)
    assert found["several"].dims == ("a", "several_0", "several_1")
    with ThreadPoolExecutor(2) as threads:
        for chunk in (1, 7, 20):
            assert found.equals(ca.sweep(functions.noisy, names, seed=4, executor=threads, chunk=chunk))
        rows = ca.sweep(functions.noisy_rows, names, seed=4, executor=threads, vectorized=True, chunk=6)
        other = ca.sweep(functions.noisy, names, seed=5, executor=threads)
    assert np.array_equal(rows["sum"], found["sum"])
    assert not np.isclose(other["sum"], found["sum"]).any()
    assert len(np.unique(found["several"])) == found["several"].size
    expected = np.random.default_rng(np.random.SeedSequence(4, spawn_key=(3,))).normal()
    assert float(found["sum"][3]) == 3 + expected


@pytest.mark.parametrize(("function", "vectorized"), [(functions.picky, False), (functions.picky_rows, True)])
def test_a_point_that_fails_is_nan_with_its_message_and_the_others_go_on(function, vectorized):
    names = {"a": [10.0, 20.0], "b": [1, 2, 3, 4]}
    with pytest.warns(RuntimeWarning, match=r"2 of 8 points failed and are NaN, the first point 1 \(a = 10, b = 2\)"):
        found = ca.sweep(function, names, vectorized=vectorized, chunk=3)
    assert np.isnan(found["x"].sel(b=2)).all()
    assert np.array_equal(found["x"].sel(b=[1, 3, 4]), [[11, 13, 14], [21, 23, 24]])
    assert "no such b" in str(found["error"].sel(a=10, b=2).item())
    assert set(found["error"].sel(b=[1, 3, 4]).values.flat) == {""}
    assert not any("\n" in each for each in found["error"].values.flat)


def test_an_arm_that_cannot_be_or_leaves_the_range_fails_alone(prototype):
    with pytest.warns(RuntimeWarning, match="2 of 3 points failed"):
        found = ca.sweep(prototype, {"muscle_area": [-1e-4, 1e-4, 1.0]}, input=STEPS, duration=0.1)
    assert np.isnan(found["tips"]).all(axis=(1, 2)).values.tolist() == [True, False, True]
    assert np.isnan(found["settling_time"]).values.tolist() == [True, False, True]
    below, fine, above = found["error"].values
    assert "muscle_area" in below
    assert fine == ""
    assert "after 0 s: " in above
    assert "bent by" in above
    alone = ca.sweep(prototype, {"muscle_area": [1e-4]}, input=STEPS, duration=0.1)
    assert np.array_equal(found["tips"][1], alone["tips"][0])


def test_a_policy_that_fails_for_some_arms_fails_for_these_alone(prototype):
    def policy(t, q, qd):
        if np.abs(q).max() > 0.045:  # m, of the softest alone
            raise RuntimeError("too long")
        return np.full_like(q, 6e5)

    arm, names = prototype, {"stiffness": [900.0, 1700.0, 1900.0]}
    with ThreadPoolExecutor(1) as threads, pytest.warns(RuntimeWarning, match="1 of 3 points failed"):
        found = ca.sweep(arm, names, input=policy, duration=1.0, executor=threads, chunk=3)
    assert found["error"].values.tolist() == ["RuntimeError: too long", "", ""]
    alone = ca.rollout(ca.vary(arm, stiffness=names["stiffness"][1:]), policy, duration=1.0)
    assert np.array_equal(found["tips"][1:], alone.tips[:, -1])


def test_a_point_that_kills_its_process_is_given_up_and_all_others_are_there():
    with pytest.warns(RuntimeWarning, match="2 of 20 points failed"):
        found = ca.sweep(functions.deadly, {"a": np.arange(20)}, chunk=3)
    failed = np.isnan(found["result"]).values
    assert np.flatnonzero(failed).tolist() == [3, 11]
    assert np.array_equal(found["result"][~failed], np.arange(20)[~failed])
    assert "was killed or crashed" in str(found["error"][3].item())


def test_where_no_process_stays_alive_it_is_not_the_points():
    with refused("function_or_arm", "no process stays alive", "__main__"):
        ca.sweep(functions.always_deadly, {"a": np.arange(20)})


@pytest.mark.parametrize(("count", "chunk"), [(8, 1), (8, 2), (1, 1)])
def test_a_process_that_is_killed_once_costs_no_point(tmp_path, count, chunk):
    function = functools.partial(functions.deadly_once, folder=str(tmp_path))
    values = np.arange(5, 5 + count)
    found = ca.sweep(function, {"a": values}, chunk=chunk)
    assert np.array_equal(found["result"], values**2)
    assert set(found["error"].values) == {""}
    assert (tmp_path / "killed").exists()


def test_a_pool_of_ones_own_that_breaks_says_what_is_kept(tmp_path):
    path = tmp_path / "deadly.nc"
    with ProcessPoolExecutor(1) as pool:
        for _ in range(2):  # when it breaks, and when it was broken before
            with refused("executor", "point 3 (a = 3)", "deadly.nc.parts", "3 of 20 points"):
                ca.sweep(functions.deadly, {"a": np.arange(20)}, chunk=1, executor=pool, output=path)
    with pytest.warns(RuntimeWarning, match="2 of 20 points failed"):
        found = ca.sweep(functions.deadly, {"a": np.arange(20)}, output=path)
    assert np.flatnonzero(np.isnan(found["result"])).tolist() == [3, 11]


def test_a_killed_sweep_goes_on_where_it_was(tmp_path):
    path, calls = tmp_path / "sweep.nc", tmp_path / "calls"
    calls.mkdir()
    code = (
        "import functools, numpy as np, continuarm as ca, swept_functions as functions\n"
        f"slow = functools.partial(functions.slow, folder={str(calls)!r})\n"
        f"ca.sweep(slow, {{'a': np.arange(30)}}, output={str(path)!r}, chunk=1)\n"
    )
    child = subprocess.Popen([sys.executable, "-c", code], env=environment())
    parts = tmp_path / "sweep.nc.parts"
    while len(list(calls.iterdir())) < 6:
        time.sleep(0.02)
        assert child.poll() is None
    child.send_signal(signal.SIGKILL)
    child.wait()
    wait_for_the_end_of({each.name.split("-")[1] for each in calls.iterdir()})  # its workers end with it
    assert not path.exists()
    with parts.open("ab") as file:  # as a process leaves it that is killed while it writes
        file.write(b"sweeping\x40\0\0\0\0\0\0\0half")
    shares = []
    slow = functools.partial(functions.slow, folder=str(calls))
    with ThreadPoolExecutor(4) as threads:
        found = ca.sweep(
            slow, {"a": np.arange(30)}, output=path, executor=threads, chunk=3, progress=lambda *s: shares.append(s)
        )
    assert np.array_equal(found["result"], np.arange(30) ** 2)
    called = times_called(calls)
    assert len(called) == 30
    again = [value for value, count in called.items() if count > 1]
    assert len(again) <= 4  # those that were in work when it was killed
    assert shares[0][0] > 4 / 30
    assert shares[-1] == (1.0, "30 of 30 points")
    assert sorted(each.name for each in tmp_path.iterdir()) == ["calls", "sweep.nc"]


def test_ctrl_c_keeps_what_is_done_however_often(tmp_path):
    path, parts = tmp_path / "sweep.nc", tmp_path / "sweep.nc.parts"

    def until(most, shares):
        def progress(share, words):
            shares.append(share)
            if share > most:
                raise KeyboardInterrupt

        with ThreadPoolExecutor(1) as threads:
            given = {"a": range(10), "b": [2]}
            return ca.sweep(functions.product, given, output=path, executor=threads, chunk=1, progress=progress)

    for most, first in ((0.15, 0.1), (0.45, 0.3), (0.75, 0.6)):
        shares = []
        with pytest.raises(KeyboardInterrupt):
            until(most, shares)
        assert shares[0] == pytest.approx(first)
        with parts.open("ab") as file:  # what a process leaves that is killed while it writes
            file.write(b"sweeping\x40\0\0\0\0\0\0\0half")
    shares = []
    found = until(1.0, shares)
    assert shares == pytest.approx([0.9, 1.0])
    assert np.array_equal(found["result"][:, 0], 2 * np.arange(10))


def test_ctrl_c_ends_processes_that_are_in_the_middle_of_a_point(tmp_path):
    def pressed(share, words):
        raise KeyboardInterrupt

    function = functools.partial(functions.endless, folder=str(tmp_path))
    with pytest.raises(KeyboardInterrupt):
        ca.sweep(function, {"a": [0, 1]}, chunk=1, progress=pressed)
    wait_for_the_end_of([each.name for each in tmp_path.iterdir()])


def test_a_file_of_another_sweep_is_refused_and_stays(prototype, tmp_path):
    path = tmp_path / "sweep.nc"
    ca.sweep(prototype, {"mass": [0.1, 0.2]}, input=STEPS, duration=0.1, output=path)
    before = bytes_of(path)
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
    assert bytes_of(path) == before
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
    kept = bytes_of(tmp_path / "sweep.nc.parts")
    with refused("sweep.nc.parts", "another sweep", "variations"):
        ca.sweep(functions.deadly, {"a": np.arange(7)}, output=path)
    assert bytes_of(tmp_path / "sweep.nc.parts") == kept


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


def test_a_warning_of_pressures_comes_once(prototype):
    low = ca.PressureSteps({"l33": [(0.0, 600.0)]})  # 600 kPa were meant
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        ca.sweep(prototype, {"mass": [0.1, 0.2]}, input=low, duration=0.1, chunk=1)
    assert [each.category for each in seen] == [ca.PressureWarning]


def test_identity_is_that_of_values_not_of_objects(tmp_path):
    """Found by another process as well, whatever its hash seed."""
    code = (
        "import json, functools, numpy as np, continuarm as ca, swept_functions as f\n"
        "from continuarm.sweeps.identity import identity\n"
        "print(json.dumps(identity({'a': functools.partial(f.noted, folder='x'), 'b': ca.load_arm('prototype'),\n"
        "    'c': ca.PressureSteps({'l11': [(0, 1e5)]}), 'd': np.arange(3.0),\n"
        "    'e': ca.PressureSignal([0, 1], np.ones((2, 9)))})))"
    )
    found = [
        json.loads(
            subprocess.run(
                [sys.executable, "-c", code], env=environment(PYTHONHASHSEED=seed), capture_output=True, check=True
            ).stdout
        )
        for seed in ("1", "2")
    ]
    assert found[0] == found[1]
    assert len(set(found[0].values())) == 6
