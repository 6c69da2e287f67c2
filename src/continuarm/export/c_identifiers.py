"""Names that C takes."""

from __future__ import annotations

import re

from continuarm.arms.arm import Arm
from continuarm.common.text import short

LONGEST = 24
"""Letters of a prefix: with what follows, the first 63 of every name tell it from others, as C99 promises in a file."""

DISTINCT = 16
"""Letters of a prefix with which the first 31 tell functions apart, all that C99 promises of names between files."""

KEYWORDS = frozenset(
    """auto break case char const continue default do double else enum extern float for goto if inline int long register
    restrict return short signed sizeof static struct switch typedef union unsigned void volatile while
    bool true false real dual""".split()  # noqa: SIM905 (a list of words)
)
"""Of C, and of the sources themselves."""

_ALLOWED = f"must be a C identifier of at most {LONGEST} small letters, digits and _ that begins with a letter"


def prefix_of(arm: Arm, name: str | None) -> str:
    """The prefix of all names: `name` if it is one, else the arm's own name with what C does not take replaced by _."""
    if name is None:
        made = re.sub(r"[^a-z0-9]+", "_", arm.name.lower()).strip("_")[:LONGEST].strip("_")
        if not _is_identifier(made):
            raise ValueError(f"the arm's name {short(arm.name)} makes no C identifier: give another with name (--name)")
        return made
    if not isinstance(name, str) or not _is_identifier(name):
        raise ValueError(f"name = {short(name)}: {_ALLOWED}")
    return name


def _is_identifier(name: str) -> bool:
    return bool(re.fullmatch(rf"[a-z][a-z0-9_]{{0,{LONGEST - 1}}}", name)) and name not in KEYWORDS
