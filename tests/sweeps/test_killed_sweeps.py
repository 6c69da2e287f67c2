"""Laws of sweeps whose processes die: what is done stays done, and nothing that runs is left behind."""

import functools
import signal
import subprocess
import sys
import time
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
import swept_functions as functions

import continuarm as ca
from cli_process import environment
from refusals import refused

pytestmark = pytest.mark.exhaustive


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
