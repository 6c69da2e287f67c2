"""Before each build, the pages that show pictures of their own are run, and what they drew is laid beside them."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path
from typing import Any

import gallery_style
from page_blocks import pictures, run_page


def draw(app: Any) -> None:
    """Runs every page with pictures of its own in a folder for itself."""
    from matplotlib import pyplot

    for path in sorted(Path(app.srcdir).rglob("*.md")):
        text = path.read_text(encoding="utf-8")
        shown = pictures(text)
        if shown:
            gallery_style.plain()
            with tempfile.TemporaryDirectory() as folder:
                run_page(text, str(path), Path(folder))
                pyplot.close("all")  # else the first example of the gallery would show them
                for name in shown:
                    shutil.copyfile(Path(folder) / name, path.parent / name)


def setup(app: Any) -> dict[str, Any]:
    """Called by Sphinx."""
    app.connect("builder-inited", draw, priority=200)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
