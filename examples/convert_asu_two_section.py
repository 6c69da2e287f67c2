"""The log of the two-section pneumatic arm of the RISE Lab, Arizona State University, as a table for `read_recording`.

    python examples/convert_asu_two_section.py data_collect_1.txt.gz run.csv.gz

Arm frame: x as the cameras', z down, origin at the base of section 1, 37.21 mm below marker body 1. Measured pressures:
chambers 3 and 4 of a section share a line. Camera rows that repeat the one before are empty cells.
"""

import gzip
import sys

import numpy as np

PSI = 6.894757293168361  # kPa
BASE = 37.21  # mm, the base of section 1 below marker body 1
GAUGES = {"l11": 4, "l12": 5, "l13": 6, "l14": 6, "l21": 10, "l22": 11, "l23": 12, "l24": 12}  # name: column of the log
BODIES = {1: 24, 2: 31}  # section: first column of the marker body at its end


def convert(source, target):
    raw = np.loadtxt(source, delimiter=",", ndmin=2)  # packed by gzip or not
    columns = {"t [s]": np.char.mod("%.4f", raw[:, 0] - raw[0, 0])}
    columns |= {f"{name} [kPa]": np.char.mod("%.1f", PSI * raw[:, column]) for name, column in GAUGES.items()}
    for section, first in BODIES.items():
        body = raw[:, first : first + 3]
        xyz = 1e3 * (body - np.median(raw[:, 17:20], axis=0)) * [1, -1, -1] - np.array([0, 0, BASE])
        repeated = np.append(False, (np.diff(body, axis=0) == 0).all(axis=1))
        for axis, values in zip("xyz", xyz.T, strict=True):
            columns[f"{axis}{section} [mm]"] = np.where(repeated, "", np.char.mod("%.2f", values))
    lines = [", ".join(columns), *(",".join(row) for row in zip(*columns.values(), strict=True))]
    packed = str(target).endswith(".gz")
    content = ("\n".join(lines) + "\n").encode()
    with open(target, "wb") as file:
        file.write(gzip.compress(content, mtime=0) if packed else content)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(f"usage: python {sys.argv[0]} LOG.txt[.gz] TABLE.csv[.gz]")
    try:
        convert(*sys.argv[1:])
    except (OSError, ValueError, IndexError) as error:
        sys.exit(f"{sys.argv[1]}: cannot be converted: {error}")
