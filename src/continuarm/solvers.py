"""How a motion is computed: small objects that say which method and how accurately.

A solver gives states at output times, part by part, so that a long run can show progress, be written as it goes, and
keep what it has when it is stopped.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from continuarm.arm import Arm
from continuarm.engine import _native, native_arm
from continuarm.forward_dynamics import forward_dynamics
from continuarm.inputs import Drive

Floats = NDArray[np.float64]


class Part(NamedTuple):
    """States (k, 6n) at the next k output times, what the solver did so far, and why it stopped if it did."""

    states: Floats
    counts: dict[str, int]
    stopped: str = ""


@dataclass(frozen=True)
class Adaptive:
    """Compiled backward differences of order 1 to 5 with error control; never returns to Python between outputs.

    rtol is relative; atol is in metres for q and 100 times that in m/s for q̇. The default atol was
    chosen on the paper's experiment 1, where it keeps the tips within a micrometre.
    """

    rtol: float = 1e-6
    atol: float = 5e-11
    longest_step: float = float("inf")

    def parts(self, arm: Arm, drive: Drive, start: Floats, times: Floats, chunk: int = 2000) -> Iterator[Part]:
        """States at the times, from the state at time 0."""
        _check_tolerances(self.rtol, self.atol)
        if not self.longest_step > 0:
            raise ValueError(f"longest_step = {self.longest_step}: must be above 0 s")
        size = 3 * arm.n
        stiffness = _block_diagonal([section.stiffness_matrix for section in arm.sections])
        damping = _block_diagonal([section.damping_matrix for section in arm.sections])
        integrator = _native.Integrator(
            native_arm(arm),
            start.tolist(),
            drive.times.tolist(),
            drive.forces.ravel().tolist(),
            drive.linear,
            self.rtol,
            [self.atol] * size + [100 * self.atol] * size,
            min(self.longest_step, 1e300),
            stiffness.ravel().tolist(),
            damping.ravel().tolist(),
        )
        for first in range(0, len(times), chunk):
            wanted = np.ascontiguousarray(times[first : first + chunk])
            states = np.empty((len(wanted), 2 * size))
            rows, status, time = integrator.advance(wanted, states)
            stopped = "" if rows == len(wanted) else f"{status} at t = {time:.6g} s"
            yield Part(states[:rows], integrator.counts(), stopped)
            if stopped:
                return


@dataclass(frozen=True)
class BDF:
    """SUNDIALS CVODE, variable-order backward differences (the ode15s of the paper): the reference, through Python."""

    rtol: float = 1e-6
    atol: float = 1e-10

    def parts(self, arm: Arm, drive: Drive, start: Floats, times: Floats, chunk: int = 2000) -> Iterator[Part]:
        """States at the times, from the state at time 0; starts anew where a held input jumps."""
        from sksundae.cvode import CVODE

        _check_tolerances(self.rtol, self.atol)
        state, evaluations = start.copy(), 0
        bounds = drive.times if not drive.linear else drive.times[:1]
        ends = [*bounds[1:], np.inf]
        if times[0] == 0:
            yield Part(state[None], {"evaluations": 0})
        for begin, end in zip(bounds, ends, strict=True):
            inside = times[(times > begin) & (times <= end)]
            wanted = np.unique(np.concatenate([[begin], inside, [end] if np.isfinite(end) else []]))
            rate = self._rate(arm, drive, begin)
            solver = CVODE(rate, method="BDF", rtol=self.rtol, atol=self.atol, max_num_steps=1_000_000)
            found = solver.solve(wanted, state)
            evaluations += int(found.nfev)
            state = np.array(found.y[-1])
            rows = np.array(found.y[np.isin(found.t, inside)])
            counts = {"evaluations": evaluations}
            stopped = "" if found.success else str(found.message)
            yield Part(rows, counts, stopped)
            if stopped or end >= times[-1]:
                return

    def _rate(self, arm: Arm, drive: Drive, begin: float) -> Callable[[float, Any, Any], None]:
        """(q, v)˙ = (v, q̈) with the input that holds from a time on."""
        size, held = 3 * arm.n, drive.at(begin)

        def rate(time: float, y: Any, out: Any) -> None:
            out[:size] = y[size:]
            out[size:] = forward_dynamics(arm, y[:size], y[size:], drive.at(time) if drive.linear else held)

        return rate


def _block_diagonal(blocks: list[Floats]) -> Floats:
    whole = np.zeros((3 * len(blocks), 3 * len(blocks)))
    for i, block in enumerate(blocks):
        whole[3 * i : 3 * i + 3, 3 * i : 3 * i + 3] = block
    return whole


def _check_tolerances(rtol: float, atol: float) -> None:
    for name, value, least in (("rtol", rtol, 1e-13), ("atol", atol, 1e-300)):
        if not least <= value <= 1:
            raise ValueError(f"{name} = {value!r}: must be between {least:g} and 1")
