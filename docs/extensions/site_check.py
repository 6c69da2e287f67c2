"""After each build: every link of the site leads to a place that is there, and nothing comes from the network."""

from __future__ import annotations

from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

LOADED = {"script": "src", "img": "src", "iframe": "src", "source": "src", "link": "href"}
"""What a browser fetches by itself."""


class Page(HTMLParser):
    """The places of a page that can be linked to, its links, and what it loads."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.places: set[str] = set()
        self.links: list[str] = []
        self.loaded: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Notes what an element is or leads to."""
        found = {name: value for name, value in attrs if value}
        self.places |= {found[name] for name in ("id", "name") if name in found}
        if tag == "a" and "href" in found:
            self.links.append(found["href"])
        if LOADED.get(tag, "") in found:
            self.loaded.append(found[LOADED[tag]])


def _written(site: Path) -> list[Path]:
    """The pages of a site, without what its theme keeps for itself."""
    return sorted(path for path in site.rglob("*.html") if not path.is_relative_to(site / "_static"))


def faults(site: Path) -> Iterator[str]:
    """Sentences about links that lead nowhere and resources from elsewhere."""
    pages = {path.resolve(): Page(path.read_text(encoding="utf-8")) for path in _written(site)}
    for path, page in pages.items():
        name = path.relative_to(site.resolve())
        for address in page.loaded:
            if urlsplit(address).netloc:
                yield f"{name} loads {address}: a page must not need the network"
        for address in [*page.links, *page.loaded]:
            parts = urlsplit(address)
            if parts.scheme or parts.netloc:
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            if not target.is_file():
                yield f"{name} leads to {address}, which is not there"
            elif parts.fragment and target in pages and unquote(parts.fragment) not in pages[target].places:
                yield f"{name} leads to {address}: that page has no such place"


def check(app: Any, exception: Exception | None) -> None:
    """Warns of every fault, which ends `make docs` with an error."""
    from sphinx.util import logging

    if exception is None and app.builder.name == "html":
        for sentence in faults(Path(app.outdir)):
            logging.getLogger(__name__).warning(sentence)


def setup(app: Any) -> dict[str, Any]:
    """Called by Sphinx."""
    app.connect("build-finished", check, priority=900)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
