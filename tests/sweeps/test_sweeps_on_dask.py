"""Sweeps on a real cluster of Dask, of several processes: its size changes nothing, a killed worker loses nothing."""

import functools
import os
import signal
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import dask
import numpy as np
import pytest
import swept_functions as functions
from distributed import Client, LocalCluster

import continuarm as ca

pytestmark = pytest.mark.exhaustive

STEPS = ca.PressureSteps({"l33": [(0.0, 500e3)]})
NAMES = {"stiffness": np.linspace(1500, 1900, 6), "damping": np.linspace(50, 150, 5)}


def cluster_of(workers, folder):
    """On this machine alone, each worker a process, its pages on any free port: the usual one may be taken."""
    return LocalCluster(
        n_workers=workers,
        threads_per_worker=1,
        processes=True,
        host="127.0.0.1",
        dashboard_address="127.0.0.1:0",
        local_directory=str(folder),
        silence_logs=50,
    )


def test_the_same_sweep_on_one_and_on_four_workers_gives_equal_files(prototype, tmp_path):
    files = []
    for workers in (1, 4):
        files += [tmp_path / f"arm{workers}.nc", tmp_path / f"function{workers}.nc"]
        with cluster_of(workers, tmp_path) as cluster, Client(cluster) as client:
            executor = client.get_executor()
            ca.sweep(prototype, NAMES, input=STEPS, duration=0.2, executor=executor, chunk=4, output=files[-2])
            ca.sweep(functions.noisy, {"a": np.arange(40)}, seed=1, executor=executor, output=files[-1])
    one_arm, one_function, four_arm, four_function = (path.read_bytes() for path in files)
    assert one_arm == four_arm
    assert one_function == four_function
    ca.sweep(prototype, NAMES, input=STEPS, duration=0.2, output=tmp_path / "here.nc")
    assert (tmp_path / "here.nc").read_bytes() == one_arm


def test_the_part_of_a_killed_worker_is_done_again(tmp_path):
    calls, path, names = tmp_path / "calls", tmp_path / "killed.nc", {"a": np.arange(40)}
    calls.mkdir()
    slow = functools.partial(functions.slow, folder=str(calls))
    killed = []
    with cluster_of(3, tmp_path) as cluster, Client(cluster) as client:
        workers = set(client.run(os.getpid).values())
        assert len(workers) == 3

        def kill():
            while len(done := list(calls.iterdir())) < 5:
                time.sleep(0.01)
            killed.append(int(done[0].name.split("-")[1]))  # one that has done some of it, and does more
            os.kill(killed[0], signal.SIGKILL)

        killer = threading.Thread(target=kill)
        killer.start()
        found = ca.sweep(slow, names, executor=client.get_executor(), chunk=2, output=path)
        killer.join()
    assert set(killed) <= workers
    assert np.array_equal(found["result"], np.arange(40) ** 2)
    assert set(found["error"].values) == {""}
    with ThreadPoolExecutor(8) as threads:
        ca.sweep(slow, names, executor=threads, output=tmp_path / "undisturbed.nc")
    assert path.read_bytes() == (tmp_path / "undisturbed.nc").read_bytes()


@pytest.mark.filterwarnings("ignore:unclosed:ResourceWarning")  # Dask's own, of workers that were killed
def test_a_point_that_kills_every_worker_is_given_up_and_the_others_are_there(tmp_path):
    few = dask.config.set({"distributed.scheduler.allowed-failures": 0})
    told = pytest.warns(RuntimeWarning, match="1 of 8 points failed")
    with told, few, cluster_of(2, tmp_path) as cluster, Client(cluster) as client:
        found = ca.sweep(functions.deadly, {"a": np.arange(8)}, executor=client.get_executor(), chunk=2)
    assert np.flatnonzero(np.isnan(found["result"])).tolist() == [3]
    assert "was killed or crashed" in str(found["error"][3].item())
