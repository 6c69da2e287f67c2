"""The example that learns: it runs, keeps its policy, and writes the page that plays an episode."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLE = Path(__file__).parents[2] / "examples" / "learn_to_reach.py"


@pytest.mark.slow
def test_it_trains_judges_and_shows(tmp_path):
    command = [sys.executable, str(EXAMPLE), "--actions", "12800", "--output", str(tmp_path / "short")]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=300)
    assert re.search(r"seed 0: 0\.01 million actions in .* % of 1000 new episodes succeeded", done.stdout)
    assert (tmp_path / "short.zip").stat().st_size > 10_000
    assert "prototype" in (tmp_path / "short.html").read_text(encoding="utf-8")
