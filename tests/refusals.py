"""How a refusal is tested: by the field, the value and the limit that it names, not by its wording."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from contextlib import contextmanager

import pytest

from cli_process import environment


@contextmanager
def refused(*named, error=ValueError):
    """Expects one line that names all of these."""
    with pytest.raises(error) as found:
        yield
    check_named(str(found.value), *named)
    assert "\n" not in str(found.value)


def check_named(sentence, *named):
    """That a sentence names all of these."""
    for each in named:
        assert each in sentence, f"{each!r} is not in {sentence!r}"


def sentence_with(sentences, *named):
    """The one sentence that names all of these."""
    (found,) = [sentence for sentence in sentences if all(each in sentence for each in named)]
    return found


def refuses(sentence: str, expected: str) -> bool:
    """Whether a message is one printable line that has the expected text; … stands for any words."""
    pattern = ".*".join(re.escape(part.strip()) for part in expected.split("…"))
    return sentence.isprintable() and re.search(pattern, sentence) is not None


READERS = {
    "load_arm": "ca.load_arm",
    "load_motion": "ca.load_motion",
    "read_pressures": "lambda path: ca.PressureSignal.read(path, ca.load_arm('prototype'))",
    "read_recording": "lambda path: ca.read_recording(path, ca.load_arm('prototype'))",
}


def answers(reader: str, *paths: object, seconds: float = 20.0, memory: int = 4 << 30) -> list[str]:
    """What a function says of each file, nothing if it takes it, in a process with little time and memory."""
    code = (
        "import json, os, sys, continuarm as ca\n"
        f"read = {READERS[reader]}\n"
        "if os.name == 'posix':\n"
        "    import resource\n"
        f"    resource.setrlimit(resource.RLIMIT_AS, ({memory}, {memory}))\n"
        "def answer(path):\n"
        "    try: read(path)\n"
        "    except ValueError as error: return str(error)\n"
        "    except Exception as error: return repr(error)\n"
        "    return ''\n"
        "print(json.dumps([answer(path) for path in sys.argv[1:]]))\n"
    )
    command = [sys.executable, "-c", code, *map(os.fsencode, map(str, paths))]
    done = subprocess.run(command, env=environment(), capture_output=True, timeout=seconds, check=True)
    found: list[str] = json.loads(done.stdout)
    return found
