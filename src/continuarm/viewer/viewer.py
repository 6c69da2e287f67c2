"""Motions and live arms in the browser."""

from __future__ import annotations

import html
import sys
from collections.abc import Sequence
from types import TracebackType
from typing import Protocol, Self

from continuarm.arms.arm import Arm
from continuarm.control.loops import require_controller
from continuarm.control.pressing import FeedbackLaw
from continuarm.simulation.motion import Motion
from continuarm.viewer.html import Content, page_of, playback_content
from continuarm.viewer.live import live_benchmark
from continuarm.viewer.opening import LARGEST, Opener
from continuarm.viewer.server import FRAME_ANCESTORS, Exchange, Handler, Server

__all__ = ["Viewer", "live_arm", "live_benchmark", "view_motion"]


class Shown(Protocol):
    """What a viewer shows: the content of its page, and what that page may ask for."""

    @property
    def failure(self) -> BaseException | None:
        """What went wrong with it, if anything did."""

    def content(self) -> Content:
        """What the page shows."""

    def handlers(self) -> dict[tuple[str, str], Handler]:
        """What the page may ask for, beside itself."""

    def close(self) -> None:
        """Ends it."""


class Playback:
    """Motions that a page plays by itself. A file that is sent is for the page that sent it, and forgotten."""

    failure = None

    def __init__(self, content: Content) -> None:
        self._content, self._opener = content, Opener()

    def content(self) -> Content:
        """What the page shows."""
        return Content(self._content.header | {"files": {".nc": LARGEST[".nc"]}}, self._content.data)

    def handlers(self) -> dict[tuple[str, str], Handler]:
        """What the page may ask for, beside itself."""
        return {("POST", "/file"): self._sent}

    async def _sent(self, exchange: Exchange) -> None:
        await exchange.answer(await self._opener.open(exchange), "application/json")

    def close(self) -> None:
        """There is nothing to end."""


class Viewer:
    """A page in the browser: its address is `url`, and only who has it sees the page.

    Closed by close(), at the end of a `with`, or with the program.
    """

    def __init__(self, shown: Shown, host: str, port: int | None) -> None:
        page = page_of(shown.content(), served=True)
        text, policy = page.text.encode(), f"{page.policy}; {FRAME_ANCESTORS}"

        async def send_page(exchange: Exchange) -> None:
            await exchange.answer(text, "text/html", policy=policy)

        self.content = shown
        self.server = Server({("GET", "/"): send_page, **shown.handlers()}, host, port)
        self.url = self.server.url

    def wait(self) -> None:
        """Returns when the viewer is closed; Ctrl-C closes it."""
        try:
            while not self.server.wait(0.2) and self.content.failure is None:
                pass
        except KeyboardInterrupt:
            pass
        finally:
            self.close()
        if self.content.failure is not None:
            raise self.content.failure

    def close(self) -> None:
        """Ends what is shown, and the server."""
        self.content.close()
        self.server.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<Viewer at {self.url}>"

    def _repr_html_(self) -> str:
        """The page itself, in a notebook."""
        address = html.escape(self.url)
        return f'<iframe src="{address}" width="100%" height="560" style="border:1px solid #ddd"></iframe>'


def view_motion(
    *motions: Motion,
    names: Sequence[str] | None = None,
    host: str = "127.0.0.1",
    port: int | None = None,
    block: bool | None = None,
) -> Viewer:
    """Shows a motion in the browser, or two to be compared, the second one translucent.

    names: what the page calls them; by their arms and what tells them apart if left out.
    host, port: where the page is; only for this machine, and on any free port, if left out.
    block: whether to return only when the viewer is closed, by Ctrl-C; if left out, in scripts but not in notebooks.
    """
    return _shown(Playback(playback_content(motions, names)), host, port, block)


def live_arm(
    arm: Arm,
    host: str = "127.0.0.1",
    port: int | None = None,
    block: bool | None = None,
    *,
    controller: FeedbackLaw | None = None,
    rate: float | None = None,
) -> Viewer:
    """An arm that moves now, in the browser: sliders for its pressures, payload, damping and gravity, its tip to push.

    host, port, block: as for view_motion.
    controller: sets the pressures, and the tip follows a target that is dragged in the picture; as for `loop`.
    rate: how often it is asked, Hz; if left out 1000 where it runs in compiled code, 250 in Python, once a node of
    PredictiveControl.
    """
    from continuarm.viewer.live_view import LiveView

    if not isinstance(arm, Arm):
        raise TypeError(f"arm is {type(arm).__name__}: must be an Arm (see load_arm)")
    if controller is not None:
        require_controller(controller)
    return _shown(LiveView(arm, controller, rate), host, port, block)


def in_notebook() -> bool:
    """Whether somebody types commands, so that a viewer must not keep them waiting."""
    return hasattr(sys, "ps1") or "ipykernel" in sys.modules


def _shown(shown: Shown, host: str, port: int | None, block: bool | None) -> Viewer:
    try:
        viewer = Viewer(shown, host, port)
    except BaseException:
        shown.close()
        raise
    waits = block if block is not None else not in_notebook()
    try:
        print(f"{viewer.url} (Ctrl-C ends it)" if waits else viewer.url, flush=True)
        if waits:
            viewer.wait()
    except BaseException:
        viewer.close()
        raise
    return viewer
