"""One run at a time writes a file, and what a killed run left is no hindrance."""

from __future__ import annotations

import errno
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from cli_process import environment
from continuarm.common import file_locks
from continuarm.common.file_locks import claimed, temporary_name
from continuarm.common.files import replaced
from refusals import refused

pytestmark = pytest.mark.slow

WRITER = """
import sys
from pathlib import Path
from continuarm.common.file_locks import claimed
from continuarm.common.files import beside
target = Path(sys.argv[1])
with claimed(target), beside(target) as new:
    new.write_text("half")
    print("writing", flush=True)
    sys.stdin.read()
"""


def start(target: Path) -> subprocess.Popen[str]:
    """A process that writes the target until its input ends."""
    pipe = subprocess.PIPE
    command = [sys.executable, "-c", WRITER, str(target)]
    process = subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True, env=environment())
    assert process.stdout is not None
    assert process.stdout.readline() == "writing\n"
    return process


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_while_one_process_writes_another_is_refused(tmp_path: Path) -> None:
    target = tmp_path / "run.txt"
    (tmp_path / "link.txt").symlink_to(target)
    with start(target) as other:
        for path in (target, tmp_path / "link.txt"):
            with refused(str(target), "another run"), claimed(path):
                pass
            with refused(str(target), "another run"), replaced(path) as new:
                new.write_text("mine", encoding="utf-8")
        with claimed(tmp_path / "other.txt"):
            pass
        other.communicate("", timeout=20)
    assert target.read_text(encoding="utf-8") == "half"
    with replaced(target) as new:
        new.write_text("mine", encoding="utf-8")
    assert target.read_text(encoding="utf-8") == "mine"
    assert names(tmp_path) == ["link.txt", "run.txt"]


@pytest.mark.skipif(os.name == "nt", reason="no SIGKILL")
def test_a_killed_process_has_no_lock_and_its_temporary_files_go_with_the_next_run(tmp_path: Path) -> None:
    target = tmp_path / "run.txt"
    (tmp_path / ".somebody-else.tmp").touch()
    other = temporary_name(tmp_path / "other.txt", "-0.tmp")
    (tmp_path / other).touch()
    with start(target) as killed:
        killed.kill()
    left = set(names(tmp_path)) - {".somebody-else.tmp", other}
    assert {Path(name).suffix for name in left} == {".lock", ".tmp"}
    assert all(name.startswith(".continuarm-") for name in left)
    with replaced(target) as new:
        new.write_text("mine", encoding="utf-8")
    assert names(tmp_path) == sorted([".somebody-else.tmp", other, "run.txt"])


def test_only_the_thread_that_has_the_right_may_ask_again(tmp_path: Path) -> None:
    target = tmp_path / "run.txt"
    answers: list[str] = []

    def ask(again: bool) -> None:
        try:
            with claimed(target, again=again):
                answers.append("mine")
        except ValueError as error:
            answers.append(str(error))

    with claimed(target):
        ask(again=True)
        ask(again=False)
        other = threading.Thread(target=ask, args=(True,))
        other.start()
        other.join()
    assert answers[0] == "mine"
    assert all("another run" in answer for answer in answers[1:])
    assert len(answers) == 3
    ask(again=False)
    assert answers[3] == "mine"
    assert names(tmp_path) == []


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes with names here")
@pytest.mark.parametrize("kind", ["link", "pipe", "folder"])
def test_what_strangers_put_in_place_of_a_lock_is_neither_followed_nor_waited_for(tmp_path: Path, kind: str) -> None:
    target, lock = tmp_path / "run.txt", tmp_path / temporary_name(tmp_path / "run.txt", ".lock")
    (tmp_path / "victim.txt").write_text("precious", encoding="utf-8")
    if kind == "link":
        lock.symlink_to(tmp_path / "victim.txt")
    elif kind == "pipe":
        os.mkfifo(lock)
    else:
        lock.mkdir()
    with replaced(target) as new:
        new.write_text("mine", encoding="utf-8")
    assert target.read_text(encoding="utf-8") == "mine"
    assert (tmp_path / "victim.txt").read_text(encoding="utf-8") == "precious"
    assert os.path.lexists(lock)


def test_folders_without_locks_can_be_written_to(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def no_locks(_: int) -> bool:
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(file_locks, "_lock", no_locks)
    for text in ("one", "two"):
        with replaced(tmp_path / "run.txt") as new:
            new.write_text(text, encoding="utf-8")
        assert (tmp_path / "run.txt").read_text(encoding="utf-8") == text


def test_a_lock_that_its_owner_removes_at_the_wrong_moment_is_made_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Otherwise it would be on a file that nobody else finds."""
    target, lock = tmp_path / "run.txt", tmp_path / temporary_name(tmp_path / "run.txt", ".lock")
    lock.touch()
    really, calls = file_locks._lock, []

    def removed_first(descriptor: int) -> bool:
        if not calls:
            lock.unlink()
        calls.append(descriptor)
        return really(descriptor)

    monkeypatch.setattr(file_locks, "_lock", removed_first)
    with claimed(target):
        assert len(calls) == 2
        with lock.open("rb") as file:
            assert not really(file.fileno())


def test_a_lock_that_is_made_and_removed_all_the_time_is_never_held_twice(tmp_path: Path) -> None:
    """Processes that claim the same file as fast as they can: each that has it is alone."""
    code = (
        "import os, sys\n"
        "from pathlib import Path\n"
        "from continuarm.common.file_locks import claimed\n"
        "had = 0\n"
        "while had < 100:\n"
        "    try:\n"
        "        with claimed(Path(sys.argv[1])):\n"
        "            os.close(os.open(sys.argv[2], os.O_CREAT | os.O_EXCL))\n"
        "            os.unlink(sys.argv[2])\n"
        "            had += 1\n"
        "    except ValueError: pass\n"
    )
    command = [sys.executable, "-c", code, str(tmp_path / "run.txt"), str(tmp_path / "inside")]
    running = [subprocess.Popen(command, env=environment(), stderr=subprocess.PIPE, text=True) for _ in range(3)]
    assert [process.communicate(timeout=60)[1] for process in running] == ["", "", ""]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork processes")
def test_a_lock_ends_with_its_process_though_its_children_live_on(tmp_path: Path) -> None:
    code = (
        "import os, sys, time\n"
        "from pathlib import Path\n"
        "from continuarm.common.file_locks import claimed\n"
        "with claimed(Path(sys.argv[1])):\n"
        "    if not os.fork():\n"
        "        os.close(1)\n"
        "        time.sleep(60)\n"
        "        os._exit(0)\n"
        "    print('held', flush=True)\n"
        "    os.kill(os.getpid(), 9)\n"
    )
    target = tmp_path / "run.txt"
    with subprocess.Popen(
        [sys.executable, "-c", code, str(target)], env=environment(), stdout=subprocess.PIPE, text=True, process_group=0
    ) as process:
        try:
            assert process.stdout is not None
            assert process.stdout.read() == "held\n"
            process.wait(timeout=60)
            with claimed(target):
                pass
        finally:
            os.killpg(process.pid, signal.SIGKILL)  # the child
