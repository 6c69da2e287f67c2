"""Numbers as a reader of the report sees them.

Words for readers may hold _{...} and ^{...} for what stands below and above the line: β_{1}^{υ}.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable


def plain(text: str) -> str:
    """Words without the marks of what stands below and above the line: β_{1}^{υ} -> β1^υ."""
    return re.sub(r"\^\{([^}]*)\}", r"^\1", re.sub(r"_\{([^}]*)\}", r"\1", text))


def digits(value: float | None, count: int = 3) -> str:
    """A number for readers: so many significant digits, no exponent between 0.001 and a million."""
    if value is None or not math.isfinite(value):
        return "–"
    if value == 0:
        return "0"
    size = math.floor(math.log10(abs(float(f"{value:.{count - 1}e}"))))  # of what is shown: 99.96 is 100
    if -4 < size < 6:
        return f"{value:,.{max(count - 1 - size, 0)}f}".replace("-", "−")
    mantissa, exponent = f"{value:.{count - 1}e}".split("e")
    return f"{mantissa} · 10^{{{int(exponent)}}}".replace("-", "−")


def with_error(value: float, error: float) -> str:
    """A number with its error in units of the last digits in parentheses: 1.34461(43) is 1.34461 ± 0.00043."""
    if error < 1e-9:
        return digits(value, 5)
    places = min(max(1 - math.floor(math.log10(error)), 0), 6)
    return f"{value:,.{places}f}({error * 10**places:.0f})".replace("-", "−")


def seconds(value: float | None) -> str:
    """A time for readers, in the unit that suits it."""
    if value is None:
        return "not measured"
    for scale, unit in ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs")):
        if value >= scale:
            return f"{digits(value / scale)} {unit}"
    return f"{digits(value / 1e-9)} ns"


def betas(values: Iterable[float]) -> str:
    """Three or six β: (1.345, 1.503, 1.744)."""
    return "(" + ", ".join(digits(value, 4) for value in values) + ")"
