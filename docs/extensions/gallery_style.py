"""How the pictures of pages and gallery look: set before each is drawn, so that the code need not say it."""

from __future__ import annotations

from typing import Any

from cycler import cycler

COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#000000")
"""Okabe and Ito: apart for colour-blind eyes, and, with the dashes beside them, in grey."""
DASHES = ("-", "--", "-.", ":", (0, (6, 1.5)))


def plain() -> None:
    """Axes and colours, lines as matplotlib draws them."""
    import matplotlib.pyplot as plt

    plt.rcdefaults()
    plt.rcParams.update(
        {
            "axes.axisbelow": True,
            "axes.grid": True,
            "axes.prop_cycle": cycler(color=COLOURS),
            "axes.spines.right": False,
            "axes.spines.top": False,
            "axes.titlesize": 10,
            "figure.constrained_layout.use": True,
            "figure.dpi": 110,
            "figure.figsize": (7.2, 4.2),
            "font.size": 10,
            "grid.color": "0.9",
            "legend.frameon": False,
            "savefig.dpi": 110,
        }
    )


def apply(conf: Any, name: Any, when: str = "before") -> None:
    """The same with dashes; called by sphinx-gallery around every example."""
    import matplotlib.pyplot as plt

    plain()
    plt.rcParams["axes.prop_cycle"] = cycler(color=COLOURS) + cycler(linestyle=DASHES)
