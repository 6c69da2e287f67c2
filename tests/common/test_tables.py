"""Tables have bounds: of bytes, columns and the length of a line; they are read in one pass."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from continuarm.common import tables
from continuarm.common.tables import LONGEST_LINE, MOST_COLUMNS, table_lines


def lines(tmp_path: Path, content: bytes | str) -> list[tuple[int, list[str]]]:
    path = tmp_path / "table.csv"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return list(table_lines(path))


def test_lines_are_counted_as_an_editor_counts_them(tmp_path: Path) -> None:
    for end in ("\n", "\r\n", "\r"):
        text = end.join(("# note", "t, x", "", "0, 1", " # note", "2, 3"))
        assert lines(tmp_path, text) == [(2, ["t", "x"]), (4, ["0", "1"]), (6, ["2", "3"])]
        assert lines(tmp_path, "\ufeff" + text) == lines(tmp_path, text)


def test_separators_and_decimal_commas_and_quotes(tmp_path: Path) -> None:
    assert lines(tmp_path, "t;x\n0,5;1,5\n") == [(1, ["t", "x"]), (2, ["0.5", "1.5"])]
    assert lines(tmp_path, "t\tx\n0,5\t1\n") == [(1, ["t", "x"]), (2, ["0.5", "1"])]
    assert lines(tmp_path, '"t, s",x\n0,1\n') == [(1, ["t, s", "x"]), (2, ["0", "1"])]


def test_a_separator_at_the_end_of_every_line_is_no_column(tmp_path: Path) -> None:
    assert lines(tmp_path, "t,x,\n0,1,\n2,,\n") == [(1, ["t", "x"]), (2, ["0", "1"]), (3, ["2", ""])]
    assert lines(tmp_path, "t,x\n0,\n") == [(1, ["t", "x"]), (2, ["0", ""])]


REFUSED = (
    (b"", "header and at least one row"),
    (b"t, x\n# only a header\n", "header and at least one row"),
    ("t, x\n0, 1\n".encode("utf-16"), "UTF-16"),
    (b"t, x\n\xff, 1\n", "UTF-8"),
    (b"," * (MOST_COLUMNS + 1) + b"\n0\n", f"line 1 has more than {MOST_COLUMNS} cells"),
    (b"t, x\n" + b"," * (MOST_COLUMNS + 1), f"line 2 has more than {MOST_COLUMNS} cells"),
    (b"t, x\n" + b"0" * (LONGEST_LINE + 1), f"line 2 is longer than {LONGEST_LINE} characters"),
    (b"t, x\n0, " + b"1" * 200_000, "line 2: field larger than"),
    (gzip.compress(b"t, x\n0, 1\n")[:-9], "gzip and not complete"),
    (b"\x1f\x8b" + b"0" * 40, "gzip does and cannot be unpacked"),
)


def test_what_is_no_table_is_refused(tmp_path: Path) -> None:
    for content, reason in REFUSED:
        with pytest.raises(ValueError, match=reason):
            lines(tmp_path, content)


def test_a_table_has_a_bound(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tables, "MOST_BYTES", 10)
    assert len(lines(tmp_path, "t\n1\n2\n3\n4\n")) == 5
    with pytest.raises(ValueError, match="longer than 10 bytes"):
        lines(tmp_path, "t\n1\n2\n3\n45\n")


def test_a_packed_table_has_the_same_bound_and_the_same_lines(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = b"t\n1\n2\n"
    assert lines(tmp_path, gzip.compress(text)) == lines(tmp_path, text)
    assert lines(tmp_path, gzip.compress(text) + gzip.compress(b"3\n")) == lines(tmp_path, text + b"3\n")
    monkeypatch.setattr(tables, "MOST_BYTES", 1000)
    with pytest.raises(ValueError, match="longer than 1000 bytes when unpacked"):
        lines(tmp_path, gzip.compress(b"1\n" * 100_000, mtime=0))
