"""A short attack of each kind, with a fixed seed: the long ones are `make attack`."""

import json
import subprocess
import sys

import pytest

import continuarm as ca
from attack.api_arguments import MAKERS
from attack.attackers import ATTACKERS
from cli_process import environment

CASES = {"api": 2000, "files": 300, "solvers": 20}
"""As many as take a few seconds."""


@pytest.mark.parametrize("name", [each.name for each in ATTACKERS])
def test_nothing_is_found(name, tmp_path):
    command = [sys.executable, "-m", "attack", "--only", name, "--cases", str(CASES[name]), "--workers", "1"]
    command += ["--json", str(tmp_path / "found.json")]
    run = subprocess.run(command, env=environment(), capture_output=True, text=True, timeout=300)
    found = json.loads((tmp_path / "found.json").read_text())["attackers"][name]
    assert found["findings"] == [], run.stdout[-5000:]
    assert found["cases"] == CASES[name]
    assert run.returncode == 0
