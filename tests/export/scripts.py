"""For the tests of scripts: JavaScript that is run by node."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

from gate import tool


def run_script(folder: Path, script: str, given: Any) -> Any:
    """What a script returns for `given`; numbers go there and back without loss."""
    node = tool("node")
    (folder / "script.js").write_text(
        f'"use strict";\nconst given = JSON.parse(require("fs").readFileSync(0, "utf8"));\n{script}\n'
        "process.stdout.write(JSON.stringify(main()));\n",
        encoding="utf-8",
    )
    done = subprocess.run(
        [node, str(folder / "script.js")], input=json.dumps(given), capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)
