"""Numbers, arrays, texts and paths that nobody should give, and some that are only unusual."""

from __future__ import annotations

import array
import datetime
import decimal
import fractions
import math
from collections.abc import Callable
from typing import Any

import numpy as np

Rng = np.random.Generator

NUMBERS: tuple[Any, ...] = (
    0, -0.0, 1, -1, 2, 0.5, 1e-9, 1e-12, 1e-300, 5e-324, 2.2e-308, 1e9, 1e12, 1e300, 1.7976931348623157e308, -1e-300,
    -1e12, -1e308, math.inf, -math.inf, math.nan, 2**31, 2**31 - 1, -(2**31), 2**53 + 1, 2**63, 2**64, 10**400,
    math.tau, -math.tau, math.nextafter(math.tau, 9), math.pi, 1e3, 1e-6, 100_000, 100_001, True, False, None, "1",
    "1.0", "nan", "", "abc", b"1", 1j, (), [], {}, object, math.sin, np.float64(0.1), np.float32(0.1), np.float16(0.1),
    np.int8(3), np.uint64(2**64 - 1), np.bool_(True), np.longdouble(1), np.float64("nan"), np.float32("inf"),
    np.array(0.1), np.array([0.1]), np.array([]), np.array([[0.1]]), np.ma.masked, np.datetime64("2020"),
    np.timedelta64(3, "s"), np.str_("1"), np.complex128(1), decimal.Decimal("0.1"), fractions.Fraction(1, 10),
    datetime.timedelta(seconds=1), range(3), slice(None),
)  # fmt: skip
"""In place of one number."""

TEXTS: tuple[Any, ...] = (
    "", " ", "a", "l11", "L11", "l99", "l10-2", "l1١", "q11", "tip 1", "\n", "a\nb", "\x1b[31mred", "\x00", "\ud800",
    "µ" * 100, "x" * 100_000, "../../etc/passwd", "/", ".", "..", "~", "-o", "--help", "%s%n", "{0}", "{}",
    "[red]x[/red]", ":smile:", "\u202ertl", "\ufeff", "é", "e\u0301", "nan", "None", "NUL", "con", "http://x/",
    "<script>", "'", '"', "\\", "\\u0000", None, 0, 1.5, b"l11", b"\xff", [], {}, ("l11",), object(), True, math.nan,
    np.str_("l11"), bytearray(b"a"),
)  # fmt: skip
"""In place of a name or a word."""


class Odd:
    """An object that claims to be an array of something else."""

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        return np.array(["a", "b"])


class Subclass(np.ndarray):
    """An array with a name of its own."""


def pick(rng: Rng, choices: Any) -> Any:
    """One of them."""
    return choices[int(rng.integers(len(choices)))]


def number(rng: Rng) -> Any:
    """A hostile number, or a random one of any size."""
    if rng.random() < 0.2:
        return float(rng.normal() * 10.0 ** rng.integers(-320, 308))
    return pick(rng, NUMBERS)


def text(rng: Rng) -> Any:
    """A hostile name."""
    if rng.random() < 0.2:
        return "".join(chr(int(c)) for c in rng.integers(0, 0x3000, rng.integers(1, 12)))
    return pick(rng, TEXTS)


def _unaligned(a: np.ndarray) -> np.ndarray:
    raw = np.empty(a.nbytes + 1, np.uint8)[1:]
    moved = raw.view(a.dtype).reshape(a.shape) if a.size else a
    moved[...] = a
    return moved


def _reversed(a: np.ndarray) -> np.ndarray:
    return a if not a.ndim else np.ascontiguousarray(a[..., ::-1])[..., ::-1]


def _every_other(a: np.ndarray) -> np.ndarray:
    wide = np.zeros((*a.shape[:-1], 2 * a.shape[-1])) if a.ndim else np.zeros(2)
    wide[..., ::2] = a
    return wide[..., ::2]


def _read_only(a: np.ndarray) -> np.ndarray:
    fixed = a.copy()
    fixed.flags.writeable = False
    return fixed


def _same_array_of(kind: Any) -> Callable[[np.ndarray], Any]:
    def change(a: np.ndarray) -> Any:
        with np.errstate(all="ignore"):
            return a.astype(kind)

    return change


SAME: tuple[Callable[[np.ndarray], Any], ...] = (
    lambda a: a.tolist() if a.size else a,  # lists do not tell the shape of nothing
    lambda a: tuple(a.tolist()) if a.ndim and a.size else a,
    _unaligned,
    _reversed,
    _every_other,
    _read_only,
    np.asfortranarray,
    lambda a: a.astype(">f8"),
    lambda a: a.view(Subclass),
    lambda a: np.ma.masked_array(a),
    lambda a: a.astype(np.longdouble),
    lambda a: np.broadcast_to(a, a.shape),
)
"""The same numbers in another dress: to be taken as they are."""


def _with_entry(a: np.ndarray, rng: Rng) -> Any:
    value = number(rng)
    if not a.size:
        return value
    changed = a.astype(object)
    changed.flat[int(rng.integers(a.size))] = value if isinstance(value, (int, float, str, type(None))) else 1e300
    try:
        return changed.astype(float) if rng.random() < 0.8 else changed.tolist()
    except (TypeError, ValueError, OverflowError):
        return changed.tolist()


def _ragged(a: np.ndarray, rng: Rng) -> Any:
    return [[1.0, 2.0], [3.0]] if rng.random() < 0.5 else [a.tolist(), [1.0]]


def _deep(a: np.ndarray, rng: Rng) -> Any:
    deep: Any = 1.0
    for _ in range(int(rng.choice([3, 40, 2000]))):
        deep = [deep]
    return deep


def _endless(a: np.ndarray, rng: Rng) -> Any:
    inside: list[Any] = [1.0]
    inside.append(inside)
    return inside


def _wrong_size(a: np.ndarray, rng: Rng) -> Any:
    width = int(rng.choice([0, 1, 2, max(a.shape[-1:] or (1,)) - 1, max(a.shape[-1:] or (1,)) + 1, 100]))
    return np.resize(a, (*a.shape[:-1], width)) if a.size else np.zeros(width)


def _masked(a: np.ndarray, rng: Rng) -> Any:
    return np.ma.masked_array(a, rng.random(a.shape) < 0.3)


def _huge_batch(a: np.ndarray, rng: Rng) -> Any:
    """A view: it takes no memory, but what is computed from it would."""
    return np.broadcast_to(a, (int(rng.choice([10**12, 10**13, 2**40])), *a.shape)) if a.size else a


CHANGED: tuple[Callable[[np.ndarray, Rng], Any], ...] = (
    _with_entry,
    _with_entry,
    _with_entry,
    _ragged,
    _deep,
    _endless,
    _wrong_size,
    _wrong_size,
    _masked,
    _huge_batch,
    lambda a, rng: a * 10.0 ** rng.integers(-320, 320) if rng.random() < 0.9 else a * math.nan,
    lambda a, rng: a + rng.normal(size=a.shape) * 10.0 ** rng.integers(-12, 12),
    lambda a, rng: np.zeros(a.shape),
    lambda a, rng: np.zeros((0, *a.shape)),
    lambda a, rng: np.zeros((2, 0, *a.shape)),
    lambda a, rng: np.stack([a] * int(rng.integers(1, 40))),
    lambda a, rng: a[None, None, None],
    lambda a, rng: a[..., None],
    lambda a, rng: a.T,
    lambda a, rng: memoryview(np.ascontiguousarray(a)),
    lambda a, rng: array.array("d", a.ravel().tolist()),
    lambda a, rng: a[..., :0] if a.ndim else a[None],
    lambda a, rng: _same_array_of(pick(rng, [np.float32, np.float16, np.int64, np.int8, np.uint8, bool]))(a),
    lambda a, rng: _same_array_of(pick(rng, [object, complex, "U8", "S8", "M8[s]"]))(np.nan_to_num(a)),
    lambda a, rng: np.zeros(a.shape, dtype=[("x", float)]),
    lambda a, rng: number(rng),
    lambda a, rng: text(rng),
    lambda a, rng: pick(rng, [None, Odd(), {}, {"q": a}, {1.0, 2.0}, iter([1.0]), (x for x in [1.0])]),
    lambda a, rng: [None] * max(1, a.size),
    lambda a, rng: [str(x) for x in a.ravel()],
    lambda a, rng: [True] * max(1, a.size),
)
"""Something else in place of an array, often refused."""


def array_like(rng: Rng, good: Any, hostile: bool) -> Any:
    """Good numbers in any dress; or, hostile, something else."""
    a = np.asarray(good, dtype=float)
    if hostile:
        return pick(rng, CHANGED)(a, rng)
    return pick(rng, SAME)(a) if rng.random() < 0.3 else a
