"""Swings of the trunk of the Autonomous Systems Lab, Stanford, as tables for `read_recording`: one for each good one.

    python examples/convert_stanford_trunk.py observations_manual_decay_200g.csv folder

A swing begins 0.1 s after disc 3 has left its held place by 5 mm. Good: disc 3 then moves, for the hand is gone, and is
at rest at the end. Arm frame: z down; the base is above the place where disc 1 rests, which is the same to 0.3 mm in
all files: x = 0.1005, z = 0.1043 of the cameras, about the (0.1, 0.1) that the laboratory names.
"""

import gzip
import sys
from pathlib import Path

import numpy as np

BASE = np.array([0.1005, 0.0, 0.1043])  # m, cameras
RATE, LEFT, AFTER = 100.0, 5e-3, 10  # Hz, m, rows
MOVES, RESTS = 0.3, 5e-3  # m/s at its beginning, m in its last half second
HEADER = "t [s], " + ", ".join(f"{axis}{disc} [mm]" for disc in (1, 2, 3) for axis in "xyz")


def convert(source, folder):
    raw = np.loadtxt(source, delimiter=",", skiprows=1, ndmin=2)  # packed by gzip or not
    for number in np.unique(raw[:, 0]).astype(int):
        discs = raw[raw[:, 0] == number, 1:].reshape(-1, 3, 3)
        left = np.linalg.norm(discs[:, 2] - discs[0, 2], axis=1) > LEFT
        swing = (discs - BASE)[np.argmax(left) + AFTER :] if left.any() else discs[:0]
        if len(swing) < RATE or np.linalg.norm(swing[1, 2] - swing[0, 2]) * RATE < MOVES:
            continue
        if np.ptp(swing[-50:, 2], axis=0).max() > RESTS:
            continue
        table = 1e3 * np.stack([swing[..., 0], swing[..., 2], -swing[..., 1]], axis=-1).reshape(-1, 9)
        rows = [f"{k / RATE:g}," + ",".join(f"{v:.2f}" for v in row) for k, row in enumerate(table)]
        name = Path(source).name.split(".")[0].removeprefix("observations_")
        content = ("\n".join([HEADER, *rows]) + "\n").encode()
        (Path(folder) / f"{name}-{number:02d}.csv.gz").write_bytes(gzip.compress(content, mtime=0))


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(f"usage: python {sys.argv[0]} OBSERVATIONS.csv FOLDER")
    try:
        convert(*sys.argv[1:])
    except (OSError, ValueError, IndexError) as error:
        sys.exit(f"{sys.argv[1]}: cannot be converted: {error}")
