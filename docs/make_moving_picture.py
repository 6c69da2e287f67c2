"""Makes docs/pictures/motion.gif: an arm under pressure steps that comes back to rest.

python docs/make_moving_picture.py [FILE]
"""

from __future__ import annotations

import sys
from pathlib import Path

import continuarm as ca

PICTURE = Path(__file__).parent / "pictures" / "motion.gif"
STEPS = {
    "l33": [(0.3, 500e3), (4.0, 0.0)],
    "l23": [(1.2, 350e3), (4.0, 0.0)],
    "l11": [(2.4, 400e3), (4.0, 0.0)],
}


def main(target: Path = PICTURE) -> None:
    arm = ca.load_arm("prototype")
    motion = ca.simulate(arm, ca.PressureSteps(STEPS), duration=5.6, start="equilibrium")
    motion.video(target, fps=15, size=(600, 420))
    print(f"{target}: {target.stat().st_size / 1000:.0f} kB")


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:2]))
