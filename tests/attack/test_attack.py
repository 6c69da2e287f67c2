"""A short attack of each kind, with a fixed seed: the long ones are `make attack`."""

import contextlib
import json
import subprocess
import sys

import pytest

import continuarm as ca
from attack.api_calls import MAKERS
from attack.api_world import Given, World
from attack.attacker import generator
from attack.attackers import ATTACKERS
from cli_process import environment

pytestmark = pytest.mark.exhaustive

CASES = {"api": 2000, "files": 300, "solvers": 20, "commands": 60, "kills": 8, "limits": 15, "viewer": 100}
"""As many as take a few seconds."""

SLOW = ("commands", "kills", "limits", "viewer")
"""Those that start processes or servers."""

RETURNED = {
    "DescriptionError",
    "EnergyShapingFit",
    "Equilibria",
    "Estimate",
    "Identification",
    "Loop",
    "Motion",
    "MotionGradient",
    "MusclePressures",
    "Plan",
    "Postures",
    "PressureWarning",
    "Rollout",
    "Validation",
    "Vibrations",
    "Workspace",
}
"""Names that others raise or return; Motion is also used."""


def attack(tmp_path, *arguments):
    """A run of its own: exit code, what it wrote, what it printed."""
    command = [sys.executable, "-m", "attack", "--workers", "1", "--json", str(tmp_path / "found.json"), *arguments]
    run = subprocess.run(command, env=environment(), capture_output=True, text=True, timeout=600)
    return run, json.loads((tmp_path / "found.json").read_text(encoding="utf-8"))["attackers"]


@pytest.mark.parametrize(
    "name", [pytest.param(each.name, marks=[pytest.mark.slow] if each.name in SLOW else []) for each in ATTACKERS]
)
def test_nothing_is_found(name, tmp_path):
    run, found = attack(tmp_path, "--only", name, "--cases", str(CASES[name]))
    assert found[name]["findings"] == [], run.stdout[-8000:]
    assert found[name]["cases"] == CASES[name]
    assert run.returncode == 0


def test_every_public_name_is_called(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    world = World(tmp_path)
    called = set()
    for _, make in MAKERS:
        for case in range(80):
            with contextlib.suppress(TypeError, ValueError):  # an argument that is refused when it is made
                call = make(Given(generator(0, case), world))
                called |= {call.name, *(type(each).__name__ for each in call.named.values())}
    assert {name.split(".")[0] for name in called} >= set(ca.__all__) - RETURNED
