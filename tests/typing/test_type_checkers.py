"""Type checkers know the package as its users have it: without a plugin and without this project's settings."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.exhaustive  # two type checkers over the whole package

HERE = Path(__file__).parent
SOURCE = HERE.parents[1] / "src"


def mypy(folder: Path, name: str) -> dict[int, str]:
    (folder / "mypy.ini").write_text("[mypy]\nstrict = True\n")
    given = ["--config-file", "mypy.ini", "--follow-imports=silent", "--hide-error-context", "--no-color-output"]
    run = subprocess.run(
        [sys.executable, "-m", "mypy", *given, str(HERE / name)],
        cwd=folder,
        env=os.environ | {"MYPYPATH": str(SOURCE)},
        capture_output=True,
        text=True,
    )
    assert run.returncode in (0, 1), run.stdout + run.stderr
    found = re.findall(rf"{re.escape(name)}:(\d+): error: (.*)", run.stdout)
    assert len(found) == run.stdout.count(": error: "), run.stdout
    return {int(line): message for line, message in found}


def pyright(folder: Path, name: str) -> dict[int, str]:
    settings = {"include": [str(HERE / name)], "extraPaths": [str(SOURCE)], "typeCheckingMode": "standard"}
    (folder / "pyrightconfig.json").write_text(json.dumps(settings))
    run = subprocess.run(
        [sys.executable, "-m", "basedpyright", "--outputjson", "--pythonpath", sys.executable, "-p", str(folder)],
        cwd=folder,
        capture_output=True,
        text=True,
    )
    assert run.returncode in (0, 1), run.stdout + run.stderr
    report = json.loads(run.stdout)
    assert report["summary"]["filesAnalyzed"] == 1
    found = [each for each in report["generalDiagnostics"] if each["severity"] == "error"]
    return {each["range"]["start"]["line"] + 1: each["message"] for each in found}


@pytest.mark.parametrize("checker", [mypy, pyright])
def test_what_users_write_is_taken_and_its_types_are_known(checker, tmp_path):
    assert checker(tmp_path, "user_code.py") == {}


@pytest.mark.parametrize("checker", [mypy, pyright])
def test_every_mistake_is_reported(checker, tmp_path):
    lines = (HERE / "mistakes.py").read_text().splitlines()
    wrong = {number: line for number, line in enumerate(lines, start=1) if line.endswith("# wrong")}
    found = checker(tmp_path, "mistakes.py")
    assert {line: text for line, text in wrong.items() if line not in found} == {}, "not reported"
    assert {line: text for line, text in found.items() if line not in wrong} == {}, "reported"
