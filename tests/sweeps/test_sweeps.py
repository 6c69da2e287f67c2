"""Laws of sweeps: results depend on the points alone, nothing is computed twice, and what fails fails alone."""

import json
import subprocess
import sys
import warnings
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor

import matplotlib.pyplot as plt
import numpy as np
import pytest
import swept_functions as functions
import xarray

import continuarm as ca
from cli_process import environment
from continuarm.sweeps.outputs import settling_times
from random_plants import random_plant

pytestmark = pytest.mark.exhaustive

STEPS = ca.PressureSteps({"l33": [(0.0, 500e3)], "l12": [(0.05, 300e3)]})
NAMES = {"stiffness": [1500.0, 1700.0, 1900.0], "sections[1].damping": [60.0, 110.0]}


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
def test_axes_of_plots_have_the_units_of_an_arms_numbers(prototype, tmp_path, grid):
    names = {"stiffness": [1500, 1700], "sections[1].damping": [60.0, 70.0], "gravity[2]": [9.0, 9.81]}
    found = ca.sweep(prototype, names, input=STEPS, duration=0.1, grid=grid, output=tmp_path / "sweep.nc")
    units = {name: found[name].attrs.get("units") for name in names}
    assert units == {"stiffness": "N/m", "sections[1].damping": "N s/m", "gravity[2]": "m/s²"}
    with xarray.open_dataset(tmp_path / "sweep.nc") as read:
        assert {name: read[name].attrs.get("units") for name in names} == units
    if grid:
        figure, axes = plt.subplots()
        found["settling_time"][:, 0, 0].plot(ax=axes)
        assert axes.get_xlabel() == "stiffness [N/m]"
        plt.close(figure)


def test_arguments_of_a_function_have_no_units_of_an_arm():
    assert "units" not in ca.sweep(functions.product, {"a": [1, 2], "b": [1.0, 2.0]})["a"].attrs


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
            assert path.read_bytes() == first.read_bytes(), k


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
