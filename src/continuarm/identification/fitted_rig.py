"""What a fit finds of the laboratory, kept with the arm: the frame of the sensors, and how late they are."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from continuarm.arms.arm import Arm
from continuarm.arms.rig import Rig
from continuarm.common.number_checks import Floats

ALIKE = 2e-3
"""s: recordings whose delays are all within so much of each other are on one clock."""


def with_rig(arm: Arm, frame: Floats | None, delays: Mapping[str, float]) -> Arm:
    """The arm with a rig by which its recordings are read as a fit read them.

    What the fit did not find stays as the rig of the arm has it: its start and gauges always, its frame and delay if
    there is no other. An arm without a rig stays so where there is nothing to keep.

    Parameters
    ----------
    arm : Arm
    frame : ndarray, (4, 4), or None
        Pose of the world in the frame of the sensors, all of it, not what is to be added to the rig's; None: not
        fitted.
    delays : mapping of str to float
        By how much recordings are late in all, s, by their names. They are kept, as their mean, only where they are one
        number: within 2 ms of each other. Delays that differ belong to recordings, and not to the rig.

    Returns
    -------
    Arm
    """
    found: dict[str, object] = {}
    if frame is not None:
        from scipy.spatial.transform import Rotation

        found["turn"] = tuple(Rotation.from_matrix(frame[:3, :3]).as_rotvec().tolist())
        found["origin"] = tuple(np.asarray(frame[:3, 3], dtype=float).tolist())
    late = np.array(list(delays.values()), dtype=float)
    if len(late) and np.ptp(late) <= ALIKE:
        found["delay"] = float(late.mean())
    before = Rig() if arm.rig is None else arm.rig
    after = before.replace(**found)
    return arm if after == before else arm.replace(rig=after)
