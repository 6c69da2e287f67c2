"""The web server of the viewer: on this machine only unless asked otherwise, on a free port, closed without a trace."""

from __future__ import annotations

import contextlib
import io
import socket
import sys
import threading
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import viser

MISSING = "the viewer needs viser, which is not installed: pip install viser"

BRAND = (47, 109, 181)


def viser_module() -> Any:
    """The viser package, imported only now; ValueError says how to get it."""
    try:
        import viser
    except ImportError:
        raise ValueError(MISSING) from None
    return viser


def start_server(title: str, host: str = "127.0.0.1", port: int | None = None) -> viser.ViserServer:
    """A server with an empty page, on any free port if none is given.

    viser takes the next port where one is taken, and waits for ever where the host is not this machine's: both are
    found out before.
    """
    viser = viser_module()
    chosen = _free_port(host, port)
    with contextlib.redirect_stdout(io.StringIO()):  # its own greeting; the page's address is printed by who started it
        server = viser.ViserServer(host=host, port=chosen, label=title, verbose=False)
    server.gui.configure_theme(show_logo=False, show_share_button=False, brand_color=BRAND, control_width="large")
    server.gui.main_panel.dock_right()
    return server


def _free_port(host: str, port: int | None) -> int:
    if port is not None and (isinstance(port, bool) or not isinstance(port, int) or not 0 <= port <= 65535):
        raise ValueError(f"port = {port!r}: must be a whole number from 0 to 65535")
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(host, port or 0, type=socket.SOCK_STREAM)[0]
        with socket.socket(family, kind, protocol) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind(address)
            return int(probe.getsockname()[1])
    except (OSError, UnicodeError) as error:
        where = f"host = {host!r}" if port is None else f"host = {host!r}, port = {port}"
        why = getattr(error, "strerror", None) or "there is no such host"
        raise ValueError(f"{where}: cannot listen there: {why}") from None


def address(server: viser.ViserServer) -> str:
    """Where a browser on this machine finds the page."""
    host = server.get_host()
    shown = {"0.0.0.0": "127.0.0.1", "::": "[::1]"}.get(host, f"[{host}]" if ":" in host else host)
    return f"http://{shown}:{server.get_port()}"


def stop_server(server: viser.ViserServer) -> None:
    """Closes all connections; says nothing."""
    with contextlib.redirect_stdout(io.StringIO()):
        server.stop()


def in_notebook() -> bool:
    """Whether somebody types commands, so that a viewer must not keep them waiting."""
    return hasattr(sys, "ps1") or "ipykernel" in sys.modules


class Pulse:
    """A thread that calls a function again and again until it is closed; what goes wrong in it is reported."""

    def __init__(self, function: Any, name: str) -> None:
        self.failure: BaseException | None = None
        self._function, self._ended = function, threading.Event()
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)
        self._thread.start()

    def _run(self) -> None:
        try:
            while not self._ended.is_set():
                self._function(self._ended)
        except Exception as error:
            self.failure = error
            self._ended.set()

    def wait(self, seconds: float | None = None) -> bool:
        """Waits until it has ended, or for some time; whether it has ended."""
        return self._ended.wait(seconds)

    def close(self) -> None:
        """Ends it and waits for what it is doing."""
        self._ended.set()
        if self._thread is not threading.current_thread():
            self._thread.join(timeout=5)
