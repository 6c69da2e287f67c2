"""A motion as a dataset is what xarray reads from its file, and neither knows more than the other."""

from __future__ import annotations

import dataclasses
import sys
from pathlib import Path

import numpy as np
import pytest
import xarray

from continuarm import Motion, load_arm, load_motion, save_motion, simulate
from continuarm.simulation.motion_layout import VARIABLES
from refusals import refused
from sample_motions import RECORD, a_motion, bits, looped


def test_a_dataset_is_what_xarray_reads_from_the_file(tmp_path: Path) -> None:
    motion = dataclasses.replace(a_motion(7), record=RECORD, stopped="t = 1 s: a reason")
    motion.save(tmp_path / "run.nc")
    with xarray.open_dataset(tmp_path / "run.nc", engine="h5netcdf") as stored:
        xarray.testing.assert_identical(motion.to_xarray(), stored.load())


def test_so_is_that_of_a_closed_loop(tmp_path: Path) -> None:
    motion = looped(a_motion(7), "reference", "command", "estimate")
    motion.save(tmp_path / "run.nc")
    with xarray.open_dataset(tmp_path / "run.nc", engine="h5netcdf") as stored:
        xarray.testing.assert_identical(motion.to_xarray(), stored.load())
        assert stored.reference.sel(axis="z").attrs["units"] == "m"
        assert stored.command.sel(muscle="l11").attrs["units"] == "Pa"


def test_every_variable_has_a_unit_and_a_meaning() -> None:
    dataset = simulate(load_arm("prototype"), duration=0.1).to_xarray()
    assert set(dataset.variables) == set(VARIABLES) | {"coordinate", "muscle", "section", "axis"}
    for name in VARIABLES:
        assert dataset[name].attrs["units"]
        assert dataset[name].attrs["long_name"]
    assert dataset.tip_positions.sel(section=3, axis="z").dims == ("time",)
    assert dataset.pressures.sel(muscle="l33").attrs["units"] == "Pa"


def test_a_dataset_is_a_copy() -> None:
    motion = a_motion(3)
    before = bits(motion)
    dataset = motion.to_xarray()
    dataset["q"][:] = 0.0
    dataset["tip_force"][:] = 0.0
    assert bits(motion) == before


def test_saving_is_what_save_motion_does(tmp_path: Path) -> None:
    motion = a_motion(5)
    motion.save(tmp_path / "one.nc")
    save_motion(motion, tmp_path / "two.nc")
    assert bits(load_motion(tmp_path / "one.nc")) == bits(load_motion(tmp_path / "two.nc")) == bits(motion)
    with refused("run.txt", ".nc"):
        motion.save(tmp_path / "run.txt")


def test_without_xarray_the_way_to_it_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "xarray", None)
    with refused("xarray", "continuarm[xarray]"):
        a_motion(3).to_xarray()


def test_a_motion_of_no_states_is_a_dataset_too() -> None:
    empty: Motion = a_motion(3).rows(slice(0, 0))
    assert dict(empty.to_xarray().sizes)["time"] == 0
    assert np.shape(empty.to_xarray().q) == (0, 6)
