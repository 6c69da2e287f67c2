"""After each build: the pages of arms that the site's visitors can play with, in the folder `play` of the site."""

from __future__ import annotations

from pathlib import Path
from typing import Any

ARMS = ("prototype",)


def write(app: Any, exception: Exception | None) -> None:
    """Writes a page that simulates each arm by itself."""
    import continuarm as ca

    if exception is None and app.builder.name == "html":
        folder = Path(app.outdir) / "play"
        folder.mkdir(exist_ok=True)
        for name in ARMS:
            ca.load_arm(name).page(folder / f"{name}.html")


def setup(app: Any) -> dict[str, Any]:
    """Called by Sphinx."""
    app.connect("build-finished", write, priority=800)  # before the links are checked
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
