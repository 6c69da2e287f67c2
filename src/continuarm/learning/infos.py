"""What is told beside observations, in the form of Gymnasium: values by name, and a mask by _name."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from continuarm.learning.tasks import Report
from continuarm.learning.world import Truths


def only(report: Report, mask: Truths) -> Report:
    """A report of some arms alone: elsewhere zero, or None; what is of none of them is left out."""
    found: Report = {}
    for name, (values, own) in report.items():
        here = mask if own is None else own & mask
        if here.any():
            kept = np.full_like(values, None if values.dtype == object else 0)
            kept[here] = values[here]
            found[name] = (kept, here)
    return found


def vector_infos(report: Report, count: int) -> dict[str, Any]:
    """The infos of a vector environment."""
    infos: dict[str, Any] = {}
    for name, (values, mask) in report.items():
        infos[name], infos[f"_{name}"] = values, np.ones(count, dtype=bool) if mask is None else mask.copy()
    return infos


def final_infos(observations: NDArray[np.float32], report: Report, ended: Truths) -> dict[str, Any]:
    """What the same-step mode tells of episodes that have ended: their last observations and infos."""
    last = np.full(len(ended), None, dtype=object)
    for place in np.flatnonzero(ended):
        last[place] = observations[place].copy()
    return {
        "final_obs": last,
        "_final_obs": ended.copy(),
        "final_info": vector_infos(only(report, ended), len(ended)),
        "_final_info": ended.copy(),
    }


def single_info(infos: dict[str, Any]) -> dict[str, Any]:
    """The info of one arm, from those of a vector environment of one."""
    found: dict[str, Any] = {}
    for name, mask in infos.items():
        if name.startswith("_") and mask[0]:
            value = infos[name[1:]][0]
            if isinstance(value, np.ndarray):
                value = value.copy()
            found[name[1:]] = value.item() if isinstance(value, np.generic) else value
    return found
