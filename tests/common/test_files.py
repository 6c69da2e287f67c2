"""Files are written whole or not at all, where they were meant to be."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from continuarm.common.files import output_path, replaced


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
