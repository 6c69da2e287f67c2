"""Figures that a notebook shows by themselves: pyplot, which would have to be imported for it, is left alone."""

from __future__ import annotations

import io
import warnings

from matplotlib.figure import Figure


class ShownFigure(Figure):
    """A matplotlib figure, and how a notebook has it as a picture."""

    def _repr_png_(self) -> bytes:
        """The figure as a notebook shows it."""
        written = io.BytesIO()
        with warnings.catch_warnings():  # a letter that the font lacks is drawn as a box
            warnings.filterwarnings("ignore", message="Glyph .* missing")
            self.savefig(written, format="png", dpi=100)
        return written.getvalue()
