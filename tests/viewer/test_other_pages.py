"""A page from elsewhere, in a real browser, can neither see nor move a live arm, whatever it knows but the token."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import numpy as np
import pytest
from talking import Place
from viewing import open_browser, playwright, until

from continuarm.arms.arm_file import load_arm
from continuarm.viewer.viewer import Viewer, live_arm

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("browser")]

# Everything a page can try: what it could read is returned, what it could do shows in the arm.
TRIES = """async (targets) => {
  const wish = JSON.stringify({ pressures: { l11: 300000 } });
  const read = [];
  const attempt = async (what) => {
    try {
      const found = await what();
      if (found) read.push(String(found).slice(0, 80));
    } catch {}
  };
  const text = (answer) => answer.text();
  const load = (tag, address) => new Promise((done) => {
    const made = document.createElement(tag);
    Object.assign(made, { onload: () => done(tag), onerror: () => done(""), src: address });
    document.body.append(made);
    setTimeout(() => done(""), 1500);
  });
  for (const { base, query, token } of targets) {
    const headers = token ? { "X-Continuarm-Token": token } : {};
    const post = (more) => fetch(`${base}/do${query}`, { method: "POST", body: wish, ...more }).then(text);
    await attempt(() => fetch(`${base}/${query}`).then(text));
    await attempt(() => fetch(`${base}/frames${query}`).then(text));
    await attempt(() => post({}));
    await attempt(() => post({ headers }));
    await attempt(() => post({ headers: { "Content-Type": "application/json" } }));
    await attempt(() => post({ mode: "no-cors" }));
    await attempt(() => post({ mode: "no-cors", referrerPolicy: "no-referrer" }));
    await attempt(() => post({ mode: "no-cors", keepalive: true }));
    await attempt(() => fetch(`${base}/file${query || "?"}&name=a.csv`, {
      method: "POST", mode: "no-cors", body: "t [s], l11 [kPa]\\n0, 300\\n1, 300\\n",
    }).then(text));
    navigator.sendBeacon(`${base}/do${query}`, wish);
    await attempt(() => load("script", `${base}/${query}`));
    await attempt(() => load("img", `${base}/${query}`));
    await attempt(() => new Promise((done, fail) => {
      const line = new WebSocket(`${base.replace("http", "ws")}/frames${query}`);
      Object.assign(line, { onopen: () => done("a socket"), onerror: fail });
    }));
    await attempt(() => new Promise((done, fail) => {
      const source = new EventSource(`${base}/frames${query}`);
      Object.assign(source, { onopen: () => done("events"), onerror: () => { source.close(); fail(); } });
    }));
    const add = (parent, tag, more) => parent.appendChild(Object.assign(document.createElement(tag), more));
    const frame = add(document.body, "iframe", { name: `frame${Math.random()}` });
    const action = `${base}/do${query}`;
    const form = add(document.body, "form", { method: "POST", action, enctype: "text/plain", target: frame.name });
    add(form, "input", { name: '{"pressures": {"l11": 300000}, "x": "', value: '"}' });
    form.submit();
    await new Promise((done) => { frame.onload = done; setTimeout(done, 1500); });
    await attempt(() => frame.contentDocument?.body?.innerText);
    const inside = add(document.body, "iframe", { src: `${base}/${query}` });
    await new Promise((done) => { inside.onload = done; setTimeout(done, 1500); });
    await attempt(() => inside.contentDocument?.body?.innerText);
    await attempt(() => inside.contentWindow.document.title);
  }
  return read;
}"""


class Stranger(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(b"<!doctype html><title>a stranger</title><body></body>")

    def log_message(self, format: str, *arguments: Any) -> None:
        pass


@contextlib.contextmanager
def stranger() -> Iterator[int]:
    with ThreadingHTTPServer(("127.0.0.1", 0), Stranger) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield server.server_address[1]
        finally:
            server.shutdown()
            thread.join()


@pytest.fixture(scope="module")
def viewer() -> Iterator[Viewer]:
    with live_arm(load_arm("prototype"), block=False) as opened:
        yield opened


@pytest.mark.parametrize("knows", ["the port", "the port and the token"])
def test_a_page_from_elsewhere_reads_nothing_and_moves_nothing(viewer: Viewer, knows: str) -> None:
    """Even with the token: a page on another port of this machine is another page."""
    place = Place.of(viewer.url)
    token = place.token if "token" in knows else ""
    query = f"?token={token}" if token else ""
    targets = [
        {"base": f"http://{host}:{place.port}", "query": query, "token": token} for host in ("127.0.0.1", "localhost")
    ]
    with stranger() as port, playwright() as tool, open_browser(tool) as browser:
        page = browser.new_page()
        page.goto(f"http://127.0.0.1:{port}/")
        assert page.evaluate(TRIES, targets) == []
    assert viewer.content.failure is None
    np.testing.assert_array_equal(viewer.content.live.commands, 0)
    assert viewer.content.opener._busy == 0


def test_the_page_itself_can_do_all_that(viewer: Viewer) -> None:
    """The tries are real: from the page they work."""
    place = Place.of(viewer.url)
    with playwright() as tool, open_browser(tool) as browser:
        page = browser.new_page()
        page.goto(viewer.url)
        post = "([address, body]) => fetch(address, { method: 'POST', body }).then((answer) => answer.status)"
        wish = '{"pressures": {"l11": 300000}}'
        assert page.evaluate(post, [f"/do?token={place.token}", wish]) == 200
        assert viewer.content.live.commands[0] == 3e5
        until(lambda: len(viewer.content.feed.watchers) == 1, "one who looks")
    viewer.content.do({"reset": True})


def test_a_name_that_was_made_to_lead_here_is_refused(viewer: Viewer) -> None:
    """DNS rebinding: the browser believes that evil.example is this machine."""
    place = Place.of(viewer.url)
    with playwright() as tool, open_browser(tool, rules="MAP evil.example 127.0.0.1") as browser:
        page = browser.new_page()
        for query in ("", f"?token={place.token}"):
            assert page.goto(f"http://evil.example:{place.port}/{query}").status == 403
        assert page.goto(viewer.url).status == 200


def test_a_frame_on_this_machine_shows_the_page_and_one_elsewhere_does_not(viewer: Viewer) -> None:
    """A notebook on another port may; a page of another name may not, even if it has the address."""
    with (
        stranger() as port,
        playwright() as tool,
        open_browser(tool, rules="MAP evil.example 127.0.0.1") as browser,
    ):
        for name, seen in (("localhost", 1), ("evil.example", 0)):
            page = browser.new_page()
            page.goto(f"http://{name}:{port}/")
            page.evaluate(
                "(address) => { document.body.innerHTML = `<iframe width=600 height=400 src='${address}'></iframe>`; }",
                viewer.url,
            )
            until(lambda page=page: len(page.frames) > 1 and page.frames[1].url != "about:blank", "the frame")
            page.frames[1].wait_for_load_state()
            assert page.frames[1].locator("#view").count() == seen
            if seen:
                until(lambda: len(viewer.content.feed.watchers) == 1, "frames in the frame")
            page.close()
