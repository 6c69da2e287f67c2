"""Verdicts on the paper's claims, and the answer that a claim gets."""

from __future__ import annotations

from typing import NamedTuple

AGREES, IN_PART, DIFFERS = "agrees", "agrees in part", "differs"
OPEN, NOISY, NOT_RUN = "cannot be checked", "too noisy to tell", "not run"
"""Verdicts on a claim of the paper."""


class Answer(NamedTuple):
    """What was found about a claim."""

    ours: str
    """The number that stands beside the paper's, and of what it is."""
    verdict: str
    why: str
    times: str = ""
    """Times of this machine that belong to the claim; the verdict rests on them only if the claim is `timed`."""
