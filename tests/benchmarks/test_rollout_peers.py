"""Other libraries in the benchmark of roll-outs: their arm is ours, and one that is missing is a plain note."""

import importlib.util
from xml.etree import ElementTree

import numpy as np
import pytest

from continuarm.arms.arm_file import load_arm
from continuarm.benchmarks import rollout_peers
from continuarm.benchmarks.mujoco_chain import bending, chain_xml
from continuarm.benchmarks.timing import Group, Repeats
from continuarm.engine.quantities import elastic_energy

pytestmark = pytest.mark.exhaustive


def test_a_chain_weighs_and_measures_what_the_arm_does():
    arm = load_arm("prototype")
    for links in (3, 8):
        root = ElementTree.fromstring(chain_xml(arm, links))
        bodies = list(root.iter("body"))
        assert len(bodies) == links * arm.n
        mass = sum(float(each.get("mass")) for each in root.iter("inertial"))
        assert mass == pytest.approx(sum(section.mass for section in arm.sections))
        last = float(list(root.iter("inertial"))[-1].get("pos").split()[2]) * 2
        length = sum(float(each.get("pos").split()[2]) for each in bodies) + last
        assert length == pytest.approx(sum(section.length for section in arm.sections))


def test_hinges_in_series_hold_the_elastic_energy_of_a_bend():
    """All hinges of one direction turned alike, by a bend in all: ½ k φ² of the section."""
    arm = load_arm("single-section")
    (section,) = arm.sections
    for phi in (0.1, 1.3):
        shape = np.linalg.solve(section.shape_map, [phi, 0.0, 0.0])
        energy = float(elastic_energy(arm, shape))
        assert 0.5 * bending(section, section.stiffness_matrix) * phi**2 == pytest.approx(energy)
        for links in (1, 8):
            hinges = list(ElementTree.fromstring(chain_xml(arm, links)).iter("joint"))
            along = [float(each.get("stiffness")) for each in hinges if each.get("name").startswith("y")]
            assert sum(0.5 * k * (phi / links) ** 2 for k in along) == pytest.approx(energy)


def test_a_library_that_is_missing_is_a_note_and_others_are_measured(monkeypatch):
    asked = []

    def peer(arm):
        return "a peer", "its version", {1: lambda count: asked.append(count) or 1e-3 * count}

    monkeypatch.setattr(rollout_peers, "PEERS", {"here": peer, "gone": peer})
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: object() if name == "here" else None)
    group = Group("rollouts")
    ours = {1: lambda count: 2e-3 * count}
    rollout_peers.add_peers(group, load_arm("prototype"), ours, 1000, Repeats(1, 0.0))
    assert asked
    rows = {row["name"]: row for row in group.rows}
    assert rows["a step; a peer, 1 thread"]["value"] == pytest.approx(1e3 / (rollout_peers.ARMS * rollout_peers.STEPS))
    assert rows["a step; ours beside a peer, 1 thread"]["value"] == pytest.approx(2.0)
    assert rows["a peer / ours, 1 thread"]["value"] == pytest.approx(0.125)
    assert (rows["gone"]["value"], rows["gone"]["note"]) == (None, "the package gone is not installed")
