"""Many seeded fits to simulated recordings of the prototype: how near they come, how often intervals hold the truth.

    python tests/identification/repeated_fits.py 50

Three runs of 10 s, cameras at 30 Hz with 1 mm of noise on the three tips, late or early by up to 50 ms; the search
begins with stiffness, damping, muscle area and dead zone 50 % off, each up or down by chance.
"""

from __future__ import annotations

import sys
import time

import numpy as np
from sample_recordings import FREE, changed, measured

from continuarm import load_arm
from continuarm.identification.fit import identify


def fit(seed):
    """One repetition: the result, and of every parameter its relative error and whether it is within the interval.

    The third of each says the same of the part of the interval that noise makes.
    """
    rng = np.random.default_rng(seed)
    truth = load_arm("prototype")
    delays = rng.uniform(-0.05, 0.05, 3)
    begin = changed(truth, **{name: float(rng.choice([0.5, 1.5])) for name in FREE})
    found = identify(begin, measured(truth, seed, delays), FREE)
    known = {name: getattr(truth.sections[0], name) for name in FREE}
    known |= {f"delay of run{k}": float(delay) for k, delay in enumerate(delays, start=1)}
    rows = {}
    for each in found.parameters:
        right = known[each.name]
        # a delay of nothing has no relative error: 0.1 s is the size of delays
        error = abs(each.value - right) / (abs(right) if each.name in FREE else 0.1)
        of_noise = abs(each.value - right) <= 1.96 * each.noise
        rows[each.name] = (error, each.low <= right <= each.high, of_noise)
    return found, rows


def study(repetitions):
    """Prints the largest error and the coverage of every parameter."""
    collected, times, processor = [], [], []
    for seed in range(repetitions):
        began = time.process_time()
        found, rows = fit(seed)
        collected.append(rows)
        times.append(found.record["wall_time"])
        processor.append(time.process_time() - began)
        for sentence in (*found.undetermined, *found.warnings):
            print(f"{seed}: {sentence}")
    work = f"{np.median(processor):.2f} s of processor"
    print(f"{repetitions} fits: {np.median(times):.2f} s each (at most {max(times):.2f}), {work}")
    for name in collected[0]:
        errors, inside, of_noise = zip(*(rows[name] for rows in collected), strict=True)
        print(
            f"{name:16} error: median {100 * np.median(errors):.3f} %, largest {100 * max(errors):.3f} %; "
            f"95 % interval holds the truth in {sum(inside)} of {repetitions}, its part of noise in {sum(of_noise)}"
        )


if __name__ == "__main__":
    study(int(sys.argv[1]) if len(sys.argv) > 1 else 5)
