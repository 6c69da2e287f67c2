"""What a fit found out about itself, in sentences, and the one line that says whether its arm is to be used."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple

from continuarm.arms.summary import counted

Weight = Literal["serious", "warning", "note"]


class Finding(NamedTuple):
    """One sentence about a fit.

    serious: the arm should not be used as it is; warning: it may be, with care; note: good to know.
    """

    sentence: str
    weight: Weight = "warning"
    short: str = ""  # in a few words, for the verdict: the same, else the sentence; of a note, what must be true


def verdict(findings: Sequence[Finding], undetermined: Sequence[str] = ()) -> str:
    """One line: usable, use with care, or NOT TO BE USED AS IT IS, and why.

    undetermined: sentences on directions of parameters that the recordings do not show.
    """
    every = [*findings, *(Finding(each, "serious", each.partition(":")[0]) for each in undetermined)]
    for weight, words in (("serious", "NOT TO BE USED AS IT IS"), ("warning", "use with care")):
        own = [each for each in every if each.weight == weight]
        if own:
            more = f" (and {counted(len(own) - 1, 'more reason')})" if len(own) > 1 else ""
            return f"{words}: {own[0].short or own[0].sentence}{more}"
    sure = [each.short for each in findings if each.weight == "note" and each.short]
    usable = f"usable if {' and '.join(sure)}" if sure else "usable"
    return f"{usable}: what is left is as small as the noise, and all parameters are determined"
