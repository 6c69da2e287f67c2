"""Mathematics as MathML, which browsers draw by themselves: no script, no font and no network is needed.

docutils, which Sphinx is built on, turns LaTeX into MathML; Sphinx has no renderer that asks it to.
"""

from __future__ import annotations

from typing import Any

from docutils.nodes import SkipNode
from docutils.utils.math.latex2mathml import tex2mathml


def inline(writer: Any, node: Any) -> None:
    """A formula in a line of text."""
    writer.body.append(tex2mathml(node.astext(), as_block=False))
    raise SkipNode


def display(writer: Any, node: Any) -> None:
    """A formula on lines of its own."""
    writer.body.append(writer.starttag(node, "div", CLASS="math"))
    writer.body.append(tex2mathml(node.astext(), as_block=True))
    writer.body.append("</div>\n")
    raise SkipNode


def setup(app: Any) -> dict[str, Any]:
    """Called by Sphinx."""
    app.add_html_math_renderer("mathml", (inline, None), (display, None))
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
