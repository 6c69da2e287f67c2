"""The plant in JavaScript is the plant: steps, commands, energies and places of discs are those of Python."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scripts import run_script

from continuarm.arms.arm import Arm
from continuarm.arms.arm_file import load_arm
from continuarm.arms.inertia_models import InertiaModel
from continuarm.arms.rig import Line
from continuarm.common.number_checks import Floats
from continuarm.dynamics.plant import Plant
from continuarm.engine.native_arm import native_plant
from continuarm.engine.quantities import tip_poses
from continuarm.export.simulated_plant import plant_script, simulated_plant
from continuarm.simulation.inputs import PressureSignal, PressureSteps
from continuarm.simulation.motion import energies_of
from continuarm.simulation.simulator import simulate
from continuarm.simulation.solvers import FixedStep
from continuarm.viewer.rig import disc_poses
from random_arms import MODELS
from random_plants import FOUR, LAWS, random_plant, random_rows

pytestmark = pytest.mark.slow

STEP = 1e-3
STEPPED = """
function main() {
  return given.map(({ numbers, commands, count }) => {
    const plant = new Plant(numbers);
    plant.m.set(commands, plant.commands);
    for (let k = 0; k < count; k++) plant.step();
    const { turns, ...discs } = plant.discs();
    for (let k = 0; k < turns.length; k += 4) {
      const size = Math.hypot(...turns.subarray(k, k + 4));
      for (let j = k; j < k + 4; j++) turns[j] /= size;
    }
    const parts = { ...discs, turns, energies: plant.energies(), lengths: plant.inMuscles().lengths };
    const state = [...plant.m.subarray(plant.state, plant.state + plant.width)];
    const rest = Object.fromEntries(Object.entries(parts).map(([name, values]) => [name, [...values]]));
    return { state, refused: plant.refused(), ...rest };
  });
}
"""


def stepped(
    folder: Path, cases: list[tuple[Plant, Floats, Floats]], count: int = 1
) -> Iterator[tuple[Plant, Floats, Floats, dict[str, Any]]]:
    """Plants of one inertia model, commands and states, each with what the script finds after so many steps."""
    given = [
        {"numbers": simulated_plant(plant, state, STEP), "commands": commands.tolist(), "count": count}
        for plant, commands, state in cases
    ]
    for case, row in zip(cases, run_script(folder, plant_script(cases[0][0]) + STEPPED, given), strict=True):
        yield *case, {name: each if name == "refused" else np.array(each) for name, each in row.items()}


def relative(plant: Plant, found: Floats, expected: Floats) -> float:
    """The largest difference of two states, each of their parts beside the largest number in that part."""
    pairs = zip(plant.states.split(found), plant.states.split(expected), strict=True)
    return max(float(np.abs(a - b).max(initial=0) / max(np.abs(b).max(initial=0), 1e-3)) for a, b in pairs)


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.model)
def test_a_step_is_that_of_native_code(tmp_path: Path, model: InertiaModel) -> None:
    """All laws of muscles, one to five sections, three and four muscles, with and without a payload."""
    rng = np.random.default_rng(7)
    cases = []
    for law in LAWS:
        for n, layout in ((1, None), (2, FOUR), (3, None), (5, FOUR)):
            plant = random_plant(rng, n, law, layout, model)
            plant = plant if n > 2 else Plant(plant.arm.replace(payload=None))
            cases += [(plant, *random_rows(rng, plant)) for _ in range(4)]
    for plant, commands, state, found in stepped(tmp_path, cases):
        expected = state.copy()
        assert native_plant(plant, STEP).step(commands, STEP, expected)
        assert relative(plant, found["state"], expected) < 1e-12


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.model)
def test_places_lengths_and_energies_are_those_of_python(tmp_path: Path, model: InertiaModel) -> None:
    rng = np.random.default_rng(3)
    plants = [random_plant(rng, n, "everything", FOUR, model) for n in (1, 3)]
    cases = [(plant, *random_rows(rng, plant)) for plant in plants for _ in range(4)]
    for plant, _, state, found in stepped(tmp_path, cases, 0):
        arm, here = plant.arm, plant.states.split(state)
        poses = disc_poses(arm, here.q[None])[0]
        turns = found["turns"].reshape(-1, 4)
        same = np.sign((turns * poses[:, 3:]).sum(axis=1))[:, None]  # q and -q are one turn
        np.testing.assert_allclose(found["places"].reshape(-1, 3), poses[:, :3], atol=1e-7)
        np.testing.assert_allclose(same * turns, poses[:, 3:], atol=1e-6)
        np.testing.assert_allclose(found["tips"].reshape(-1, 3), tip_poses(arm, here.q)[:, :3, 3], atol=1e-14)
        np.testing.assert_allclose(found["lengths"], arm.muscle_lengths(here.q), atol=1e-15)
        energies = energies_of(arm, here.q, here.qd, here.supplied, here.dissipated)
        np.testing.assert_allclose(found["energies"], [*energies.values()], rtol=1e-12, atol=1e-13)


def test_a_state_outside_the_model_is_refused_with_its_section(tmp_path: Path) -> None:
    """And the plant stands where it stood before the step."""
    plant = Plant(load_arm("prototype"))
    bent, short, bending, shortening = np.zeros((4, 9))
    bent[3:6], bending[3:6] = (plant.arm.sections[1].length_map @ [phi, 0, 0] for phi in (6.2, 300.0))  # rad, rad/s
    short[6:9], shortening[6:9] = -0.149, -50.0  # m, m/s; 150 mm are there
    commands = np.zeros(plant.commands.width)
    cases = [(plant, commands, plant.first_state(*each)) for each in ((bent, bending), (short, shortening))]
    sentences = [found["refused"] for *_, found in stepped(tmp_path, cases)]
    assert sentences[0] == "section 2 of 3 bent beyond a full turn, where the model ends"
    assert sentences[1] == "section 3 of 3 was shortened to nothing"


COMMANDED = """
function main() {
  const plant = new Plant(given.numbers);
  const commands = given.numbers.thresholds.map((threshold, k) => new Command(threshold, given.delays[k]));
  let next = 0;
  for (let k = 0; k < given.count; k++) {
    for (; given.acts[next]?.step === k; next++) {
      given.acts[next].knots.forEach((knots, j) => knots.length && commands[j].follow(k / given.rate, knots));
    }
    commands.forEach((each, j) => { plant.m[plant.commands + j] = each.mean(k / given.rate, (k + 1) / given.rate); });
    plant.step();
  }
  return [...plant.m.subarray(plant.state, plant.state + plant.width)];
}
"""


def commanded(folder: Path, arm: Arm, acts: list[dict[str, Any]], count: int) -> Floats:
    """q after so many steps of a page whose hand does something before some of them."""
    plant = Plant(arm)
    given = {
        "numbers": simulated_plant(plant, plant.first_state(np.zeros(3 * arm.n)), STEP),
        "delays": [line.delay for line in arm.muscle_lines],
        "rate": round(1 / STEP),
        "acts": acts,
        "count": count,
    }
    return plant.states.split(np.array(run_script(folder, plant_script(plant) + COMMANDED, given))).q


def held(pressure: float) -> list[dict[str, float]]:
    return [{"time": 0.0, "begin": pressure, "end": pressure}]


def test_commands_arrive_with_the_delay_of_their_line(tmp_path: Path) -> None:
    """Also where they arrive inside a step, below and above a dead zone, and where a line is followed by a hand."""
    arm = load_arm("prototype").replace(lines=[Line(muscles=["l11", "l12"], delay=0.0123), Line(muscles=["l33"])])
    assert arm.sections[0].dead_zone > 0
    together, alone, nothing = [held(3e5)] * 2, [held(4e5)], [[]]
    acts = [
        {"step": 0, "knots": [*together, *nothing * 6, *alone]},
        {"step": 7, "knots": [*[held(5e5)] * 2, *nothing * 7]},  # before the first has arrived
        {"step": 40, "knots": [*[held(0.0)] * 2, *nothing * 6, *[held(1e5)]]},
    ]
    steps = {"l11": [(0.0, 3e5), (0.007, 5e5), (0.04, 0.0)], "l33": [(0.0, 4e5), (0.04, 1e5)]}
    motion = simulate(arm, PressureSteps(steps), duration=0.1, rate=1000, solver=FixedStep(1000))
    np.testing.assert_allclose(commanded(tmp_path, arm, acts, 100), motion.q[100], rtol=1e-9, atol=1e-12)


def test_a_hand_takes_over_from_a_move(tmp_path: Path) -> None:
    """Pressures on lines between knots, and a hand that changes one of them on the way."""
    arm = load_arm("prototype")
    drive = PressureSignal([0.0, 0.0505], 4e5 * np.outer([0, 1], np.ones(9))).drive(arm)
    rows = zip(drive.times, drive.begin[:, 0], drive.end[:, 0], strict=True)
    rising = [{"time": time, "begin": begin, "end": end} for time, begin, end in rows]
    acts = [{"step": 0, "knots": [rising] * 9}, {"step": 30, "knots": [held(1e5), *[[]] * 8]}]
    pressures = 4e5 * np.outer([0, 0.03 / 0.0505, 0.03 / 0.0505, 1], np.ones(9))
    pressures[2:, 0] = 1e5  # it falls in as short a time as a signal may have
    signal = PressureSignal([0.0, 0.03, 0.03 + 2e-9, 0.0505], pressures)
    motion = simulate(arm, signal, duration=0.1, rate=1000, solver=FixedStep(1000))
    np.testing.assert_allclose(commanded(tmp_path, arm, acts, 100), motion.q[100], rtol=1e-7, atol=1e-10)
