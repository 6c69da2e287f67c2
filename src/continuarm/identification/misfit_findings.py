"""What misfits say in words: where the model or a recording is wrong, what the fit gave up, and the likely cause."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from continuarm.arms.arm import Arm
from continuarm.common.number_checks import Booleans
from continuarm.identification.findings import Finding
from continuarm.identification.goodness_of_fit import CHANCE, FAR_ABOVE, Misfit
from continuarm.identification.measurement_units import readable
from continuarm.identification.recording import Recording
from continuarm.identification.sensor_comparison import SensorComparison

BEGINNING = 0.5
"""s in which a recording that begins otherwise than it says is off most."""
HANGING = "; if the arm was driven from the first sample on, the recording must start 'hanging'"
MANY = 0.01
"""A part of outliers that is worth a warning."""
GIVEN_UP, WHOLE = 0.1, 0.5
"""Shares of the samples of a sensor without weight: told, and serious."""
ALREADY_OFF = 0.5
"""A distance without commands, over the rms distance of the whole recording, that is most of the misfit."""
MOST_NAMED = 3
ENLARGED = 2.0
"""Errors that grew by more are moved by the model more than by noise."""


def misfit_findings(found: Sequence[Misfit], driven_first: Mapping[str, bool]) -> list[Finding]:
    """About misfits above the noise, the worst first, parts that were given up, and many outliers.

    driven_first: by recording, whether its first commands are others than zero.
    """
    findings = []
    above = sorted((each for each in found if each.wrong), key=lambda each: -each.multiple)
    if above:
        worst = above[0]
        more = f"; {len(above) - 1} more {'is' if len(above) == 2 else 'are'} off too" if len(above) > 1 else ""
        hint = HANGING if _at_the_beginning(worst, worst.worst_time, driven_first) else ""
        size = f"{worst.sensor} in {worst.recording} is {readable(worst.distance, worst.unit)} off"
        findings.append(
            Finding(
                f"{_distance(worst)}, {worst.multiple:.1f} times what its noise of {readable(worst.noise, worst.unit)} "
                f"per axis gives ({_worst(worst)}){_part(worst)}: "
                f"the model or the recording is wrong there, and the intervals, which assume the model, do not hold"
                f"{more}{hint}",
                "serious",
                f"{size}, {worst.multiple:.1f} times the noise",
            )
        )
    rows = [(each, *each.off_together) for each in found if each.off_together is not None]
    for each, begin, end in sorted(rows, key=lambda row: row[1] - row[2])[:MOST_NAMED]:
        hint = HANGING if _at_the_beginning(each, begin, driven_first) else ""
        what = f"{each.sensor} in {each.recording} is off from {begin:.2f} to {end:.2f} s"
        findings.append(
            Finding(f"{what}, which has no weight: the model or the recording is wrong there{hint}", "serious", what)
        )
    findings += _given_up(found)
    many = [each for each in found if each.outliers > MANY * each.samples]
    many.sort(key=lambda each: -each.outliers / each.samples)
    if many:
        shares = [f"{100 * e.outliers / e.samples:.0f} % of {e.sensor} in {e.recording}" for e in many[:MOST_NAMED]]
        more = f" and of {len(many) - MOST_NAMED} more" if len(many) > MOST_NAMED else ""
        findings.append(Finding(f"outliers have no weight: {', '.join(shares)}{more}", "warning", "many outliers"))
    return findings


def correlation_findings(
    found: Sequence[Misfit], correlation: float, enlarged: Mapping[str, float], least: Mapping[str, float]
) -> list[Finding]:
    """About what is left that follows its neighbours in time, and is not above the noise.

    enlarged: by how many times errors of parameters of the arm are larger for it; least: the noise that is believed in
    any case, by sensor, below which nothing is structured.
    """
    if correlation <= 0.0 or all(each.static or each.chance >= CHANCE for each in found):
        return []
    most = max(enlarged, key=lambda name: enlarged[name], default="")
    factor = enlarged.get(most, 1.0)
    believed = all(each.distance <= 1.5 * least.get(each.sensor, 0.0) * each.axes**0.5 for each in found)
    known = all(each.noise_from == "given" and not each.wrong for each in found)
    serious = factor > ENLARGED and not believed and not known
    sentence = (
        f"what is left follows its neighbours in time (correlation {correlation:.2f}): it is not only noise, and the "
        f"errors are enlarged for it, that of {most} {factor:.1f} times; intervals still assume that the model is right"
    )
    short = f"what is left is no noise, and moves {most} more than noise does"
    return [
        Finding(sentence, "serious", short)
        if serious
        else Finding(sentence, "warning", "what is left is not only noise")
    ]


def mount_findings(
    recordings: Sequence[Recording], comparisons: Sequence[SensorComparison], found: Sequence[Misfit], arm: Arm
) -> list[Finding]:
    """Where tips are far off before anything is commanded: the mount or the frame of the cameras is another."""
    idle = {each.name: unpressurised(each, arm) for each in recordings}
    off = []
    for each, misfit in zip(comparisons, found, strict=True):
        rows = idle[each.recording][:, None] & each.used
        if len(each.channels) < 3 or not misfit.wrong or rows.sum() < 3 or not rows.any(axis=0).all():
            continue
        mean = np.array([np.mean(c[r]) for c, r in zip(each.difference.T, rows.T, strict=True)])
        distance = float(np.linalg.norm(mean))
        if distance > max(FAR_ABOVE * misfit.noise_distance, ALREADY_OFF * misfit.distance):
            off.append((distance / misfit.noise_distance, distance, each))
    if not off:
        return []
    _, distance, each = max(off, key=lambda row: row[0])
    return [
        Finding(
            f"{each.sensor} in {each.recording} is {readable(distance, each.unit)} off before anything is commanded: "
            "if the arm is mounted, or the cameras are placed, otherwise than the arm file says, free base_rotation or "
            "sensor_frame",
            "serious",
            f"{each.sensor} in {each.recording} is off before anything is commanded",
        )
    ]


def noise_findings(found: Sequence[Misfit]) -> list[Finding]:
    """About static tables whose noise is not known."""
    unknown = list(dict.fromkeys(each.sensor for each in found if each.noise_from == "unknown"))
    if not unknown:
        return []
    some = ", ".join(unknown[:MOST_NAMED]) + (" and others" if len(unknown) > MOST_NAMED else "")
    return [
        Finding(
            f"the noise of {some} is unknown: rows of a static table have no neighbours in time, and there are neither "
            "repeated commands nor enough rows to part noise from misfit; a wrong model would look the same: give "
            "sigma=, or repeat commands",
            "warning",
            f"the noise of {some} is unknown",
        )
    ]


def unpressurised(recording: Recording, arm: Arm) -> Booleans:
    """(k,): samples before the first command of a run, or rows of a table without any."""
    drive = recording.drive(arm)
    if drive.control is not None:
        return np.zeros(len(recording.times), dtype=bool)
    idle = np.asarray((drive.at(recording.times) == 0).all(axis=1))
    if recording.static:
        return idle
    driven = np.flatnonzero((drive.begin != 0).any(axis=1) | (drive.end != 0).any(axis=1))
    until = float(drive.times[driven[0]]) if len(driven) else np.inf
    return np.asarray(recording.times < until)


def driven_first(recording: Recording, arm: Arm) -> bool:
    """Whether the first commands of a run are others than zero."""
    drive = recording.drive(arm)
    return drive.control is not None or bool(drive.at(np.zeros(1)).any())


def _at_the_beginning(each: Misfit, time: float, driven: Mapping[str, bool]) -> bool:
    return not each.static and time < BEGINNING and driven.get(each.recording, True)


def _distance(each: Misfit) -> str:
    kind = "angle" if each.unit == "rad" else "distance"
    size = readable(each.distance, each.unit)
    return f"{each.sensor} in {each.recording} has an rms {kind} of {size} from the fitted arm"


def _worst(each: Misfit) -> str:
    when = f"row {each.worst_time:.0f}" if each.static else f"{each.worst_time:.2f} s"
    return f"worst: {readable(each.worst_distance, each.unit)} near {when}"


def _part(each: Misfit) -> str:
    """How much of it is no noise."""
    if each.chance >= CHANCE:
        return ""
    how = "follows the commands" if each.static else "follows its neighbours in time"
    return f"; {readable(each.structured, each.unit)} of it {how} and is no noise"


def _given_up(found: Sequence[Misfit]) -> list[Finding]:
    """About recordings, or sensors in them, that the fit gave up for the sake of the others."""
    findings = []
    lost = sorted((each for each in found if each.given_up > GIVEN_UP), key=lambda each: -each.given_up)
    for each in lost[:MOST_NAMED]:
        share = f"{100 * each.given_up:.0f} % of the samples of {each.sensor} in {each.recording}"
        if each.given_up > WHOLE:
            sentence = f"the fit gave up {share}: they are beyond five times the noise, and the others outvote them"
            findings.append(Finding(sentence, "serious", f"{each.recording} was given up"))
        else:
            findings.append(Finding(f"{share} are beyond five times the noise and have hardly any weight"))
    return findings
