"""An arm judged by recordings that it was not fitted to: what it predicts beside what was measured."""

from __future__ import annotations

import math
import os
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from dataclasses import asdict, dataclass, fields
from typing import TYPE_CHECKING, Any

import numpy as np

from continuarm.arms.arm import Arm, require_arm
from continuarm.arms.rig import Rig
from continuarm.arms.summary import counted
from continuarm.common.argument_checks import listed, require_function
from continuarm.common.number_checks import Floats, whole_number
from continuarm.common.text import printable, short
from continuarm.engine.compiled import PROCESSORS
from continuarm.identification.measurement_units import readable
from continuarm.identification.predicted_sensors import (
    PredictedSensor,
    TotalError,
    predicted_sensor,
    total_error,
)
from continuarm.identification.recording import Recording
from continuarm.identification.recording_checks import checked_recording
from continuarm.identification.recording_file import KINDS
from continuarm.identification.recording_table import TIP_LOADS
from continuarm.identification.sensor_frame_and_delay import simulated_readings
from continuarm.identification.simulated_tracks import Track, said_of_start, simulated_track

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["PredictedRecording", "Validation", "validate"]

MOST_LISTED = 8
"""Sensors that repr() lists."""
LOOK = 0.1
"""s between two looks at how far the simulations are."""
_CURVES = ("channels", "times", "measured", "predicted", "distance")


@dataclass(frozen=True, eq=False)
class PredictedRecording:
    """One recording predicted: its sensors, by their names run["tip 3"], and why the simulation ended, if early."""

    name: str
    static: bool
    stopped: str  # why the simulation ended early; empty if it did not
    sensors: tuple[PredictedSensor, ...]
    times: Floats  # (k,), s, or row numbers
    commands: dict[str, Floats]  # l33 [Pa], l11 [N], fx [N]: (k,) of all that are not zero throughout

    def __getitem__(self, sensor: str) -> PredictedSensor:
        """A sensor by its name."""
        for each in self.sensors:
            if each.sensor == sensor:
                return each
        raise KeyError(f"{sensor!r}: the sensors are {', '.join(each.sensor for each in self.sensors)}")

    def __repr__(self) -> str:
        words = [f"PredictedRecording({short(self.name)})", *(f"  {each}" for each in self.sensors)]
        return "\n".join([*words, f"  stopped early: {printable(self.stopped)}"] if self.stopped else words)


@dataclass(frozen=True, eq=False)
class Validation:
    """What an arm predicts of recordings, beside what was measured, as `validate` returns it.

    found["run2"] is a recording by its name, found["run2"]["tip 3"] one of its sensors, with rms and worst distance and
    worst_time; motion, which is the rms distance to whoever predicts that nothing moves; samples, compared and share;
    times, measured, predicted and distance, the curves. Lengths are in m, angles in rad, times in s.

    Attributes
    ----------
    arm : Arm
        As it was given, with its rig.
    recordings : tuple
        Every recording: name, sensors, commands; stopped, why its simulation ended early, empty if it did not.
    totals : dict
        The same numbers of all sensors together, by their kind: "tips", "orientations", "lengths".
    warnings : tuple of str
        Sentences: simulations that ended early, samples that were left out, beginnings at rest that friction cannot
        hold.

    Examples
    --------
    >>> arm = ca.load_arm("prototype")
    >>> camera = ca.TipPosition(3, np.zeros((61, 3)))
    >>> run = ca.Recording("run", ca.PressureSteps({"l33": [(0.5, 500e3)]}), np.arange(61) / 20, [camera])
    >>> found = ca.validate(arm, ca.simulated_recording(arm, run, noise=1e-3))
    >>> tip = found["run"]["tip 3"]
    >>> tip.rms < 2e-3 < tip.motion, tip.share, found.stopped
    (True, 1.0, False)
    >>> found.report("run.html")
    """

    arm: Arm
    recordings: tuple[PredictedRecording, ...]
    totals: dict[str, TotalError]
    warnings: tuple[str, ...]

    @property
    def stopped(self) -> bool:
        """Whether a recording was not simulated to its end: its distances are over what was reached."""
        return any(each.stopped for each in self.recordings)

    @property
    def sentence(self) -> str:
        """The whole in one sentence, in the units that people read."""
        parts = [_in_words(each) for each in self.totals.values() if each.compared] or ["nothing was compared"]
        early = [printable(each.name) for each in self.recordings if each.stopped]
        parts += [f"stopped early: {', '.join(early)}"] if early else []
        return f"{counted(len(self.recordings), 'recording')}: {'; '.join(parts)}"

    def __getitem__(self, recording: str) -> PredictedRecording:
        """A recording by its name."""
        for each in self.recordings:
            if each.name == recording:
                return each
        raise KeyError(f"{recording!r}: the recordings are {', '.join(each.name for each in self.recordings)}")

    def table(self) -> list[dict[str, Any]]:
        """One row for every sensor of every recording, in m, rad and s: what `pandas.DataFrame` takes.

        Returns
        -------
        list of dict
            recording, sensor, kind, unit, samples, compared, rms, worst, worst_time, motion, share, of_motion, stopped.
        """
        return [_numbers(each) | {"stopped": run.stopped} for run in self.recordings for each in run.sensors]

    def summary(self) -> dict[str, Any]:
        """All numbers and sentences as plain values; what is not known is None.

        Returns
        -------
        dict
            As `json.dumps` takes it.
        """
        return {
            "arm": self.arm.name,
            "rig": None if self.arm.rig is None else self.arm.rig.model_dump(mode="json"),
            "recordings": [
                {
                    "name": run.name,
                    "static": run.static,
                    "stopped": run.stopped,
                    "sensors": [_plain(_numbers(each)) for each in run.sensors],
                }
                for run in self.recordings
            ],
            "totals": {kind: _plain(_numbers(each)) for kind, each in self.totals.items()},
            "warnings": list(self.warnings),
            "stopped": self.stopped,
            "sentence": self.sentence,
        }

    def plot(self, recording: str | None = None) -> Figure:
        """A figure of one recording: predicted over measured, the distance between them, and the commands.

        Parameters
        ----------
        recording : str, optional
            Its name; that with the worst distance if left out.

        Returns
        -------
        matplotlib.figure.Figure
            `figure.savefig("run.png")` writes it.
        """
        from continuarm.identification.validation_figures import prediction_figure

        if recording is None:
            return prediction_figure(self[next(iter(self.totals.values())).worst_recording])
        try:
            return prediction_figure(self[recording])
        except KeyError:
            names = ", ".join(each.name for each in self.recordings)
            raise ValueError(f"recording = {short(recording)}: must be one of {names}") from None

    def report(self, path: str | os.PathLike[str]) -> None:
        """Writes one HTML page with tables and figures that loads nothing else.

        Parameters
        ----------
        path : str or path
        """
        from continuarm.identification.validation_report import write_validation

        write_validation(self, path)

    def __repr__(self) -> str:
        words = [f"Validation({short(self.arm.name)}, {counted(len(self.recordings), 'recording')})"]
        rows = [f"  {printable(run.name)}, {printable(repr(each))}" for run in self.recordings for each in run.sensors]
        words += rows[:MOST_LISTED]
        words += [f"  and {len(rows) - MOST_LISTED} more"] if len(rows) > MOST_LISTED else []
        words += [f"  {counted(len(self.warnings), 'warning')}"] if self.warnings else []
        return "\n".join(words)

    def _repr_html_(self) -> str:
        """What a notebook shows: the errors of every sensor, with their curves, and the warnings."""
        from continuarm.identification.validation_report import validation_card

        return validation_card(self)


def validate(
    arm: Arm,
    recordings: Recording | Sequence[Recording],
    *,
    threads: int | None = None,
    progress: Callable[[float, str], object] | None = None,
) -> Validation:
    """How well an arm, as it is, predicts recordings: each is simulated, nothing is fitted.

    The rig of the arm says in which frame the sensors look, how late they are and what its gauges read; an arm without
    one is compared in the world frame and without delay.

    Parameters
    ----------
    arm : Arm
    recordings : Recording or sequence of Recording
        Best such that no fit has seen.
    threads : int, optional
        How many simulations run together; all processors if left out.
    progress : callable, optional
        Called with the share done and words about what is simulated.

    Returns
    -------
    Validation

    Raises
    ------
    ValueError
        For recordings that cannot be of this arm, with the likely cause.

    Examples
    --------
    >>> arm = ca.load_arm("prototype")
    >>> camera = ca.TipPosition(3, np.zeros((61, 3)))
    >>> run = ca.Recording("run", ca.PressureSteps({"l33": [(0.5, 500e3)]}), np.arange(61) / 20, [camera])
    >>> seen = ca.simulated_recording(arm, run, noise=1e-3)
    >>> softer = arm.replace({"sections[*].stiffness": 1500.0})
    >>> right, wrong = ca.validate(arm, seen), ca.validate(softer, seen)
    >>> bool(right["run"]["tip 3"].rms < 2e-3 < wrong["run"]["tip 3"].rms)  # m
    True
    """
    require_arm(arm)
    runs: list[Recording] = listed("recordings", recordings, Recording, "a Recording (see read_recording)")
    require_function("progress", progress)
    count = PROCESSORS if threads is None else whole_number("threads", threads, least=1)
    _check_names(runs)
    rig = arm.rig or Rig()
    moved = any(rig.turn) or any(rig.origin)
    checked = [checked_recording(each, arm, moved) for each in runs]
    tracks = _tracks(arm, [each for each, _ in checked], count, progress or (lambda share, words: None))
    found, warnings = [], [sentence for _, sentences in checked for sentence in sentences]
    warnings += [sentence for run in runs if (sentence := said_of_start(arm, run)) is not None]
    for run, (usable, _), track in zip(runs, checked, tracks, strict=True):
        found.append(_predicted(arm, run, usable, track, rig.delay, rig.frame if moved else None))
        if found[-1].stopped:
            warnings.append(_early(found[-1]))
    kinds = {kind: [one for run in found for one in run.sensors if one.kind == kind] for kind in KINDS.values()}
    return Validation(
        arm=arm,
        recordings=tuple(found),
        totals={kind: total_error(sensors) for kind, sensors in kinds.items() if sensors},
        warnings=tuple(warnings),
    )


def _check_names(runs: Sequence[Recording]) -> None:
    if not runs:
        raise ValueError("recordings: must be at least one")
    names: set[str] = set()
    for each in runs:
        if each.name in names:
            raise ValueError(f"recordings: two are called {each.name!r}: each must have a name of its own")
        names.add(each.name)


def _tracks(arm: Arm, runs: Sequence[Recording], threads: int, progress: Callable[[float, str], object]) -> list[Track]:
    """All recordings simulated, several together; whatever ends the wait, as Ctrl-C does, ends the simulations."""
    ended = threading.Event()

    def check() -> None:
        if ended.is_set():
            raise KeyboardInterrupt

    whole = sum(len(run.times) for run in runs)
    with ThreadPoolExecutor(threads) as pool:
        futures = [pool.submit(simulated_track, arm, run, check=check) for run in runs]
        try:
            left = set(futures)
            progress(0.0, printable(runs[0].name))
            while left:
                waiting = [run for run, each in zip(runs, futures, strict=True) if not each.done()]
                share = 1.0 - sum(len(run.times) for run in waiting) / whole
                progress(share, printable(waiting[0].name) if waiting else "done")
                left = wait(left, timeout=LOOK, return_when=FIRST_COMPLETED).not_done
            progress(1.0, "done")
            return [each.result() for each in futures]
        except BaseException:
            ended.set()
            pool.shutdown(cancel_futures=True)
            raise


def _predicted(
    arm: Arm, run: Recording, usable: Recording, track: Track, delay: float, frame: Floats | None
) -> PredictedRecording:
    """One recording and its simulation, compared."""
    readings, lost = simulated_readings(usable, track, delay, frame)
    stopped = f"no equilibrium in row {int(np.argmax(lost))}" if run.static else track.stopped
    if not run.static and not track.stopped:  # samples may be so early that they show the arm after the last state
        lost = run.times - delay > track.t[-1]
        stopped = f"t = {track.t[-1]:g} s: it shows no sample that is early by {-delay:g} s"
    each = zip(run.sensors, usable.sensors, readings, strict=True)
    sensors = tuple(predicted_sensor(run, own, good, reading, lost) for own, good, reading in each)
    stopped = stopped if lost.any() else ""
    return PredictedRecording(run.name, run.static, stopped, sensors, run.times, _commands(arm, run))


def _commands(arm: Arm, run: Recording) -> dict[str, Floats]:
    given = run.commands(arm)
    columns = {f"{name} [Pa]": values for name, values in zip(arm.muscle_names, given.pressures.T, strict=True)}
    columns |= {f"{name} [N]": values for name, values in zip(arm.coordinate_names, given.forces.T, strict=True)}
    loads = zip(TIP_LOADS.items(), given.wrench.T, strict=True)
    columns |= {f"{name} [{unit}]": values for (name, unit), values in loads}
    return {name: values for name, values in columns.items() if values.any()}


def _early(run: PredictedRecording) -> str:
    samples, compared = (sum(getattr(each, what) for each in run.sensors) for what in ("samples", "compared"))
    reached = f"{100 * compared / samples:.0f} % of its samples" if samples else "nothing"
    return f"{run.name}: the simulation stopped early, {run.stopped}: distances are over {reached}"


def _in_words(total: TotalError) -> str:
    rms, worst = readable(total.rms, total.unit), readable(total.worst, total.unit)
    of = f", {100 * total.of_motion:.3g} % of their motion" if math.isfinite(total.of_motion) else ""
    where = f"{printable(total.worst_sensor)} of {printable(total.worst_recording)}"
    return f"{total.kind} {rms} rms{of}, worst {worst} ({where})"


def _numbers(error: PredictedSensor | TotalError) -> dict[str, Any]:
    """All but the curves."""
    if isinstance(error, TotalError):
        found = asdict(error)
    else:
        found = {each.name: getattr(error, each.name) for each in fields(error) if each.name not in _CURVES}
    return found | {"share": error.share, "of_motion": error.of_motion}


def _plain(row: dict[str, Any]) -> dict[str, Any]:
    return {
        name: None if isinstance(value, float) and not math.isfinite(value) else value for name, value in row.items()
    }
