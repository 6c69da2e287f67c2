"""The rules of the gate, on a small suite of its own: missing tools, expected skips, whose warnings are errors."""

import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

pytest_plugins = ["pytester"]
pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[1]
SUITE = """
import warnings
import pytest
import gate

def test_of_a_missing_tool():
    gate.tool("qemu")

@pytest.mark.skipif(True, reason="device = 'cuda': there is no GPU that CUDA can use")
def test_of_a_gpu():
    pass

@pytest.mark.skipif(True, reason="no chromium, and no GPU: there is no GPU that CUDA can use")
def test_of_a_browser():
    pass

@pytest.mark.xfail
def test_of_what_fails():
    raise OSError

def test_of_a_deprecation_in_another_package():
    warnings.warn_explicit("old", FutureWarning, "array.py", 1, module="other.array")

def test_of_a_deprecation_that_we_cause():
    warnings.warn_explicit("old", FutureWarning, "arm.py", 1, module="continuarm.arms.arm")
"""


@pytest.fixture
def run_suite(pytester, monkeypatch):
    """A function that runs the suite with a value of CI."""
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(ROOT / "tests"), str(ROOT / "tools")]))
    pytester.makepyfile(SUITE)
    pytester.makeini("[pytest]\nfilterwarnings = error")
    pytester.makeconftest('import install\ninstall.TOOLS["qemu"] = "qemu-package"')

    def run(ci):
        monkeypatch.setenv("CI", ci)
        return pytester.runpytest_subprocess("-p", "gate", "-p", "no:randomly")

    return run


def test_make_shuffles_by_a_seed():
    command = subprocess.run(["make", "-n", "test", "SEED=7"], cwd=ROOT, capture_output=True, text=True, check=True)
    arguments = shlex.split(next(line for line in command.stdout.splitlines() if "pytest" in line))[3:]
    listed = [*arguments, "--collect-only", "-q", "tests/common"]
    shown = subprocess.run([sys.executable, "-m", "pytest", *listed], cwd=ROOT, capture_output=True, text=True)
    assert shown.returncode == 0, shown.stdout + shown.stderr
    assert "--randomly-seed=7" in arguments


def test_a_person_is_told_how_to_run_what_was_skipped(run_suite):
    result = run_suite("")
    result.assert_outcomes(passed=1, skipped=3, failed=1, xfailed=1)  # the deprecation that we cause fails everywhere
    result.stdout.fnmatch_lines(["3 skipped*apt-get install qemu-package*"])


def test_in_ci_a_missing_tool_is_a_failure_that_names_its_package(run_suite):
    result = run_suite("true")
    result.assert_outcomes(passed=1, skipped=1, failed=3, errors=1)  # no GPU is the one expected reason
    result.stdout.fnmatch_lines(["*test_of_a_missing_tool*apt-get install qemu-package*"])
