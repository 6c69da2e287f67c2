"""Damage to bytes and to the text of tables and arm files."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np

Rng = np.random.Generator
Tokens = Callable[[Rng, str], str]

PRESSURES = (
    b"t [s], l11 [kPa], l33 [bar]\n0, 0, 0\n0.1, 200, 1\n0.2, 100, 2.5\n1.5, 0, 0\n",
    b"t [ms];l21 [psi]\n0;0,5\n100;2,5\n200;40\n",
    "\ufefft [s]\tl12 [Pa]\n# a comment\n0\t0\n\n1\t2e5\n".encode(),
)
RECORDINGS = (
    b"t [s], l33 [kPa], x3 [mm], y3 [mm], z3 [mm]\n0, 0, 0, 0, 600\n0.1, 200, 1, , 599\n0.2, 200, 2, nan, 598\n",
    b"l11 [bar],x1 [m],y1 [m],z1 [m],qw3 [1],qx3 [1],qy3 [1],qz3 [1]\n0,0,0,0.15,1,0,0,0\n1,0.01,0,0.15,1,0,0,0\n",
    b"t [ms];f11 [N];fx [N];mx [N m];rx2 [deg];ry2 [deg];rz2 [deg];l21 [mm]\n0;0;0;0;0;0;0;0\n10;1,5;0,1;0;1;2;3;0,4\n",
)

HOSTILE_CELLS = (
    "", " ", "nan", "-nan", "inf", "-inf", "1e999", "-1e999", "1e308", "1e-400", "-0", "0x10", "1_000", "1,5", "٣",
    "½", "∞", "true", "null", "None", '"', '""', "'", "\\", "=1+1", "9" * 400, "1" * 5000, "-1", "1e9", "1e12", "0",
    "\x00", "\x1b[31m", "x" * 200_000, "1 2", "1;2", "#", "t [s]", "l11 [kPa]", "l99 [kPa]", "l1000000000000-5 [kPa]",
    "x0 [mm]", "x99999999999999999999 [mm]", "l11 [µPa]", "l11 [", "[s]", "t []", "qw1 [1]", "rx1 [deg]", "fx [N]",
    "l١١ [kPa]", "\ufeff", "\u202e",
)  # fmt: skip

HOSTILE_TOML = (
    "nan", "inf", "-inf", "1e999", "1e308", "5e-324", "-1", "0", "-0.0", "1", "1e12", "1e13", "1e6", "1e-6",
    "9223372036854775807", "9223372036854775808", "9" * 5000, "0x" + "f" * 300, "true", "false", '""', '"text"',
    "'\\u0000'", '"\\u0000\\u001b[31m"', '"""\na\n"""', "[]", "[[]]", "[1]", "[1,2,3]", "[1,[2]]", "{}", "{a=1}",
    "1979-05-27", "07:32:00", "[nan, 1, 2]", "[[1,0,0],[0,1,0],[0,0,1]]", "[[1,2],[3]]", "[" * 100 + "]" * 100,
    "[" * 5000 + "]" * 5000, "{a=" * 400 + "1" + "}" * 400, "100000", "100001", '"\\ud800"', "1e3", "1e-12",
    "[1e12,-1e12,1e12]", "[-1e3, 1e3]", "6.2831853071795862", "[0, 2, 4]", "[1,2,3,4,5,6,7]",
)  # fmt: skip

TOML_LINES = (
    "repeat = 100000", "repeat = 2147483648", "repeat = 0", "[[sections]]", "[sections]", "sections = []", "[payload]",
    "mass = 1e6", "[muscles]", "[sections.muscles]", "angles = [0, 0, 0]", "radii = [1e-6, 1e3, 1]", "[inertia]",
    'model = "point-mass"', 'model = "centre-of-gravity"', 'model = "none"', "a.b.c.d = 1", "a." * 500 + "b = 1",
    '"" = 1', "\x00", "=", "[[", "gravity = [1e6, 1e6, 1e6]", "allow_indefinite = true", "beta_linear = [0, 0, 0]",
    "beta_angular = [-1e3, 1e3, -1e3]", "base_rotation = [6, 6, 6]", "hysteresis = [1e12, 1e12, -1e12]",
    "valve_lag = 1e-6", "pressure_stiffness = 1e6", "stop_stiffness = 1e12", "length_range = [-1e-9, 1e-9]",
    "stiffness = [[1, 0, 0], [0, 1, 0], [0, 0, 1e12]]", "damping = 1e12", "# comment",
    'name = "\\u001b]0;title\\u0007"',
)  # fmt: skip


def one(rng: Rng, choices: Any) -> Any:
    """One of them."""
    return choices[int(rng.integers(len(choices)))]


def text(rng: Rng, content: bytes, tokens: Tokens) -> bytes:
    """A damaged copy: most often in its tokens, sometimes in its bytes."""
    for _ in range(int(rng.choice([1, 1, 1, 1, 1, 2, 3]))):
        if rng.random() < 0.7:
            content = tokens(rng, content.decode("utf-8", "surrogateescape")).encode("utf-8", "surrogatepass")
        else:
            content = raw(rng, content)
    return content


def raw(rng: Rng, content: bytes) -> bytes:
    """Bit flips, truncations, splices, zeroed runs, random runs, repeated runs."""
    if not content:
        return bytes(rng.integers(0, 256, 20, dtype=np.uint8))
    size = len(content)
    begin, end = sorted(int(k) for k in rng.integers(0, size + 1, 2))
    length = min(int(2 ** rng.uniform(0, 9)), size - begin)
    changed = bytearray(content)
    kind = int(rng.integers(9))
    if kind <= 2:
        for _ in range(int(rng.choice([1, 1, 2, 8, 64]))):
            changed[int(rng.integers(size))] ^= 1 << int(rng.integers(8))
    elif kind == 3:
        changed = changed[:begin]
    elif kind == 4:
        changed = changed[:begin] + changed[end:]
    elif kind == 5:
        changed[begin : begin + length] = bytes(length)
    elif kind == 6:
        changed[begin : begin + length] = bytes(rng.integers(0, 256, length, dtype=np.uint8))
    elif kind == 7:
        changed[begin : begin + length] = b"\xff" * length
    else:
        changed = changed[:end] + changed[begin:]
    return bytes(changed)


def csv_tokens(rng: Rng, content: str) -> str:
    """A cell, a row or a separator that is another one."""
    lines = content.split("\n")
    at = int(rng.integers(len(lines)))
    kind = int(rng.integers(10))
    if kind <= 5:
        cells = re.split(r"([,;\t])", lines[at])
        cells[2 * int(rng.integers((len(cells) + 1) // 2))] = one(rng, HOSTILE_CELLS)
        lines[at] = "".join(cells)
    elif kind == 6:
        lines[at : at + 1] = [lines[at][:1000]] * int(rng.choice([0, 2, 3, 2000]))
    elif kind == 7:
        lines.insert(at, one(rng, HOSTILE_CELLS))
    elif kind == 8:
        return content.replace(one(rng, ",;\t\n"), one(rng, [",", ";", "\t", "\r\n", "\r", "\x0b", "\u2028", " ", '"']))
    else:
        other = int(rng.integers(len(lines)))
        lines[at], lines[other] = lines[other], lines[at]
    return "\n".join(lines)


def toml_tokens(rng: Rng, content: str) -> str:
    """A value, a key or a line that is another one."""
    lines = content.split("\n")
    at = int(rng.integers(len(lines)))
    kind = int(rng.integers(10))
    if kind <= 4 and (valued := [k for k, line in enumerate(lines) if "=" in line]):
        at = one(rng, valued)
        lines[at] = lines[at].split("=")[0] + "= " + one(rng, HOSTILE_TOML)
    elif kind <= 6:
        lines.insert(at, one(rng, TOML_LINES))
    elif kind == 7:
        lines[at : at + 1] = [lines[at]] * int(rng.choice([0, 2, 300]))
    elif kind == 8 and (valued := [k for k, line in enumerate(lines) if "=" in line]):
        key, other = one(rng, valued), one(rng, valued)
        lines[key] = lines[other].split("=")[0] + "=" + lines[key].split("=", 1)[1]
    else:
        found = list(re.finditer(r"[-+.\deE]+", content))
        if found:
            number = one(rng, found)
            return content[: number.start()] + one(rng, HOSTILE_TOML) + content[number.end() :]
    return "\n".join(lines)


def shown(content: bytes) -> str:
    """What was read, for a finding: not too much of it."""
    return repr(content if len(content) < 1500 else content[:700] + b" ... " + content[-700:])
