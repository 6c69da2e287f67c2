"""Verdicts on the paper's claims, and the answer that a claim gets."""

from __future__ import annotations

from typing import NamedTuple

AGREES, IN_PART, DIFFERS, OPEN, NOT_RUN = "agrees", "agrees in part", "differs", "cannot be checked", "not run"
"""Verdicts on a claim of the paper."""


class Answer(NamedTuple):
    """What was measured about a claim, the verdict, and why."""

    measured: str
    verdict: str
    why: str
