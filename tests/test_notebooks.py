"""The notebooks run from the first cell to the last, are stored as their scripts write them, show what they make."""

import json
import os
import runpy
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

FOLDER = Path(__file__).parents[1] / "examples" / "notebooks"
NOTEBOOKS = sorted(FOLDER.glob("*.ipynb"))

RUN = """
import json, sys
import nbformat
from nbclient import NotebookClient

notebook = nbformat.read(sys.argv[1], as_version=4)
nbformat.validate(notebook)
NotebookClient(notebook, timeout=120, kernel_name="python3").execute()
run = [cell for cell in notebook.cells if cell.cell_type == "code"]
print(json.dumps([[sorted(each.get("data", {})) for each in cell.outputs] for cell in run]))
"""


def test_there_is_one():
    assert [path.name for path in NOTEBOOKS] == ["first_motion.ipynb"]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_is_stored_as_its_script_writes_it(path):
    made = runpy.run_path(str(FOLDER / f"make_{path.stem}.py"))
    assert path.read_text(encoding="utf-8") == made["written"]()
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    assert all(not cell["outputs"] and cell["execution_count"] is None for cell in cells if cell["cell_type"] == "code")


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs_and_shows_what_it_makes(path, tmp_path):
    """In a process and folders of its own: a kernel keeps files where Jupyter is told to, and warns of much."""
    folders = {
        name: str(tmp_path / name.lower()) for name in ("JUPYTER_RUNTIME_DIR", "IPYTHONDIR", "JUPYTER_CONFIG_DIR")
    }
    paths = os.environ | folders | {"PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-W", "ignore", "-c", RUN, str(path)]
    done = subprocess.run(command, cwd=tmp_path, env=paths, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr[-3000:]
    arm, rest, motion, curves, vibrations, kept = json.loads(done.stdout.splitlines()[-1])
    for shown in (arm, motion, vibrations, kept):
        assert shown == [["text/html", "text/plain"]]
    for figure in (rest, curves):
        assert figure == [["image/png", "text/plain"]]
    assert (tmp_path / "first_motion.gif").stat().st_size > 10_000
