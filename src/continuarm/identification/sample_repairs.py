"""Samples as laboratories log them, made into samples of a motion: clocks that jitter, cameras slower than the log,
marker bodies that flip. Each repair says what it did in one sentence, or nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, get_args

import numpy as np

from continuarm.common.number_checks import Booleans, Floats
from continuarm.identification.sensors import Sensor, TipOrientation, TipPosition

Repeats = Literal["gaps", "keep"]
REPEATS = get_args(Repeats)
"""What becomes of pose rows that repeat the one before."""

JITTER = 1e-3
"""s: rows whose clock goes back by less are put in order."""
SAME_TIME = 0.2
"""More than this part of rows that contradict another one of their time: the clock is too coarse to tell them apart."""
SHARE = 0.2
"""A camera that repeats more than this part of its rows is slower than the log."""
STANDING = 0.5
"""s: a row that is repeated for longer is a sample again, for a simulated arm may stand still to the last digit."""
FLIP = np.radians(60)
"""No arm turns by so much from one sample to the next; marker bodies whose markers are mistaken for each other do."""
FLIP_AFTER_GAP = np.radians(100)
"""... and so much where samples between are missing."""
NEIGHBOURS = 0.2
"""s: samples that are further apart are not neighbours."""


def clock_order(times: Floats, table: Floats) -> tuple[Floats, Floats, list[str]]:
    """Ascending times (m,) and their rows (m, columns) from those of a log (k,), (k, columns); sentences.

    Jitter of less than a millisecond is put in order, and rows of one time are merged: of each column the last number
    that is no gap. A clock that goes back further is left as it is, for those who refuse it.
    """
    said = []
    back = np.diff(times) < 0
    if back.any() and np.isfinite(times).all() and (np.maximum.accumulate(times) - times).max() < JITTER:
        order = np.argsort(times, kind="stable")
        times, table = times[order], table[order]
        said.append(f"the clock goes back by less than {1e3 * JITTER:g} ms in {int(back.sum())} rows: put in order")
    same = np.append(False, np.diff(times) == 0)
    if not same.any() or (np.diff(times) < 0).any():
        return times, table, said
    conflicts = int((same[1:] & (np.isfinite(table[1:]) & np.isfinite(table[:-1])).any(axis=1)).sum())
    if conflicts > max(1, SAME_TIME * len(times)):
        what = f"{conflicts} of {len(times)} rows have the time of the row before"
        raise ValueError(f"times must ascend: {what}; must be a clock that tells rows apart")
    first = np.flatnonzero(~same)
    number = np.cumsum(~same) - 1
    merged = table[first].copy()
    for row in np.flatnonzero(same):  # few, and in order
        merged[number[row]] = np.where(np.isfinite(table[row]), table[row], merged[number[row]])
    said.append(
        f"{int(same.sum())} of {len(times)} rows have the time of the row before, the first at "
        f"{times[same][0] - times[0]:g} s: merged, the later number of each column counts"
    )
    return times[first], merged, said


def without_repeats(
    times: Floats, sensors: Sequence[Sensor], repeats: Repeats | None
) -> tuple[list[Sensor], str | None]:
    """Sensors with gaps for pose rows that repeat the one before exactly, and a sentence about these.

    repeats: "gaps", "keep", or None, "gaps" where a camera is slower than the log.
    """
    found, names, count, rows = list(sensors), [], 0, 0
    for s, sensor in enumerate(sensors):
        if repeats == "keep" or not isinstance(sensor, (TipPosition, TipOrientation)):
            continue
        mask = repeated_rows(times, sensor.values, always=repeats == "gaps")
        if mask.any():
            found[s] = sensor.replace(values=np.where(mask[:, None], np.nan, sensor.values))
            names.append(sensor.name)
            count, rows = count + int(mask.sum()), rows + int(np.isfinite(sensor.values).any(axis=1).sum())
    if not names:
        return found, None
    share = f"{100 * count / rows:.0f} % of the rows of {', '.join(names)}"
    return found, f"{share} repeat the one before exactly, as of cameras slower than the log: gaps"


def repeated_rows(times: Floats, values: Floats, always: bool = False) -> Booleans:
    """Which rows (k,) of (k, width) repeat the last measured one in all numbers, and are no samples.

    None unless many are, and the sensor has hardly any gaps that tell its rate; or with always. Of rows that stay the
    same for long, one in half a second is a sample. A sensor of one number, which counts in steps, repeats itself by
    nature.
    """
    mask = np.zeros(len(values), dtype=bool)
    measured = np.isfinite(values)
    seen = np.flatnonzero(measured.any(axis=1))
    if len(seen) < 3 or measured.any(axis=0).sum() < 2:
        return mask
    own, when = np.nan_to_num(values[seen], nan=np.inf), times[seen]
    same = np.append(False, (own[1:] == own[:-1]).all(axis=1))
    begin = np.maximum.accumulate(np.where(same, 0, np.arange(len(seen))))  # the row that each repeats
    ends = np.append(np.flatnonzero(~same)[1:] - 1, len(seen) - 1)  # the last of every stretch
    lasts = (when[ends] - when[np.flatnonzero(~same)])[np.cumsum(~same) - 1]
    short = lasts < STANDING
    told = len(values) - len(seen) > SHARE * len(values)  # the rows that a slower camera did not see have empty cells
    if not always and (told or (same & short).sum() <= SHARE * len(seen)):
        return mask
    part = np.floor((when - when[begin]) / STANDING + 1e-9)
    again = np.append(False, (part[1:] != part[:-1]) & same[1:])  # half a second later: a sample again
    mask[seen] = same & ~again
    return mask


def without_flips(times: Floats, sensors: Sequence[Sensor]) -> tuple[list[Sensor], str | None]:
    """Sensors with gaps where an orientation is flipped, and a sentence about these."""
    found, words = list(sensors), []
    for s, sensor in enumerate(sensors):
        if isinstance(sensor, TipOrientation):
            mask = flipped_rows(times, sensor.values)
            if mask.any():
                found[s] = sensor.replace(values=np.where(mask[:, None], np.nan, sensor.values))
                words.append(f"{int(mask.sum())} samples of {sensor.name} from {times[np.argmax(mask)]:.2f} s on")
    if not words:
        return found, None
    limit = f"{np.degrees(FLIP):.0f} deg"
    return found, f"{', '.join(words)} jump by more than {limit}, as of markers mistaken for each other: gaps"


def flipped_rows(times: Floats, vectors: Floats) -> Booleans:
    """Which rows (k,) of rotation vectors (k, 3) are flipped against the others.

    Jumps divide the samples into stretches. The longest is right, and of the others those that go on from it.
    """
    from scipy.spatial.transform import Rotation

    mask = np.zeros(len(vectors), dtype=bool)
    seen = np.flatnonzero(np.isfinite(vectors).all(axis=1))
    if len(seen) < 3:
        return mask
    turns, when = Rotation.from_rotvec(vectors[seen]), times[seen]
    jumps = ((turns[:-1].inv() * turns[1:]).magnitude() > FLIP) & (np.diff(when) <= NEIGHBOURS)
    if not jumps.any():
        return mask
    begins = np.append(0, np.flatnonzero(jumps) + 1)
    ends = np.append(begins[1:] - 1, len(seen) - 1)
    longest = int(np.argmax(ends - begins))
    right = np.zeros(len(begins), dtype=bool)
    right[longest] = True
    for way in (1, -1):
        here = ends[longest] if way > 0 else begins[longest]
        for stretch in range(longest + way, len(begins) if way > 0 else -1, way):
            near, far = (begins[stretch], ends[stretch]) if way > 0 else (ends[stretch], begins[stretch])
            allowed = FLIP if abs(when[near] - when[here]) <= NEIGHBOURS else FLIP_AFTER_GAP
            if (turns[int(here)].inv() * turns[int(near)]).magnitude() < allowed:
                right[stretch], here = True, far
    mask[seen] = ~right[np.searchsorted(begins, np.arange(len(seen)), side="right") - 1]
    return mask
