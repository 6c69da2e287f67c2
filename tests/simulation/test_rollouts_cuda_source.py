"""What a GPU would run, where there is none: it compiles for GPUs, and on a processor it moves arms as rollout does."""

import pickle

import numpy as np
import pytest

import continuarm as ca
from continuarm.dynamics.plant import Plant
from continuarm.engine import cuda
from continuarm.engine.device_source import KERNEL, OPTIONS, ConstantPlaces, DeviceKernel, device_source
from continuarm.engine.native_batch import constant_rows
from host_gpu import HostGpu
from random_plants import FOUR, random_plant

STEPS = 1000
EVERYTHING = ["q", "qd", "tips", "energies"]
WRENCH = [0.0, 0.01, 0.0, 0.1, 0.2, 0.0]


@pytest.fixture
def processor(monkeypatch, tmp_path_factory):
    """The source that a GPU is given, run by the processor."""
    HostGpu.folder = tmp_path_factory.getbasetemp() / "gpu_sources"
    HostGpu.folder.mkdir(exist_ok=True)
    monkeypatch.setattr(cuda, "Cuda", HostGpu)


def varied_arms(law, n, count=5, layout=None, model=None, seed=0):
    rng = np.random.default_rng(seed)
    arm = random_plant(rng, n, law, layout, model).arm
    values = {"sections[0].mass": rng.uniform(0.05, 0.2, count)}
    return ca.vary(arm, values, stiffness=rng.uniform(1300, 1700, count)), rng


CASES = [
    ("everything", 3, FOUR, ca.CentreOfGravity(), "float64"),
    ("shaking", 2, None, ca.Integral(), "float64"),
    ("stops", 5, None, ca.Integral(), "float64"),  # of more sections than are written out
    ("everything", 3, None, ca.Integral(), "float32"),
]


@pytest.mark.slow
@pytest.mark.parametrize(("law", "n", "layout", "model", "dtype"), CASES)
def test_the_source_of_a_gpu_moves_arms_as_native_code_does(processor, law, n, layout, model, dtype):
    arms, rng = varied_arms(law, n, layout=layout, model=model)
    pressures = rng.uniform(0, 3e5, (5, STEPS, len(arms[0].muscle_names)))
    asked = {"wrench": WRENCH, "outputs": EVERYTHING, "every": 50}
    expected = ca.rollout(arms, pressures, **asked)
    found = ca.rollout(arms, pressures, **asked, device="cuda", dtype=dtype)
    assert not any(found.causes)
    assert found.q.dtype == dtype
    tolerance = 1e-12 if dtype == "float64" else 1e-4  # m
    for name in ("q", "qd", "tips"):
        assert np.allclose(getattr(found, name), getattr(expected, name), rtol=0, atol=tolerance), name
    for name, energy in expected.energies.items():
        assert np.allclose(found.energies[name], energy, rtol=0, atol=tolerance), name


@pytest.mark.slow
def test_a_batch_on_a_gpu_is_stepped_reset_and_written_out_as_one_on_a_processor(processor):
    arms, rng = varied_arms("valve", 1)
    pressures = rng.uniform(0, 3e5, (5, 20, 3))
    there, here = (ca.Batch(arms, device=device) for device in ("cuda", "cpu"))
    for batch in (there, here):
        for k in range(10):
            batch.step(pressures[:, k], count=3)
        batch.reset(np.arange(5) == 2, q0=np.full(3, 1e-3), which=[0, 1, 4, 3, 4])
        batch.step(pressures[:, 10])
        batch.step(pressures[:, 11], wrench=WRENCH)
    for name in ("state", "q", "qd", "tips", "t", "which"):
        assert np.array_equal(getattr(there, name), getattr(here, name)), name
    again = pickle.loads(pickle.dumps(there))
    assert again == there
    again.step(pressures[:, 12])
    there.step(pressures[:, 12])
    assert np.array_equal(again.q, there.q)
    with pytest.raises(ValueError, match="q0 of arm 1: section 1 of 1"):
        there.reset(q0=[[0.0] * 3, [-1.0] * 3, [0.0] * 3, [0.0] * 3, [0.0] * 3])
    assert np.array_equal(again.q, there.q)


@pytest.mark.slow
def test_an_arm_that_leaves_the_range_stops_on_a_gpu_with_its_time_and_cause(processor):
    arm = ca.load_arm("single-section")
    arms = ca.vary(arm, muscle_area=[1e-4, 1.0, 1e-4])
    given = {"duration": 0.1, "outputs": EVERYTHING}

    def policy(t, q, qd):
        return np.tile([5e5, 0.0, 0.0], (3, 1))

    expected = ca.rollout(arms, policy, **given)
    found = ca.rollout(arms, policy, **given, device="cuda")
    assert np.array_equal(found.stopped, expected.stopped, equal_nan=True)
    assert found.causes == expected.causes
    assert "must be" in found.causes[1]
    assert np.array_equal(found.q, expected.q, equal_nan=True)
    there, here = (ca.Batch(arms, device=device) for device in ("cuda", "cpu"))
    for batch in (there, here):
        batch.step([5e5, 0.0, 0.0], count=100)
        batch.step([0.0, 0.0, 0.0])
    assert np.array_equal(there.q, here.q)  # where it last was in the range
    assert np.array_equal(there.stopped, here.stopped, equal_nan=True)
    assert there.causes == here.causes
    signal = ca.PressureSteps({arm.muscle_names[0]: [(0.0123, 3e5)]})
    assert np.array_equal(
        ca.rollout(arms, signal, **given, device="cuda").q, ca.rollout(arms, signal, **given).q, equal_nan=True
    )


def source_of(arms, dtype, **kernel):
    plant = Plant(arms[0])
    places = ConstantPlaces.of(constant_rows(arms, 1e-3), plant.arm.n)
    return device_source(plant, places, DeviceKernel(dtype, len(plant.muscles), False, **kernel))


def assembly(source, architecture, dtype):
    """What NVRTC makes of a source, with the options that CuPy adds."""
    nvrtc = pytest.importorskip("cupy", reason="needs CuPy, which calls NVRTC").cuda.nvrtc
    program = nvrtc.createProgram(source, "rollout.cu", (), ())
    added = ["--device-as-default-execution-space", "-ftz=true", f"--gpu-architecture={architecture}"]
    try:
        nvrtc.compileProgram(program, [*OPTIONS[dtype], *added])
    except nvrtc.NVRTCError:
        pytest.fail(nvrtc.getProgramLog(program)[:2000])
    made = nvrtc.getPTX(program)
    return made.decode() if isinstance(made, bytes) else made


@pytest.mark.slow
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize(
    ("n", "law"), [(1, "everything"), (3, "pressure"), pytest.param(10, "everything", marks=pytest.mark.exhaustive)]
)
def test_the_source_compiles_for_gpus_and_short_arms_stay_in_registers(n, law, dtype):
    arms, _ = varied_arms(law, n)
    text = assembly(source_of(arms, dtype, tips=True, energies=True), "compute_80" if n == 1 else "compute_90", dtype)
    assert f".entry {KERNEL}" in text
    assert n > 5 or ".local" not in text


def test_only_constants_that_differ_are_kept_for_each_arm_and_zeros_for_none():
    arms, _ = varied_arms("pressure", 2)
    constants = constant_rows(arms, 1e-3)
    places = ConstantPlaces.of(constants, 2)
    found = np.full(constants.shape, np.nan)
    found[:, np.array(places.places) == min(places.places)] = 0.0
    for k, place in enumerate(places.places):
        if place >= 0:
            found[:, k] = constants[:, places.own[place]]
        elif place > min(places.places):
            found[:, k] = constants[0, places.shared[-1 - place]]
    assert np.array_equal(found, constants)
    assert 0 < len(places.own) < len(places.shared)


def test_a_source_has_no_steps_but_those_it_calls():
    arms, _ = varied_arms("pressure", 2)
    text = source_of(arms, "float64")
    assert "weigh_integral" in text
    assert "_reverse" not in text
    assert '#include "' not in text
