"""The rules of MISRA C:2012 that exported C does not keep, each with its reason."""

from __future__ import annotations

from typing import TYPE_CHECKING

from continuarm.export.c_identifiers import DISTINCT

if TYPE_CHECKING:
    from continuarm.export.c_files import CExport

LOCALS = 511
"""Identifiers of one block that every compiler of C99 takes."""


def deviations(export: CExport) -> dict[str, str]:
    """Rule and reason."""
    most = export.most_locals
    found = {
        "1.1": f"a step has up to {most} constants in one block; C99 promises {LOCALS}: look at your compiler's limit"
        if most > LOCALS
        else "",
        "2.2": "steps are shared: some functions do not need all that one computes",
        "2.5": "the header names all sizes, used by the source or not",
        "2.7": "steps and functions of a kind take the same arguments; one that is not used is made void",
        "5.1": f"with a name of more than {DISTINCT} letters, linkers that look at 31 letters confuse functions"
        if len(export.prefix) > DISTINCT
        else "",
        "8.7": "functions that you do not call are for callers all the same",
    }
    return {rule: reason for rule, reason in found.items() if reason}
