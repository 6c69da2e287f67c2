"""The pages of the documentation that are written by hand, for the tests of them."""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).parents[1]
WRITTEN_BY_THE_BUILD = [ROOT / "docs" / name for name in ("_build", "gallery")]
_FILES = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]

PAGES: dict[str, str] = {
    str(path.relative_to(ROOT)): path.read_text(encoding="utf-8")
    for path in sorted(_FILES)
    if not any(path.is_relative_to(folder) for folder in WRITTEN_BY_THE_BUILD)
}
"""Text by path from the root."""
