"""Arrays for a page: one after the other, compressed together."""

from __future__ import annotations

import zlib
from typing import Any

import numpy as np
from numpy.typing import NDArray

from continuarm.common.number_checks import Floats


class Blob:
    """Arrays one after the other, compressed together; a page finds each by its place, size and kind."""

    def __init__(self) -> None:
        self.parts: list[bytes] = []
        self.size = 0

    def _keep(self, kind: str, array: NDArray[Any], **more: Any) -> dict[str, Any]:
        data = array.tobytes()
        entry = {"kind": kind, "begin": self.size, "bytes": len(data), **more}
        self.parts.append(data)
        self.size += len(data)
        return entry

    def floats(self, values: NDArray[Any]) -> dict[str, Any]:
        """Numbers in single precision."""
        return self._keep("float", np.asarray(values, dtype="<f4"), shape=list(values.shape))

    def series(self, values: Floats) -> dict[str, Any]:
        """Numbers over time (k, ...) as 16 bits of the range of all: changes from row to row, high bytes first.

        They are smooth, so that the changes are small and most of the high bytes the same.
        """
        low, high = (float(values.min()), float(values.max())) if values.size else (0.0, 0.0)
        step = (high - low) / 65535 or 1.0
        levels = np.rint((values.reshape(len(values), -1) - low) / step).astype(np.uint16)
        changes = np.diff(levels, axis=0, prepend=np.uint16(0)).T
        planes = np.ascontiguousarray(changes).astype("<u2").view(np.uint8).reshape(-1, 2).T[::-1]
        return self._keep("series", np.ascontiguousarray(planes), shape=list(values.shape), low=low, step=step)

    def packed(self) -> bytes:
        """All of it, as zlib does."""
        return zlib.compress(b"".join(self.parts), 6)
