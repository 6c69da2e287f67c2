"""An exported FMU in a tool that imports FMI: valid, moving as `simulate` says, with exact derivatives."""

import shutil
import zipfile

import fmpy
import numpy as np
import pytest
from fmpy.fmi1 import FMICallException
from fmpy.fmi2 import FMU2Model, FMU2Slave
from fmpy.fmi3 import FMU3Model, FMU3Slave
from fmpy.validation import validate_fmu

from continuarm import Adaptive, load_arm, simulate
from continuarm.cli.app import main
from continuarm.export import export_fmu
from continuarm.paper.experiments import EXPERIMENTS

pytestmark = pytest.mark.slow  # compiles


@pytest.fixture(scope="module", params=["2.0", "3.0"])
def fmu(request, tmp_path_factory):
    """The prototype as an FMU."""
    return export_fmu(load_arm("prototype"), tmp_path_factory.mktemp("fmu") / "arm.fmu", version=request.param)


def pressures_of(arm, steps, duration):
    """The pressures of steps as FMPy takes them: two rows at every jump."""
    times = sorted({time for each in steps.steps.values() for time, _ in each})
    moments = [each for time in times for each in ([(time, False), (time, True)] if time else [(0.0, True)])]
    rows = []
    for time, jumped in [*moments, (duration, True)]:
        values = dict.fromkeys(arm.muscle_names, 0.0)
        for name, each in steps.steps.items():
            for at, pressure in each:
                values[name] = pressure if at < time or (at == time and jumped) else values[name]
        rows.append((time, *values.values()))
    return np.array(rows, dtype=[("time", float), *((f"pressure.{name}", float) for name in arm.muscle_names)])


@pytest.fixture(scope="module")
def experiment():
    arm, wanted = load_arm("prototype"), EXPERIMENTS[1]
    motion = simulate(arm, wanted.steps, duration=wanted.duration, solver=Adaptive(rtol=1e-8), rate=100)
    return arm, wanted, motion


def test_it_is_valid(fmu):
    assert validate_fmu(str(fmu)) == []
    names = zipfile.ZipFile(fmu).namelist()
    assert {"sources/prototype.c", "sources/fmu_core.c"} <= set(names)


@pytest.mark.parametrize("kind", ["ModelExchange", "CoSimulation"])
def test_an_experiment_moves_as_simulated(fmu, kind, experiment):
    arm, wanted, motion = experiment
    outputs = [f"tip.s{i}.{axis}" for i in (1, 2, 3) for axis in "xyz"]
    found = fmpy.simulate_fmu(
        str(fmu),
        fmi_type=kind,
        stop_time=wanted.duration,
        input=pressures_of(arm, wanted.steps, wanted.duration),
        output_interval=0.01,
        relative_tolerance=1e-8,
        output=outputs,
        visible=False,
    )
    tips = np.stack([found[name] for name in outputs], axis=-1)
    expected = np.stack([np.interp(found["time"], motion.t, each) for each in motion.tips.reshape(len(motion.t), 9).T])
    assert np.abs(tips - expected.T).max() < 1e-4


@pytest.fixture
def model(fmu, tmp_path):
    """An instance for model exchange, its description, and functions over names."""
    description = fmpy.read_model_description(str(fmu))
    folder = fmpy.extract(str(fmu), tmp_path / "fmu")
    kind = FMU2Model if description.fmiVersion == "2.0" else FMU3Model
    token = description.guid if description.fmiVersion == "2.0" else description.instantiationToken
    made = kind(guid=token, unzipDirectory=folder, modelIdentifier="prototype", instanceName="arm")
    made.instantiate()
    if description.fmiVersion == "2.0":
        made.setupExperiment()
    made.enterInitializationMode()
    made.exitInitializationMode()
    yield made, {each.name: each.valueReference for each in description.modelVariables}
    made.terminate()
    made.freeInstance()
    shutil.rmtree(folder, ignore_errors=True)


def numbers(made, references, values=None):
    read = made.getReal if hasattr(made, "getReal") else made.getFloat64
    write = made.setReal if hasattr(made, "setReal") else made.setFloat64
    return read(references) if values is None else write(references, list(values))


def test_directional_derivatives_are_those_of_differences(model):
    made, places = model
    rng = np.random.default_rng(3)
    knowns = [place for name, place in places.items() if name.startswith(("q.", "qd.", "pressure."))]
    scales = [1e5 if name.startswith("pressure") else 0.02 for name in places if places[name] in knowns]
    unknowns = [
        place for name, place in places.items() if name.startswith(("der(", "tip", "length", "energy.k", "energy.g"))
    ]
    at, seed = rng.uniform(0.2, 1, len(knowns)) * scales, rng.normal(size=len(knowns)) * scales

    def outputs(part):
        numbers(made, knowns, at + part * seed)
        return np.array(numbers(made, unknowns))

    difference = (8 * (outputs(1e-3) - outputs(-1e-3)) - (outputs(2e-3) - outputs(-2e-3))) / 12e-3
    numbers(made, knowns, at)
    found = np.array(made.getDirectionalDerivative(unknowns, knowns, list(seed)))
    assert np.abs(found - difference).max() < 1e-7 * np.abs(difference).max()


def test_parameters_are_tunable_and_states_come_back(model):
    made, places = model
    kept = made.getFMUState() if hasattr(made, "getFMUState") else made.getFMUstate()
    rate, mass = places["der(qd.l33)"], places["sections[3].mass"]
    before = numbers(made, [rate])[0]
    numbers(made, [mass], [2 * numbers(made, [mass])[0]])
    numbers(made, [places["q.l33"]], [0.01])
    assert numbers(made, [rate])[0] != before
    made.setFMUState(kept) if hasattr(made, "setFMUState") else made.setFMUstate(kept)
    assert numbers(made, [rate])[0] == before


def started(description, folder, kind):
    """A new instance for co-simulation or model exchange, ready to be moved."""
    two = description.fmiVersion == "2.0"
    token = description.guid if two else description.instantiationToken
    made = {("2.0", "CS"): FMU2Slave, ("3.0", "CS"): FMU3Slave, ("2.0", "ME"): FMU2Model, ("3.0", "ME"): FMU3Model}[
        description.fmiVersion, kind
    ](guid=token, unzipDirectory=folder, modelIdentifier="prototype", instanceName=kind)
    made.instantiate()
    if two:
        made.setupExperiment()
    made.enterInitializationMode()
    made.exitInitializationMode()
    return made


@pytest.mark.parametrize("kind", ["ME", "CS"])
def test_a_state_in_bytes_goes_on_in_another_instance(kind, fmu, tmp_path):
    description = fmpy.read_model_description(str(fmu))
    places = {each.name: each.valueReference for each in description.modelVariables}
    folder = fmpy.extract(str(fmu), tmp_path / "fmu")
    first, second = started(description, folder, kind), started(description, folder, kind)
    seen = [places[name] for name in ("time", "tip.s3.x", "der(qd.l22)", "energy.kinetic") if name in places]
    numbers(first, [places["pressure.l22"], places["payload_mass"]], [3e5, 0.2])
    numbers(first, [places["q.l22"], places["qd.l33"]], [0.01, -0.1])
    if kind == "CS":
        first.doStep(currentCommunicationPoint=0.0, communicationStepSize=0.1)
    held = first.getFMUState()
    kept = first.serializeFMUState(held)
    expected = numbers(first, seen)
    assert numbers(second, seen) != expected
    second.setFMUState(second.deserializeFMUState(kept))
    assert numbers(second, seen) == expected
    again = second.getFMUState()
    assert second.serializeFMUState(again) == kept  # no addresses, nothing of the past
    if kind == "CS":
        for each in (first, second):
            each.doStep(currentCommunicationPoint=0.1, communicationStepSize=0.1)
        assert numbers(second, seen) == numbers(first, seen) != expected
    with pytest.raises(FMICallException):
        second.deserializeFMUState(bytes(64) + kept[64:])  # of another arm
    with pytest.raises(FMICallException):
        second.deserializeFMUState(kept[:-8])
    first.freeFMUState(held)
    second.freeFMUState(again)
    for each in (first, second):
        each.terminate()
        each.freeInstance()


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_numbers_that_are_not_finite_are_errors_and_leave_the_old(value, model):
    made, places = model
    names = ["muscles[1].dead_zone", "sections[3].mass", "payload_mass", "q.l33", "pressure.l22"]
    before = numbers(made, [places[name] for name in names])
    for name in names:
        with pytest.raises(FMICallException, match="status 3"):
            numbers(made, [places[name]], [value])
    assert numbers(made, [places[name] for name in names]) == before


def test_bytes_with_any_number_that_is_not_finite_are_refused(fmu, tmp_path):
    description = fmpy.read_model_description(str(fmu))
    made = started(description, fmpy.extract(str(fmu), tmp_path / "fmu"), "CS")
    held = made.getFMUState()
    kept = made.serializeFMUState(held)
    for at in range(64, len(kept), 8):  # after the token
        for value in (np.nan, np.inf):
            with pytest.raises(FMICallException, match="status 3"):
                made.deserializeFMUState(kept[:at] + np.float64(value).tobytes() + kept[at + 8 :])
    made.freeFMUState(held)
    made.terminate()
    made.freeInstance()


def test_outputs_that_are_not_finite_are_discarded(model):
    made, places = model
    changed = [places["payload_mass"] - 1, places["payload_mass"] - 4, places["gravity[3]"]]
    rates, tips = ([place for name, place in places.items() if name.startswith(kind)] for kind in ("der(", "tip"))
    kept = numbers(made, changed)
    numbers(made, changed, [1e308, 1e308, 0.0])  # height and turn of the base, which without gravity no rate knows of
    assert np.isfinite(numbers(made, tips + rates)).all()
    numbers(made, changed, [1.7e308, 1.7e308, 0.0])  # their sum, the tip, is more than there are numbers for
    with pytest.raises(FMICallException, match="status 2"):
        numbers(made, tips)
    numbers(made, changed, kept)
    assert np.isfinite(numbers(made, tips + rates)).all()


def test_what_it_says_it_can_is_what_it_can(fmu):
    description = fmpy.read_model_description(str(fmu))
    two = description.fmiVersion == "2.0"
    for kind in (description.modelExchange, description.coSimulation):
        assert kind.canGetAndSetFMUstate
        assert kind.canSerializeFMUstate
        assert kind.providesDirectionalDerivative or not two  # FMPy looks for the name of 2.0 only
        assert not kind.needsExecutionTool
        assert not kind.canBeInstantiatedOnlyOncePerProcess
    assert description.coSimulation.canHandleVariableCommunicationStepSize
    assert not getattr(description.coSimulation, "canInterpolateInputs", False)
    assert not getattr(description.coSimulation, "providesIntermediateUpdate", False)
    assert not getattr(description.modelExchange, "providesAdjointDerivatives", False)
    if two:
        assert description.modelExchange.canNotUseMemoryManagementFunctions
        assert description.coSimulation.canNotUseMemoryManagementFunctions


def test_references_that_do_not_exist_are_errors(model):
    made, places = model
    for reference in (29_999, 39_999, 49_999, 90_000):
        with pytest.raises(FMICallException):
            numbers(made, [reference])
        with pytest.raises(FMICallException):
            made.getDirectionalDerivative([reference], [places["q.l11"]], [1.0])


def test_a_communication_step_is_a_whole_number_of_steps(tmp_path):
    path = export_fmu(load_arm("single-section"), tmp_path / "arm.fmu", step=1e-3)
    description = fmpy.read_model_description(str(path))
    folder = fmpy.extract(str(path), tmp_path / "fmu")
    slave = FMU2Slave(guid=description.guid, unzipDirectory=folder, modelIdentifier="single_section", instanceName="a")
    slave.instantiate()
    slave.setupExperiment()
    slave.enterInitializationMode()
    slave.exitInitializationMode()
    slave.doStep(currentCommunicationPoint=0.0, communicationStepSize=5e-3)
    with pytest.raises(Exception, match="fmi2DoStep"):
        slave.doStep(currentCommunicationPoint=5e-3, communicationStepSize=1.5e-3)
    slave.terminate()
    slave.freeInstance()


def test_the_same_arm_gives_the_same_bytes(tmp_path):
    arm = load_arm("single-section")
    first, second = (export_fmu(arm, tmp_path / name).read_bytes() for name in ("a.fmu", "b.fmu"))
    assert first == second


def test_bad_input_is_one_sentence(tmp_path, monkeypatch, capsys):
    arm = load_arm("single-section")
    with pytest.raises(ValueError, match="version"):
        export_fmu(arm, tmp_path / "arm.fmu", version="1.0")
    with pytest.raises(ValueError, match=r"the suffix must be \.fmu"):
        export_fmu(arm, tmp_path / "arm.zip")
    assert main(["export", "single-section", "--fmu", str(tmp_path / "no" / "arm.fmu")]) == 2
    assert "does not exist" in capsys.readouterr().err
    monkeypatch.delenv("CC", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(ValueError, match="no C compiler found"):
        export_fmu(arm, tmp_path / "arm.fmu")
    monkeypatch.setenv("CC", "no-such-compiler")
    with pytest.raises(ValueError, match="the C compiler no-such-compiler cannot be run"):
        export_fmu(arm, tmp_path / "arm.fmu")
    assert list(tmp_path.glob("*.fmu")) == []
