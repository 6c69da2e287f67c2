"""Files are written whole or not at all, where they were meant to be; what is read is a file, and not endless."""

from __future__ import annotations

import os
import socket
import subprocess
from pathlib import Path

import pytest

from continuarm.common import files
from continuarm.common.files import content, opened, output_path, replaced

# Writing


def test_what_is_written_takes_the_place_of_what_was_there(tmp_path: Path) -> None:
    path = tmp_path / "run.txt"
    path.write_text("old", encoding="utf-8")
    path.chmod(0o640)
    with replaced(path) as new:
        new.write_text("new", encoding="utf-8")
        assert path.read_text(encoding="utf-8") == "old"
    assert path.read_text(encoding="utf-8") == "new"
    assert path.stat().st_mode & 0o777 == 0o640
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("fault", [RuntimeError, KeyboardInterrupt, OSError])
@pytest.mark.parametrize("was_there", [True, False])
def test_after_a_fault_everything_is_as_it_was(tmp_path: Path, fault: type[BaseException], was_there: bool) -> None:
    path = tmp_path / "run.txt"
    if was_there:
        path.write_text("old", encoding="utf-8")

    def write() -> None:
        with replaced(path) as new:
            new.write_text("half", encoding="utf-8")
            raise fault("cable pulled")

    with pytest.raises(ValueError if fault is OSError else fault, match="cable pulled"):
        write()
    assert [each.read_text(encoding="utf-8") for each in tmp_path.iterdir()] == ["old"] * was_there


def test_what_the_system_refuses_is_one_sentence(tmp_path: Path) -> None:
    path = tmp_path / "run.txt"
    with pytest.raises(ValueError, match=r"run\.txt: cannot be written: No such file") as refused, replaced(path):
        pass  # nothing was written that could be renamed
    assert "\n" not in str(refused.value)


def test_a_link_stays_and_leads_to_what_is_written(tmp_path: Path) -> None:
    target, link = tmp_path / "run.txt", tmp_path / "latest.txt"
    target.write_text("old", encoding="utf-8")
    link.symlink_to(target)
    with replaced(output_path(link, (".txt",))) as new:
        new.write_text("new", encoding="utf-8")
    assert link.is_symlink()
    assert target.read_text(encoding="utf-8") == "new"


def test_any_suffix_will_do_where_none_is_named(tmp_path: Path) -> None:
    assert output_path(tmp_path / "run") == tmp_path.resolve() / "run"
    with pytest.raises(ValueError, match=r"run: .*\.nc, \.h5"):
        output_path(tmp_path / "run", (".nc", ".h5"))


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("folder.txt", "folder, not a file"),
        ("none/run.txt", "none' does not exist"),
        (os.devnull, "device"),
        ("run\0.txt", r"run\\x00\.txt: .*null"),
        ("", "path = ''"),
        (b"run.txt", "path = b'run.txt'"),
        (None, "path = None"),
    ],
)
def test_a_place_that_cannot_be_written_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, path: object, reason: str
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("folder.txt").mkdir()
    with pytest.raises(ValueError, match=reason):
        output_path(path)  # type: ignore[arg-type]


# Reading


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes with names here")
def test_what_is_no_ordinary_file_is_refused_and_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "circle").symlink_to(tmp_path / "other")
    (tmp_path / "other").symlink_to(tmp_path / "circle")
    (tmp_path / "locked").touch()
    with socket.socket(socket.AF_UNIX) as end:
        end.bind(str(tmp_path / "socket"))
        for path, reason in (
            (tmp_path, "is a folder"),
            (tmp_path / "none", "no such file"),
            (tmp_path / "locked" / "none", "Not a directory"),
            (tmp_path / "socket", "is a socket"),
            (tmp_path / "circle", "symbolic links"),
            (tmp_path / ("x" * 256), "too long"),
            ("a\0b", "null"),
            ("/dev/zero", "is a device"),
            (os.devnull, "is a device"),
        ):
            for read in (opened, lambda path: content(path, 100)):
                with pytest.raises(ValueError, match=reason) as refused:
                    read(path)
                assert str(refused.value).isprintable()
    with pytest.raises(ValueError, match=r"^is a pipe, not a file$"):
        opened(tmp_path / "pipe")
    with pytest.raises(ValueError, match=r"^is a pipe that nobody writes to$"):
        content(tmp_path / "pipe", 100)


def test_a_file_is_read_up_to_a_bound(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"x" * 100)
    assert content(tmp_path / "file", 100) == b"x" * 100
    with opened(tmp_path / "file") as file:
        assert file.read() == b"x" * 100
    with pytest.raises(ValueError, match=r"^is longer than 99 bytes$"):
        content(tmp_path / "file", 99)
    with (tmp_path / "sparse").open("wb") as file:
        file.truncate(1 << 40)
    with pytest.raises(ValueError, match=r"^is longer than 99 bytes$"):
        content(tmp_path / "sparse", 99)


@pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="no such files here")
def test_files_that_do_not_say_how_long_they_are_have_a_bound_too() -> None:
    assert Path("/proc/self/environ").stat().st_size == 0
    assert len(content("/proc/self/environ", 10**6)) > 10
    with pytest.raises(ValueError, match="longer than 10 bytes"):
        content("/proc/self/environ", 10)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes with names here")
def test_a_pipe_is_read_to_its_end_up_to_a_bound(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    for command, most in (("printf 0123456789; sleep 0.2; printf abc", 13), ("sleep 0.5; printf 0123456789abc", 13)):
        with subprocess.Popen(["sh", "-c", f"({command}) > '{pipe}'"]):
            assert content(pipe, most) == b"0123456789abc"
    endless = subprocess.Popen(["sh", "-c", f"cat /dev/zero > '{pipe}'"], stderr=subprocess.DEVNULL)
    with endless, pytest.raises(ValueError, match="longer than 1000000 bytes"):
        content(pipe, 1_000_000)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes with names here")
def test_a_pipe_that_stays_silent_is_given_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "SILENCE", 0.3)
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with subprocess.Popen(["sh", "-c", f"exec sleep 60 > '{pipe}'"]) as silent:
        with pytest.raises(ValueError, match=r"^is a pipe that (stays silent|nobody writes to)$"):
            content(pipe, 100)
        silent.kill()


def test_an_output_at_the_end_of_a_circle_of_links_is_refused(tmp_path: Path) -> None:
    (tmp_path / "circle").symlink_to(tmp_path / "other")
    (tmp_path / "other").symlink_to(tmp_path / "circle")
    with pytest.raises(ValueError, match=r"circle: cannot be written: .*symbolic links"):
        output_path(tmp_path / "circle")
    assert (tmp_path / "circle").is_symlink()


def test_new_files_have_the_permissions_that_the_user_chose(tmp_path: Path) -> None:
    before = os.umask(0o027)
    try:
        with replaced(tmp_path / "run.txt") as new:
            new.write_text("new", encoding="utf-8")
    finally:
        os.umask(before)
    assert (tmp_path / "run.txt").stat().st_mode & 0o777 == 0o640
