"""What an attacker is, and the laws that several of them judge by."""

from __future__ import annotations

import json
import linecache
import os
import traceback
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType

import numpy as np

import continuarm
from continuarm import PressureWarning

OURS = os.path.dirname(continuarm.__file__)
LONGEST_SENTENCE = 2000
"""Letters: beyond any sentence; a message that repeats a whole file is longer."""

Case = Callable[[np.random.Generator], str]
"""Does what a random generator says, and returns a word for what came out, which is counted; raises Finding."""


class Finding(Exception):
    """A law that was broken: where (to tell findings apart) and how, in words."""

    def __init__(self, where: str, what: str) -> None:
        super().__init__(f"{where}: {what}")
        self.where, self.what = where, what


@dataclass(frozen=True)
class Attacker:
    """One kind of attack."""

    name: str
    law: str
    """What is promised, in one line."""
    begin: Callable[[Path], Case]
    """Makes what its cases share, in an empty folder of their own."""
    share: float
    """Part of the time of a run."""
    limit: float
    """Seconds after which a case has not ended, on a machine that is busy with other things."""
    memory: int | None = None
    """Bytes that a worker may take beyond what it has at the start; None: no limit."""
    turn: float = 15.0
    """Seconds that it has at a time, so that all attackers have had their turn early."""


def generator(seed: int, case: int) -> np.random.Generator:
    """The random numbers of one case."""
    return np.random.default_rng([seed, case])


# Laws


def refusal(error: BaseException, where: str, at_call: bool = True) -> str:
    """A TypeError or ValueError of one sentence that the library itself says; anything else is a finding.

    at_call: whether Python may refuse the call itself, as where an argument is missing.
    """
    if isinstance(error, MemoryError):
        return "no memory"
    if not isinstance(error, (TypeError, ValueError)):
        raise Finding(f"{type(error).__name__} at {place(error)}", f"{where}: {told(error)}") from error
    sentence = str(error)
    last = innermost(error.__traceback__)
    if not (at_call and last is not None and last.tb_next is None and not _is_ours(last)) and not _is_raised(last):
        what = f"{where}: not a sentence of ours: {told(error)}"
        raise Finding(f"{type(error).__name__} at {place(error)}", what) from error
    check_sentence(sentence, place(error), where)
    return "refused"


def check_sentence(sentence: str, where: str, told: str = "") -> None:
    """One printable line, neither empty nor endless."""
    if not sentence.strip() or not sentence.isprintable() or len(sentence) > LONGEST_SENTENCE:
        what = f"{told}: not one printable line of at most {LONGEST_SENTENCE} letters: {sentence[:200]!r}"
        raise Finding(f"sentence at {where}", what)


def place(error: BaseException) -> str:
    """Where in the library an error came up: engine/evaluation.py:51."""
    found = ""
    for frame in traceback.extract_tb(error.__traceback__):
        if frame.filename.startswith(OURS):
            found = f"{os.path.relpath(frame.filename, OURS)}:{frame.lineno}"
    return found


def told(error: BaseException) -> str:
    """Its class and its message, not too long."""
    return f"{type(error).__name__}: {str(error)[:300]!r}"


def innermost(trace: TracebackType | None) -> TracebackType | None:
    """Where an error was raised."""
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    return trace


def _is_ours(trace: TracebackType) -> bool:
    return trace.tb_frame.f_code.co_filename.startswith(OURS)


def _is_raised(trace: TracebackType | None) -> bool:
    """Whether a line of the library says `raise`: then the words are its own, and not NumPy's or h5py's."""
    if trace is None or not _is_ours(trace):
        return False
    line = linecache.getline(trace.tb_frame.f_code.co_filename, trace.tb_lineno).strip()
    return line.startswith("raise ") or ": raise " in line


@contextmanager
def warnings_are_errors() -> Iterator[None]:
    """A warning is an exception; but pressures that are too weak, and points of a sweep that failed, are told so."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", PressureWarning)
        warnings.filterwarnings("ignore", r"\d+ of \d+ points failed and are NaN", RuntimeWarning)
        yield


def all_finite(value: object) -> bool:
    """Whether every number in arrays, lists and tables of them is finite."""
    if isinstance(value, np.ndarray):
        return value.dtype.kind not in "fc" or bool(np.isfinite(value).all())
    if isinstance(value, (float, np.floating)):
        return bool(np.isfinite(value))
    if isinstance(value, dict):
        return all(map(all_finite, value.values()))
    if isinstance(value, (list, tuple)):
        return all(map(all_finite, value))
    return True


def as_json(value: object) -> str:
    """On one line."""
    return json.dumps(value, default=str, ensure_ascii=False)
