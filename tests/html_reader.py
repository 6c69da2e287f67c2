"""A page as a reader has it: that its tags close in order, and what it says, names and asks for."""

from __future__ import annotations

from html.parser import HTMLParser

VOID = ("br", "img", "link", "meta")


class PageReader(HTMLParser):
    """Keeps words, identifiers and addresses; `open` holds the tags that are not closed yet."""

    def __init__(self, page):
        super().__init__()
        self.open, self.words, self.ids, self.addresses = [], [], [], []
        self.feed(page)
        self.close()

    def handle_starttag(self, tag, attributes):
        given = dict(attributes)
        self.ids += [given["id"]] if "id" in given else []
        self.addresses += [given[name] for name in ("src", "href", "xlink:href", "srcset", "action") if name in given]
        self.open += [] if tag in VOID else [tag]

    def handle_startendtag(self, tag, attributes):
        self.handle_starttag(tag, attributes)
        if tag not in VOID:
            self.open.pop()

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.words.append(data)


def check_self_contained(page):
    """That a page is well formed, loads nothing, and suits light screens, dark ones and paper; what it holds."""
    reader = PageReader(page)
    assert reader.open == []
    assert len(set(reader.ids)) == len(reader.ids)
    for address in reader.addresses:
        assert address.startswith("data:") or address.removeprefix("#") in reader.ids, address[:80]
    for asks in ("<script", "<link", "@import"):
        assert asks not in page
    for media in ("(prefers-color-scheme: dark)", "print"):
        assert f"@media {media}" in page
    return reader
