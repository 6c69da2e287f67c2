"""Motions and live arms in the browser."""

from __future__ import annotations

from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from continuarm.arms.arm import Arm
from continuarm.simulation.motion import Motion
from continuarm.viewer.clock import duration_of
from continuarm.viewer.live import live_benchmark
from continuarm.viewer.server import address, in_notebook, start_server, stop_server

if TYPE_CHECKING:
    import viser

__all__ = ["Viewer", "live_arm", "live_benchmark", "view_motion"]


class Viewer:
    """A page in the browser: its address is `url`. Closed by close(), at the end of a `with`, or with the program."""

    def __init__(self, server: viser.ViserServer, content: Any) -> None:
        self.server, self.content, self.url = server, content, address(server)

    def wait(self) -> None:
        """Returns when the viewer is closed; Ctrl-C closes it."""
        try:
            while not self.content.pulse.wait(0.2):
                pass
        except KeyboardInterrupt:
            pass
        finally:
            self.close()
        if self.content.pulse.failure is not None:
            raise self.content.pulse.failure

    def close(self) -> None:
        """Ends what is shown, and the server."""
        self.content.close()
        if self.server is not None:
            stop_server(self.server)
            self.server = None  # type: ignore[assignment]

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
        return f'<iframe src="{self.url}" width="100%" height="560" style="border:1px solid #ddd"></iframe>'


def view_motion(
    *motions: Motion, host: str = "127.0.0.1", port: int | None = None, block: bool | None = None
) -> Viewer:
    """Shows a motion in the browser, or two to be compared, the second one translucent.

    host, port: where the page is; only for this machine, and on any free port, if left out.
    block: whether to return only when the viewer is closed, by Ctrl-C; if left out, in scripts but not in notebooks.
    """
    from continuarm.viewer.playback import Playback

    for motion in motions:
        if not isinstance(motion, Motion):
            raise TypeError(f"motion is {type(motion).__name__}: must be a Motion (see simulate and load_motion)")
    if not 1 <= len(motions) <= 2:
        raise ValueError(f"{len(motions)} motions: must be one, or two to be compared")
    duration_of(*motions)
    return _shown(lambda server: Playback(server, motions), host, port, block)


def live_arm(arm: Arm, host: str = "127.0.0.1", port: int | None = None, block: bool | None = None) -> Viewer:
    """An arm that moves now, in the browser: sliders for its pressures, payload, damping and gravity.

    host, port, block: as for view_motion.
    """
    from continuarm.viewer.live_panel import LiveView

    if not isinstance(arm, Arm):
        raise TypeError(f"arm is {type(arm).__name__}: must be an Arm (see load_arm)")
    return _shown(lambda server: LiveView(server, arm), host, port, block)


def _shown(content: Any, host: str, port: int | None, block: bool | None) -> Viewer:
    server = start_server("continuarm", host, port)
    try:
        viewer = Viewer(server, content(server))
    except BaseException:
        stop_server(server)
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
