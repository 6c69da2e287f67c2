"""Laws of many arms on a GPU, where there is one."""

import numpy as np
import pytest

import continuarm as ca
from continuarm.engine.cuda import Cuda
from random_plants import FOUR, random_plant


def gpu_or_reason():
    try:
        return Cuda(), ""
    except (ImportError, ValueError) as error:
        return None, str(error)


GPU, REASON = gpu_or_reason()
needs_gpu = pytest.mark.skipif(GPU is None, reason=REASON)
EVERYTHING = ["q", "qd", "tips", "energies"]


def varied_arms(law, n, count=300, layout=None, model=None):
    rng = np.random.default_rng(0)
    arm = random_plant(rng, n, law, layout, model).arm
    return ca.vary(arm, damping=rng.uniform(40, 60, count), stiffness=rng.uniform(1300, 1700, count)), rng


@needs_gpu
@pytest.mark.slow
@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize(("law", "n"), [("pressure", 3), ("hysteresis", 3), ("everything", 1), ("everything", 10)])
def test_arms_move_on_a_gpu_as_on_a_processor(law, n, dtype):
    arms, rng = varied_arms(law, n, layout=FOUR if law == "everything" else None)
    pressures = rng.uniform(0, 3e5, (300, 1000, len(arms[0].muscle_names)))
    expected = ca.rollout(arms, pressures, outputs=EVERYTHING, every=100)
    found = ca.rollout(arms, pressures, outputs=EVERYTHING, every=100, device="cuda", dtype=dtype)
    tolerance = 1e-12 if dtype == "float64" else 1e-4  # m
    for name in ("q", "tips"):
        assert np.allclose(GPU.host(getattr(found, name)), getattr(expected, name), rtol=0, atol=tolerance)
    assert found.causes == expected.causes


@needs_gpu
@pytest.mark.torch
def test_arrays_of_other_libraries_go_in_and_out_without_a_copy():
    import torch

    arms, rng = varied_arms("valve", 2, count=40)
    pressures = rng.uniform(0, 3e5, (40, 30, 6))
    given = torch.tensor(pressures, device="cuda")
    found = ca.rollout(arms, given, device="cuda")
    assert np.array_equal(GPU.host(found.q), GPU.host(ca.rollout(arms, pressures, device="cuda").q))
    tips = torch.from_dlpack(found.tips)
    assert tips.data_ptr() == found.tips.data.ptr
    batch = ca.Batch(arms, device="cuda")
    batch.step(given[:, 0].contiguous())
    batch.reset(torch.from_dlpack(batch.q)[:, 0] > 0)
    given[17, 3, 2] = torch.nan
    with pytest.raises(ValueError, match=r"input\[17, 3, 2\] = nan: must be finite"):
        ca.rollout(arms, given, device="cuda")
    with pytest.raises(ValueError, match="on a GPU: must be in the computer's memory"):
        ca.rollout(arms, given)


@needs_gpu
def test_a_gpu_without_enough_memory_is_told_in_a_sentence_and_nothing_is_lost():
    arms, rng = varied_arms("pressure", 1, count=20)
    batch = ca.Batch(arms, device="cuda")
    batch.step(np.full(3, 1e5))
    before = GPU.host(batch.q)
    pool = GPU.xp.get_default_memory_pool()
    pool.free_all_blocks()
    pool.set_limit(size=pool.total_bytes() + 1000)
    try:
        with pytest.raises(MemoryError, match=r"outputs need [\d,]+ bytes, and [\d,]+ of [\d,]+ are free"):
            ca.rollout(arms, rng.uniform(0, 1e5, (10_000, 3)), device="cuda")
    finally:
        pool.set_limit(size=0)
    assert np.array_equal(GPU.host(batch.q), before)


@pytest.mark.skipif(GPU is not None, reason="there is a GPU")
def test_without_a_gpu_the_error_says_what_is_missing():
    arm = ca.load_arm("prototype")
    words = "(device = 'cuda' needs the package cupy: pip install)|(there is no GPU that CUDA can use)"
    for call in (lambda: ca.rollout(arm, steps=5, device="cuda"), lambda: ca.Batch(arm, device="cuda")):
        with pytest.raises((ImportError, ValueError), match=words) as caught:
            call()
        assert "\n" not in str(caught.value)


def test_processors_compute_with_doubles_only():
    with pytest.raises(ValueError, match="dtype = 'float32': must be 'float64' where device = 'cpu'"):
        ca.rollout(ca.load_arm("prototype"), steps=5, dtype="float32")
    with pytest.raises(ValueError, match="device = 'gpu': must be 'cpu' or 'cuda'"):
        ca.Batch(ca.load_arm("prototype"), device="gpu")
